package worker

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"os"
	"sync"
	"sync/atomic"

	"github.com/sideb-dev/sideb/sandbox/jail"
)

// SandboxOptions configure one worker process for untrusted code.
type SandboxOptions struct {
	Exe string // executable to start; "" means os.Executable()
	Dir string // working directory: an empty directory of its own
	// MemoryCeiling is the most that a run may be given; where the system bounds
	// the process from outside, it does at this much and what the engine needs.
	MemoryCeiling int64
}

// SandboxRun is one run. Values are encoded by package value.
type SandboxRun struct {
	Source, Filename, Fn  string
	JavaScript            bool
	Console, Report       bool
	Modules               map[string]string   // relative specifier -> source
	ImportNames           map[string][]string // bare specifier -> names of its exports
	GlobalNames           []string
	MemoryLimit           int64
	Args, Globals, Import []byte `json:"-"`
}

// SandboxResult is how a run settled: with Value, with Thrown, with Link or with Missing.
type SandboxResult struct {
	Thrown  *Thrown        `json:"thrown,omitempty"`
	Link    *SandboxRefuse `json:"link,omitempty"`
	Missing bool           `json:"missing,omitempty"`
	Shared  bool           `json:"shared,omitempty"` // the host holds functions of the run: it goes on until Kill
	Value   []byte         `json:"-"`
}

// SandboxRefuse says why source can't be linked; Line and Column count from 1.
type SandboxRefuse struct {
	Name      string `json:"name"`
	Message   string `json:"message"`
	Filename  string `json:"filename,omitempty"`
	Specifier string `json:"specifier,omitempty"`
	Line      int    `json:"line,omitempty"`
	Column    int    `json:"column,omitempty"`
}

// SandboxHost hears of a run. All but HostCall are called on the worker's reading
// goroutine and must not block.
type SandboxHost interface {
	HostCall(function uint64, args []byte) ([]byte, error) // on a goroutine of its own
	Log(level string, millis int64, args []byte)
	Report(v []byte)
	Settled(SandboxResult)
	// Idle tells, after Settled, that the run is over and whether the worker is as good as new.
	Idle(reusable bool)
	Died(*Died)
}

// Sandbox is a running worker process for untrusted code. It runs one thing at a
// time.
type Sandbox struct {
	proc       *process
	ready      chan struct{}
	namespaces bool
	report     jail.Report

	mu      sync.Mutex
	next    uint64
	run     uint64 // of the current run; 0 when there is none
	host    SandboxHost
	invokes map[uint64]chan answer
	died    *Died
}

// maxSandboxFrame bounds what the host reads at once from a worker.
const maxSandboxFrame = 64 << 20

// Namespaces remembers that the system refuses them, so that it isn't asked twice.
type Namespaces struct{ refused atomic.Bool }

// StartSandbox starts a worker process and waits until it is confined and warm.
func StartSandbox(ctx context.Context, o SandboxOptions, n *Namespaces) (*Sandbox, error) {
	if o.Exe == "" {
		exe, err := os.Executable()
		if err != nil {
			return nil, &Died{Reason: "the program's own executable can't be found: " + err.Error()}
		}
		o.Exe = exe
	}
	s := &Sandbox{ready: make(chan struct{}), invokes: map[uint64]chan answer{}}
	err := error(nil)
	if s.namespaces = !n.refused.Load(); s.namespaces {
		if err = s.start(o); err != nil {
			n.refused.Store(true)
			s.namespaces = false
		}
	}
	if !s.namespaces {
		err = s.start(o)
	}
	if err != nil {
		return nil, &Died{Reason: "the worker can't be started: " + err.Error()}
	}
	select {
	case <-s.ready:
		return s, nil
	case <-s.proc.done:
		return nil, s.died
	case <-ctx.Done():
		s.Kill()
		return nil, ctx.Err()
	}
}

func (s *Sandbox) start(o SandboxOptions) error {
	args := []string{sandboxKind}
	if s.namespaces {
		args = append(args, namespacesArg)
	}
	var err error
	s.proc, err = startProcessAs(launch{exe: o.Exe, dir: o.Dir, args: args, sys: jail.Attributes(s.namespaces), maxFrame: maxSandboxFrame,
		env: []string{"TZ=UTC", "GOGC=400", "GOMAXPROCS=2"}}, s.handle, s.ended)
	if err != nil {
		return err
	}
	cell, err := jail.Adopt(s.proc.child, o.MemoryCeiling+outside)
	if err != nil {
		s.proc.kill()
		return err
	}
	go func() {
		<-s.proc.done
		cell.Close()
	}()
	return s.proc.out.write(frame{kind: kindInit})
}

// Report says what confines the process.
func (s *Sandbox) Report() jail.Report { return s.report }

// PID is the process's id.
func (s *Sandbox) PID() int { return s.proc.child.Pid }

// Kill ends the process at once; the run hears of it by Died.
func (s *Sandbox) Kill() { s.proc.kill() }

// Done is closed when the process has ended.
func (s *Sandbox) Done() <-chan struct{} { return s.proc.done }

// Start begins a run. The host hears Settled and then Idle, or Died.
func (s *Sandbox) Start(r SandboxRun, h SandboxHost) error {
	head, err := json.Marshal(r)
	if err != nil {
		return err
	}
	s.mu.Lock()
	if s.died != nil {
		s.mu.Unlock()
		return s.died
	}
	s.next++
	s.run, s.host = s.next, h
	id := s.run
	s.mu.Unlock()
	return s.send(frame{kind: kindRun, id: id, body: fields(string(head), string(r.Args), string(r.Globals), string(r.Import))})
}

// send writes a frame; a broken pipe shows as the process's end.
func (s *Sandbox) send(f frame) error {
	if err := s.proc.out.write(f); err != nil && len(f.body) > maxFrame-frameHead {
		return err
	}
	return nil
}

// Invoke calls a function of the run. Errors: *Thrown, *Died, ctx's.
func (s *Sandbox) Invoke(ctx context.Context, function uint64, args []byte) ([]byte, error) {
	s.mu.Lock()
	if s.died != nil {
		s.mu.Unlock()
		return nil, s.died
	}
	s.next++
	id, result := s.next, make(chan answer, 1)
	s.invokes[id] = result
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.invokes, id)
	}()
	body := append(binary.LittleEndian.AppendUint64(nil, function), args...)
	if err := s.send(frame{kind: kindInvoke, id: id, body: body}); err != nil {
		return nil, err
	}
	select {
	case a := <-result:
		return a.body, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// ended is called once, before done is closed.
func (s *Sandbox) ended(d *Died) {
	s.mu.Lock()
	s.died = d
	h := s.host
	s.host = nil
	for id, result := range s.invokes {
		delete(s.invokes, id)
		result <- answer{err: d}
	}
	s.mu.Unlock()
	if h != nil {
		h.Died(d)
	}
}

// handle takes a frame from the worker. What it says is checked: the process ran
// untrusted code.
func (s *Sandbox) handle(f frame) error {
	switch f.kind {
	case kindReady:
		if err := json.Unmarshal(f.body, &s.report); err != nil {
			return err
		}
		return closeOnce(s.ready)
	case kindResult:
		s.invoked(f.id, answer{body: f.body})
		return nil
	case kindThrown:
		t := &Thrown{}
		if err := json.Unmarshal(f.body, t); err != nil {
			return err
		}
		s.invoked(f.id, answer{err: t})
		return nil
	default:
		return s.ofRun(f)
	}
}

// ofRun hands a frame of the run in progress to its host.
func (s *Sandbox) ofRun(f frame) error {
	s.mu.Lock()
	h := s.host
	if f.id != s.run {
		h = nil
	}
	if f.kind == kindIdle {
		s.host = nil
	}
	s.mu.Unlock()
	if h == nil {
		return nil // of a run that is over
	}
	return s.handleRun(f, h)
}

func closeOnce(c chan struct{}) error {
	select {
	case <-c:
		return errFrame
	default:
		close(c)
		return nil
	}
}

func (s *Sandbox) invoked(id uint64, a answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if result := s.invokes[id]; result != nil {
		delete(s.invokes, id)
		result <- a
	}
}

func (s *Sandbox) handleRun(f frame, h SandboxHost) error {
	switch f.kind {
	case kindHost:
		return s.hostCall(f, h)
	case kindLog:
		parts, err := split(f.body, 2)
		if err != nil || len(f.body) < 8 {
			return errFrame
		}
		millis := int64(binary.LittleEndian.Uint64(f.body[len(f.body)-8:]))
		h.Log(parts[0], millis, []byte(parts[1]))
	case kindReport:
		h.Report(f.body)
	case kindSettled:
		parts, err := split(f.body, 2)
		if err != nil {
			return err
		}
		var r SandboxResult
		if err := json.Unmarshal([]byte(parts[0]), &r); err != nil {
			return err
		}
		r.Value = []byte(parts[1])
		h.Settled(r)
	case kindIdle:
		h.Idle(len(f.body) == 1 && f.body[0] == 1)
	default:
		return errFrame
	}
	return nil
}

func (s *Sandbox) hostCall(f frame, h SandboxHost) error {
	if len(f.body) < 16 {
		return errFrame
	}
	call, function := binary.LittleEndian.Uint64(f.body), binary.LittleEndian.Uint64(f.body[8:])
	go func() {
		value, err := h.HostCall(function, f.body[16:])
		reply := frame{kind: kindReply, id: call, body: value}
		if err != nil {
			reply.kind, reply.body = kindRefuse, refusal(err)
		}
		_ = s.send(reply)
	}()
	return nil
}
