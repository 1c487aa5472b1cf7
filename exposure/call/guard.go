package call

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/exposure"
)

// An outcome is what a guarded function returned.
type outcome[T any] struct {
	value T
	err   *failure
}

// A failure is what an error that is not ours says. The methods of errors are
// foreign code like the functions that return them: they may panic, or hang. So
// they are asked once, where that does no harm, and never again.
type failure struct {
	kind        error             // the one of kinds that it is, nil if none
	notRun      bool              // it is exposure.ErrNotRun
	unavailable *UnavailableError // it is one; a copy
	unobserved  diff.Reason       // of an *UnobservedError
	text        string
	stack       []byte // of a panic
	err         error
}

// kinds are the errors that are told apart; the first that matches counts.
var kinds = [...]error{ErrNavigated, ErrPageGone, exposure.ErrReplaced, exposure.ErrGone, exposure.ErrSchema,
	context.DeadlineExceeded, context.Canceled}

func (f *failure) Error() string { return f.text }

// Unwrap returns the error itself, for who called.
func (f *failure) Unwrap() error { return f.err }

// failed asks err all that is to be known of it.
func failed(err error) *failure {
	f := &failure{text: text(err), err: err}
	if f.text == "" {
		f.text = fmt.Sprintf("an error of type %T that says nothing", err)
	}
	f.notRun = is(err, exposure.ErrNotRun)
	for _, kind := range kinds {
		if is(err, kind) {
			f.kind = kind
			break
		}
	}
	if u := as[*UnavailableError](err); u != nil {
		f.unavailable = &UnavailableError{u.Reason}
	}
	if u := as[*UnobservedError](err); u != nil {
		f.unobserved = u.Reason
	}
	return f
}

// is is errors.Is; an error that panics when it is asked is not.
func is(err, target error) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	return errors.Is(err, target)
}

// as returns what errors.As finds, or the zero T.
func as[T error](err error) (found T) {
	defer func() {
		if recover() != nil {
			var none T
			found = none
		}
	}()
	var t T
	if errors.As(err, &t) {
		return t
	}
	return found
}

var errExited = errors.New("the function ended its goroutine")

// start calls f in a goroutine of its own. The channel gets its outcome, a panic
// included.
func start[T any](ctx context.Context, f func(context.Context) (T, error)) <-chan outcome[T] {
	done := make(chan outcome[T], 1)
	go func() {
		o := outcome[T]{err: &failure{text: errExited.Error(), err: errExited}}
		defer func() { done <- o }()
		defer func() {
			if r := recover(); r != nil {
				stack := debug.Stack()
				o.err = &failure{text: "panic: " + text(r), stack: stack, err: errPanic}
			}
		}()
		v, err := f(ctx)
		if err != nil {
			o.err = failed(err)
			return
		}
		o = outcome[T]{value: v}
	}()
	return done
}

var errPanic = errors.New("a function that is not ours panicked")

// within returns what f returns, or ctx's error as soon as ctx ends; f is then
// left to itself.
func within[T any](ctx context.Context, f func(context.Context) (T, error)) (T, *failure) {
	done := start(ctx, f)
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
	}
	select {
	case o := <-done: // both at once
		return o.value, o.err
	default:
		var none T
		return none, failed(ctx.Err())
	}
}

// text returns the text of a value that is not ours: an error or what a function
// panicked with. It never panics, but may hang.
func text(v any) (s string) {
	defer func() {
		if recover() != nil {
			s = fmt.Sprintf("a value of type %T", v)
		}
	}()
	switch v := v.(type) {
	case error:
		return v.Error()
	case string:
		return v
	}
	return fmt.Sprint(v)
}
