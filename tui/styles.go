package tui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// ink opens a style: a select-graphic-rendition sequence. Inks combine by
// concatenation.
type ink string

const resetInk = "\x1b[m"

// on writes s in the ink.
func (i ink) on(s string) string {
	if i == "" || s == "" {
		return s
	}
	return string(i) + s + resetInk
}

// styles is every ink of the interface, made from one theme.
type styles struct {
	dim, faint      ink
	accent, sideB   ink
	strong, emph    ink
	strike, under   ink
	good, warn, bad ink
	heading, code   ink
	codeBlock, link ink
	title           ink
	selected        ink // background of the line that the keys act on
	rule            ink
}

// palette is a theme's colours as 0xRRGGBB.
type palette struct {
	dim, faint, accent, sideB, good, warn, bad, heading, code, link, selected uint32
}

func darkPalette() palette {
	return palette{
		dim: 0x9399a5, faint: 0x5b616e, accent: 0x7fb4ff, sideB: 0xe0af68, good: 0x8fc98a, warn: 0xe5c07b,
		bad: 0xf2777a, heading: 0xc9d7f5, code: 0xd7ba8c, link: 0x86c7d9, selected: 0x2b303b,
	}
}

func lightPalette() palette {
	return palette{
		dim: 0x666b75, faint: 0xa3a8b1, accent: 0x1f5fbf, sideB: 0x9a5b00, good: 0x2f7d32, warn: 0x8a6100,
		bad: 0xb3261e, heading: 0x1b2a4a, code: 0x7a4b10, link: 0x0f6a80, selected: 0xe6ebf5,
	}
}

// newStyles makes the inks for a dark or light background. Without colours a
// selection is reversed, since it has no other sign.
func newStyles(dark, colours bool) *styles {
	p := lightPalette()
	if dark {
		p = darkPalette()
	}
	fg := func(c uint32) ink { return ink(ansi.Style{}.ForegroundColor(rgb(c)).String()) }
	bold := ink(ansi.Style{}.Bold().String())
	selected := ink(ansi.Style{}.BackgroundColor(rgb(p.selected)).String())
	if !colours {
		selected = ink(ansi.Style{}.Reverse(true).String())
	}
	return &styles{
		dim: fg(p.dim), faint: fg(p.faint), accent: fg(p.accent), sideB: fg(p.sideB),
		strong: bold, emph: ink(ansi.Style{}.Italic(true).String()),
		strike: ink(ansi.Style{}.Strikethrough(true).String()), under: ink(ansi.Style{}.Underline(true).String()),
		good: fg(p.good), warn: fg(p.warn), bad: fg(p.bad),
		heading: bold + fg(p.heading), code: fg(p.code), codeBlock: fg(p.code), link: fg(p.link),
		title: bold, selected: selected, rule: fg(p.faint),
	}
}

func rgb(c uint32) ansi.RGBColor {
	return ansi.RGBColor{R: uint8(c >> 16), G: uint8(c >> 8), B: uint8(c)}
}

// highlight gives a whole line a background and pads it to width. Inner resets
// are followed by the background again.
func (s *styles) highlight(line string, width int) string {
	if pad := width - ansi.StringWidth(line); pad > 0 {
		line += strings.Repeat(" ", pad)
	}
	return string(s.selected) + strings.ReplaceAll(line, resetInk, resetInk+string(s.selected)) + resetInk
}
