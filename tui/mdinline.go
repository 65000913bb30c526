package tui

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"
)

// inline flattens the inline children of n into spans.
func (d *mdDoc) inline(n ast.Node, i ink) []span {
	var out []span
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		out = append(out, d.inlineNode(c, i)...)
	}
	return out
}

func (d *mdDoc) inlineNode(n ast.Node, i ink) []span {
	switch n := n.(type) {
	case *ast.Text:
		return d.text(n, i)
	case *ast.String:
		return []span{{text: literal(n.Value), ink: i}}
	case *ast.CodeSpan:
		return []span{{text: d.plain(n), ink: i + d.styles.code}}
	case *ast.Emphasis:
		if n.Level == 1 {
			return d.inline(n, i+d.styles.emph)
		}
		return d.inline(n, i+d.styles.strong)
	case *east.Strikethrough:
		return d.inline(n, i+d.styles.strike)
	case *ast.Link:
		return d.link(d.inline(n, i+d.styles.link+d.styles.under), string(n.Destination), i)
	case *ast.Image:
		return d.link([]span{{text: "[image: " + d.plain(n) + "]", ink: i + d.styles.link}}, string(n.Destination), i)
	case *ast.AutoLink:
		url := string(n.URL(d.src))
		return d.link([]span{{text: clean(string(n.Label(d.src))), ink: i + d.styles.link + d.styles.under}}, url, i)
	case *ast.RawHTML:
		return []span{{text: d.rawHTML(n), ink: i + d.styles.dim}}
	case *east.TaskCheckBox:
		if n.IsChecked {
			return []span{{text: "[x] ", ink: d.styles.good}}
		}
		return []span{{text: "[ ] ", ink: d.styles.dim}}
	default:
		return d.inline(n, i)
	}
}

// wrapped is the length in bytes from which on a source line was broken to fit a
// page rather than to end a line.
const wrapped = 60

// text keeps the line breaks of short lines, which models mean, and joins lines
// that were wrapped.
func (d *mdDoc) text(n *ast.Text, i ink) []span {
	s := literal(n.Segment.Value(d.src))
	if n.IsRaw() {
		s = string(n.Segment.Value(d.src))
	}
	line := n.Segment.Stop - 1 - bytes.LastIndexByte(d.src[:n.Segment.Stop], '\n')
	switch {
	case n.HardLineBreak(), n.SoftLineBreak() && line < wrapped:
		s = strings.TrimRight(s, " ") + "\n"
	case n.SoftLineBreak():
		s = strings.TrimRight(s, " ") + " "
	}
	return []span{{text: s, ink: i}}
}

// literal resolves character references and backslash escapes. A reference can
// name any character, so the result is cleaned again.
func literal(b []byte) string {
	if bytes.IndexByte(b, '&') >= 0 {
		b = util.ResolveEntityNames(util.ResolveNumericReferences(b))
	}
	if bytes.IndexByte(b, '\\') >= 0 {
		b = util.UnescapePunctuations(b)
	}
	return clean(string(b))
}

// plain is the text of n without its styles, on one line.
func (d *mdDoc) plain(n ast.Node) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.Write(t.Segment.Value(d.src))
			continue
		}
		b.WriteString(d.plain(c))
	}
	return oneLineSpaces(b.String())
}

func oneLineSpaces(s string) string { return strings.ReplaceAll(s, "\n", " ") }

func (d *mdDoc) rawHTML(n *ast.RawHTML) string {
	var b strings.Builder
	for i := range n.Segments.Len() {
		seg := n.Segments.At(i)
		b.Write(seg.Value(d.src))
	}
	return oneLineSpaces(b.String())
}

// link makes the label open url and shows the address behind it, unless the label
// is the address: where a link goes is never hidden.
func (d *mdDoc) link(label []span, url string, i ink) []span {
	url = oneLine(url)
	if strings.HasPrefix(url, "https://") || strings.HasPrefix(url, "http://") || strings.HasPrefix(url, "mailto:") {
		for k := range label {
			label[k].link = url
		}
	}
	var shown strings.Builder
	for _, s := range label {
		shown.WriteString(s.text)
	}
	if url == "" || strings.HasSuffix(url, shown.String()) {
		return label
	}
	return append(label, span{text: " (" + url + ")", ink: i + d.styles.dim})
}
