package html

import (
	"strings"

	"golang.org/x/net/html/atom"
)

// A display is as much of an element's CSS display as text needs.
type display uint8

const (
	inline display = iota
	block
	cell
	contents
	none
)

// A style is what an inline style attribute says of visibility and layout.
type style struct {
	display    display
	hasDisplay bool
	items      bool   // a flex or grid container: its children are blocks
	visibility string // "", "visible", "hidden"
	space      string // white-space: "", "normal", "pre", "pre-line"
	skip       bool   // content-visibility: hidden
	dots       bool   // text shows as dots
	gone       bool   // live: it is not rendered, for what is around it
}

// parseStyle reads a style attribute over what s has. A later declaration beats an
// earlier one unless only that is important; invalid values are ignored.
func parseStyle(s style, text string) style {
	text = withoutComments(text)
	important := map[string]bool{}
	for text != "" {
		var decl string
		decl, text = cutDeclaration(text)
		name, val, ok := strings.Cut(decl, ":")
		if !ok {
			continue
		}
		name = strings.ToLower(strings.Trim(name, blanks))
		val = strings.ToLower(strings.Trim(val, blanks))
		bare, bang := strings.CutSuffix(val, "important")
		if bang {
			if bare, bang = strings.CutSuffix(strings.TrimRight(bare, blanks), "!"); bang {
				val = strings.TrimRight(bare, blanks)
			}
		}
		if important[name] && !bang {
			continue
		}
		if s.set(name, val) && bang {
			important[name] = true
		}
	}
	return s
}

// withoutComments replaces CSS comments, which quotes protect, by blanks.
func withoutComments(text string) string {
	if !strings.Contains(text, "/*") {
		return text
	}
	var out strings.Builder
	var quote byte
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text):
			out.WriteByte(c)
			i++
			out.WriteByte(text[i])
			continue
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case strings.HasPrefix(text[i:], "/*"):
			end := strings.Index(text[i+2:], "*/")
			if end < 0 {
				return out.String()
			}
			i += 2 + end + 1
			out.WriteByte(' ')
			continue
		}
		out.WriteByte(text[i])
	}
	return out.String()
}

// cutDeclaration cuts text at the first ";" outside quotes and parentheses.
func cutDeclaration(text string) (decl, rest string) {
	var quote byte
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '(':
			depth++
		case c == ')' && depth > 0:
			depth--
		case c == ';' && depth == 0:
			return text[:i], text[i+1:]
		}
	}
	return text, ""
}

func (s *style) set(name, val string) bool {
	switch name {
	case "display":
		d, items, ok := parseDisplay(val)
		if ok {
			s.display, s.items, s.hasDisplay = d, items, true
		}
		return ok
	case "visibility":
		switch val {
		case "hidden", "collapse":
			s.visibility = "hidden"
		case "visible", "initial":
			s.visibility = "visible"
		case "inherit", "unset":
			s.visibility = ""
		default:
			return false
		}
		return true
	case "content-visibility":
		s.skip = val == "hidden"
		return true
	case "-webkit-text-security":
		switch val {
		case "disc", "circle", "square":
			s.dots = true
		case "none":
			s.dots = false
		default:
			return false
		}
		return true
	case "white-space", "white-space-collapse":
		switch val {
		case "normal", "nowrap", "collapse":
			s.space = "normal"
		case "pre", "pre-wrap", "break-spaces", "preserve":
			s.space = "pre"
		case "pre-line", "preserve-breaks":
			s.space = "pre-line"
		default:
			return false
		}
		return true
	}
	return false
}

func parseDisplay(val string) (d display, items, ok bool) {
	switch val {
	case "none":
		return none, false, true
	case "contents":
		return contents, false, true
	case "inline", "inline-block", "inline-table", "ruby":
		return inline, false, true
	case "inline-flex", "inline-grid":
		return inline, true, true
	case "block", "list-item", "flow-root", "table", "table-row", "table-caption", "table-row-group",
		"table-header-group", "table-footer-group", "-webkit-box":
		return block, false, true
	case "flex", "grid":
		return block, true, true
	case "table-cell":
		return cell, false, true
	}
	return inline, false, false
}

// displayOf returns the display that browsers give a tag.
func displayOf(tag atom.Atom) display {
	switch tag {
	case atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Body, atom.Caption, atom.Center, atom.Dd,
		atom.Details, atom.Dialog, atom.Dir, atom.Div, atom.Dl, atom.Dt, atom.Fieldset, atom.Figcaption, atom.Figure,
		atom.Footer, atom.Form, atom.Frameset, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Header,
		atom.Hgroup, atom.Hr, atom.Html, atom.Legend, atom.Li, atom.Listing, atom.Main, atom.Menu, atom.Nav, atom.Ol,
		atom.Optgroup, atom.Option, atom.P, atom.Plaintext, atom.Pre, atom.Section, atom.Summary, atom.Table,
		atom.Tbody, atom.Tfoot, atom.Thead, atom.Tr, atom.Ul, atom.Xmp:
		return block
	case atom.Td, atom.Th:
		return cell
	case atom.Slot:
		return contents
	case atom.Area, atom.Base, atom.Basefont, atom.Datalist, atom.Head, atom.Link, atom.Meta, atom.Noembed,
		atom.Noframes, atom.Noscript, atom.Param, atom.Rp, atom.Script, atom.Source, atom.Style, atom.Template,
		atom.Title, atom.Track:
		return none
	}
	return inline
}

// blanks is ASCII white space, which collapses.
const blanks = " \t\n\r\f"
