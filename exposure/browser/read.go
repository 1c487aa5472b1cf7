package browser

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	xhtml "golang.org/x/net/html"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/exposure/call"
	"github.com/pagestate/pagestate/exposure/html"
	"github.com/pagestate/pagestate/records"
	"github.com/pagestate/pagestate/snapshot"
)

// Codes of diagnostics of live pages.
const (
	// CodeProvider: a provider could not find out what it exposes.
	CodeProvider = "provider-failed"
	// CodeLoading: the document was opened again by its scripts and not closed.
	CodeLoading = "loading"
	// CodeStatus: the server answered with an error.
	CodeStatus = "http-status"
	// CodePopup: the page opened another one, which is not part of it.
	CodePopup = "popup"
)

// sessionKey returns a key for digests that are made in the page.
func sessionKey() (key [4]uint32) {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the process instead
	for i := range key {
		key[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return key
}

// margin is how long before its deadline a reading gives up, so that what it
// failed of can still be told.
const margin = 100 * time.Millisecond

// Snapshot reads what the page exposes now. Url and records are of one moment. If
// a document is on its way it is waited for: one that is half there is never taken
// for the page.
//
// It fails with a *call.UnobservedError: page-closed, page-crashed, unresponsive
// when scripts of the page do not end, incomplete when there is more than the
// bounds, no-snapshot when the browser shows an error of its own.
func (p *Page) Snapshot(ctx context.Context) (*snapshot.Snapshot, error) {
	s, _, err := p.read(ctx)
	return s, err
}

// read takes a turn and reads.
func (p *Page) read(ctx context.Context) (*snapshot.Snapshot, *referents, error) {
	select {
	case p.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
	defer func() { <-p.turn }()
	return p.readInTurn(ctx)
}

// readInTurn reads. Its caller has the turn.
func (p *Page) readInTurn(ctx context.Context) (*snapshot.Snapshot, *referents, error) {
	p.turns++
	limited := ctx
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		limited, cancel = context.WithDeadline(ctx, deadline.Add(-min(margin, time.Until(deadline)/4)))
		defer cancel()
	}
	s, targets, err := p.readNow(limited)
	if err != nil {
		return nil, nil, p.unread(ctx, limited, err)
	}
	return s, targets, nil
}

// unread says why a reading failed.
func (p *Page) unread(ctx, limited context.Context, err error) error {
	err = p.gone(err)
	var u *call.UnobservedError
	switch {
	case errors.As(err, &u), ctx.Err() != nil && errors.Is(ctx.Err(), context.Canceled):
		return err
	case limited.Err() != nil:
		s := p.look()
		switch {
		case s.open != nil:
			return &call.UnobservedError{Reason: diff.Unresponsive, Err: fmt.Errorf("a dialog (%s) is open", s.open.Type)}
		case s.leaving || s.overdue || !s.ready:
			return &call.UnobservedError{Reason: diff.Incomplete, Err: errors.New("the document is still on its way")}
		}
		return &call.UnobservedError{Reason: diff.Unresponsive, Err: errors.New("the page does not answer")}
	}
	return &call.UnobservedError{Reason: diff.NoSnapshot, Err: err}
}

func (p *Page) readNow(ctx context.Context) (*snapshot.Snapshot, *referents, error) {
	var notes []snapshot.Diagnostic
	most := frameTime / 2
	if p.coming {
		most = silentTime // they did not come the last time
	}
	if deadline, ok := ctx.Deadline(); ok {
		most = min(most, time.Until(deadline)/4)
	}
	whole := time.Now().Add(most) // until then all documents in frames are waited for
	for {
		if err := p.await(ctx, func(s *pageState) bool { return s.ready && s.open == nil }); err != nil {
			return nil, nil, err
		}
		notes = nil
		for i, provider := range p.opts.Providers {
			if err := p.prepare(ctx, i); err != nil && ctx.Err() == nil && !errors.Is(err, ErrDocumentGone) {
				if gone := p.gone(err); gone != err {
					return nil, nil, gone
				}
				notes = append(notes, snapshot.Diagnostic{Code: CodeProvider, At: provider.Name(), Message: err.Error()})
			}
		}
		r := p.newReading(notes)
		h, err := r.document(ctx, "", &r.root, 0)
		pause := 10 * time.Millisecond
		switch {
		case err == nil && h.Ready == "loading" && (time.Now().Before(whole) || !p.look().ready):
		case err == nil && r.coming > 0 && time.Now().Before(whole):
			pause = 50 * time.Millisecond
		case err == nil:
			if p.coming = r.coming > 0; h.Ready == "loading" {
				p.coming = true
				r.notes = append(r.notes, snapshot.Diagnostic{Code: CodeLoading, At: withoutUser(h.URL), Message: "the page is still writing this document; what has come is read"})
			}
			r.top = h
			r.miss()
			s, err := r.decode()
			return s, p.targets, err
		case !errors.Is(err, ErrDocumentGone):
			return nil, nil, err
		}
		// The document was replaced, or is not parsed; it is read once it is there.
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
}

// A reading is the tree of one moment.
type reading struct {
	page      *Page
	root      xhtml.Node
	slabs     slabs
	top       *header
	size      int
	notes     []snapshot.Diagnostic
	asked     bool          // for closed shadow roots
	unchanged bool          // nothing is different from the last reading, whose snapshot stands
	code      []*xhtml.Node // blocks of what code has answered
	targets   referents
	frames    []Frame          // of the tab, nil if they have not been asked for
	read      map[FrameID]bool // those whose element was found
	lost      bool             // that of one that is there was not
	apart     []FrameID        // those whose document was read
	coming    int              // documents in frames that are not whole yet
}

// newReading returns an empty one.
func (p *Page) newReading(notes []snapshot.Diagnostic) *reading {
	r := &reading{page: p, notes: notes}
	r.slabs.nodes.Pool, r.slabs.attrs.Pool = &p.pools.nodes, &p.pools.attrs
	return r
}

// collectOptions are those of the collector.
type collectOptions struct {
	Key   [4]uint32 `json:"key"`
	Cut   int       `json:"cut"`
	Infer bool      `json:"infer"`
	// Careful looks for halves of surrogate pairs value by value. Without it they
	// are noticed unless halves of two values meet.
	Careful bool `json:"careful"`
	// Delta asks for what differs from the last reading, which is kept here.
	Delta bool `json:"delta"`
}

// collectOptions returns the collector's options as JSON; delta says that its last
// reading of the document is kept. They are one of few, so that the browser compiles
// what they are part of once.
func (p *Page) collectOptions(careful, delta bool) string {
	opts := collectOptions{p.key, DefaultCut, p.opts.Infer, careful, delta}
	if p.opts.Whole {
		opts.Cut = 0
	}
	text, _ := json.Marshal(opts) // of numbers and booleans it does not fail
	return string(text)
}

// collect returns the columns of a document.
func (p *Page) collect(ctx context.Context, frame FrameID, careful bool) (*columns, error) {
	before := p.kept[frame]
	if careful {
		before = nil
	}
	for {
		raw, err := p.inWorld(ctx, frame, "collect("+p.collectOptions(careful, before != nil)+")", false)
		if err != nil {
			return nil, err
		}
		c, err := p.accept(frame, raw, before)
		if before == nil || !errors.Is(err, errBase) {
			return c, err
		}
		before = nil
	}
}

// accept reads and keeps the columns of a document.
func (p *Page) accept(frame FrameID, raw json.RawMessage, before *kept) (*columns, error) {
	c, err := readColumns(raw, before)
	if err != nil {
		return nil, err
	}
	if p.kept == nil || frame == "" && len(p.kept) > maxKept {
		p.kept = map[FrameID]*kept{}
	}
	p.kept[frame] = c.kept
	// What was read last need not be what the last snapshot was made of.
	c.unchanged = c.unchanged && before == p.decoded
	if c.Incomplete != "" {
		return nil, &call.UnobservedError{Reason: diff.Incomplete, Err: errors.New("the page has " + c.Incomplete)}
	}
	return c, nil
}

// maxKept bounds the frames whose last reading is kept.
const maxKept = 64

// inWorld evaluates a call of ours in the isolated world of a document, into which
// our scripts are brought if they are not there yet.
func (p *Page) inWorld(ctx context.Context, frame FrameID, expression string, wait bool) (json.RawMessage, error) {
	s := Script{Frame: frame, World: Isolated, Await: wait,
		Expression: "globalThis.__pagestate && __pagestate.point ? __pagestate." + expression + " : 'install'"}
	out, err := p.tab.Evaluate(ctx, s)
	if err != nil || string(out) != `"install"` {
		return out, err
	}
	s.Expression = installJS + ";\n__pagestate." + expression
	return p.tab.Evaluate(ctx, s)
}

// document reads the document of a frame, and of the frames in it that it cannot
// read itself, below parent.
func (r *reading) document(ctx context.Context, frame FrameID, parent *xhtml.Node, level int) (*header, error) {
	code := len(r.code)
	c, err := r.columns(ctx, frame, parent, false)
	if errors.Is(err, errColumns) {
		parent.FirstChild, parent.LastChild, r.code = nil, nil, r.code[:code]
		c, err = r.columns(ctx, frame, parent, true)
	}
	if err != nil {
		return nil, err
	}
	if c.Unknown > 0 && !r.asked {
		// They are asked once each; if one has a closed root, that is to be told.
		r.asked = true
		found, err := r.page.closedRoots(ctx, frame)
		if err != nil {
			return nil, err
		}
		if found {
			parent.FirstChild, parent.LastChild, r.code = nil, nil, r.code[:code]
			return r.document(ctx, frame, parent, level)
		}
	}
	if level > 0 && strings.HasPrefix(c.URL, "chrome-error:") {
		return nil, &call.UnobservedError{Reason: diff.NoSnapshot, Err: errors.New(failed)}
	}
	if c.Unread != "" {
		return nil, &call.UnobservedError{Reason: diff.NoSnapshot, Err: errors.New(c.Unread)}
	}
	r.coming += c.Coming
	if level > 0 && c.Ready == "loading" {
		r.coming++
	}
	if c.Foreign == 0 || level >= html.MaxFrames {
		return &c.header, nil
	}
	r.foreign(ctx, frame, c.Document, parent, level, c.Foreign)
	return &c.header, nil
}

// columns reads the columns of a document and builds their tree.
func (r *reading) columns(ctx context.Context, frame FrameID, parent *xhtml.Node, careful bool) (*columns, error) {
	c, err := r.page.collect(ctx, frame, careful)
	if err != nil {
		return nil, err
	}
	return c, r.grow(c, frame, parent)
}

// grow builds the tree of a document's columns.
func (r *reading) grow(c *columns, frame FrameID, parent *xhtml.Node) error {
	r.size += len(c.text) + len(c.ops)
	if r.unchanged = frame == "" && c.unchanged && c.Foreign == 0 && r.asBefore(); r.unchanged {
		return nil
	}
	err := c.tree(parent, &r.slabs, string(frame), &r.code)
	r.size += c.told
	return err
}

// closedRoots finds out which of the elements that the last reading could not tell of
// have closed shadow roots, and reports whether any has.
func (p *Page) closedRoots(ctx context.Context, frame FrameID) (found bool, err error) {
	closed, err := p.tab.ClosedRoots(ctx, frame, "__pagestate.unknown()")
	if err != nil {
		return false, err
	}
	text, err := json.Marshal(closed)
	if err != nil {
		return false, err
	}
	_, err = p.inWorld(ctx, frame, "told("+string(text)+")", false)
	return slices.Contains(closed, true), err
}

// asBefore reports whether there is nothing to tell but what the page exposes, or the
// same as the last time.
func (r *reading) asBefore() bool {
	p := r.page
	p.mu.Lock()
	popups := len(p.state.popups)
	p.mu.Unlock()
	return popups == 0 && p.before != nil && slices.Equal(r.notes, p.notes)
}

// decode makes the snapshot.
func (r *reading) decode() (*snapshot.Snapshot, error) {
	p := r.page
	if r.unchanged {
		p.decoded = p.kept[""]
		p.targets.numbers = p.numbers()
		p.mu.Lock()
		p.state.readAt, p.state.apart = time.Now(), r.apart
		p.mu.Unlock()
		return p.before, nil
	}
	if strings.HasPrefix(r.top.URL, "chrome-error:") {
		return nil, &call.UnobservedError{Reason: diff.NoSnapshot, Err: errors.New("the browser shows an error page")}
	}
	if r.top.Status >= 400 {
		r.notes = append(r.notes, snapshot.Diagnostic{Code: CodeStatus, At: withoutUser(r.top.URL), Message: "the server answered " + strconv.Itoa(r.top.Status)})
	}
	p.mu.Lock()
	for _, url := range p.state.popups {
		r.notes = append(r.notes, snapshot.Diagnostic{Code: CodePopup, At: url, Message: "the page opened another one, which is not read"})
	}
	p.state.popups = nil
	p.mu.Unlock()
	r.providers()
	opts := &html.LiveOptions{
		Options: html.Options{Infer: p.opts.Infer, Before: p.before, Limits: p.opts.Limits},
		Page:    snapshot.Page{URL: withoutUser(r.top.URL), Title: r.top.Title, Document: r.top.Document},
		Size:    r.size, Session: true, Builder: &p.builder, Scratch: &p.scratch, Diagnostics: r.notes,
		Element: func(a *snapshot.Action, n *xhtml.Node) { r.element(a, n) },
	}
	if p.targets != nil {
		r.targets.elements = make([]placed, 0, len(p.targets.elements)+8)
	}
	s, err := html.DecodeLive(&r.root, opts)
	r.slabs.release()
	r.root, r.code = xhtml.Node{}, nil
	if err != nil {
		if errors.Is(err, html.ErrLimit) {
			err = &call.UnobservedError{Reason: diff.Incomplete, Err: err}
		}
		return nil, err
	}
	p.before, p.notes, p.targets, p.decoded = s, r.notes, &r.targets, p.kept[""]
	p.targets.numbers = p.numbers()
	p.mu.Lock()
	p.state.readAt, p.state.apart = time.Now(), r.apart
	p.mu.Unlock()
	return s, nil
}

// numbers returns the numbers of the last readings of documents.
func (p *Page) numbers() map[FrameID]int {
	numbers := make(map[FrameID]int, len(p.kept))
	for frame, k := range p.kept {
		numbers[frame] = k.number
	}
	return numbers
}

// element notes which element an action stands for.
func (r *reading) element(a *snapshot.Action, n *xhtml.Node) {
	e := element{ref: -1} // an element that is not there
	for _, attr := range n.Attr {
		if attr.Namespace != html.LiveSpace || attr.Key != "ref" {
			continue
		}
		frame, ref, _ := strings.Cut(attr.Val, " ")
		if at, err := strconv.Atoi(ref); err == nil {
			e = element{frame: FrameID(frame), ref: at}
		}
	}
	r.targets.elements = append(r.targets.elements, placed{originOf(a), e})
}

// providers notes whose the actions are that code has answered with.
func (r *reading) providers() {
	for _, n := range r.code {
		var answer struct {
			Provider string `json:"provider"`
			Actions  []struct {
				ID, Group, Name, Scope string
				Record                 json.RawMessage
			} `json:"actions"`
		}
		if n.FirstChild == nil || json.Unmarshal([]byte(n.FirstChild.Data), &answer) != nil {
			continue // it is diagnosed
		}
		if answer.Provider == "" {
			answer.Provider = RuntimeProvider
		}
		provider := r.page.provider(answer.Provider)
		if provider == nil {
			continue
		}
		if r.targets.providers == nil {
			r.targets.providers = map[origin]Provider{}
		}
		for _, a := range answer.Actions {
			act := snapshot.Action{ID: a.ID, Group: a.Group, Name: a.Name, Scope: a.Scope, Record: string(a.Record)}
			if a.Record != nil && a.Record[0] == '"' {
				_ = json.Unmarshal(a.Record, &act.Record) // valid, it was decoded
			}
			if act.Group == "" {
				act.Group = groupOf(n)
			}
			r.targets.providers[originOf(&act)] = provider
		}
	}
}

// groupOf returns the group of actions that a document's code exposes: the frame
// that it is in.
func groupOf(n *xhtml.Node) string {
	group := ""
	for a := range n.Ancestors() {
		if liveAttr(a, "frame") != nil {
			own := "frame"
			for _, key := range []string{"title", "id", "name"} {
				for _, attr := range a.Attr {
					if attr.Key == key && attr.Namespace == "" && attr.Val != "" {
						own = attr.Val
					}
				}
			}
			if group != "" {
				own += "." + group
			}
			group = own
		}
	}
	return group
}

func (p *Page) provider(name string) Provider {
	for _, provider := range p.opts.Providers {
		if name != "" && provider.Name() == name {
			return provider
		}
	}
	return nil
}

// withoutUser returns url without user and password.
func withoutUser(url string) string {
	scheme, rest, ok := strings.Cut(url, "://")
	if !ok {
		return url
	}
	host, path := rest, ""
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		host, path = rest[:i], rest[i:]
	}
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		host = host[i+1:]
	}
	return scheme + "://" + host + path
}

// Actions reads the page and returns its actions. What is filled or selected takes
// parameters, whether declared or not.
func (p *Page) Actions(ctx context.Context) ([]snapshot.Action, error) {
	s, _, err := p.read(ctx)
	if err != nil {
		return nil, err
	}
	list := make([]snapshot.Action, s.Actions())
	for i := range list {
		list[i] = s.Action(i)
		if list[i].Params.Kind() == records.Absent {
			list[i].Params = gestureParams(list[i].Primitive)
		}
	}
	return list, nil
}
