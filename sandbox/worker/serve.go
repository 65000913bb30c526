package worker

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"github.com/sideb-dev/sideb/sandbox/jail"
	"github.com/sideb-dev/sideb/sandbox/js"
)

// settings are what the host tells a worker first.
type settings struct {
	VMs         int           `json:"vms"`
	StallAfter  time.Duration `json:"stallAfter"`
	MemoryLimit int64         `json:"memoryLimit"`
}

type stallReport struct {
	VM    int       `json:"vm"`
	Fn    string    `json:"fn"`
	Since time.Time `json:"since"`
}

const (
	projectKind = "project"
	maxStack    = 256 << 20 // of a goroutine: parsing 100,000 levels fits, and death comes soon

	exitUsage  = 2
	exitMemory = 86 // the heap grew past its limit
)

// MainIfAsked runs the worker and never returns when this process was started
// as one; otherwise it does nothing. Call it first of all in main and TestMain.
func MainIfAsked() {
	if len(os.Args) < 2 || os.Args[1] != Arg {
		return
	}
	kind := ""
	if len(os.Args) > 2 {
		kind = os.Args[2]
	}
	var err error
	switch kind {
	case projectKind:
		debug.SetMaxStack(maxStack)
		quickStart()
		err = serveProject(polled(os.Stdin), os.Stdout)
	case sandboxKind:
		namespaces := len(os.Args) > 3 && os.Args[3] == namespacesArg
		err = serveSandbox(polled(os.Stdin), os.Stdout, namespaces)
	default:
		fmt.Fprintln(os.Stderr, "this command is for sideb's own use")
		os.Exit(exitUsage)
	}
	if err != nil && err != io.EOF {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// quickStart lets a start's garbage lie: compiling the first programs makes some
// 20 MB of it, whose collection would take a quarter of the time.
func quickStart() {
	const usual, start = 200, 800 // percent, of a heap of 4 MB at first
	debug.SetGCPercent(start)
	time.AfterFunc(2*time.Second, func() { debug.SetGCPercent(usual) })
}

// server is a project worker from inside.
type server struct {
	engine *js.Engine
	out    *frameWriter
	set    settings

	mu       sync.Mutex
	programs map[string]*js.Program
	vms      []*vmState
	homes    map[string]int    // affinity -> VM
	calls    map[uint64]origin // open calls
	watching bool
}

// vmState is one VM; vm is nil until the first call comes to it.
type vmState struct {
	vm     *js.VM
	loaded map[string]bool
	open   int
	stall  time.Time // the block that was reported last
}

type origin struct {
	vm       int
	affinity string
}

func serveProject(in io.Reader, out io.Writer) error {
	s := &server{engine: js.NewEngine(), out: &frameWriter{out: out}, programs: map[string]*js.Program{},
		homes: map[string]int{}, calls: map[uint64]origin{}}
	return readFrames(in, s.handle)
}

// handle takes one frame; it is called on the reading goroutine and hands on
// whatever takes time.
func (s *server) handle(f frame) error {
	switch f.kind {
	case kindInit:
		return s.init(f)
	case kindBuild:
		go s.build(f)
	case kindLoad:
		go s.load(f)
	case kindUnload:
		s.unload(string(f.body))
		return s.out.write(frame{kind: kindResult, id: f.id})
	case kindCall:
		return s.call(f)
	case kindAbort:
		s.abort(f)
	case kindReply, kindRefuse:
		return s.reply(f)
	default:
		return errFrame
	}
	return nil
}

// boundSlack is what the runtime itself needs beside the heap.
const boundSlack = 128 << 20

func (s *server) init(f frame) error {
	if err := json.Unmarshal(f.body, &s.set); err != nil {
		return err
	}
	s.vms = make([]*vmState, max(1, s.set.VMs))
	for i := range s.vms {
		s.vms[i] = &vmState{loaded: map[string]bool{}}
	}
	if s.set.MemoryLimit > 0 {
		// A heap that doubles outruns any watch: the system has the last word.
		// Where it can't be asked, the watch remains.
		if !underRace {
			_ = jail.Bound(s.set.MemoryLimit + boundSlack)
		}
		debug.SetMemoryLimit(s.set.MemoryLimit)
		go watchMemory(s.set.MemoryLimit)
	}
	if err := s.out.write(frame{kind: kindReady}); err != nil {
		return err
	}
	go func() { _ = s.engine.Warm() }()
	return nil
}

func (s *server) build(f frame) {
	var r js.LinkRequest
	if err := json.Unmarshal(f.body, &r); err != nil {
		_ = s.fail(f.id, &js.Thrown{Name: "Error", Message: err.Error()})
		return
	}
	linked := js.Link(r)
	code := linked.Code
	linked.Code = ""
	meta, err := json.Marshal(linked)
	if err != nil {
		_ = s.fail(f.id, &js.Thrown{Name: "Error", Message: err.Error()})
		return
	}
	_ = s.done(f.id, fields(string(meta), code))
}

func (s *server) load(f frame) {
	parts, err := split(f.body, 2)
	if err != nil {
		_ = s.fail(f.id, &js.Thrown{Name: "Error", Message: err.Error()})
		return
	}
	p, err := s.engine.Compile(parts[1])
	if err != nil {
		_ = s.fail(f.id, thrownOf(err))
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget(parts[0])
	s.programs[parts[0]] = p
	s.calls[f.id] = origin{vm: 0} // so that a block while it is evaluated is seen
	err = s.loadOn(0, parts[0], func(t *js.Thrown) {
		s.finish(f.id)
		if t != nil {
			_ = s.fail(f.id, t)
			return
		}
		_ = s.done(f.id, nil)
	})
	if err != nil {
		_ = s.fail(f.id, thrownOf(err))
	}
}

// loadOn evaluates a program on a VM; with mu held.
func (s *server) loadOn(i int, program string, done func(*js.Thrown)) error {
	state := s.vms[i]
	if state.vm == nil {
		vm, err := s.engine.NewVM(host{s, i})
		if err != nil {
			return err
		}
		state.vm = vm
	}
	state.loaded[program] = true
	s.watch()
	state.vm.Load(program, s.programs[program], done)
	return nil
}

func (s *server) unload(program string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget(program)
}

func (s *server) forget(program string) {
	p := s.programs[program]
	if p == nil {
		return
	}
	delete(s.programs, program)
	for _, state := range s.vms {
		if state.loaded[program] {
			delete(state.loaded, program)
			state.vm.Unload(program)
		}
	}
}

func (s *server) call(f frame) error {
	parts, err := split(f.body, 4)
	if err != nil {
		return err
	}
	program, affinity := parts[0], parts[1]
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.programs[program] == nil {
		return s.fail(f.id, &js.Thrown{Name: "ReferenceError", Message: "no program " + strconv.Quote(program) + " is loaded"})
	}
	i := s.place(affinity)
	state := s.vms[i]
	if !state.loaded[program] {
		if err := s.loadOn(i, program, func(*js.Thrown) {}); err != nil {
			return s.fail(f.id, thrownOf(err))
		}
	}
	state.open++
	s.calls[f.id] = origin{vm: i, affinity: affinity}
	s.watch()
	state.vm.Call(f.id, program, parts[2], parts[3])
	return nil
}

// maxHomes bounds how many affinities are remembered; when it is reached those
// of earlier threads are forgotten and placed anew.
const maxHomes = 10_000

// place chooses the VM of an affinity: the one that it had, else the one with the
// fewest open calls, the first among equals: so that one thread needs one VM.
func (s *server) place(affinity string) int {
	if i, ok := s.homes[affinity]; ok && affinity != "" {
		return i
	}
	best := 0
	for i, state := range s.vms {
		if state.open < s.vms[best].open {
			best = i
		}
	}
	if affinity != "" {
		if len(s.homes) >= maxHomes {
			clear(s.homes)
			for _, o := range s.calls {
				s.homes[o.affinity] = o.vm
			}
		}
		s.homes[affinity] = best
	}
	return best
}

func (s *server) abort(f frame) {
	s.mu.Lock()
	o, ok := s.calls[f.id]
	s.mu.Unlock()
	if !ok {
		return
	}
	s.finish(f.id)
	s.vms[o.vm].vm.Abort(f.id, string(f.body))
}

// reply hands an answer to the VM that asked: the VM's index is the top byte of the id.
func (s *server) reply(f frame) error {
	i, id := int(f.id>>56), f.id&(1<<56-1)
	if i >= len(s.vms) {
		return errFrame
	}
	s.mu.Lock()
	vm := s.vms[i].vm
	s.mu.Unlock()
	if f.kind == kindReply {
		vm.Reply(id, string(f.body), nil)
		return nil
	}
	t := &js.Thrown{}
	if err := json.Unmarshal(f.body, t); err != nil {
		return err
	}
	vm.Reply(id, "", t)
	return nil
}

// finish forgets an open call.
func (s *server) finish(id uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o, ok := s.calls[id]; ok {
		delete(s.calls, id)
		s.vms[o.vm].open = max(0, s.vms[o.vm].open-1)
	}
}

func (s *server) done(id uint64, body []byte) error {
	return s.out.write(frame{kind: kindResult, id: id, body: body})
}

func (s *server) fail(id uint64, t *js.Thrown) error {
	body, err := json.Marshal(t)
	if err != nil {
		body = []byte(`{"name":"Error","message":"what was thrown can't be described"}`)
	}
	return s.out.write(frame{kind: kindThrown, id: id, body: body})
}

func thrownOf(err error) *js.Thrown {
	if t, ok := err.(*js.Thrown); ok {
		return t
	}
	return &js.Thrown{Name: "Error", Message: err.Error()}
}

// host is what a VM speaks to. A failing pipe ends the process by way of the
// reader, so errors of writing need no handling here.
type host struct {
	s  *server
	vm int
}

func (h host) HostCall(call, id uint64, method, args string) {
	_ = h.s.out.write(frame{kind: kindHost, id: call, body: fields(strconv.FormatUint(uint64(h.vm)<<56|id, 10), method, args)})
}

func (h host) HostSend(call uint64, method, args string) {
	_ = h.s.out.write(frame{kind: kindSend, id: call, body: fields(method, args)})
}

func (h host) Settled(call uint64, value string, t *js.Thrown) {
	h.s.finish(call)
	if t != nil {
		_ = h.s.fail(call, t)
		return
	}
	_ = h.s.done(call, []byte(value))
}
