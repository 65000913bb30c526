package tui

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
)

// firstFrame draws the empty shell before the program starts: its renderer asks
// the terminal (and tmux) what they can do and then waits for its first tick. The
// frame is faint text without colours, since those aren't known yet.
func firstFrame(a *app, out io.Writer) {
	if out == nil {
		out = os.Stdout
	}
	f, ok := out.(*os.File)
	if !ok || !term.IsTerminal(f.Fd()) {
		return
	}
	width, height, err := term.GetSize(f.Fd())
	if err != nil {
		return
	}
	a.layout.width, a.layout.height = width, height
	lines, cursor := a.draw()
	var b strings.Builder
	b.WriteString(ansi.SetModeAltScreenSaveCursor + ansi.CursorHomePosition + ansi.Style{}.Faint().String())
	for i, l := range lines {
		if i > 0 {
			b.WriteString("\r\n")
		}
		b.WriteString(strings.TrimRight(ansi.Strip(l), " "))
	}
	b.WriteString(resetInk)
	if cursor != nil {
		b.WriteString(ansi.CursorPosition(cursor.X+1, cursor.Y+1))
	}
	fmt.Fprint(f, b.String()) //nolint:errcheck // the program reports a terminal that can't be written
}
