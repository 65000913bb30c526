package tui

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/sideb-dev/sideb/engine"
)

// TestMain runs the interface on the fake where the pty tests ask for it.
func TestMain(m *testing.M) {
	if mode := os.Getenv("TUI_TEST_PROCESS"); mode != "" {
		os.Exit(helperProcess(mode))
	}
	os.Exit(m.Run())
}

func helperProcess(mode string) int {
	f := demo(time.Now)
	f.hosting = true
	o := Options{Backend: f}
	switch mode {
	case "demo":
		f.pause, f.answer = 30*time.Millisecond, sampleMarkdown
	case "empty":
		f.threads = map[engine.ThreadID]*engine.ThreadRead{}
	case "panic":
		f.panics = true
	case "slow":
		f.pause, f.answer = 20*time.Millisecond, strings.Repeat("one two three ", 10_000)
	case "long":
		f.thread("long", "tour", "Ten thousand messages", 0)
		for i := range 5000 {
			f.add("long", said(engine.RoleUser, fmt.Sprintf("Question %d", i)))
			f.add("long", said(engine.RoleAssistant, fmt.Sprintf("Answer **%d**", i)))
		}
	}
	if err := Run(context.Background(), o); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		return 1
	}
	return 0
}

const sampleMarkdown = "# Reading a file\n\nI looked at `main.go` and found **three** things worth a look:\n\n" +
	"1. The *first* is simple\n2. The second has parts\n   - a nested one\n   - and another\n3. The third is ~~wrong~~ fine\n\n" +
	"```go\nfunc main() {\n\tfmt.Println(\"hello, 世界\") // a rather long line that goes on and on until it has to be broken somewhere\n}\n```\n\n" +
	"| File | Lines | What it does |\n|:-----|------:|:------------|\n| main.go | 120 | starts everything and then waits for the signal to stop |\n| wide 🎉.go | 7 | 幅の広い文字 |\n\n" +
	"> Quoted words, as the author put them.\n\n- [x] done\n- [ ] to do\n\nSee [the page](https://example.com/a) or https://example.org.\n\n---\n\nThat is all."

// demo is a small world: an idle thread with one of everything, one that runs, one
// that failed and one of two models.
func demo(now func() time.Time) *fake {
	f := newFake()
	f.now = now
	main := f.thread("main", "tour", "Explain the project layout", 2*time.Minute)
	main.Model, main.Usage.TotalTokens, main.Cost = "fast", 12_431, new(float64)
	*main.Cost, main.LastOutcome = 0.0123, engine.TurnCompleted
	f.add("main", said(engine.RoleUser, "Explain the project layout,\nand what `main.go` does."))
	call := said(engine.RoleAssistant, "I will look at the files first.")
	call.Reasoning = "The person wants an overview. Listing the directory is the cheapest way to begin."
	call.ToolCalls = []engine.ToolCall{
		{ID: "c1", Name: "list_dir", Arguments: `{"path":"."}`},
		{ID: "c2", Name: "read_file", Arguments: `{"path":"main.go","limit":200}`},
	}
	f.add("main", call)
	f.result("main", "c1", engine.ToolSuccess, "main.go\ngo.mod\nREADME.md", 12*time.Millisecond)
	f.result("main", "c2", engine.ToolError, "main.go: permission denied", 1340*time.Millisecond)
	f.add("main", said(engine.RoleAssistant, sampleMarkdown))

	run := f.thread("run", "tour", "Summarise the meeting notes from last week", 40*time.Minute)
	run.Status, run.Doing = engine.ThreadRunning, "model"
	bad := f.thread("bad", "tour", "Translate to Norwegian", 26*time.Hour)
	bad.LastOutcome, bad.LastError = engine.TurnFailed, "openai answered 401 (auth_error): check OPENAI_API_KEY"
	f.add("bad", said(engine.RoleUser, "Translate this."))
	f.thread("pair", "pair", "A haiku, reviewed", 80*time.Hour)
	for i, text := range []string{"An old silent pond", "The first line is five. Go on.", "A frog jumps into the pond", "Good. Then the sound?", "Splash! Silence again."} {
		m := said(engine.RoleAssistant, text)
		m.Side, m.Prompt = engine.SideA, "writer"
		if i%2 == 1 {
			m.Role, m.Side, m.Prompt = engine.RoleUser, engine.SideB, "reviewer"
		}
		f.add("pair", m)
	}
	return f
}

func (f *fake) result(id engine.ThreadID, call engine.ToolCallID, status engine.ToolStatus, text string, took time.Duration) {
	m := said(engine.RoleTool, text)
	m.ToolCallID, m.ToolStatus = call, status
	m.CreatedAt = engine.MicrosOf(f.now().Add(took))
	f.add(id, m)
}
