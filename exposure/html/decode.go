package html

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"

	"github.com/pagestate/pagestate/exposure"
	"github.com/pagestate/pagestate/snapshot"
)

// Errors of [Decode].
var (
	ErrEmpty    = errors.New("empty document")
	ErrLimit    = errors.New("over a limit")
	ErrEncoding = errors.New("unreadable character encoding")
)

// Limits on what [Decode] reads. A document over one is refused with an error
// that names the limit and wraps [ErrLimit].
const (
	// DefaultMaxBytes is the size of a document unless Options says otherwise.
	DefaultMaxBytes = 256 << 20
	// MaxDepth bounds the nesting of the flat tree. The parser refuses documents
	// whose own nesting is over 512.
	MaxDepth = 2000
	// MaxFrames bounds how deep documents lie in frames of documents; frames
	// below that are named as unreadable.
	MaxFrames = 8
	// MaxRepeat bounds how many times the document's size is read out as text:
	// nested fields and spanning cells repeat text.
	MaxRepeat = 16
)

// Options says how [Decode] reads a document. The zero value and nil mean the
// documented defaults.
type Options struct {
	// MaxBytes bounds the document; 0 means DefaultMaxBytes.
	MaxBytes int64
	// ContentType is the Content-Type header that came with the document, if
	// one is known. Its charset beats that of a meta element.
	ContentType string
	// Infer infers exposure also in a document that has annotations, outside
	// what is annotated.
	Infer bool
	// Before is the other side of a comparison. Where record ids are inferred,
	// the source that gave its ids is kept while it stays valid.
	Before *snapshot.Snapshot
	// Limits bounds the snapshot.
	Limits snapshot.Limits
}

// Decode reads what a saved page exposes. It does not keep data.
//
// It fails with ErrEmpty, ErrLimit or ErrEncoding, or with what the snapshot's
// builder refuses; HTML itself has no syntax errors. What is wrong with the
// exposure is told by the snapshot's diagnostics. Time and memory are linear in
// the document's size but for the repetition that MaxRepeat bounds.
func Decode(data []byte, opts *Options) (*snapshot.Snapshot, error) {
	if opts == nil {
		opts = &Options{}
	}
	limit := opts.MaxBytes
	if limit <= 0 {
		limit = DefaultMaxBytes
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("%w: the document has %d bytes, the limit is %d", ErrLimit, len(data), limit)
	}
	text, err := decodeText(data, opts.ContentType)
	if err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, ErrEmpty
	}
	root, cut, err := parse(text)
	if err != nil {
		return nil, err
	}
	d := &decoder{opts: *opts, b: &snapshot.Builder{}, budget: MaxRepeat*len(text) + 1<<20}
	d.records.Size, d.fields.Size, d.actions.Size = small, small, small
	d.schemas = &schemas{}
	d.b.Limits = opts.Limits
	d.b.ForgetMasked = true
	if cut {
		d.b.Diagnose(exposure.CodeUnreadExposure, "document", "it ends in the middle of a tag, a comment or a script, as if it was cut there")
	}
	return d.decode(root)
}

// decodeText returns data as UTF-8, decoded as browsers do: a byte order mark
// beats the Content-Type, which beats meta elements. Bytes that are not UTF-8 in
// a UTF-8 document stay, as snapshots hold them.
func decodeText(data []byte, contentType string) ([]byte, error) {
	enc, name, certain := charset.DetermineEncoding(data, contentType)
	if !certain && name == "windows-1252" && !declared(data) && utf8.Valid(data) {
		name = "utf-8"
	}
	if name == "utf-8" {
		data = bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF"))
		if !utf8.Valid(data) {
			// F5 starts held surrogates (package records); as a byte it is doubled.
			data = bytes.ReplaceAll(data, []byte{0xF5}, []byte{0xF5, 0xF5})
		}
		return data, nil
	}
	out, err := enc.NewDecoder().Bytes(data)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %v", ErrEncoding, name, err)
	}
	return bytes.TrimPrefix(out, []byte("\uFEFF")), nil
}

// declared reports whether the start of data declares an encoding: whether the
// same start with text that is UTF-8 in it is taken for something else.
func declared(data []byte) bool {
	head := data[:min(len(data), 1020)]
	for _, c := range head {
		if c >= utf8.RuneSelf {
			return true // its bytes were looked at already
		}
	}
	_, name, _ := charset.DetermineEncoding(append(bytes.Clone(head), "\u00E9\u00E9"[:4]...), "")
	return name != "utf-8"
}

// parse parses one document. cut reports that it ends where no document ends.
func parse(text []byte) (root *html.Node, cut bool, err error) {
	if cut, err = checkTokens(text); err != nil {
		return nil, false, err
	}
	if root, err = html.Parse(bytes.NewReader(text)); err != nil {
		if strings.Contains(err.Error(), "512") {
			return nil, false, fmt.Errorf("%w: elements nested deeper than 512, the limit of the parser", ErrLimit)
		}
		return nil, false, err
	}
	return root, cut, nil
}

// isFormatting reports whether the parser opens an element again in every block
// after the one it was left open in.
func isFormatting(name []byte) bool {
	switch string(name) {
	case "a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u":
		return true
	}
	return false
}

// checkTokens refuses documents in which formatting elements left open would be
// opened again so often that the tree is much larger than the text. Of elements
// alike the parser keeps three. cut reports that the document ends within a tag, a
// comment, a script or a style sheet; the parser says nothing of what it drops
// then.
func checkTokens(text []byte) (cut bool, err error) {
	budget := len(text) + 1<<20
	z := html.NewTokenizer(bytes.NewReader(text))
	alike := map[string]int{}     // by tag and attributes
	open := map[string][]string{} // those keys by tag, in order
	kept := 0
	shut := func(name []byte) {
		if list := open[string(name)]; len(list) > 0 {
			key := list[len(list)-1]
			open[string(name)] = list[:len(list)-1]
			if alike[key]--; alike[key] < 3 {
				kept--
			}
		}
	}
	script := false
	for {
		kind := z.Next()
		switch kind {
		case html.ErrorToken:
			return cut || script || len(z.Raw()) > 0, nil // the last would have been a tag
		case html.CommentToken:
			// An open one reaches to the end. Bogus comments, such as <?x>, end with >.
			cut = !bytes.HasSuffix(z.Raw(), []byte(">"))
		case html.StartTagToken, html.SelfClosingTagToken:
			tag := z.Raw()
			name, _ := z.TagName()
			script = kind == html.StartTagToken && (string(name) == "script" || string(name) == "style")
			if isFormatting(name) {
				if string(name) == "a" || string(name) == "nobr" {
					shut(name) // these do not nest
				}
				key := string(tag)
				if alike[key]++; alike[key] <= 3 {
					kept++
				}
				open[string(name)] = append(open[string(name)], key)
			}
			budget -= kept
		case html.EndTagToken:
			script = false
			if name, _ := z.TagName(); isFormatting(name) {
				shut(name)
			}
		case html.TextToken:
			budget -= kept
		}
		if budget < 0 {
			return false, fmt.Errorf("%w: formatting elements left open would be repeated more than once per byte of the document", ErrLimit)
		}
	}
}
