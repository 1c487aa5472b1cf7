package safetext

import "strings"

// Append appends s to dst: bare if it is a plain word, quoted otherwise.
//
// A plain word has at most 256 bytes out of A-Z a-z 0-9 _ - . / @ : # + ~ %,
// begins with a letter, a digit, "_" or "/", does not end in "." or ":", and is
// not one of our own words in any case ("all", "omitted", "null", ...). No two
// texts are written alike.
func Append[T string | []byte](dst []byte, s T) []byte {
	return AppendClipped(dst, s, 0)
}

// AppendClipped is Append for at most maxBytes bytes of s, cut by [Head]; 0 means
// all of it. What it appends has at most 6 maxBytes + 30 bytes, and it reads no
// more of s than it shows.
func AppendClipped[T string | []byte](dst []byte, s T, maxBytes int) []byte {
	n := head(s, maxBytes)
	if plain(s[:n]) {
		dst = append(dst, s[:n]...)
	} else {
		dst = appendQuoted(dst, s[:n])
	}
	return appendCutMark(dst, n, len(s))
}

// AppendQuoted is AppendClipped for text that is always quoted, such as labels,
// descriptions and values.
func AppendQuoted[T string | []byte](dst []byte, s T, maxBytes int) []byte {
	n := head(s, maxBytes)
	return appendCutMark(appendQuoted(dst, s[:n]), n, len(s))
}

func appendQuoted[T string | []byte](dst []byte, s T) []byte {
	dst = append(dst, '"')
	dst = appendEscaped(dst, s)
	return append(dst, '"')
}

// maxPlain is the length of the longest bare word. A bound keeps the test for
// words cheap on long texts.
const maxPlain = 256

func plain[T string | []byte](s T) bool {
	if len(s) == 0 || len(s) > maxPlain {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '/':
		case i == 0:
			return false
		case c == '-', c == '@', c == '#', c == '+', c == '~', c == '%':
		case c == '.', c == ':':
			if i == len(s)-1 {
				return false
			}
		default:
			return false
		}
	}
	return len(s) > longestReserved || !Reserved(string(s))
}

const longestReserved = len("diagnostics")

// Reserved reports whether s, in any case, is a word of our own text forms,
// which as data is quoted. A form that starts to use another word where data
// may stand adds it here.
func Reserved(s string) bool {
	switch strings.ToLower(s) {
	case "about", "absent", "action", "actions", "added", "all", "and", "at",
		"available", "baseline", "before", "after", "brief", "changed", "covered",
		"diagnostic", "diagnostics", "dialog", "differs", "empty", "end",
		"entered", "error", "false", "field", "fields", "from", "id", "inactive",
		"inferred", "kind", "label", "left", "limit", "masked", "more", "moved",
		"navigated", "no", "none", "null", "observed", "of", "ok", "omitted", "on",
		"page", "params", "record", "records", "removed", "reordered", "replaces",
		"role", "scope", "scopes", "settled", "state", "title", "to", "total",
		"true", "unavailable", "unchanged", "unobserved", "untracked", "updated",
		"url", "varies", "view", "was", "window":
		return true
	}
	return false
}
