package tui

import (
	"fmt"
	"slices"

	"github.com/sideb-dev/sideb/engine"
)

// queuePanel shows what waits for the open thread, above the composer.
type queuePanel struct {
	styles   *styles
	items    []engine.QueueItem
	selected int
}

const queueRows = 4 // items that the panel shows at once

func (q *queuePanel) set(items []engine.QueueItem) {
	q.items = items
	q.selected = min(q.selected, max(len(items)-1, 0))
}

func (q *queuePanel) empty() bool { return len(q.items) == 0 }

func (q *queuePanel) height() int {
	if q.empty() {
		return 0
	}
	return 1 + min(len(q.items), queueRows)
}

func (q *queuePanel) step(by int) bool {
	to := q.selected + by
	if to < 0 || to >= len(q.items) {
		return false
	}
	q.selected = to
	return true
}

func (q *queuePanel) current() (engine.QueueItem, bool) {
	if q.empty() {
		return engine.QueueItem{}, false
	}
	return q.items[q.selected], true
}

// forget takes an item out before the removal is read back.
func (q *queuePanel) forget(id engine.QueueID) {
	q.set(slices.DeleteFunc(q.items, func(x engine.QueueItem) bool { return x.ID == id }))
}

func (q *queuePanel) render(width int, focused bool) []string {
	hint := "tab to edit"
	if focused {
		hint = "p first · d remove · esc back"
	}
	title := " " + q.styles.accent.on(plural(len(q.items), "message")+" queued") + "  "
	out := []string{cut(title+q.styles.faint.on(hint), width)}
	n := min(len(q.items), queueRows)
	first := min(max(q.selected-n+1, 0), len(q.items)-n)
	for i := first; i < first+n; i++ {
		line := cut(q.styles.faint.on(fmt.Sprintf(" %2d ", i+1))+q.styles.dim.on(queueText(&q.items[i])), width)
		if focused && i == q.selected {
			line = q.styles.highlight(line, width)
		}
		out = append(out, line)
	}
	return out
}

func queueText(q *engine.QueueItem) string {
	switch q.Kind {
	case engine.QueueMessage:
		if q.Message != nil {
			return oneLine(q.Message.Text())
		}
		return "message"
	case engine.QueueTool:
		return "tool " + oneLine(q.Tool)
	case engine.QueueDelivery:
		return "result of a child thread"
	case engine.QueueRun:
		return "run an agent"
	default:
		return string(q.Kind)
	}
}
