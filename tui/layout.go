package tui

// listMode says whether the threads are shown: where there is room, or as the
// person chose.
type listMode int

const (
	listAuto listMode = iota
	listShown
	listHidden
)

const (
	minWidth, minHeight = 30, 7
	roomForBoth         = 100 // from this width on the threads are shown beside the conversation
	roomForHeader       = 14
)

// layout is where everything is, in cells.
type layout struct {
	width, height int

	list int // width of the thread list, 0 where it is hidden
	main int // width of the conversation
	left int // column where the conversation starts

	header, transcript, queue, popup, composer int // heights
}

func (l *layout) tooSmall() bool { return l.width < minWidth || l.height < minHeight }

// arrange computes the layout from the size and what wants to be shown.
func (a *app) arrange() {
	l := &a.layout
	l.list = 0
	if a.home == nil && !a.o.Watch && (a.list == listShown || a.list == listAuto && l.width >= roomForBoth) {
		switch {
		case l.width >= 120:
			l.list = 32
		case l.width >= roomForBoth:
			l.list = 28
		case l.width >= 64:
			l.list = 26
		default:
			l.list = l.width
		}
	}
	l.left, l.main = l.list, l.width-l.list
	if l.list > 0 && l.main > 0 {
		l.left, l.main = l.list+2, l.main-2
	}
	l.header = 0
	if l.height >= roomForHeader {
		l.header = 2
	}
	rest := l.height - l.header - 2 // the rule and the status line
	l.composer = 0
	if !a.readOnly() {
		a.composer.setSize(l.main, min(8, max(rest/3, 1)))
		l.composer = a.composer.height()
	}
	l.queue = min(a.queue.height(), max(rest-l.composer-1, 0))
	l.popup = 0
	if a.composer.slash.open() && a.focus == focusComposer {
		l.popup = min(len(a.composer.slash.found), max(rest-l.composer-1, 0), 9)
	}
	l.transcript = max(rest-l.composer-l.queue-l.popup, 0)
	a.threads.setSize(l.list, l.height-1)
	a.transcript.setSize(max(l.main, 1), l.transcript)
}
