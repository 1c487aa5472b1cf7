package audit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// header is the first line of every log. It tells a log from all other files, so
// that nothing else is ever written to or cut.
const header = `{"format":"pagestate-audit/1"}` + "\n"

// OpenLog opens the log at path, or makes it. dropped is the length of a torn
// last line, one without its line break, that was cut off. opts may be nil.
//
// It fails with ErrLocked if another process has the log open, and with
// ErrCorrupt, leaving the file as it is, if the file is something else, or if its
// last line is there with its line break but is not intact: such a line may have
// been acknowledged, and whether it is to be dropped is not for us to say.
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
	if size, err = begin(f, size); err != nil {
		return nil, 0, fmt.Errorf("%s: %w", path, err)
	}
	end, err := lastEnd(f, size)
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", path, err)
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
	return &Log{sync: opts.Sync, file: f, fsync: f.Sync, end: end, synced: end}, size - end, nil
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

// begin checks that f begins with the header and returns its size. Of a file that
// is empty, or holds a beginning of the header and nothing else, it writes the
// rest.
func begin(f *os.File, size int64) (int64, error) {
	head := make([]byte, min(size, int64(len(header))))
	if _, err := f.ReadAt(head, 0); err != nil {
		return 0, err
	}
	if string(head) != header[:len(head)] {
		return 0, fmt.Errorf("%w: this is no audit log", ErrCorrupt)
	}
	if len(head) == len(header) {
		return size, nil
	}
	_, err := f.WriteAt([]byte(header), 0)
	return int64(len(header)), err
}

// lastEnd returns where the last line ends, which must be intact, and behind which
// there is at most a torn one.
func lastEnd(f io.ReaderAt, size int64) (int64, error) {
	end, err := lastBreak(f, size)
	if err != nil || end == int64(len(header)) {
		return end, err
	}
	start, err := lastBreak(f, end-1)
	if err != nil {
		return 0, err
	}
	line := make([]byte, end-1-start)
	if _, err := f.ReadAt(line, start); err != nil {
		return 0, err
	}
	if _, err := readLine(line); err != nil {
		return 0, fmt.Errorf("the last line, at byte %d, is damaged: %w", start, err)
	}
	return end, nil
}

// lastBreak returns what follows the last line break before end, going back no
// more than MaxEntryBytes; the header has one.
func lastBreak(f io.ReaderAt, end int64) (int64, error) {
	const step = 64 << 10
	buf := make([]byte, step)
	for to := end; to > 0 && end-to <= MaxEntryBytes; {
		from := max(to-step, 0)
		part := buf[:to-from]
		if _, err := f.ReadAt(part, from); err != nil {
			return 0, err
		}
		if i := bytes.LastIndexByte(part, '\n'); i >= 0 {
			return from + int64(i) + 1, nil
		}
		to = from
	}
	return 0, fmt.Errorf("%w: a line before byte %d is longer than %d bytes", ErrCorrupt, end, MaxEntryBytes)
}
