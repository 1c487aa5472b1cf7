package records

import "encoding/binary"

// cutTail is what follows the head of a cut string: digest and length.
const cutTail = digestSize + 8

// AppendCut appends a string of which only the head is at hand: it is size bytes
// long, and digest, which must be keyed so that nobody can aim for it, was made of
// all of it. It shows as its head, and equals what has the same head, length and
// digest: never a whole string.
func AppendCut(dst []byte, head string, size int64, digest [16]byte) []byte {
	dst = append(dst, tagCut)
	dst = binary.AppendUvarint(dst, uint64(len(head)))
	dst = append(append(dst, head...), digest[:]...)
	return binary.LittleEndian.AppendUint64(dst, uint64(size))
}

// Cut returns the length in bytes of the string that v is the head of, and false
// if v is whole.
func (v Value) Cut() (size int64, is bool) {
	if len(v.enc) == 0 || v.enc[0] != tagCut {
		return 0, false
	}
	return int64(binary.LittleEndian.Uint64(v.enc[len(v.enc)-8:])), true
}
