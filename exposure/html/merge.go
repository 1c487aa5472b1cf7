package html

import (
	"fmt"
	"slices"

	"github.com/pagestate/pagestate/exposure"
	"github.com/pagestate/pagestate/records"
)

// mergeBlocks makes one of what script blocks and elements say of the same thing.
//
// A record of a block that an element has too stands where the element does: the
// block's fields come first, then those of the element that the block does not have.
//
// An action of a block that says "element" belongs to the annotated element of its
// name in the same scope and record, and is left out without one. The block's
// description, kind and parameters count, and why it says that the action is
// unavailable unless the element has a reason of its own. If it also says "run",
// code runs it.
func (d *decoder) mergeBlocks() {
	d.mergeRecords()
	d.mergeActions()
}

type recordKey struct{ scope, id string }

func (d *decoder) mergeRecords() {
	blocks := false
	for _, r := range d.recs {
		blocks = blocks || r.node == nil
	}
	if !blocks {
		return
	}
	elements := make(map[recordKey]*record, len(d.recs))
	for _, r := range d.recs {
		if k := (recordKey{r.scope, r.id}); r.node != nil && elements[k] == nil {
			elements[k] = r
		}
	}
	d.recs = slices.DeleteFunc(d.recs, func(r *record) bool {
		e := elements[recordKey{r.scope, r.id}]
		if r.node != nil || e == nil || e.merged {
			return false // a second one is a record of its own, and diagnosed
		}
		e.merged = true
		fields, known := r.fields, make(map[string]bool, len(r.fields))
		for i := range fields {
			known[fields[i].name] = true
		}
		for _, f := range e.fields {
			if !known[f.name] {
				fields = append(fields, f)
			}
		}
		e.fields = fields
		if e.replaces == "" {
			e.replaces = r.replaces
		}
		return true
	})
}

func (d *decoder) mergeActions() {
	if !slices.ContainsFunc(d.acts, func(a *action) bool { return a.onElement }) {
		return
	}
	elements := make(map[exposure.Origin]*action, len(d.acts))
	for _, a := range d.acts {
		if a.node != nil && elements[a.origin] == nil {
			elements[a.origin] = a
		}
	}
	d.acts = slices.DeleteFunc(d.acts, func(a *action) bool {
		if !a.onElement {
			return false
		}
		if e := elements[a.origin]; e != nil {
			e.merge(a)
		}
		return true
	})
}

// merge adds what a block says of the action of an element.
func (e *action) merge(a *action) {
	if a.Description != "" {
		e.Description, e.undeclared = a.Description, false
	}
	if a.Kind != "" {
		e.Kind = a.Kind
	}
	if a.Params.Kind() != records.Absent {
		e.Params = a.Params
	}
	if !e.Unavailable {
		e.Unavailable, e.Reason = a.Unavailable, a.Reason
	}
	if a.runs {
		e.Primitive, e.node = "call", nil
	}
}

// blockDiagnostic adds what code of a live page says of faults in what it exposes.
func (d *decoder) blockDiagnostic(_ string, text []byte) error {
	list, err := parts(text, '{')
	if err != nil {
		return err
	}
	var code, at, message string
	for _, m := range list {
		switch m.name {
		case "code":
			code, err = text1(m.text)
		case "at":
			at, err = text1(m.text)
		case "message":
			message, err = text1(m.text)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
	}
	d.b.Diagnose(code, at, message)
	return nil
}
