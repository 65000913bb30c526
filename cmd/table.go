package cmd

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/sideb-dev/sideb/engine"
)

// table prints rows in columns that line up. The last column is cut to the
// terminal's width; a pipe gets it whole.
type table struct {
	header []string
	rows   [][]string
	empty  string // what to say without rows
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

func (t *table) write(g *globals) {
	if len(t.rows) == 0 {
		fmt.Fprintln(g.Err, t.empty)
		return
	}
	widths := make([]int, len(t.header))
	for _, row := range append([][]string{t.header}, t.rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], ansi.StringWidth(cell))
		}
	}
	g.printRow(t.header, widths, "\x1b[1m")
	for _, row := range t.rows {
		g.printRow(row, widths, "")
	}
}

func (g *globals) printRow(row []string, widths []int, style string) {
	var b strings.Builder
	for i, cell := range row {
		b.WriteString(cell)
		if i < len(row)-1 {
			b.WriteString(strings.Repeat(" ", widths[i]-ansi.StringWidth(cell)+2))
		}
	}
	line := strings.TrimRight(b.String(), " ")
	if g.Width > 0 {
		line = ansi.Truncate(line, g.Width, "…")
	}
	if style != "" && g.color() {
		line = style + line + "\x1b[0m"
	}
	fmt.Fprintln(g.Out, line)
}

// printJSON writes v indented, with text as it is (no HTML escapes).
func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// oneLine makes text fit a table cell: control characters and line breaks
// become spaces.
func oneLine(s string, width int) string {
	s = strings.Join(strings.Fields(plain(s)), " ")
	return ansi.Truncate(s, width, "…")
}

// ago is the time since at in its largest unit.
func ago(now time.Time, at engine.Micros) string {
	d := now.Sub(at.Time())
	switch {
	case at == 0:
		return ""
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	case d < 60*24*time.Hour:
		return fmt.Sprintf("%d days ago", int(d.Hours()/24))
	default:
		return at.Time().Local().Format("2006-01-02")
	}
}

// dollars prints a cost; nil is unknown.
func dollars(cost *float64) string {
	switch {
	case cost == nil:
		return "unknown"
	case *cost == 0:
		return "$0"
	case *cost < 0.01:
		return fmt.Sprintf("$%.5f", *cost)
	default:
		return fmt.Sprintf("$%.2f", *cost)
	}
}
