package worker

import (
	"encoding/binary"
	"encoding/json"
	"io"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/sideb-dev/sideb/sandbox/jail"
	"github.com/sideb-dev/sideb/sandbox/js"
	"github.com/sideb-dev/sideb/sandbox/value"
)

const (
	sandboxKind     = "sandbox"
	namespacesArg   = "namespaces"
	maxSandboxStack = 64 << 20  // of a goroutine
	outside         = 128 << 20 // what the process may have beside a run's limit
)

// sandboxServer is a sandbox worker from inside.
type sandboxServer struct {
	sealed *js.Sealed
	out    *frameWriter
	jail   *jail.Jail
	watch  *heapWatch
	links  linkCache

	mu    sync.Mutex
	run   *sandboxRun
	relay *relay // with the isolate of the next run
}

// serveSandbox confines the process before it reads anything but the greeting.
func serveSandbox(in io.Reader, out io.Writer, namespaces bool) error {
	debug.SetMaxStack(maxSandboxStack)
	s := &sandboxServer{sealed: js.NewSealed(), out: &frameWriter{out: out}}
	return readFrames(in, func(f frame) error {
		if f.kind == kindInit {
			s.jail = jail.Confine(namespaces)
			return s.warm()
		}
		return s.handle(f)
	})
}

// warm does once what every run needs, so that runs start from the same heap.
func (s *sandboxServer) warm() error {
	code, refuse := js.LinkSealed(js.SealedRequest{Source: "export default 1", Filename: "warm"})
	if refuse != nil {
		return errFrame
	}
	p, err := s.sealed.Compile(code)
	if err != nil {
		return err
	}
	s.sealed.Forget(p)
	if err := s.prepare(); err != nil {
		return err
	}
	s.watch = newHeapWatch(s.jail)
	body, err := json.Marshal(s.jail.Report)
	if err != nil {
		return err
	}
	return s.out.write(frame{kind: kindReady, body: body})
}

// prepare makes the isolate of the next run.
func (s *sandboxServer) prepare() error {
	r := &relay{server: s}
	isolate, err := s.sealed.NewIsolate(r)
	if err != nil {
		return err
	}
	r.isolate = isolate
	s.mu.Lock()
	defer s.mu.Unlock()
	s.relay = r
	return nil
}

// sandboxRun is the run that goes on.
type sandboxRun struct {
	id    uint64
	relay *relay
	head  SandboxRun
	args  []string // args, globals and imports, encoded
	// overflowed: the stack did, which can leave something behind in the engine.
	overflowed bool
}

func (s *sandboxServer) handle(f frame) error {
	if s.watch == nil {
		return errFrame // code before the greeting
	}
	if f.kind == kindRun {
		return s.begin(f)
	}
	s.mu.Lock()
	run := s.run
	s.mu.Unlock()
	if run == nil {
		return nil
	}
	switch f.kind {
	case kindReply:
		run.relay.isolate.Reply(f.id, f.body, nil)
	case kindRefuse:
		t := &js.Thrown{}
		if err := json.Unmarshal(f.body, t); err != nil {
			return err
		}
		run.relay.isolate.Reply(f.id, nil, t)
	case kindInvoke:
		if len(f.body) < 8 {
			return errFrame
		}
		run.relay.isolate.Invoke(f.id, binary.LittleEndian.Uint64(f.body), f.body[8:])
	default:
		return errFrame
	}
	return nil
}

func (s *sandboxServer) begin(f frame) error {
	parts, err := split(f.body, 4)
	if err != nil {
		return err
	}
	run := &sandboxRun{id: f.id, args: parts[1:]}
	if err := json.Unmarshal([]byte(parts[0]), &run.head); err != nil {
		return err
	}
	s.mu.Lock()
	run.relay, s.relay = s.relay, nil
	if run.relay == nil || s.run != nil {
		s.mu.Unlock()
		return errFrame
	}
	run.relay.run, s.run = run, run
	s.mu.Unlock()
	s.watch.start(run.head.MemoryLimit)
	go s.execute(run)
	return nil
}

// execute links and evaluates on a goroutine of its own, so that the reader goes on.
func (s *sandboxServer) execute(run *sandboxRun) {
	h := run.head
	p, refuse := s.links.program(s.sealed, js.SealedRequest{Source: h.Source, Filename: h.Filename, JavaScript: h.JavaScript,
		Modules: h.Modules, Imports: h.ImportNames, Globals: h.GlobalNames})
	if refuse != nil {
		s.settle(run, SandboxResult{Link: refuse})
		return
	}
	run.relay.isolate.Run(p, js.RunRequest{Fn: h.Fn, Args: []byte(run.args[0]), Globals: []byte(run.args[1]), Imports: []byte(run.args[2]),
		GlobalKeys: h.GlobalNames, Console: h.Console, Report: h.Report})
}

func (s *sandboxServer) settle(run *sandboxRun, r SandboxResult) {
	r.Shared = run.relay.isolate.Shared()
	head, err := json.Marshal(r)
	if err != nil {
		head = []byte(`{"thrown":{"name":"Error","message":"the outcome can't be described"}}`)
	}
	_ = s.out.write(frame{kind: kindSettled, id: run.id, body: fields(string(head), string(r.Value))})
	if !r.Shared {
		go s.finish(run.id)
	}
}

// finish drops the run's runtime and tells whether the worker is as good as new.
func (s *sandboxServer) finish(id uint64) {
	s.mu.Lock()
	run := s.run
	if run == nil || run.id != id {
		s.mu.Unlock()
		return
	}
	s.run = nil
	s.mu.Unlock()
	run.relay.isolate.Close()
	<-run.relay.isolate.Done()
	run.relay.isolate, run.relay.run = nil, nil
	good := byte(0)
	if s.watch.stop() && !run.overflowed && s.prepare() == nil {
		good = 1
	}
	_ = s.out.write(frame{kind: kindIdle, id: id, body: []byte{good}})
}

const (
	maxLogBytes    = 1 << 20
	maxLogEntries  = 10_000
	maxReportBytes = 16 << 20
)

// relay is what an isolate speaks to. Its methods are called on the isolate's loop.
type relay struct {
	server  *sandboxServer
	isolate *js.Isolate
	run     *sandboxRun

	logged, entries, reported int
	cut                       bool
}

func (r *relay) write(k kind, body []byte) {
	_ = r.server.out.write(frame{kind: k, id: r.run.id, body: body})
}

func (r *relay) Settled(s js.Settlement) {
	out := SandboxResult{Missing: s.Missing, Value: s.Value}
	if s.Thrown != nil {
		t := Thrown(*s.Thrown)
		out.Thrown = &t
		r.run.overflowed = t.Name == "RangeError" && strings.HasPrefix(t.Message, "Maximum call stack")
	}
	r.server.settle(r.run, out)
}

func (r *relay) HostCall(id, function uint64, args []byte) {
	body := binary.LittleEndian.AppendUint64(nil, id)
	body = binary.LittleEndian.AppendUint64(body, function)
	r.write(kindHost, append(body, args...))
}

// Log sends a line until the budget is used up, and then says that it was cut.
func (r *relay) Log(level string, args []any) {
	if r.cut {
		return
	}
	raw, err := value.Encode(args, "argument", nil)
	if err != nil {
		raw, _ = value.Encode([]any{"[value that can't be shown]"}, "", nil)
	}
	r.logged, r.entries = r.logged+len(raw), r.entries+1
	if r.logged > maxLogBytes || r.entries > maxLogEntries {
		r.cut, level = true, "warn"
		raw, _ = value.Encode([]any{"… the output was cut here"}, "", nil)
	}
	body := fields(level, string(raw))
	r.write(kindLog, binary.LittleEndian.AppendUint64(body, uint64(time.Now().UnixMilli())))
}

func (r *relay) Report(v []byte) bool {
	if r.reported += len(v); r.reported > maxReportBytes {
		return false
	}
	r.write(kindReport, v)
	return true
}

func (r *relay) Invoked(id uint64, v []byte, t *js.Thrown) {
	if t == nil {
		_ = r.server.out.write(frame{kind: kindResult, id: id, body: v})
		return
	}
	body, err := json.Marshal(t)
	if err != nil {
		body = []byte(`{"name":"Error","message":"what was thrown can't be described"}`)
	}
	_ = r.server.out.write(frame{kind: kindThrown, id: id, body: body})
}
