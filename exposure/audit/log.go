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
	"path/filepath"
	"sync"
)

// Errors of logs.
var (
	ErrLocked  = errors.New("audit log is in use")
	ErrCorrupt = errors.New("corrupt audit entry")
	ErrClosed  = errors.New("audit log is closed")
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

// A Log appends entries to a file, one line of JSON each, whose last member is
// the CRC-32C of what is before it:
//
//	{"time":…,"result":{…},"crc":"1b2f3c4d"}
//
// An entry is written whole, or taken back: after a write that fails, and, when
// the file is opened again after a crash, for a last line that is torn. So a
// broken line is never followed by another, and never read as an entry.
//
// Open one with [OpenLog]. It is safe for concurrent use by one process; where
// the system has flock, a second one is refused.
type Log struct {
	sync Sync

	mu     sync.Mutex // guards writing
	file   *os.File
	end    int64 // bytes written
	buf    []byte
	broken error // a failed write that could not be taken back

	syncMu sync.Mutex // held during an fsync
	synced int64      // bytes known to be on stable storage
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// OpenLog opens the log at path, or makes it. dropped is the length of a torn
// end that was cut off. opts may be nil. It fails with ErrLocked if another
// process has it open, and with ErrCorrupt if the file is something else.
func OpenLog(path string, opts *LogOptions) (l *Log, dropped int64, err error) {
	if opts == nil {
		opts = &LogOptions{}
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, 0, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close())
		}
	}()
	if err := lock(f); err != nil {
		return nil, 0, fmt.Errorf("%w: %s", err, path)
	}
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, 0, err
	}
	end, err := lastEnd(f, size)
	if err != nil {
		return nil, 0, err
	}
	if end < size {
		if err := f.Truncate(end); err != nil {
			return nil, 0, err
		}
	}
	if opts.Sync == SyncEach {
		if err := errors.Join(f.Sync(), syncDir(filepath.Dir(path))); err != nil {
			return nil, 0, err
		}
	}
	return &Log{sync: opts.Sync, file: f, end: end, synced: end}, size - end, nil
}

// syncDir makes the name of a new file as safe as its content.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	_ = d.Sync() // not every system can
	return d.Close()
}

// lineBegin is how every line begins.
const lineBegin = `{"time":"`

// lastEnd returns where the last intact line ends: it goes back from the end. A
// file in which it finds none is only taken for a log whose first lines are torn
// if it begins like one.
func lastEnd(f io.ReaderAt, size int64) (int64, error) {
	end := size
	for end > 0 {
		start, err := lineStart(f, end)
		if err != nil {
			return 0, err
		}
		line := make([]byte, end-start)
		if _, err := f.ReadAt(line, start); err != nil {
			return 0, err
		}
		if line[len(line)-1] == '\n' {
			if _, err := readLine(line[:len(line)-1]); err == nil {
				return end, nil
			}
		}
		if n := min(len(line), len(lineBegin)); start == 0 && string(line[:n]) != lineBegin[:n] {
			return 0, fmt.Errorf("%w: this is no audit log", ErrCorrupt)
		}
		end = start
	}
	return 0, nil
}

// lineStart returns where the line that ends at end starts, going back no more
// than MaxEntryBytes.
func lineStart(f io.ReaderAt, end int64) (int64, error) {
	const step = 64 << 10
	buf := make([]byte, step)
	for to := end - 1; to > 0; { // the byte before end may be its line break
		from := max(to-step, 0)
		part := buf[:to-from]
		if _, err := f.ReadAt(part, from); err != nil {
			return 0, err
		}
		if i := bytes.LastIndexByte(part, '\n'); i >= 0 {
			return from + int64(i) + 1, nil
		}
		if end-from > MaxEntryBytes {
			return from, nil
		}
		to = from
	}
	return 0, nil
}

// Append writes e and returns once it is as safe as the log's Sync says.
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
	file, written := l.file, l.end
	l.mu.Unlock()
	if file == nil {
		return ErrClosed
	}
	if err := file.Sync(); err != nil {
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
	l.buf = appendLine(l.buf[:0], e)
	if len(l.buf) > MaxEntryBytes {
		return 0, fmt.Errorf("audit entry of %d bytes, over the limit of %d", len(l.buf), MaxEntryBytes)
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
	var err error
	if l.sync == SyncEach {
		err = l.file.Sync()
	}
	err = errors.Join(err, l.file.Close())
	l.file = nil
	return err
}

const crcName = `,"crc":"`

// appendLine appends e with its checksum and line break.
func appendLine(dst []byte, e *Entry) []byte {
	start := len(dst)
	dst = e.AppendJSON(dst)
	dst = dst[:len(dst)-1] // the closing brace comes after the checksum
	sum := crc32.Checksum(dst[start:], castagnoli)
	return fmt.Appendf(dst, "%s%08x\"}\n", crcName, sum)
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
// Failures of r end the sequence.
func Read(r io.Reader) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		br := bufio.NewReaderSize(r, 64<<10)
		for n := 1; ; n++ {
			line, err := br.ReadBytes('\n')
			if err == io.EOF {
				return
			}
			if err != nil {
				yield(nil, err)
				return
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
