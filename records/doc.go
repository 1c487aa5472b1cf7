// Package records holds exposed data in one exact, compact and comparable form:
// values, rows of values, and tables of rows.
//
// # Values
//
// A value is a JSON value in a binary encoding of its own. The first byte is a
// tag; uv is an unsigned varint (encoding/binary), u32 a little-endian uint32.
//
//	01                              null
//	02                              false
//	03                              true
//	04 uv(len) text                 number in canonical spelling
//	05 uv(len) uv(c) canon spelled  number in another spelling; c = len(canon)
//	06 uv(len) text                 string
//	07 u32(len) elements            array: values back to back
//	08 u32(len) members             object: (uv(len) name, value), sorted by name
//	09                              masked string, nothing known of the original
//	0a 16 bytes                     masked string, digest of the original
//	0b uv(len) head 16 bytes u64    string of u64 bytes of which only the head is here, with a
//	                                digest that whoever cut it made of the whole
//
// Equality of values is that of [Equal]: numbers by exact mathematical value,
// objects without regard to member order, everything else by type and content.
// Two encodings with the same bytes are equal; the reverse fails only for
// numbers spelled differently (tag 05) and for masked strings.
//
// # Numbers
//
// A number is never converted to binary floating point. Its canonical spelling
// is plain decimal ("-12.5", "400") where that takes at most 40 digits, and
// otherwise the significant digits without trailing zeros, "e", and the decimal
// exponent ("1e1000000000"); exponents may have any length. The original
// spelling is kept next to it, because output echoes what was written.
//
// # Text
//
// Text is compared byte by byte and may hold bytes that are not UTF-8; they are
// replaced by U+FFFD only when text is written ([AppendText], [AppendQuoted]),
// one for each maximal ill-formed part (Unicode 15, section 3.9, table 3-8). A
// surrogate code point that came alone, which no UTF-8 can express, is held as
// the three bytes F5, 80+high five bits, 80+low six bits of its offset from
// U+D800, and the ill-formed byte F5 itself as F5 F5.
//
// # Rows and tables
//
// A row is uv(len) id followed by its values in the order of its [Class], which
// names the scope and the fields. A [Table] keeps all rows in one arena with
// columns for offsets, classes, and two process-keyed 64-bit digests: one of
// the row's bytes and one of its key, (scope, id). A table is immutable; one that
// follows another holds only the rows that the other has not (see [Builder.Follow]).
package records
