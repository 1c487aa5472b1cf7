package input

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// An archive is a kind of compression.
type archive uint8

const (
	plain archive = iota
	gzipped
	zstandard
	firstForeign // this and what follows is not unpacked
)

var archiveNames = [...]string{"plain", "gzip", "zstd", "xz", "zip", "bzip2", "7-zip", "lz4"}

func (a archive) String() string { return archiveNames[a] }

// foreignMagic is how the archives start that are not unpacked, from firstForeign
// on. Neither JSON nor HTML starts so.
var foreignMagic = [...]string{"\xFD7zXZ\x00", "PK\x03\x04", "BZh", "7z\xBC\xAF\x27\x1C", "\x04\x22\x4D\x18"}

// magicBytes is how many bytes at most tell an archive.
const magicBytes = 6

// archiveAt tells an archive by its first bytes.
func archiveAt(head []byte) archive {
	switch {
	case len(head) >= 2 && head[0] == 0x1F && head[1] == 0x8B:
		return gzipped
	case len(head) < 4:
		return plain
	case string(head[:4]) == "\x28\xB5\x2F\xFD",
		head[0]&0xF0 == 0x50 && string(head[1:4]) == "\x2A\x4D\x18": // a skippable frame
		return zstandard
	}
	for i, magic := range foreignMagic {
		if bytes.HasPrefix(head, []byte(magic)) {
			return firstForeign + archive(i)
		}
	}
	return plain
}

// readAll reads r, of size bytes or -1 if nobody knows, to its end and unpacks it
// if it is an archive.
func readAll(ctx context.Context, r io.Reader, size int64, limits Limits) (data []byte, packed bool, err error) {
	if size > limits.plain() {
		return nil, false, limitError("input", limits.plain())
	}
	in := &bounded{ctx: ctx, r: r, left: limits.plain(), err: limitError("input", limits.plain())}
	buf := bufio.NewReaderSize(in, 64<<10)
	head, err := buf.Peek(magicBytes)
	if err != nil && err != io.EOF {
		return nil, false, err
	}
	switch kind := archiveAt(head); {
	case kind == plain:
		data, err = collect(buf, size)
		return data, false, err
	case kind >= firstForeign:
		return nil, true, fmt.Errorf("%s archive: %w", kind, ErrForeign)
	default:
		data, err = unpack(buf, kind, limits)
		// What stopped the reading below says more than what came of it.
		if in.failed != nil {
			err = in.failed
		}
		if err != nil {
			return nil, true, err
		}
		return data, true, nil
	}
}

func limitError(what string, limit int64) error {
	return fmt.Errorf("%s %w of %s", what, ErrLimit, sizeText(limit))
}

// sizeText writes a number of bytes in MiB where it is a whole number of them.
func sizeText(n int64) string {
	if n >= 1<<20 && n%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}

// A bounded reader fails with err when more than left bytes come, and with the
// context's error when that ends.
type bounded struct {
	ctx    context.Context
	r      io.Reader
	left   int64
	err    error
	failed error
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.failed == nil {
		b.failed = context.Cause(b.ctx)
	}
	if b.failed != nil {
		return 0, b.failed
	}
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.r.Read(p)
	if b.left -= int64(n); b.left < 0 {
		err = b.err
		n = 0
	}
	if err != nil && err != io.EOF {
		b.failed = plainPathError(err)
		err = b.failed
	}
	return n, err
}

// minWindow is the zstd window that every decoder has to accept (RFC 8878).
const minWindow = 8 << 20

// unpack reads the archive in r to its end.
func unpack(r *bufio.Reader, kind archive, limits Limits) ([]byte, error) {
	limit := limits.unpacked()
	// The window is memory that a header can claim.
	window := max(minWindow, uint64(limit)/4)
	var src io.Reader
	switch kind {
	case gzipped:
		z, err := gzip.NewReader(r)
		if err != nil {
			return nil, archiveError(kind, err, window)
		}
		defer z.Close()
		z.Multistream(false)
		src = &members{z, r}
	case zstandard:
		z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxMemory(window), zstd.WithDecoderMaxWindow(window))
		if err != nil {
			return nil, archiveError(kind, err, window)
		}
		defer z.Close()
		src = z
	}
	out := &bounded{ctx: context.Background(), r: src, left: limit, err: limitError("unpacked content", limit)}
	data, err := collect(out, -1)
	switch {
	case err == nil:
		return data, nil
	case errors.Is(err, ErrLimit):
		return nil, err
	}
	return nil, archiveError(kind, err, window)
}

// A members reader reads the members of a gzip archive, one after the other. z
// reads one of them from r and takes no byte behind it.
type members struct {
	z *gzip.Reader
	r *bufio.Reader
}

// Read reads on in the member, or in the next.
func (m *members) Read(p []byte) (int, error) {
	for {
		n, err := m.z.Read(p)
		if err != io.EOF || n > 0 {
			if err == io.EOF {
				err = nil // it comes again
			}
			return n, err
		}
		switch head, err := m.r.Peek(2); {
		case len(head) == 0:
			return 0, err
		case archiveAt(head) != gzipped:
			return 0, errTrailing
		}
		if err := m.z.Reset(m.r); err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return 0, err
		}
		m.z.Multistream(false)
	}
}

var errTrailing = errors.New("other data follows it")

// archiveError says what is wrong with an archive.
func archiveError(kind archive, err error, window uint64) error {
	var broken flate.CorruptInputError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w %s archive", ErrTruncated, kind)
	case errors.Is(err, zstd.ErrWindowSizeExceeded), errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return fmt.Errorf("the %w of %s", ErrWindow, sizeText(int64(window)))
	case errors.Is(err, zstd.ErrUnknownDictionary):
		return errors.New("zstd archive that needs a dictionary")
	case errors.Is(err, zstd.ErrMagicMismatch):
		return fmt.Errorf("%w %s archive: %w", ErrCorrupt, kind, errTrailing)
	case errors.Is(err, gzip.ErrHeader):
		return fmt.Errorf("%w %s archive: its header is none", ErrCorrupt, kind)
	case errors.As(err, &broken):
		return fmt.Errorf("%w %s archive at byte %d", ErrCorrupt, kind, int64(broken))
	}
	return fmt.Errorf("%w %s archive: %w", ErrCorrupt, kind, err)
}

const (
	firstChunk = 64 << 10
	mostChunk  = 4 << 20
)

// collect reads r to its end. If size is known it takes that much memory, and
// otherwise what came in chunks, so that input past a limit never costs more
// than the limit.
func collect(r io.Reader, size int64) ([]byte, error) {
	next := int64(firstChunk)
	if size >= 0 {
		next = size + 1 // so that the end is met without another chunk
	}
	var chunks [][]byte
	total := 0
	chunk := make([]byte, 0, next)
	for {
		n, err := r.Read(chunk[len(chunk):cap(chunk)])
		chunk = chunk[:len(chunk)+n]
		total += n
		switch {
		case err == io.EOF:
			return join(append(chunks, chunk), total), nil
		case err != nil:
			return nil, err
		case len(chunk) == cap(chunk):
			chunks = append(chunks, chunk)
			next = min(max(2*next, firstChunk), mostChunk)
			chunk = make([]byte, 0, next)
		}
	}
}

// join returns the chunks as one.
func join(chunks [][]byte, total int) []byte {
	if len(chunks[0]) == total {
		return chunks[0]
	}
	all := make([]byte, 0, total)
	for _, c := range chunks {
		all = append(all, c...)
	}
	return all
}
