// Command todo is a todo service on the terminal with an assistant that uses it
// through what it exposes. The assistant needs no model: it knows a few phrases.
//
//	go run ./examples/todo
//
//	> ask mark all open tasks as completed
//	Done: complete_open_tasks returned {"completed":2}.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/pagestate/pagestate/diff"
	"github.com/pagestate/pagestate/examples/todo/app"
	"github.com/pagestate/pagestate/exposure"
	"github.com/pagestate/pagestate/exposure/audit"
	"github.com/pagestate/pagestate/exposure/call"
	"github.com/pagestate/pagestate/snapshot"
	"github.com/pagestate/pagestate/snapshot/view"
)

const help = `list                 show the tasks
add TEXT             add a task
toggle ID            complete or open a task
delete ID            delete a task
filter all|open|completed
ask WORDS            tell the assistant: "mark all open tasks as completed",
                     "add TEXT", "show open", "delete ID"
tools                what the assistant can see and do
recent               what was done lately, with evidence
quit
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	s, err := newService(ctx)
	if err == nil {
		err = s.serve(ctx, os.Stdin, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "todo:", err)
		os.Exit(1)
	}
}

// A service is the app with its assistant and the record of what was done.
type service struct {
	app    *app.App
	page   *exposure.Registry
	agent  *agent
	recent *audit.Ring
}

func newService(ctx context.Context) (*service, error) {
	s := &service{app: app.New(), recent: audit.NewRing(10)}
	s.page = s.app.Registry()
	if err := s.app.DeclareAll(ctx, s.page); err != nil {
		return nil, err
	}
	caller := call.New(s.page, &call.Options{
		Policy: policy, Audit: s.recent, Name: "todo",
		Format: &diff.Format{Detail: diff.Basic, Compact: true},
	})
	s.agent = &agent{caller, rules}
	return s, nil
}

// policy keeps the assistant from deleting.
func policy(_ context.Context, who string, a *snapshot.Action, _ json.RawMessage) call.Decision {
	if who == "agent" && a.BareName() == "delete" {
		return call.Decision{Verdict: call.Deny, Reason: "Only a person deletes tasks."}
	}
	return call.Decision{Verdict: call.Allow}
}

// serve answers lines until they end, or ctx does.
func (s *service) serve(ctx context.Context, in io.Reader, out io.Writer) error {
	lines := make(chan string)
	failed := make(chan error, 1)
	go func() {
		defer close(lines)
		sc := bufio.NewScanner(in)
		for sc.Scan() {
			select {
			case lines <- sc.Text():
			case <-ctx.Done():
				return
			}
		}
		failed <- sc.Err()
	}()
	fmt.Fprint(out, s.app.Page(), "> ")
	for {
		select {
		case <-ctx.Done():
			return nil
		case line, more := <-lines:
			if !more {
				fmt.Fprintln(out)
				return <-failed
			}
			if strings.TrimSpace(line) == "quit" {
				return nil
			}
			fmt.Fprint(out, s.answer(ctx, line), "> ")
		}
	}
}

// answer does what a line says.
func (s *service) answer(ctx context.Context, line string) string {
	word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	rest = strings.TrimSpace(rest)
	var err error
	switch word {
	case "":
		return ""
	case "list":
	case "add":
		_, err = s.app.Add(rest)
	case "toggle":
		err = s.app.Toggle(rest)
	case "delete":
		err = s.app.Delete(rest)
	case "filter":
		err = s.app.SetFilter(rest)
	case "ask":
		say, _, err := s.agent.do(ctx, rest)
		if err != nil {
			return err.Error() + "\n"
		}
		return say + "\n"
	case "tools":
		page, err := s.page.Snapshot(ctx)
		if err != nil {
			return err.Error() + "\n"
		}
		return string(view.AppendText(nil, page, nil))
	case "recent":
		var b strings.Builder
		for e := range s.recent.Recent() {
			b.Write(append(e.AppendJSON(nil), '\n'))
		}
		return b.String()
	default:
		return help
	}
	if err != nil {
		return err.Error() + "\n"
	}
	return s.app.Page()
}
