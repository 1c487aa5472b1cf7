package browser

import (
	"embed"
	"strings"
)

//go:embed *.js
var scripts embed.FS

// Scripts that are evaluated by themselves.
var (
	earlyJS  = script("early")
	encodeJS = script("encode")
)

// installJS brings our scripts into an isolated world, each behind those that it uses.
var installJS = func() string {
	names := []string{"early", "safe", "text", "answers", "selectors", "styles", "states", "cover", "frames", "roots", "shapes", "collector", "settle", "place", "element"}
	texts := make([]string, len(names))
	for i, name := range names {
		texts[i] = script(name)
	}
	return strings.Join(texts, ";\n")
}()

// script returns the script in a file of this directory.
func script(name string) string {
	text, err := scripts.ReadFile(name + ".js")
	if err != nil {
		panic(err) // the file is not there
	}
	return string(text)
}
