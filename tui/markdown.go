package tui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdown lays CommonMark with tables, strikethrough, task lists and bare links
// out for a terminal.
type markdown struct {
	parser parser.Parser
	styles *styles
}

func newMarkdown(s *styles) *markdown {
	p := parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(parser.DefaultInlineParsers()...),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
		parser.WithParagraphTransformers(util.Prioritized(extension.NewTableParagraphTransformer(), 200)),
		parser.WithASTTransformers(util.Prioritized(extension.NewTableASTTransformer(), 0)),
		parser.WithInlineParsers(
			util.Prioritized(extension.NewTaskCheckBoxParser(), 0),
			util.Prioritized(extension.NewStrikethroughParser(), 500),
			util.Prioritized(extension.NewLinkifyParser(), 999)),
	)
	return &markdown{parser: p, styles: s}
}

// render lays clean Markdown out in lines of at most width cells. The last line
// isn't empty.
func (m *markdown) render(src string, width int) []string {
	b := []byte(src)
	d := mdDoc{styles: m.styles, src: b}
	lines := d.blocks(m.parser.Parse(text.NewReader(b)), max(width, 4), false)
	for i, l := range lines {
		if len(l) > width && ansi.StringWidth(l) > width {
			lines[i] = ansi.Truncate(l, width, "…") // nested deeper than there is room
		}
	}
	return lines
}

// mdDoc is one document being laid out.
type mdDoc struct {
	styles  *styles
	src     []byte
	bullets int // how deep in bulleted lists
}

// blocks lays the children of parent out, an empty line between them unless
// tight.
func (d *mdDoc) blocks(parent ast.Node, width int, tight bool) []string {
	var out []string
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		lines := d.block(n, width)
		if len(lines) == 0 {
			continue
		}
		if len(out) > 0 && !tight {
			out = append(out, "")
		}
		out = append(out, lines...)
	}
	return out
}

func (d *mdDoc) block(n ast.Node, width int) []string {
	switch n := n.(type) {
	case *ast.Heading:
		return d.heading(n, width)
	case *ast.Paragraph, *ast.TextBlock:
		return d.flow(d.inline(n, ""), width)
	case *ast.List:
		return d.list(n, width)
	case *ast.Blockquote:
		bar := d.styles.faint.on("▎ ")
		return indent(d.blocks(n, max(width-2, 1), false), bar, bar)
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		return d.code(n, width)
	case *ast.ThematicBreak:
		return []string{d.styles.rule.on(strings.Repeat("─", min(width, 40)))}
	case *ast.HTMLBlock:
		return d.raw(n, width)
	case *east.Table:
		return d.table(n, width)
	default:
		return d.blocks(n, width, false)
	}
}

func (d *mdDoc) flow(spans []span, width int) []string {
	lines := wrapSpans(spans, width)
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = renderSpans(l)
	}
	return out
}

func (d *mdDoc) heading(n *ast.Heading, width int) []string {
	i := d.styles.strong
	switch {
	case n.Level == 1:
		i = d.styles.heading + d.styles.under
	case n.Level == 2:
		i = d.styles.heading
	case n.Level > 3:
		i = d.styles.strong + d.styles.dim
	}
	return d.flow(d.inline(n, i), width)
}

// code keeps every line of a code block: a longer one goes on behind a broken
// bar.
func (d *mdDoc) code(n ast.Node, width int) []string {
	var out []string
	lines := n.Lines()
	for i := range lines.Len() {
		seg := lines.At(i)
		s := strings.TrimRight(string(seg.Value(d.src)), "\n")
		for k, part := range hardWrap(s, width-2) {
			bar := "│ "
			if k > 0 {
				bar = "╎ "
			}
			out = append(out, d.styles.rule.on(bar)+d.styles.codeBlock.on(part))
		}
	}
	for len(out) > 0 && lines.Len() > 0 && strings.TrimSpace(string(d.src[lines.At(lines.Len()-1).Start:lines.At(lines.Len()-1).Stop])) == "" {
		return out[:len(out)-1]
	}
	return out
}

func (d *mdDoc) raw(n ast.Node, width int) []string {
	var b strings.Builder
	lines := n.Lines()
	for i := range lines.Len() {
		seg := lines.At(i)
		b.Write(seg.Value(d.src))
	}
	return wrapText(strings.TrimRight(b.String(), "\n"), d.styles.dim, width)
}
