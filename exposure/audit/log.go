package audit

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"os"
	"sync"
)

// Errors of logs.
var (
	ErrLocked  = errors.New("audit log is in use")
	ErrCorrupt = errors.New("corrupt audit entry")
	ErrClosed  = errors.New("audit log is closed")
	ErrChanged = errors.New("audit log was cut, written or removed by somebody else")
	ErrEntry   = errors.New("audit entry cannot be kept")
)

// MaxEntryBytes bounds one line of a log.
const MaxEntryBytes = 16 << 20

// A Sync says when a log is brought to stable storage.
type Sync int

const (
	// SyncEach, the default: before an entry is acknowledged. Entries that
	// arrive together share one fsync. They survive a loss of power.
	SyncEach Sync = iota
	// SyncNever leaves it to the system. Entries survive the end of the process,
	// however it comes, but not that of the system.
	SyncNever
)

// LogOptions says how a [Log] works. The zero value and nil mean the documented
// defaults.
type LogOptions struct {
	Sync Sync
}

// A Log appends entries to a file. Its first line names the format; each entry is
// one line of JSON whose last member is the CRC-32C of what is before it:
//
//	{"format":"pagestate-audit/1"}
//	{"time":…,"result":{…},"crc":"1b2f3c4d"}
//
// An entry is written whole, or taken back: after a write that fails, and, when
// the file is opened again after a crash, for a last line that is torn. So a
// broken line is never followed by another, and never read as an entry. What
// could not be read back is refused with ErrEntry and not written.
//
// After a write or an fsync that failed and could not be made good, all appends
// fail: nothing is acknowledged of which it is not known that it is kept. So they
// do, with ErrChanged, once the file is found to have been cut, written to or
// removed by somebody else; a log may be renamed. To rotate one, close it and open
// another.
//
// Open one with [OpenLog]. It is safe for concurrent use by one process; where
// the system has flock, a second one is refused.
type Log struct {
	sync Sync

	mu     sync.Mutex // guards writing
	file   *os.File
	fsync  func() error // of file
	end    int64        // bytes written
	buf    []byte
	broken error // a failed write that could not be taken back

	syncMu sync.Mutex // held during an fsync
	synced int64      // bytes known to be on stable storage
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Append writes e and returns once it is as safe as the log's Sync says. It fails
// with ErrEntry for an entry whose Params or Result is no JSON, whose time is not
// of the years 0 to 9999, or that is longer than MaxEntryBytes; the log goes on.
func (l *Log) Append(e *Entry) error {
	end, err := l.write(e)
	if err != nil || l.sync == SyncNever {
		return err
	}
	l.syncMu.Lock()
	defer l.syncMu.Unlock()
	if l.synced >= end {
		return nil // somebody else's fsync came after our write
	}
	l.mu.Lock()
	file, written, broken := l.file, l.end, l.broken
	l.mu.Unlock()
	switch {
	case broken != nil:
		return broken // somebody else's fsync failed after our write
	case file == nil:
		return ErrClosed
	}
	if err := l.fsync(); err != nil {
		// The system may take what it could not store for stored from now on.
		l.mu.Lock()
		l.broken = fmt.Errorf("audit log is broken: %w", err)
		l.mu.Unlock()
		return err
	}
	l.synced = written
	return nil
}

// write appends the line of e and returns where it ends.
func (l *Log) write(e *Entry) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.file == nil:
		return 0, ErrClosed
	case l.broken != nil:
		return 0, l.broken
	}
	var err error
	if l.buf, err = appendLine(l.buf[:0], e); err != nil {
		return 0, err
	}
	now, err := l.file.Stat()
	if err == nil && (now.Size() != l.end || removed(now)) {
		// Behind a cut the file would be filled with zeros, and the next line be lost
		// in them; behind foreign bytes it would be part of theirs.
		err = ErrChanged
	}
	if err != nil {
		l.broken = fmt.Errorf("audit log is broken: %w", err)
		return 0, l.broken
	}
	if _, err := l.file.WriteAt(l.buf, l.end); err != nil {
		if terr := l.file.Truncate(l.end); terr != nil {
			l.broken = fmt.Errorf("audit log is broken: %w", errors.Join(err, terr))
		}
		return 0, err
	}
	l.end += int64(len(l.buf))
	return l.end, nil
}

// Close ends the log. Entries that were acknowledged are kept.
func (l *Log) Close() error {
	l.syncMu.Lock()
	defer l.syncMu.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return ErrClosed
	}
	err := l.broken
	if l.sync == SyncEach && err == nil {
		err = l.fsync()
	}
	err = errors.Join(err, l.file.Close())
	l.file = nil
	return err
}

const crcName = `,"crc":"`

// appendLine appends e with its checksum and line break, unless that could not be
// read back.
func appendLine(dst []byte, e *Entry) ([]byte, error) {
	start := len(dst)
	compact, err := e.compact()
	if err != nil {
		return dst, err
	}
	dst = compact.AppendJSON(dst)
	dst = dst[:len(dst)-1] // the closing brace comes after the checksum
	sum := crc32.Checksum(dst[start:], castagnoli)
	dst = fmt.Appendf(dst, "%s%08x\"}\n", crcName, sum)
	if n := len(dst) - start; n > MaxEntryBytes {
		return dst[:start], fmt.Errorf("%w: %d bytes, over the limit of %d", ErrEntry, n, MaxEntryBytes)
	}
	if _, err := readLine(dst[start : len(dst)-1]); err != nil {
		return dst[:start], fmt.Errorf("%w: it could not be read back: %v", ErrEntry, err)
	}
	return dst, nil
}

// compact returns e with its JSON on one line.
func (e *Entry) compact() (*Entry, error) {
	out := *e
	for _, part := range []struct {
		name string
		at   *json.RawMessage
	}{{"params", &out.Params}, {"result", &out.Result}} {
		if len(*part.at) == 0 {
			*part.at = nil
			continue
		}
		var buf bytes.Buffer
		if err := json.Compact(&buf, *part.at); err != nil {
			return nil, fmt.Errorf("%w: its %s: %v", ErrEntry, part.name, err)
		}
		*part.at = buf.Bytes()
	}
	return &out, nil
}

// readLine reads a line without its line break.
func readLine(line []byte) (*Entry, error) {
	const tail = len(crcName) + 8 + len(`"}`)
	if len(line) < tail {
		return nil, ErrCorrupt
	}
	body := line[:len(line)-tail]
	if want := fmt.Appendf(nil, "%s%08x\"}", crcName, crc32.Checksum(body, castagnoli)); !bytes.Equal(line[len(body):], want) {
		return nil, ErrCorrupt
	}
	var e Entry
	if err := json.Unmarshal(line, &e); err != nil {
		return nil, fmt.Errorf("%w: %v", ErrCorrupt, err)
	}
	return &e, nil
}

// Read returns the entries of a log in order. A line that is not intact is an
// error that wraps ErrCorrupt and says where, and reading goes on behind it; a
// last line without its line break is still being written and is left out.
// Failures of r end the sequence. It keeps at most MaxEntryBytes of a line.
func Read(r io.Reader) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		br := bufio.NewReaderSize(r, 64<<10)
		var line []byte
		for n := 1; ; n++ {
			var err error
			if line, err = nextLine(br, line[:0]); err == io.EOF {
				return
			} else if err != nil {
				yield(nil, err)
				return
			}
			if string(line) == header {
				continue
			}
			e, err := readLine(line[:len(line)-1])
			if err != nil {
				err = fmt.Errorf("line %d: %w", n, err)
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// nextLine appends a line with its line break. Of one that is too long the
// beginning is left out, so that it is not intact.
func nextLine(br *bufio.Reader, line []byte) ([]byte, error) {
	for {
		part, err := br.ReadSlice('\n')
		if len(line)+len(part) > MaxEntryBytes {
			line = line[:0]
		}
		line = append(line, part...)
		if err != bufio.ErrBufferFull {
			return line, err
		}
	}
}
