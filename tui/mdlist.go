package tui

import (
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// list lays a list out with its markers hanging and numbers flush right.
func (d *mdDoc) list(n *ast.List, width int) []string {
	d.depth++
	defer func() { d.depth-- }()
	last := n.Start + n.ChildCount() - 1
	room := 2
	if n.IsOrdered() {
		room = len(strconv.Itoa(last)) + 2
	}
	var out []string
	number := n.Start
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		marker := bullet(d.depth) + " "
		if n.IsOrdered() {
			marker = strconv.Itoa(number) + ". "
			marker = strings.Repeat(" ", max(room-len(marker), 0)) + marker
			number++
		}
		lines := d.blocks(item, max(width-room, 4), n.IsTight)
		if len(lines) == 0 {
			lines = []string{""}
		}
		if len(out) > 0 && !n.IsTight {
			out = append(out, "")
		}
		out = append(out, indent(lines, d.styles.dim.on(marker), strings.Repeat(" ", room))...)
	}
	return out
}

func bullet(depth int) string {
	switch depth % 3 {
	case 1:
		return "•"
	case 2:
		return "◦"
	default:
		return "▪"
	}
}
