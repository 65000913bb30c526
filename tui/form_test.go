package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/sideb-dev/sideb/engine"
)

func waitingFake() *fake {
	f := demo(fixed)
	f.waits = []engine.RequestInfo{{RequestID: "r1", Parent: "main", Agent: "researcher", Required: []string{"API_KEY", "REGION"}, Missing: []string{"API_KEY", "REGION"}}}
	f.defs.Tools = map[string]*engine.Tool{"look_up": {Name: "look_up", Variables: []engine.Variable{
		{Name: "API_KEY", Type: engine.VariableSecret, Required: true, Scoped: true, Description: "of the archive"},
		{Name: "REGION", Type: engine.VariableText, Required: true, Scoped: true}}}}
	return f
}

func TestTheFormGivesASubagentItsVariables(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		d := drive(t, waitingFake(), Options{Thread: "main"}, 80, 24)
		if !strings.Contains(d.frame(), "researcher needs API_KEY, REGION to start") {
			t.Fatalf("it isn't said:\n%s", d.frame())
		}
		d.press("ctrl+g")
		d.write("s3cret")
		d.press("enter")
		d.write("north")
		if got := d.frame(); strings.Contains(got, "s3cret") || !strings.Contains(got, "••••••") || !strings.Contains(got, "north") {
			t.Errorf("not masked, or too much:\n%s", got)
		}
		d.press("enter")
		if d.f.provided["API_KEY"] != "s3cret" || d.f.provided["REGION"] != "north" {
			t.Errorf("provided %v", d.f.provided)
		}
		if got := d.frame(); d.dialog != nil || strings.Contains(got, "needs") || !strings.Contains(got, "started researcher") {
			t.Errorf("it isn't over:\n%s", got)
		}
		for _, h := range d.composer.history {
			if strings.Contains(h, "s3cret") {
				t.Errorf("the history has it")
			}
		}
	})
}

func TestTheFormStaysWhenTheValuesAreRefused(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		d := drive(t, waitingFake(), Options{Thread: "main"}, 80, 24)
		d.say("/env")
		d.press("down", "enter")
		if !strings.Contains(d.frame(), "API_KEY is empty") {
			t.Errorf("empty values were sent:\n%s", d.frame())
		}
		d.send(tea.PasteMsg{Content: "wrong\n"})
		d.press("down")
		d.write("x")
		d.press("enter")
		if !strings.Contains(d.frame(), "that key is too short") || d.dialog == nil {
			t.Errorf("the refusal isn't shown:\n%s", d.frame())
		}
		d.press("esc")
		if d.dialog != nil || d.f.provided != nil {
			t.Errorf("esc doesn't cancel")
		}
	})
}

func TestGoldenForm(t *testing.T) {
	for size, wh := range map[string][2]int{"80x24": {80, 24}, "120x40": {120, 40}} {
		inBubble(t, func(t *testing.T) {
			d := drive(t, waitingFake(), Options{Thread: "main"}, wh[0], wh[1])
			d.press("ctrl+g")
			d.write("abc")
			d.golden("form-" + size)
		})
	}
}
