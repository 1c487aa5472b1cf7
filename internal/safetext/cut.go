package safetext

import (
	"strconv"
	"unicode"
	"unicode/utf8"
)

// maxBackOff bounds, in code points, how far a cut moves to keep what is one
// sign to a reader together. The longest emoji in use has ten.
const maxBackOff = 12

// Head returns the length of the longest prefix of s to show if at most maxBytes
// bytes may be shown: it ends between code points, and not before a combining
// mark or inside an emoji sequence or flag unless that is longer than a dozen
// code points. It may be 0.
//
// It looks at some fifty bytes, however long s is.
func Head[T string | []byte](s T, maxBytes int) int {
	if maxBytes <= 0 {
		return 0
	}
	return head(s, maxBytes)
}

// head is Head, but 0 means no limit.
func head[T string | []byte](s T, maxBytes int) int {
	if maxBytes <= 0 || len(s) <= maxBytes {
		return len(s)
	}
	// Back to a start of a code point, or of a held surrogate.
	cut := maxBytes
	for i := cut - 1; i >= 0 && i > cut-utf8.UTFMax; i-- {
		if s[i] < utf8.RuneSelf || s[i] >= 0xC0 {
			_, n := decode(s, i)
			if _, held := heldSurrogate(s, i); held {
				n = 3
			}
			if i+n > cut {
				cut = i
			}
			break
		}
	}
	at := cut
	for range maxBackOff {
		if at == 0 || !joined(s, at) {
			return at
		}
		_, n := decodeLast(s, at)
		at -= n
	}
	return cut
}

const zeroWidthJoiner = 0x200D

// joined reports whether a cut of s at i would take one sign apart.
func joined[T string | []byte](s T, i int) bool {
	next, _ := decode(s, i)
	prev, n := decodeLast(s, i)
	switch {
	case next < utf8.RuneSelf && prev < utf8.RuneSelf:
		return false
	case next == zeroWidthJoiner, prev == zeroWidthJoiner,
		0x1F3FB <= next && next <= 0x1F3FF, // skin tones
		0xE0020 <= next && next <= 0xE007F, // tags of subdivision flags
		unicode.Is(unicode.M, next):
		return true
	case regional(next) && regional(prev):
		// A flag is two; an odd number before the cut means half a flag.
		odd := true
		for range maxBackOff {
			i -= n
			if i == 0 {
				break
			}
			if prev, n = decodeLast(s, i); !regional(prev) {
				break
			}
			odd = !odd
		}
		return odd
	}
	return false
}

func regional(r rune) bool { return 0x1F1E6 <= r && r <= 0x1F1FF }

// AppendCutMark appends the mark that says that only a part of size bytes was
// shown. It must follow the part outside its quotes.
func AppendCutMark(dst []byte, size int) []byte {
	dst = append(dst, "…("...)
	dst = strconv.AppendInt(dst, int64(size), 10)
	return append(dst, " B)"...)
}

func appendCutMark(dst []byte, shown, size int) []byte {
	if shown == size {
		return dst
	}
	return AppendCutMark(dst, size)
}
