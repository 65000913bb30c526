package engine

import (
	"encoding/json"
	"slices"
)

// execState is the durable runtime state of a thread (Exec.State): exactly what a
// new owner needs to go on after a crash. At rest RunID is "" and only what
// outlives an execution is left.
type execState struct {
	RunID    RunID    `json:"runId,omitempty"`
	Turns    []TurnID `json:"turns,omitempty"` // the first began the execution, the others joined it
	Side     Side     `json:"side,omitempty"`
	Steps    int      `json:"steps,omitempty"`
	StepsA   int      `json:"stepsA,omitempty"`
	StepsB   int      `json:"stepsB,omitempty"`
	TurnsA   int      `json:"turnsA,omitempty"` // completed side turns
	TurnsB   int      `json:"turnsB,omitempty"`
	MaxSteps int      `json:"maxSteps,omitempty"` // from TurnOptions

	StepMessage MessageID    `json:"stepMessage,omitempty"` // the assistant message whose step is open
	StepRoot    MessageID    `json:"stepRoot,omitempty"`    // the model's message, where StepMessage holds what its tools queued
	Started     ToolCallID   `json:"started,omitempty"`     // the call that was announced as started and has no result
	ResultID    MessageID    `json:"resultId,omitempty"`    // id that the result of Started will have
	Queued      []queuedTool `json:"queued,omitempty"`      // by queueTool, for this step
	Handoff     *handoff     `json:"handoff,omitempty"`     // taken when the step's calls are done
	Boot        bool         `json:"boot,omitempty"`        // the prompt has just become active: its immediate calls are due
	Transfers   transfers    `json:"transfers,omitempty"`
	Force       Side         `json:"force,omitempty"`     // forceTurn
	StopAsked   bool         `json:"stopAsked,omitempty"` // execution.stop()
	Streak      errorStreak  `json:"streak"`              // of identical tool errors
	Args        jsonObject   `json:"args,omitempty"`      // handoff arguments, for interpolation; the agent keeps them while it has the thread
	Waiting     *waiting     `json:"waiting,omitempty"`   // the open call waits for a blocking child
	Reply       *Reply       `json:"reply,omitempty"`     // the parent's call that waits for this execution

	Calls map[string]int `json:"calls,omitempty"` // requests made so far, by model definition; outlives the execution
}

// waiting is a blocking child's place in the parent: rows, no goroutine.
type waiting struct {
	Call  ToolCallID `json:"call"`
	Child ThreadID   `json:"child"`
}

type queuedTool struct {
	Name     string            `json:"name"`
	Args     json.RawMessage   `json:"args"`
	Transfer map[string]string `json:"transfer,omitempty"` // child's variable -> the parent thread's, for a subagent
}

type handoff struct {
	Agent string       `json:"agent"`
	Args  jsonObject   `json:"args,omitempty"`
	Text  string       `json:"text,omitempty"`  // user message that the tool entry maps
	Files []Attachment `json:"files,omitempty"` // of that message
}

type errorStreak struct {
	Sig string `json:"sig,omitempty"`
	N   int    `json:"n,omitempty"`
}

// transfers are the variables that immediate calls take along, by call.
type transfers map[ToolCallID]map[string]string

type jsonObject map[string]json.RawMessage

// rest is what is left of the state when an execution ends.
func (s *execState) rest() execState { return execState{Calls: s.Calls, Args: s.Args} }

// sideSteps counts the steps of one side in this execution.
func (s *execState) sideSteps(side Side) int {
	if side == SideB {
		return s.StepsB
	}
	return s.StepsA
}

func (s *execState) countStep() {
	s.Steps++
	if s.Side == SideB {
		s.StepsB++
	} else {
		s.StepsA++
	}
}

func (s *execState) countSideTurn() {
	if s.Side == SideB {
		s.TurnsB++
	} else {
		s.TurnsA++
	}
}

// turn is the turn that the execution's costs and facts belong to.
func (s *execState) turn() TurnID {
	if len(s.Turns) == 0 {
		return ""
	}
	return s.Turns[0]
}

func (s *execState) encode() (*Exec, error) {
	b, err := json.Marshal(s)
	if err != nil {
		return nil, Errorf(CodeInternal, "encode state", "%w", err)
	}
	return &Exec{Active: s.active(), State: b}, nil
}

func decodeExec(e Exec) (execState, error) {
	var s execState
	if len(e.State) == 0 {
		return s, nil
	}
	if err := json.Unmarshal(e.State, &s); err != nil {
		return s, Errorf(CodeCorrupt, "read thread state", "%w", err)
	}
	return s, nil
}

// active reports whether some host must run the thread now.
func (s *execState) active() bool { return s.RunID != "" && s.Waiting == nil }

// snapshot is one thread as the planner sees it: everything that decides what
// comes next, and nothing that has to be fetched.
type snapshot struct {
	thread Thread
	agent  *Agent
	state  execState
	queue  []QueueItem
	step   *Message    // the open step's assistant message, nil between steps
	before []*Message  // the calls and results of the same step before step's, where that holds what they queued
	done   []*Message  // results of the open step's calls so far, in the order of the calls
	due    []Scheduled // effects whose time has come
	cancel *Signal     // a pending interrupt or terminate
	owned  bool        // the call in state.Started was begun by this process and is still its own
}

// openCalls are the calls of the open step without a result. Results come in the
// order of the calls, so these are the last.
func (s *snapshot) openCalls() []ToolCall {
	if s.step == nil || len(s.done) >= len(s.step.ToolCalls) {
		return nil
	}
	return s.step.ToolCalls[len(s.done):]
}

// called reports whether the open step called a tool, the model or what its tools
// queued.
func (s *snapshot) called(tool string) bool {
	return calls(s.step, tool) || slices.ContainsFunc(s.before, func(m *Message) bool { return calls(m, tool) })
}

// succeeded finds a result of the open step for a tool that didn't fail, nil for
// none.
func (s *snapshot) succeeded(tool string) *Message {
	for _, list := range [][]*Message{s.before, s.done} {
		for _, m := range list {
			if m.Role == RoleTool && m.Name == tool && m.ToolStatus == ToolSuccess {
				return m
			}
		}
	}
	return nil
}

// delivery finds the awaited child's result in the queue, nil while it isn't
// there.
func (s *snapshot) delivery() *QueueItem {
	for i := range s.queue {
		d := s.queue[i].Delivery
		if d != nil && s.state.Waiting != nil && d.Call == s.state.Waiting.Call {
			return &s.queue[i]
		}
	}
	return nil
}
