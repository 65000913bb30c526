package tui

import (
	"strings"
	"testing"

	"github.com/sideb-dev/sideb/engine"
)

func TestAnOpenedSubPromptShowsWhatWasSaidInside(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := newFake()
		f.defs.Prompts = map[string]*engine.Prompt{"haiku": {Name: "haiku"}}
		f.thread("main", "tour", "Poetry", 0)
		f.add("main", said(engine.RoleUser, "a haiku"))
		call := said(engine.RoleAssistant, "")
		call.ToolCalls = []engine.ToolCall{{ID: "c", Name: "haiku", Arguments: `{"topic":"sea"}`}}
		f.add("main", call)
		inner := said(engine.RoleAssistant, "still \x1b[2Jwater")
		inner.Depth, inner.ParentID, inner.Prompt = 1, "result", "haiku"
		f.add("main", inner)
		other := said(engine.RoleAssistant, "of another call")
		other.Depth, other.ParentID = 1, "another"
		f.add("main", other)
		res := said(engine.RoleTool, "done")
		res.ID, res.ToolCallID, res.ToolStatus = "result", "c", engine.ToolSuccess
		f.add("main", res)
		d := drive(t, f, Options{Thread: "main"}, 80, 24)
		if strings.Contains(d.frame(), "still water") {
			t.Fatalf("shown before it is opened:\n%s", d.frame())
		}
		d.press("tab", "enter")
		if got := d.frame(); !strings.Contains(got, "haiku: still water") || strings.Contains(got, "of another call") {
			t.Errorf("opened:\n%s", got)
		}
	})
}
