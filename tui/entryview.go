package tui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

const (
	margin       = 2   // cells before the text of every entry
	openLines    = 200 // lines of a result that an open entry shows
	foldedReason = 60
)

// layout lays e out, or returns what it laid out before.
func (t *transcript) layout(e *entry) []string {
	if e.kind == entryStream {
		return t.layoutStream(e)
	}
	k := layoutKey{width: t.width, theme: t.theme, open: e.open, valid: true}
	if e.tool != nil {
		k.state = t.stateOf(e)
	}
	if e.laid != k {
		e.lines, e.laid = t.draw(e, k), k
	}
	return e.lines
}

func (t *transcript) draw(e *entry, k layoutKey) []string {
	width := max(t.textWidth(), 1)
	var lines []string
	switch e.kind {
	case entrySaid:
		bar := t.sideInk(e.side).on("▌") + " "
		lines = indent(wrapText(e.text, "", width), bar, bar)
	case entryAnswer:
		lines = t.answer(e, width)
	case entryReasoning:
		lines = t.reasoning(e, width)
	case entryTool:
		lines = t.toolLines(e, k.state, width)
	case entryNote:
		lines = t.note(e, width)
	case entryStream:
	}
	if e.label != "" {
		lines = append([]string{"  " + (t.sideInk(e.side) + t.styles.strong).on(cut(e.label, width))}, lines...)
	}
	return append(lines, t.statusLine(e)...)
}

func (t *transcript) answer(e *entry, width int) []string {
	if e.text == "" {
		return nil
	}
	return indent(t.markdown.render(e.text, width), "  ", "  ")
}

// statusLine marks a message that isn't whole.
func (t *transcript) statusLine(e *entry) []string {
	switch e.status {
	case "partial":
		return []string{"  " + t.styles.warn.on("⊘ interrupted here")}
	case "failed":
		return []string{"  " + t.styles.bad.on("✗ failed here")}
	default:
		return nil
	}
}

func (t *transcript) note(e *entry, width int) []string {
	i, mark := t.styles.dim, "· "
	switch e.level {
	case noteInfo:
	case noteWarn:
		i, mark = t.styles.warn, "! "
	case noteError:
		i, mark = t.styles.bad, "✗ "
	}
	return indent(wrapText(e.text, i, width), i.on(mark), "  ")
}

func foldMark(open bool) string {
	if open {
		return "▾ "
	}
	return "▸ "
}

func (t *transcript) reasoning(e *entry, width int) []string {
	head := t.styles.faint.on(foldMark(e.open))
	if !e.open {
		first := oneLine(e.text)
		return []string{head + t.styles.dim.on("thought") + "  " + t.styles.faint.on(cut(first, min(width-9, foldedReason)))}
	}
	lines := []string{head + t.styles.dim.on("thought")}
	bar := "  " + t.styles.rule.on("│ ")
	return append(lines, indent(wrapText(e.text, t.styles.dim, width-2), bar, bar)...)
}

// toolLines is a call on one line, and its arguments and result where it is open.
func (t *transcript) toolLines(e *entry, state toolState, width int) []string {
	v := e.tool
	right := t.toolStatus(v, state)
	rightWidth := len([]rune(right.text)) + 2
	name := cut(v.name, max(width-rightWidth, 8))
	line := t.styles.faint.on(foldMark(e.open)) + t.styles.accent.on(name)
	if room := width - rightWidth - len([]rune(name)) - 2; room >= 4 {
		if args := cut(shortArgs(v.args), room); args != "" {
			line += "  " + t.styles.dim.on(args)
		}
	}
	lines := []string{line + "  " + right.ink.on(right.text)}
	if !e.open {
		if state == toolFailed {
			lines = append(lines, "  "+t.styles.bad.on(cut(oneLine(v.result), width)))
		}
		return lines
	}
	lines = append(lines, t.section("arguments", prettyJSON(v.args), width)...)
	if v.inside != "" {
		lines = append(lines, t.section("inside", v.inside, width)...)
	}
	if v.ended != 0 {
		lines = append(lines, t.section("result", prettyJSON(v.result), width)...)
	}
	return lines
}

// section is a titled block behind a bar, cut at openLines.
func (t *transcript) section(title, text string, width int) []string {
	lines := []string{"  " + t.styles.dim.on(title)}
	bar := "  " + t.styles.rule.on("│ ")
	n := 0
	all := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, l := range all {
		for _, part := range hardWrap(l, width-2) {
			lines = append(lines, bar+part)
		}
		if n = i + 1; len(lines) > openLines {
			break
		}
	}
	if n < len(all) {
		lines = append(lines, bar+t.styles.dim.on(fmt.Sprintf("… %d more lines", len(all)-n)))
	}
	return lines
}

func (t *transcript) toolStatus(v *toolView, state toolState) span {
	switch state {
	case toolRuns:
		return span{text: "… running", ink: t.styles.accent}
	case toolWaits:
		return span{text: "· waits", ink: t.styles.faint}
	case toolDone:
		return span{text: "✓ " + v.took(), ink: t.styles.good}
	case toolFailed:
		return span{text: "✗ " + v.took(), ink: t.styles.bad}
	case toolLost:
		return span{text: "? no result", ink: t.styles.warn}
	default:
		return span{}
	}
}

func (v *toolView) took() string {
	return shortDuration((v.ended - v.started).Time().Sub(time.UnixMicro(0)))
}

// shortArgs is the arguments of a call on one line: "path: main.go, limit: 10".
// What isn't a JSON object stays as it is.
func shortArgs(args string) string {
	d := json.NewDecoder(strings.NewReader(args))
	if tok, err := d.Token(); err != nil || tok != json.Delim('{') {
		return oneLine(args)
	}
	var parts []string
	for d.More() {
		name, err := d.Token()
		if err != nil {
			break
		}
		var v json.RawMessage
		if d.Decode(&v) != nil {
			break
		}
		text := string(v)
		var s string
		if json.Unmarshal(v, &s) == nil {
			text = s
		}
		parts = append(parts, fmt.Sprintf("%v: %s", name, text))
	}
	return oneLine(strings.Join(parts, ", "))
}

// prettyJSON indents an object or array and leaves everything else alone.
func prettyJSON(s string) string {
	trimmed := strings.TrimSpace(s)
	if !strings.HasPrefix(trimmed, "{") && !strings.HasPrefix(trimmed, "[") {
		return s
	}
	var b bytes.Buffer
	if json.Indent(&b, []byte(trimmed), "", "  ") != nil {
		return s
	}
	return b.String()
}
