package engine

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// shown writes what a model would see on one line.
func shown(messages []ModelMessage) string {
	var out []string
	for i := range messages {
		m := &messages[i]
		s := string(m.Role) + ":" + m.Text()
		for _, c := range m.ToolCalls {
			s += "+" + string(c.ID)
		}
		if m.Role == RoleTool {
			s += "=" + string(m.ToolCallID)
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

// said is a message of an execution; calls are ids.
func said(run RunID, role Role, text string, calls ...ToolCallID) *Message {
	m := &Message{RunID: run, Role: role, Status: MessageCompleted}
	if text != "" {
		m.SetText(text)
	}
	for _, c := range calls {
		if role == RoleTool {
			m.ToolCallID = c
		} else {
			m.ToolCalls = append(m.ToolCalls, ToolCall{ID: c, Name: "t"})
		}
	}
	return m
}

func TestAssemble(t *testing.T) {
	deeper := said("r2", RoleAssistant, "deep")
	deeper.Depth, deeper.ParentID = 1, "p"
	pending := said("", RoleUser, "pending")
	pending.Status = MessagePending
	silent := said("r2", RoleSystem, "silent")
	silent.Silent = true
	history := []*Message{
		said("r1", RoleUser, "u1"), said("r1", RoleAssistant, "a1", "c1"), said("r1", RoleTool, "t1", "c1"), said("r1", RoleAssistant, "a2"),
		said("r2", RoleUser, "u2"), said("r2", RoleAssistant, "", "c2", "c3"), said("r2", RoleTool, "t2", "c2"), deeper, silent, pending,
	}
	all := &Prompt{IncludeChat: true, IncludePastTools: true}
	for _, c := range []struct {
		name string
		view view
		want string
	}{
		{"all", view{prompt: all, run: "r2"}, "user:u1 assistant:a1+c1 tool:t1=c1 assistant:a2 user:u2 assistant:+c2 tool:t2=c2 system:silent"},
		{"no past tools", view{prompt: &Prompt{IncludeChat: true}, run: "r2"}, "user:u1 assistant:a1 assistant:a2 user:u2 assistant:+c2 tool:t2=c2 system:silent"},
		{"no chat", view{prompt: &Prompt{IncludePastTools: true}, run: "r2"}, "user:u2 assistant:+c2 tool:t2=c2 system:silent"},
		{"a side of two", view{prompt: all, run: "r2", dual: true, side: SideA}, "user:u1 assistant:a1+c1 tool:t1=c1 assistant:a2 user:u2 assistant:+c2 tool:t2=c2 system:silent"},
		{"the other side", view{prompt: all, run: "r2", dual: true, side: SideB}, "assistant:u1 user:a1 user:a2 assistant:u2 system:silent"},
		{"inside a sub-prompt", view{prompt: &Prompt{}, run: "r2", inner: "p"}, "assistant:deep"},
		{"inside, with chat", view{prompt: &Prompt{IncludeChat: true}, run: "r2", inner: "p"}, "user:u1 assistant:a1 assistant:a2 user:u2 assistant:deep system:silent"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := shown(c.view.assemble(history)); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestAssemblePairs checks for any history and view that each call is followed by
// its result and each result answers a call, which providers insist on.
func TestAssemblePairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var history []*Message
		for i := range rapid.IntRange(0, 30).Draw(t, "messages") {
			role := rapid.SampledFrom([]Role{RoleUser, RoleAssistant, RoleTool, RoleSystem}).Draw(t, "role")
			m := said(rapid.SampledFrom([]RunID{"r1", "r2"}).Draw(t, "run"), role, rapid.SampledFrom([]string{"", "text"}).Draw(t, "text"))
			m.Depth = rapid.IntRange(0, 1).Draw(t, "depth")
			if role == RoleTool {
				m.ToolCallID = ToolCallID(fmt.Sprint("c", rapid.IntRange(0, i).Draw(t, "answers")))
			} else if rapid.Bool().Draw(t, "calls") {
				m.ToolCalls = []ToolCall{{ID: ToolCallID(fmt.Sprint("c", i))}}
			}
			history = append(history, m)
		}
		v := view{run: "r2", dual: rapid.Bool().Draw(t, "dual"), side: rapid.SampledFrom([]Side{SideA, SideB}).Draw(t, "side"),
			prompt: &Prompt{IncludeChat: rapid.Bool().Draw(t, "chat"), IncludePastTools: rapid.Bool().Draw(t, "tools")}}
		open := map[ToolCallID]bool{}
		for _, m := range v.assemble(history) {
			for _, c := range m.ToolCalls {
				open[c.ID] = true
			}
			if m.Role == RoleTool && !open[m.ToolCallID] {
				t.Fatalf("a result without its call: %s", shown(v.assemble(history)))
			}
			if m.Role == RoleTool {
				open[m.ToolCallID] = false
			}
		}
		for id, is := range open {
			if is {
				t.Fatalf("the call %s has no result: %s", id, shown(v.assemble(history)))
			}
		}
	})
}

func TestInterpolate(t *testing.T) {
	vars := map[string]json.RawMessage{"name": json.RawMessage(`"Ann"`), "n": json.RawMessage(`3`), "o": json.RawMessage(`{"a":1}`), "no": json.RawMessage(`null`), "x": json.RawMessage(`"{{name}}"`)}
	for in, want := range map[string]string{
		"":                      "",
		"plain":                 "plain",
		"{{name}} {{ name }}":   "Ann Ann",
		"{{n}}{{o}}{{no}}":      `3{"a":1}`,
		"{{unknown}} {{}}":      "{{unknown}} {{}}",
		"{{name":                "{{name",
		"}}{{name}}{{":          "}}Ann{{",
		"{{x}}":                 "{{name}}", // what was put in isn't read again
		"{name} {{{name}}}":     "{name} {{{name}}}",
		"{{a {{name}}":          "{{a {{name}}",
		"é{{name}}é":            "éAnné",
		"{{name\n}} {{\tname}}": "Ann Ann",
	} {
		if got := interpolate(in, vars); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestClip(t *testing.T) {
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{{"abc", 3, "abc"}, {"abcd", 3, "abc…"}, {"aéé", 2, "a…"}, {"ab cd", 3, "ab…"}, {"é", 1, "…"}} {
		if got := clip(c.in, c.n); got != c.want {
			t.Errorf("clip(%q, %d) = %q, want %q", c.in, c.n, got, c.want)
		}
	}
}
