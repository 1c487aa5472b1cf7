package main

import (
	"bytes"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// A colorMode is the value of --color.
type colorMode string

const (
	colorAuto   colorMode = "auto"
	colorAlways colorMode = "always"
	colorNever  colorMode = "never"
)

// addColor gives a command that prints text the flag --color.
func addColor(cmd *cobra.Command, mode *string) {
	addChoice(cmd, mode, "color", string(colorAuto), "when to colour text", string(colorAuto), string(colorAlways), string(colorNever))
}

// colored reports whether text is to be coloured: with auto, on a terminal that
// can and of whose user nothing to the contrary is known.
func (c *cli) colored(mode string) bool {
	switch colorMode(mode) {
	case colorAlways:
		return true
	case colorNever:
		return false
	}
	f, ok := c.out.w.(interface{ Fd() uintptr })
	return ok && c.getenv("NO_COLOR") == "" && c.getenv("TERM") != "dumb" && term.IsTerminal(int(f.Fd()))
}

// Colours of lines.
const (
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	bold   = "\x1b[1m"
	faint  = "\x1b[2m"
	reset  = "\x1b[0m"
)

// paint puts each line of text into the colour that its beginning calls for. The
// text holds no line or beginning of a line that is not ours.
func paint(text []byte, colorOf func(line []byte) string) []byte {
	out := make([]byte, 0, len(text)+len(text)/8)
	for line := range bytes.Lines(text) {
		body := bytes.TrimSuffix(line, []byte("\n"))
		if color := colorOf(body); color != "" && len(body) > 0 {
			out = append(append(append(out, color...), body...), reset...)
		} else {
			out = append(out, body...)
		}
		out = append(out, line[len(body):]...)
	}
	return out
}
