package exposure

import (
	"context"
	"fmt"
	"maps"
	"slices"
)

// A ToolSet is a set of function-level tools by name that can be changed as a
// whole: the same name replaces a tool in its place, nil removes it. Make one
// with [NewToolSet]. It is safe for concurrent use.
type ToolSet struct{ in ScopeHandle }

// NewToolSet returns an empty set whose tools are declared in a registry or in a
// scope.
func NewToolSet(in Container) *ToolSet { return &ToolSet{in.container()} }

// Apply declares the tools by name; a tool's ID may be empty, and is otherwise
// its name. The name of a tool of the set replaces it, where it stands and at
// once; nil removes it, and is nothing for a name that is not in the set. New
// ones follow in the order of their names. The tools last until they are
// replaced, removed, or ctx ends.
//
// Either all of tools is applied or nothing is. It fails as DeclareTool does; a
// name that is declared outside of the set is a duplicate.
func (s *ToolSet) Apply(ctx context.Context, tools map[string]*Tool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	names := slices.Sorted(maps.Keys(tools))
	fresh := make(map[string]*Handle, len(tools))
	for _, name := range names {
		if tools[name] == nil {
			continue
		}
		t := *tools[name]
		if t.ID == "" {
			t.ID = name
		}
		if t.ID != name {
			return fmt.Errorf("%w: the tool named %q has the id %q", ErrDeclaration, name, t.ID)
		}
		h, err := newTool(s.in, t)
		if err != nil {
			return err
		}
		h.set = s
		fresh[name] = h
	}
	if _, err := parentOf(s.in); err != nil {
		return err
	}
	r := s.in.reg
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sweep()
	if s.in.released {
		return fmt.Errorf("%w: %q", ErrReleased, s.in.scopeID())
	}
	for _, name := range names {
		if old := r.tools[name]; old != nil && old.set != s && tools[name] != nil {
			return fmt.Errorf("%w: action %q", ErrDuplicate, name)
		}
	}
	for _, name := range names {
		old, h := r.tools[name], fresh[name]
		if old != nil && old.set != s {
			continue // removing what is not in the set
		}
		switch {
		case old == nil && h == nil:
			continue
		case h == nil:
			old.release()
			continue
		case old == nil:
			r.list = append(slices.Clone(r.list), h)
		default:
			list := slices.Clone(r.list)
			list[slices.Index(list, old)] = h
			r.list = list
			old.release()
		}
		r.tools[name] = h
		h.lastsFor(ctx)
	}
	return nil
}

// Names returns the names of the tools in the set, in order of declaration.
func (s *ToolSet) Names() (names []string) {
	if s.in.Handle == nil {
		return nil
	}
	r := s.in.reg
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sweep()
	for _, h := range r.list {
		if h.set == s {
			names = append(names, h.tool.ID)
		}
	}
	return names
}
