package view

import (
	"github.com/pagestate/pagestate/internal/safetext"
	"github.com/pagestate/pagestate/records"
)

// keepDigits is how many digits of a number are shown whatever the limit: half a
// number misleads more than half a sentence.
const keepDigits = 24

// appendJSON appends v as JSON if that takes at most limit bytes, and nothing
// otherwise. Its cost is linear in limit.
func (m *model) appendJSON(dst []byte, v records.Value, limit int) []byte {
	// An encoding has at most 5 bytes for 2 of JSON text ("[]"), so this is never
	// true of what fits.
	if limit <= 0 || len(v.Raw()) > 3*limit+16 {
		return dst
	}
	start := len(dst)
	if dst = records.AppendJSON(dst, v); len(dst)-start > limit {
		return dst[:start]
	}
	return dst
}

// longValue is from how many bytes of encoding lengths are kept.
const longValue = 4096

// jsonLen is [safetext.JSONLen], computed once for each long value.
func (m *model) jsonLen(v records.Value) int {
	raw := v.Raw()
	if len(raw) < longValue {
		return safetext.JSONLen(v)
	}
	n, ok := m.lens[&raw[0]]
	if !ok {
		if m.lens == nil {
			m.lens = map[*byte]int{}
		}
		n = safetext.JSONLen(v)
		m.lens[&raw[0]] = n
	}
	return n
}
