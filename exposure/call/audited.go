package call

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/pagestate/pagestate/exposure"
	"github.com/pagestate/pagestate/exposure/audit"
	"github.com/pagestate/pagestate/records"
)

// audit records the attempt.
func (k *attempt) audit() {
	c := k.caller
	if c.opts.Audit == nil {
		return
	}
	k.timings.Total = time.Since(k.began)
	e := &audit.Entry{
		Time: k.began, Who: shown(k.req.Who, maxText), Page: shown(exposure.WithoutUser(c.opts.Name), maxText),
		Action: shown(k.req.Action, maxText), Decision: k.decision, Timings: k.timings,
	}
	shownResult := *k.result
	if k.result.Action != nil {
		var secrets []string
		if e.Params, secrets = k.redacted(); len(secrets) > 0 {
			shownResult.mask(secrets)
		}
	}
	if err := shownResult.Err; err != nil {
		e.Code = string(err.Code)
		if k.schema.Secret() && err.Details != nil {
			// Messages may quote what they complain of.
			redacted := *err
			redacted.Details = make([]exposure.Violation, len(err.Details))
			for i, d := range err.Details {
				redacted.Details[i] = exposure.Violation{Pointer: d.Pointer, Message: "invalid"}
			}
			shownResult.Err = &redacted
		}
	}
	e.Result = shownResult.AppendJSON(nil)
	ctx, cancel := context.WithTimeout(context.Background(), c.opts.AuditWait)
	defer cancel()
	_, err := within(ctx, func(context.Context) (struct{}, error) { return struct{}{}, c.opts.Audit.Append(e) })
	if err != nil {
		k.result.AuditErr = err
		c.log.Error("a call could not be audited", "action", e.Action, "code", e.Code, "error", err.text)
	}
}

// redacted returns the parameters with their secrets masked, nil if they cannot
// be told, and the secrets.
func (k *attempt) redacted() (params json.RawMessage, secrets []string) {
	type reading struct {
		params  json.RawMessage
		secrets []string
	}
	ctx, cancel := context.WithTimeout(context.Background(), k.caller.opts.Observe)
	defer cancel()
	r, err := within(ctx, func(context.Context) (r reading, err error) {
		schema := k.schema
		if !k.read {
			if schema, err = k.caller.schema(&k.action); err != nil {
				return r, err
			}
		}
		r.params, r.secrets = schema.RedactAll(k.req.Params)
		return r, nil
	})
	if err != nil {
		return nil, nil
	}
	return r.params, r.secrets
}

// mask replaces secrets in what the action said: its reason and its data, in
// plain and in quoted form. r is the caller's own; what it points to is not
// changed.
func (r *Result) mask(secrets []string) {
	var pairs []string
	for _, secret := range secrets {
		quoted := records.AppendQuoted(nil, secret)
		for _, form := range []string{secret, string(quoted[1 : len(quoted)-1]), strings.Trim(strconv.Quote(secret), `"`)} {
			pairs = append(pairs, form, records.MaskedText)
		}
	}
	replacer := strings.NewReplacer(pairs...)
	if r.Err != nil {
		masked := *r.Err
		masked.Reason = replacer.Replace(masked.Reason)
		r.Err = &masked
	}
	if r.Data == nil {
		return
	}
	data, err := respell(nil, r.Data, replacer.Replace)
	if err != nil { // it is ours, and was checked
		data = []byte(`"` + records.MaskedText + `"`)
	}
	r.Data = data
}

// logPanic logs the stack of a panic, if err is one.
func (c *Caller) logPanic(what string, k *attempt, err *failure) {
	if err.stack != nil {
		c.log.Error("panic", "in", what, "action", shown(k.req.Action, maxText), "value", strings.TrimPrefix(err.text, "panic: "), "stack", string(err.stack))
	}
}
