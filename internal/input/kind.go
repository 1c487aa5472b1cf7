package input

import (
	"bytes"
	"path/filepath"
	"strings"
)

// Kind is what an input is to be read as.
type Kind uint8

// The kinds.
const (
	JSON Kind = iota
	NDJSON
	HTML
)

// String returns the kind's name.
func (k Kind) String() string { return [...]string{"JSON", "NDJSON", "HTML"}[k] }

// bareExt returns the extension of a name in lower case, without that of an
// archive behind it.
func bareExt(name string) string {
	name = strings.ToLower(name)
	if archiveName(name) {
		name = strings.TrimSuffix(name, filepath.Ext(name))
	}
	return filepath.Ext(name)
}

// archiveName reports whether a name says that it is an archive's.
func archiveName(name string) bool {
	ext := strings.ToLower(filepath.Ext(name))
	return ext == ".gz" || ext == ".zst"
}

// kindOf tells what an input is. A name that ends in .json, .ndjson or .jsonl
// decides; otherwise the content does: markup starts with "<", JSON with "{" or
// "[", and what starts with neither is HTML only if its name says so.
func kindOf(name string, data []byte) Kind {
	ext := bareExt(name)
	switch ext {
	case ".json":
		return JSON
	case ".ndjson", ".jsonl":
		return NDJSON
	}
	switch firstChar(data) {
	case '<':
		return HTML
	case '{', '[':
		return JSON
	}
	switch ext {
	case ".html", ".htm", ".xhtml", ".xht":
		return HTML
	}
	return JSON
}

// firstChar returns the first byte of data that is not white space, a byte order
// mark, or half of a UTF-16 character; 0 if there is none.
func firstChar(data []byte) byte {
	for _, mark := range []string{"\xEF\xBB\xBF", "\xFF\xFE", "\xFE\xFF"} {
		if rest, ok := bytes.CutPrefix(data, []byte(mark)); ok {
			data = rest
			break
		}
	}
	for _, c := range data {
		switch c {
		case 0, ' ', '\t', '\n', '\r', '\f':
		default:
			return c
		}
	}
	return 0
}
