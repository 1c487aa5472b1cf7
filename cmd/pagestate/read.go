package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pagestate/pagestate/exposure"
	"github.com/pagestate/pagestate/exposure/html"
	"github.com/pagestate/pagestate/internal/input"
	"github.com/pagestate/pagestate/records"
	"github.com/pagestate/pagestate/snapshot"
	"github.com/pagestate/pagestate/snapshot/capture"
)

// inputFlags say how inputs are read.
type inputFlags struct {
	rows  bool
	key   string
	infer bool
	live  *liveFlags // nil where no page is opened

	maxSize     byteSize
	maxUnpacked byteSize
	maxDepth    int
}

// deepest bounds --max-depth: what is nested is read and compared recursively,
// and a stack that grows past its limit ends the program.
const deepest = 10_000

func (f *inputFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&f.rows, "rows", false, "read rows: a JSON array of objects, or one object a line")
	flags.StringVar(&f.key, "key", "", "the member that is the id of a row (default id, then _id, then key)")
	flags.BoolVar(&f.infer, "infer", false, "infer scopes and records in pages that have annotations, too")
	f.maxSize, f.maxUnpacked = input.DefaultPlain, input.DefaultUnpacked
	flags.Var(&f.maxSize, "max-size", "most bytes of an input")
	flags.Var(&f.maxUnpacked, "max-unpacked", "most bytes that a compressed input may hold; a zstd window takes at most a quarter of it")
	flags.IntVar(&f.maxDepth, "max-depth", records.DefaultMaxDepth, "deepest nesting of JSON")
}

// check reports values that no input could be read with.
func (f *inputFlags) check(cmd *cobra.Command) error {
	if f.maxDepth < 1 || f.maxDepth > deepest {
		return usagef(cmd, "--max-depth is from 1 to %d", deepest)
	}
	if cmd.Flags().Changed("key") && f.key == "" {
		return usagef(cmd, "--key needs a name")
	}
	if f.live != nil {
		f.live.infer = f.infer
		return f.live.check(cmd)
	}
	return nil
}

// addLive lets inputs be pages in a browser.
func (f *inputFlags) addLive(cmd *cobra.Command) {
	f.live = &liveFlags{}
	f.live.add(cmd)
}

// A byteSize is a number of bytes, as a flag: 1000, 64KiB, 256MiB, 1GiB.
type byteSize int64

var byteUnits = []struct {
	suffix string
	bytes  int64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}}

// String returns the size with the largest unit that leaves no fraction.
func (b *byteSize) String() string {
	for i := len(byteUnits) - 1; i >= 0; i-- {
		if u := byteUnits[i]; int64(*b) >= u.bytes && int64(*b)%u.bytes == 0 {
			return strconv.FormatInt(int64(*b)/u.bytes, 10) + u.suffix
		}
	}
	return strconv.FormatInt(int64(*b), 10)
}

// Set reads a size of at least one byte.
func (b *byteSize) Set(text string) error {
	digits, unit := text, int64(1)
	for _, u := range byteUnits {
		if d, ok := strings.CutSuffix(text, u.suffix); ok {
			digits, unit = d, u.bytes
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 1 || n > math.MaxInt64/unit {
		return errors.New("want a number of bytes such as 4096, 64KiB, 256MiB or 1GiB")
	}
	*b = byteSize(n * unit)
	return nil
}

// int returns the size, or the largest int that there is everywhere.
func (b byteSize) int() int { return int(min(b, math.MaxInt32)) }

// Type names the value in help.
func (b *byteSize) Type() string { return "bytes" }

// A reader reads the inputs of one command.
type reader struct {
	cli    *cli
	flags  *inputFlags
	source input.Source
	// captures reads the after side against the text of the before side.
	captures capture.Decoder
	// partial says that what could be read of an input is enough.
	partial bool
	rows    bool // some input was rows
	pages   bool // some input was a page
	live    bool // some input was a page in a browser
}

func (c *cli) reader(f *inputFlags) *reader {
	return &reader{cli: c, flags: f, source: input.Source{
		Stdin:  c.stdin,
		Limits: input.Limits{Plain: int64(f.maxSize), Unpacked: int64(f.maxUnpacked)},
	}}
}

// some reads the only input of a command that shows what there is of it.
func (r *reader) some(ctx context.Context, cmd *cobra.Command, name string) (*snapshot.Snapshot, error) {
	r.partial = true
	return r.one(ctx, cmd, name)
}

// whole fails unless all that is exposed could be read. What could not be read
// would seem to have been removed.
func (r *reader) whole(s *snapshot.Snapshot) error {
	if r.partial {
		return nil
	}
	return exposure.Unread(s)
}

// one reads the only input of a command.
func (r *reader) one(ctx context.Context, cmd *cobra.Command, name string) (*snapshot.Snapshot, error) {
	_, snap, err := r.read(ctx, name, false, nil)
	if err != nil {
		return nil, err
	}
	return snap, r.checkUsed(cmd)
}

// read reads an input: a page in a browser, or a file, which is returned as well.
func (r *reader) read(ctx context.Context, name string, emptyRows bool, before *snapshot.Snapshot) (*input.File, *snapshot.Snapshot, error) {
	if r.flags.live != nil && isLive(name) {
		r.live, r.pages = true, true
		snap, err := r.cli.live(ctx, r.flags.live, name)
		if err == nil {
			if err = r.whole(snap); err != nil {
				err = &fileError{name, err}
			}
		}
		return nil, snap, err
	}
	f, err := r.open(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	snap, err := r.decode(f, emptyRows, before)
	return f, snap, err
}

// pair reads both inputs of a command. A bare [] is rows if the other is.
func (r *reader) pair(ctx context.Context, cmd *cobra.Command, before, after string) (b, a *snapshot.Snapshot, err error) {
	if before == "-" && after == "-" {
		return nil, nil, usagef(cmd, "stdin can be only one of the inputs")
	}
	fb, b, err := r.read(ctx, before, false, nil)
	emptyBefore := errors.Is(err, capture.ErrEmptyRows)
	if err != nil && !emptyBefore {
		return nil, nil, err
	}
	_, a, errAfter := r.read(ctx, after, r.rows, b)
	switch {
	case errAfter != nil && (!emptyBefore || !errors.Is(errAfter, capture.ErrEmptyRows)):
		return nil, nil, errAfter
	case emptyBefore && r.rows:
		b, err = r.decode(fb, true, nil)
	}
	if err != nil {
		return nil, nil, err
	}
	return b, a, r.checkUsed(cmd)
}

// checkUsed reports flags that said something of inputs that there were not.
func (r *reader) checkUsed(cmd *cobra.Command) error {
	if r.flags.key != "" && !r.rows {
		return usagef(cmd, "--key is for rows, and no input is rows")
	}
	if r.flags.infer && !r.pages {
		return usagef(cmd, "--infer is for pages, and no input is a page")
	}
	if r.flags.live != nil && !r.live {
		return refuse(cmd, "inputs that are no pages in a browser", liveNames...)
	}
	return nil
}

var archiveStep = regexp.MustCompile(`(?i)\.psa(@-?[0-9]+)?$|^@-?[0-9]+$`)

// open reads the bytes of an input.
func (r *reader) open(ctx context.Context, name string) (*input.File, error) {
	scheme, _, _ := strings.Cut(strings.ToLower(name), "://")
	switch scheme {
	case "http", "https", "file":
		if scheme != strings.ToLower(name) {
			return nil, &fileError{name, errors.New("pages in a browser are no input of this command; see capture")}
		}
	}
	if archiveStep.MatchString(name) {
		if _, err := os.Lstat(name); err != nil {
			return nil, &fileError{name, errors.New("session archives are not supported yet")}
		}
	}
	f, err := r.source.Read(ctx, name)
	switch {
	case errors.Is(err, input.ErrWindow):
		err = fmt.Errorf("%w; see --max-unpacked, of which it may be a quarter", err)
	case errors.Is(err, input.ErrLimit):
		err = fmt.Errorf("%w; see --max-size and --max-unpacked", err)
	}
	return f, err
}

// decode reads what is in f. emptyRows says that an empty array is rows, before,
// which may be nil, is what the result will be compared with.
func (r *reader) decode(f *input.File, emptyRows bool, before *snapshot.Snapshot) (*snapshot.Snapshot, error) {
	if f.Kind == input.HTML {
		return r.page(f, before)
	}
	opts := capture.Options{Rows: r.flags.rows, NDJSON: f.Kind == input.NDJSON, Key: r.flags.key, MaxDepth: r.flags.maxDepth}
	d := &r.captures
	snap, err := d.DecodeNext(f.Data, &opts)
	if emptyRows && errors.Is(err, capture.ErrEmptyRows) {
		opts.Rows = true
		snap, err = d.DecodeNext(f.Data, &opts)
	}
	switch {
	case errors.Is(err, capture.ErrEmptyRows):
		err = fmt.Errorf("%w; --rows says which", err)
	case errors.Is(err, records.ErrDepth):
		err = fmt.Errorf("%w; see --max-depth", err)
	}
	if err != nil {
		return nil, f.Wrap(err)
	}
	r.rows = r.rows || d.Rows()
	return snap, nil
}

// page reads a saved page.
func (r *reader) page(f *input.File, before *snapshot.Snapshot) (*snapshot.Snapshot, error) {
	if r.flags.rows {
		return nil, f.Wrap(errors.New("is a page, and --rows is for JSON"))
	}
	r.pages = true
	snap, err := html.Decode(f.Data, &html.Options{MaxBytes: math.MaxInt64, Infer: r.flags.infer, Before: before})
	if err == nil {
		err = r.whole(snap)
	}
	if err != nil {
		return nil, f.Wrap(err)
	}
	return snap, nil
}
