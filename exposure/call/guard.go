package call

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
)

// An outcome is what a guarded function returned.
type outcome[T any] struct {
	value T
	err   error
}

// A panicError is a panic of a function that is not ours.
type panicError struct {
	value any
	stack []byte
}

func (e *panicError) Error() string { return "panic: " + text(e.value) }

var errExited = errors.New("the function ended its goroutine")

// start calls f in a goroutine of its own. The channel gets its outcome, a panic
// included.
func start[T any](ctx context.Context, f func(context.Context) (T, error)) <-chan outcome[T] {
	done := make(chan outcome[T], 1)
	go func() {
		o := outcome[T]{err: errExited}
		defer func() {
			if r := recover(); r != nil {
				o.err = &panicError{r, debug.Stack()}
			}
			done <- o
		}()
		o.value, o.err = f(ctx)
	}()
	return done
}

// within returns what f returns, or ctx's error as soon as ctx ends; f is then
// left to itself.
func within[T any](ctx context.Context, f func(context.Context) (T, error)) (T, error) {
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
		return none, ctx.Err()
	}
}

// text returns the text of a value that is not ours: an error or what a function
// panicked with. It never panics.
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
