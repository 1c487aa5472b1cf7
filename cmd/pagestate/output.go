package main

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// An output is standard output. After its first failure it takes no more.
type output struct {
	w   io.Writer
	err error
}

// Write writes p and remembers a failure.
func (o *output) Write(p []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.w.Write(p)
	o.err = err
	return n, err
}

// print writes p to standard output. A failure is reported when the command
// ends.
func (c *cli) print(p []byte) { c.out.Write(p) }

// fit returns what write makes of at most most bytes, dressed in indentation or
// colours, in at most most bytes. As long as that is too much it tries with less
// to dress, down to least bytes, and at last leaves it bare.
func fit(most, least int, write func(most int) []byte, dress func([]byte) ([]byte, error)) ([]byte, error) {
	for room := most; ; {
		out, err := dress(write(room))
		switch {
		case err != nil, len(out) <= most:
			return out, err
		case room == least:
			return write(most), nil
		}
		room = max(room-room/8, least)
	}
}

// An encoding is how a file's bytes are packed.
type encoding int

const (
	plain encoding = iota
	gzipped
	zstandard
)

// encodingOf tells by the name of a file how to write it.
func encodingOf(name string) (encoding, error) {
	switch lower := strings.ToLower(name); {
	case strings.HasSuffix(lower, ".json"):
		return plain, nil
	case strings.HasSuffix(lower, ".json.gz"):
		return gzipped, nil
	case strings.HasSuffix(lower, ".json.zst"):
		return zstandard, nil
	}
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return plain, nil // a pipe, a device
	}
	return 0, errors.New("the name of an output ends in .json, .json.gz or .json.zst")
}

// writeFile writes a file so that it appears whole or not at all: under a
// temporary name beside it, which is renamed at the end. A pipe or a device is
// written to.
func writeFile(ctx context.Context, name string, enc encoding, data []byte) error {
	mode, replaces := fs.FileMode(0o666), false
	if info, err := os.Stat(name); err == nil {
		switch {
		case info.IsDir():
			return errors.New("is a directory")
		case !info.Mode().IsRegular():
			return writeDevice(ctx, name, enc, data)
		}
		mode, replaces = info.Mode().Perm(), true
		// A link is kept, and what it leads to is replaced.
		if real, err := filepath.EvalSymlinks(name); err == nil {
			name = real
		}
	}
	f, err := createTemporary(name, mode)
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails once it is renamed
	err = writePacked(ctx, f, enc, data)
	if err == nil && replaces {
		err = f.Chmod(mode) // whatever the umask says
	}
	if err2 := f.Close(); err == nil {
		err = err2
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

func createTemporary(name string, mode fs.FileMode) (*os.File, error) {
	dir, base := filepath.Split(name)
	for {
		temporary := filepath.Join(dir, fmt.Sprintf(".%.32s.%08x.tmp", base, rand.Uint32()))
		f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

func writeDevice(ctx context.Context, name string, enc encoding, data []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	err = writePacked(ctx, f, enc, data)
	if err2 := f.Close(); err == nil {
		err = err2
	}
	return err
}

// writePacked writes data in the given encoding. The same data gives the same
// bytes.
func writePacked(ctx context.Context, w io.Writer, enc encoding, data []byte) error {
	buf := bufio.NewWriterSize(w, 1<<16)
	var packer io.WriteCloser
	switch enc {
	case plain:
		packer = nopCloser{buf}
	case gzipped:
		packer = gzip.NewWriter(buf)
	case zstandard:
		var err error
		if packer, err = zstd.NewWriter(buf, zstd.WithEncoderConcurrency(1)); err != nil {
			return err
		}
	}
	for len(data) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(len(data), 1<<20)
		if _, err := packer.Write(data[:n]); err != nil {
			return err
		}
		data = data[n:]
	}
	if err := packer.Close(); err != nil {
		return err
	}
	return buf.Flush()
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
