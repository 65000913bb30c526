package engine

import (
	"context"
	"encoding/json"
)

// ThreadState is what project code sees of its thread (authoring surface §12):
// one call of one tool, hook or effect has one. Its methods are safe for
// concurrent use and end with the call that they were made for. What a method
// changes is durable before it returns.
type ThreadState struct {
	f     *frame
	entry *ToolEntry // the tool entry that was called, nil for a hook or effect
	tool  *Tool
}

// Info is the part of ThreadState that doesn't need a call.
type Info struct {
	ThreadID   ThreadID        `json:"threadId"`
	AgentID    string          `json:"agentId"`
	UserID     *string         `json:"userId"`
	CreatedAt  Micros          `json:"createdAt"`
	Terminated *Micros         `json:"terminated"`
	Children   []Child         `json:"children"`
	Arguments  json.RawMessage `json:"arguments,omitempty"`
	Context    json.RawMessage `json:"context"`   // object, in memory for this execution only
	Execution  *ExecutionInfo  `json:"execution"` // nil outside an execution
}

// ExecutionInfo is ThreadState.execution (authoring surface §12.6).
type ExecutionInfo struct {
	FlowID         RunID      `json:"flowId"`
	CurrentSide    Side       `json:"currentSide"`
	StepCount      int        `json:"stepCount"`
	SideAStepCount int        `json:"sideAStepCount"`
	SideBStepCount int        `json:"sideBStepCount"`
	Stopped        bool       `json:"stopped"`
	StoppedBy      StopReason `json:"stoppedBy,omitempty"`
	PromptPath     []string   `json:"promptPath"`
}

// Info reads the properties of the state as they are now.
func (s *ThreadState) Info(ctx context.Context) (*Info, error) {
	leave, err := s.f.enter("read thread")
	if err != nil {
		return nil, err
	}
	defer leave()
	x := s.f.x
	children, err := x.e.c.Store.Children(ctx, x.snap.thread.ID)
	if err != nil {
		return nil, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	t, st := &x.snap.thread, &x.snap.state
	children = liveChildren(children)
	info := &Info{ThreadID: t.ID, AgentID: t.Agent, CreatedAt: t.CreatedAt, Children: children, Arguments: t.Arguments}
	if info.Children == nil {
		info.Children = []Child{}
	}
	if t.UserID != "" {
		info.UserID = &t.UserID
	}
	if t.Terminated != 0 {
		info.Terminated = &t.Terminated
	}
	if info.Context, err = json.Marshal(x.context); err != nil {
		return nil, err
	}
	if s.f.root.outside {
		return info, nil
	}
	info.Execution = &ExecutionInfo{
		FlowID: st.RunID, CurrentSide: st.Side, StepCount: st.Steps, SideAStepCount: st.StepsA, SideBStepCount: st.StepsB,
		Stopped: st.StopAsked, PromptPath: s.f.path,
	}
	if st.StopAsked {
		info.Execution.StoppedBy = StopRequested
	}
	return info, nil
}

// Definitions is what the project declares now, for loadModel, loadPrompt,
// loadAgent and the name lists.
func (s *ThreadState) Definitions() *Definitions { return s.f.x.e.c.Project.Definitions() }
