package tui

import (
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
)

// list lays a list out with its markers hanging and numbers flush right.
func (d *mdDoc) list(n *ast.List, width int) []string {
	if !n.IsOrdered() {
		d.bullets++
		defer func() { d.bullets-- }()
	}
	last := n.Start + n.ChildCount() - 1
	room := 2
	if n.IsOrdered() {
		room = len(strconv.Itoa(last)) + 2
	}
	var out []string
	number := n.Start
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		marker := bullet(d.bullets) + " "
		if n.IsOrdered() {
			marker = strconv.Itoa(number) + ". "
			marker = strings.Repeat(" ", max(room-len(marker), 0)) + marker
			number++
		}
		if isTask(item) {
			marker = "" // the box is the marker
		}
		lines := d.blocks(item, max(width-room, 1), n.IsTight)
		if len(lines) == 0 {
			lines = []string{""}
		}
		if len(out) > 0 && !n.IsTight {
			out = append(out, "")
		}
		rest := room
		if marker == "" {
			rest = 4
		}
		out = append(out, indent(lines, d.styles.dim.on(marker), strings.Repeat(" ", rest))...)
	}
	return out
}

func isTask(item ast.Node) bool {
	first := item.FirstChild()
	if first == nil {
		return false
	}
	_, ok := first.FirstChild().(*east.TaskCheckBox)
	return ok
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
