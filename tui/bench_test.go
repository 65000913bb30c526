package tui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sideb-dev/sideb/engine"
)

func benchTranscript(n int) *transcript {
	tr := newTranscript(newStyles(true, true))
	tr.setSize(100, 40)
	ms := make([]engine.Message, n)
	for i := range ms {
		ms[i] = said(engine.RoleAssistant, fmt.Sprintf("Answer **%d** with a [link](https://example.org) and `code`.\n\n- one\n- two", i))
		ms[i].ID, ms[i].Ord = engine.MessageID(fmt.Sprint(i)), int64(i+1)
	}
	tr.merge(ms)
	return tr
}

// The first window of a conversation of 10,000 messages, laid out from nothing.
func BenchmarkTranscriptOpen10000(b *testing.B) {
	tr := benchTranscript(10_000)
	for b.Loop() {
		tr.theme++
		tr.render()
	}
}

// The same window again, as every frame draws it.
func BenchmarkTranscriptFrame10000(b *testing.B) {
	tr := benchTranscript(10_000)
	for b.Loop() {
		tr.render()
	}
}

// One wheel step up and down in 10,000 messages.
func BenchmarkTranscriptScroll10000(b *testing.B) {
	tr := benchTranscript(10_000)
	tr.scroll(-500)
	for b.Loop() {
		tr.scroll(-3)
		tr.render()
		tr.scroll(3)
		tr.render()
	}
}

// One delta of 20 bytes into an answer that has size bytes.
func BenchmarkStreamDelta(b *testing.B) {
	paragraph := "Some words of an answer that goes on, with *emphasis* and `code` in it, until there is a break.\n\n"
	for _, size := range []int{2 << 10, 50 << 10} {
		b.Run(fmt.Sprintf("%dKB", size>>10), func(b *testing.B) {
			tr := newTranscript(newStyles(true, true))
			tr.setSize(100, 40)
			base := strings.Repeat(paragraph, size/len(paragraph))
			var e *entry
			n := 0
			for b.Loop() {
				if n%200 == 0 {
					b.StopTimer()
					s := &stream{id: "m"}
					e = &entry{key: "m", kind: entryStream, stream: s}
					s.addText(0, base)
					tr.setTail([]*entry{e})
					tr.render()
					b.StartTimer()
				}
				n++
				e.stream.addText(e.stream.text.end, "twenty bytes of text")
				tr.render()
			}
		})
	}
}

// A whole screen at 120x40.
func BenchmarkView(b *testing.B) {
	a := newApp(b.Context(), Options{Now: fixed})
	a.layout.width, a.layout.height = 120, 40
	a.backend, a.loading = demo(fixed), false
	a.transcript = benchTranscript(100)
	for b.Loop() {
		a.View()
	}
}
