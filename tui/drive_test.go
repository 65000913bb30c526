package tui

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/sideb-dev/sideb/engine"
)

var rewrite = flag.Bool("rewrite", false, "write the golden frames anew")

// driver runs an app without a Program: every command runs to its end before the
// next message.
type driver struct {
	t *testing.T
	*app
	f *fake
}

func drive(t *testing.T, f *fake, o Options, width, height int) *driver {
	t.Helper()
	f.quiet = true
	o.Backend, o.Now = f, f.now
	n := 0
	o.NewID = func() string { n++; return fmt.Sprintf("turn%d", n) }
	d := &driver{t: t, app: newApp(context.Background(), o), f: f}
	d.send(tea.WindowSizeMsg{Width: width, Height: height})
	d.do(d.app.Init())
	return d
}

func (d *driver) send(msgs ...tea.Msg) {
	for _, m := range msgs {
		_, cmd := d.app.Update(m)
		d.app.View()
		d.do(cmd)
	}
}

func (d *driver) do(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil, tickMsg, treeTickMsg, tea.QuitMsg:
	case tea.BatchMsg:
		for _, c := range msg {
			d.do(c)
		}
	default:
		d.send(msg)
	}
}

// events hands events over as one frame.
func (d *driver) events(evs ...engine.Event) {
	d.send(eventsMsg{events: evs, at: epoch})
}

// say writes text and sends it.
func (d *driver) say(text string) {
	d.write(text)
	d.press("enter")
}

func (d *driver) write(text string) {
	for _, r := range text {
		d.send(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
}

func (d *driver) press(names ...string) {
	d.t.Helper()
	for _, n := range names {
		d.send(keyNamed(d.t, n))
	}
}

func keyNamed(t *testing.T, name string) tea.KeyPressMsg {
	t.Helper()
	var k tea.KeyPressMsg
	parts := strings.Split(name, "+")
	for _, m := range parts[:len(parts)-1] {
		k.Mod |= map[string]tea.KeyMod{"ctrl": tea.ModCtrl, "alt": tea.ModAlt, "shift": tea.ModShift}[m]
	}
	codes := map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "up": tea.KeyUp, "down": tea.KeyDown, "tab": tea.KeyTab,
		"pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "home": tea.KeyHome, "end": tea.KeyEnd, "f1": tea.KeyF1,
		"left": tea.KeyLeft, "right": tea.KeyRight, "backspace": tea.KeyBackspace}
	last := parts[len(parts)-1]
	if c, ok := codes[last]; ok {
		k.Code = c
		return k
	}
	if len(last) != 1 {
		t.Fatalf("no key %q", name)
	}
	k.Code = rune(last[0])
	if k.Mod == 0 {
		k.Text = last
	}
	return k
}

// frame is the screen as plain text, with the cursor's place below it.
func (d *driver) frame() string {
	v := d.app.View()
	var b strings.Builder
	for _, l := range strings.Split(v.Content, "\n") {
		b.WriteString(strings.TrimRight(ansi.Strip(l), " ") + "\n")
	}
	if v.Cursor != nil {
		fmt.Fprintf(&b, "cursor %d,%d\n", v.Cursor.X, v.Cursor.Y)
	}
	return b.String()
}

// golden compares the frame with testdata/name.txt, and checks that it fits.
func (d *driver) golden(name string) {
	d.t.Helper()
	lines := strings.Split(d.app.View().Content, "\n")
	if len(lines) != d.layout.height {
		d.t.Errorf("%s: %d lines on a screen of %d", name, len(lines), d.layout.height)
	}
	for i, l := range lines {
		if w := ansi.StringWidth(l); w > d.layout.width {
			d.t.Errorf("%s: line %d is %d cells wide on a screen of %d: %q", name, i, w, d.layout.width, l)
		}
	}
	got := d.frame()
	path := filepath.Join("testdata", name+".txt")
	if *rewrite {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			d.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			d.t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		d.t.Fatal(err)
	}
	if got != string(want) {
		d.t.Errorf("%s differs; -rewrite takes it:\n%s\nwant:\n%s", name, got, want)
	}
}

func fixed() time.Time { return epoch }

func (d *driver) fits(w, h int) {
	d.t.Helper()
	lines := strings.Split(d.app.View().Content, "\n")
	if len(lines) != h {
		d.t.Errorf("%dx%d: %d lines", w, h, len(lines))
	}
	for i, l := range lines {
		if got := ansi.StringWidth(l); got > w {
			d.t.Errorf("%dx%d: line %d is %d cells wide: %q", w, h, i, got, ansi.Strip(l))
			return
		}
	}
}
