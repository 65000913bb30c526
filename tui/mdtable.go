package tui

import (
	"strings"

	east "github.com/yuin/goldmark/extension/ast"
)

const (
	tableGap  = 3 // cells between columns: " │ "
	minColumn = 5 // narrower columns are worse than records
)

// table lays a table out within width: columns that are too wide share what is
// left and wrap; where even that is too narrow each row becomes a record of
// "header: cell" lines.
func (d *mdDoc) table(n *east.Table, width int) []string {
	rows := d.cells(n)
	if len(rows) == 0 {
		return nil
	}
	widths := columnWidths(rows)
	if !fitColumns(widths, width-tableGap*(len(widths)-1)) {
		return d.records(rows, width)
	}
	var out []string
	for i, row := range rows {
		out = append(out, d.tableRow(row, widths, n.Alignments)...)
		if i == 0 {
			parts := make([]string, len(widths))
			for c, w := range widths {
				parts[c] = strings.Repeat("─", w)
			}
			out = append(out, d.styles.rule.on(strings.Join(parts, "─┼─")))
		}
	}
	return out
}

// cells reads the rows, the header first and bold; every row has the header's
// number of columns.
func (d *mdDoc) cells(n *east.Table) [][][]span {
	var rows [][][]span
	for r := n.FirstChild(); r != nil; r = r.NextSibling() {
		var i ink
		if _, head := r.(*east.TableHeader); head {
			i = d.styles.strong
		}
		var row [][]span
		for c := r.FirstChild(); c != nil; c = c.NextSibling() {
			row = append(row, d.inline(c, i))
		}
		for len(rows) > 0 && len(row) < len(rows[0]) {
			row = append(row, nil)
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 || len(rows[0]) == 0 {
		return nil
	}
	return rows
}

func columnWidths(rows [][][]span) []int {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for c := range widths {
			widths[c] = max(widths[c], spansWidth(row[c]), 1)
		}
	}
	return widths
}

// fitColumns narrows the widest columns until all fit in room. It reports false
// where that would leave a column under minColumn.
func fitColumns(widths []int, room int) bool {
	total := 0
	for _, w := range widths {
		total += w
	}
	for total > room {
		widest, second := 0, 0
		for c, w := range widths {
			if w > widths[widest] {
				widest = c
			}
		}
		for c, w := range widths {
			if c != widest && w > second {
				second = w
			}
		}
		step := min(max(widths[widest]-second, 1), total-room)
		if widths[widest]-step < minColumn {
			return false
		}
		widths[widest] -= step
		total -= step
	}
	return true
}

func (d *mdDoc) tableRow(row [][]span, widths []int, align []east.Alignment) []string {
	columns := make([][][]span, len(widths))
	height := 1
	for c, w := range widths {
		columns[c] = wrapSpans(row[c], w)
		height = max(height, len(columns[c]))
	}
	bar := d.styles.rule.on(" │ ")
	out := make([]string, height)
	for y := range out {
		var b strings.Builder
		for c, w := range widths {
			if c > 0 {
				b.WriteString(bar)
			}
			var line []span
			if y < len(columns[c]) {
				line = columns[c][y]
			}
			left, right := slack(w-spansWidth(line), alignOf(align, c))
			b.WriteString(strings.Repeat(" ", left) + renderSpans(line))
			if c < len(widths)-1 {
				b.WriteString(strings.Repeat(" ", right))
			}
		}
		out[y] = b.String()
	}
	return out
}

func alignOf(align []east.Alignment, c int) east.Alignment {
	if c < len(align) {
		return align[c]
	}
	return east.AlignNone
}

// slack splits the free cells of a column into those before and after the text.
func slack(free int, a east.Alignment) (left, right int) {
	free = max(free, 0)
	switch a {
	case east.AlignRight:
		return free, 0
	case east.AlignCenter:
		return free / 2, free - free/2
	case east.AlignLeft, east.AlignNone:
		return 0, free
	default:
		return 0, free
	}
}

// records is a table that is too wide, one "header: cell" line per cell.
func (d *mdDoc) records(rows [][][]span, width int) []string {
	var out []string
	for i, row := range rows[1:] {
		if i > 0 {
			out = append(out, d.styles.rule.on(strings.Repeat("─", min(width, 12))))
		}
		for c, cell := range row {
			if c >= len(rows[0]) {
				break
			}
			line := append(append([]span{}, rows[0][c]...), span{text: ": ", ink: d.styles.dim})
			out = append(out, d.flow(append(line, cell...), width)...)
		}
	}
	if len(rows) == 1 {
		for _, cell := range rows[0] {
			out = append(out, d.flow(cell, width)...)
		}
	}
	return out
}
