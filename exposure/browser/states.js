// What no mutation observer tells of: states of controls, and styles. It is evaluated in
// front of the collector, in the same isolated world.
(() => {
  'use strict';
  if (globalThis.__pagestate_states) return;
  const { lettersOf } = globalThis.__pagestate_styles;

  // moved reports whether an attribute says how a control began and not how it is.
  const moved = (e, tag, name) => {
    switch (name) {
      case 'value': return tag === 'input';
      case 'checked': return tag === 'input';
      case 'selected': return tag === 'option';
      case 'aria-checked': return tag === 'input' && e.indeterminate;
      case 'size': return tag === 'select' && e.selectedIndex < 0;
    }
    return false;
  };

  // stateOf is what no observer tells of: the state of a control, by what it is (CHECKED,
  // CHOSEN or HOLDS), and the style of an element of which no rule can be told (STYLED).
  const CHECKED = 0, CHOSEN = 1, HOLDS = 2, STYLED = 3;
  const controlOf = (e, kind) => kind.input ? e.type === 'checkbox' || e.type === 'radio' ? CHECKED : HOLDS : kind.tag === 'select' ? CHOSEN : HOLDS;
  const computedStyle = getComputedStyle.bind(globalThis);
  const stateOf = (e, what) => {
    if (what === STYLED) return lettersOf(e, computedStyle);
    if (what === CHECKED) return (e.checked ? 1 : 0) + (e.indeterminate ? 2 : 0);
    if (what === HOLDS) return e.value;
    let s = e.selectedIndex + ':';
    if (e.multiple) for (const o of e.options) s += o.selected ? '1' : '0';
    return s;
  };

  globalThis.__pagestate_states = { STYLED, controlOf, stateOf, moved };
})()
