// What is done with elements: finding out where one can be hit, and giving controls
// values. It is evaluated behind the collector, in the same isolated world.
(() => {
  'use strict';
  const world = globalThis.__pagestate;
  if (world.point) return;
  const { inside, name, outward, inward } = world, safe = globalThis.__pagestate_safe, { contains, hit } = globalThis.__pagestate_cover;
  // Elements that something is done with stay the same whoever reads the page meanwhile:
  // they are held by a key, "number of the element@number of the reading". hold gives
  // what point does, null if it is not the last reading that the element is of; with
  // still, also if something that may make it another action's has been mutated since, as
  // far as that is observed.
  const held = new Map(), MAX_HELD = 32;
  const treeOf = (e) => Reflect.apply(Node.prototype.getRootNode, e, []);
  world.hold = (n, number, still, point) => {
    const e = world.ref(n), key = n + '@' + number;
    if (!e || world.number() !== number || still && !(world.untouched() && treeOf(e) === document)) return null;
    held.delete(key);
    held.set(key, e);
    if (held.size > MAX_HELD) held.delete(held.keys().next().value);
    return point ? world.point(key) : {};
  };
  const elementOf = (key) => {
    const e = held.get(key);
    return e && safe.connected(e) ? e : null;
  };

  world.matches = (selector) => safe.find(document, selector) !== null;

  const targetOf = (e) => e.localName === 'option' ? e.closest('select') || e : e;
  // holds reports whether what is at a point is the target, or a part of a label of it
  // that does nothing of its own.
  const OWN = 'a[href],audio[controls],button,details,embed,iframe,img[usemap],input,label,object,select,textarea,video[controls]';
  const labelsOf = (e) => e.labels instanceof NodeList ? [...e.labels] : [];
  const plain = (label, target, at) => {
    for (let n = at; n !== null && n !== label && n !== target; n = safe.parent(n)) if (n instanceof Element && n.matches(OWN)) return false;
    return true;
  };
  const holds = (target, at) => contains(target, at) || labelsOf(target).some((l) => contains(l, at) && plain(l, target, at));

  // point scrolls an element into view and finds a point of it that can be hit: the
  // middle of one of its boxes; a checkbox or radio button that cannot be hit itself, as
  // one that is only drawn by its label, is hit at its label. It gives {x, y} or {reason},
  // or {gone: true}.
  world.point = (key) => {
    const e = elementOf(key);
    if (!e) return { gone: true };
    const doc = e.ownerDocument, view = safe.view(doc);
    if (!view) return { gone: true };
    const target = targetOf(e), found = spot(target, target, doc, view, [1 / 2]);
    if (!found.reason || target.type !== 'checkbox' && target.type !== 'radio') return found;
    for (const label of labelsOf(target)) {
      const other = spot(label, target, doc, view, [1 / 2, 1 / 16, 15 / 16]);
      if (!other.reason) return other;
    }
    return found;
  };
  // spot finds a point of what that hits target, in the parts of its width that are given.
  const spot = (what, target, doc, view, parts) => {
    const rects = () => [...what.getClientRects()].filter((r) => r.width > 0 && r.height > 0);
    let list = rects();
    if (!list.length) return { reason: 'it has no size' };
    const test = () => {
      let reason = '';
      for (const r of list.slice(0, 4)) {
        const left = Math.max(r.left, 0), right = Math.min(r.right, view.innerWidth), y = (Math.max(r.top, 0) + Math.min(r.bottom, view.innerHeight)) / 2;
        for (const part of parts) {
          const x = left + (right - left) * part;
          if (!inside(view, x, y)) continue;
          const at = hit(doc, x, y);
          if (at && holds(target, at)) {
            const found = outward(view, x, y);
            if (found && !found.reason) return found;
            reason = found ? found.reason : '';
          } else reason = at ? 'covered by ' + name(at) : '';
        }
      }
      return reason ? { reason } : null;
    };
    const found = test();
    if (found && !found.reason) return found;
    what.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
    list = rects();
    return test() || { reason: 'it cannot be scrolled into view' };
  };

  // aim makes ready for a click at a point: one that does not land on the element is kept
  // from the page. If the element is not at the point any more it gives where it is.
  let aimed = null;
  const EVENTS = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'dblclick', 'auxclick'];
  world.aim = (key, x, y) => {
    world.landed();
    const e = elementOf(key);
    const view = e ? safe.view(e.ownerDocument) : null;
    if (!view) return { gone: true };
    const target = targetOf(e), inner = inward(view, x, y), at = inner && hit(e.ownerDocument, ...inner);
    if (!at || !holds(target, at)) {
      const now = world.point(key);
      return now.reason || now.gone ? now : { ...now, moved: true };
    }
    const aim = { view, pressed: false, missed: '' };
    aim.see = (event) => {
      if (!event.isTrusted) return;
      if (!aim.pressed && aim.missed === '' && (event.type === 'pointerdown' || event.type === 'mousedown')) { // what comes first
        const on = event.composedPath()[0];
        if (holds(target, on)) aim.pressed = true;
        else aim.missed = on === view || on === e.ownerDocument ? 'the page' : name(on);
      }
      if (aim.pressed) return;
      event.stopImmediatePropagation();
      event.preventDefault();
    };
    for (const type of EVENTS) view.addEventListener(type, aim.see, { capture: true, passive: false });
    aimed = aim;
    return {};
  };
  // landed says what became of the click that aim made ready for.
  world.landed = () => {
    const aim = aimed;
    aimed = null;
    if (!aim) return {};
    for (const type of EVENTS) aim.view.removeEventListener(type, aim.see, { capture: true });
    if (aim.pressed) return {};
    return { reason: aim.missed ? 'it moved away; ' + aim.missed + ' was there' : 'the click did not reach it' };
  };

  // state says what an element is, for those who fill, check and select.
  world.state = (key) => {
    const e = elementOf(key);
    if (!e) return { gone: true };
    return { tag: String(e.localName), type: e.type === undefined ? '' : String(e.type), checked: e.checked === true || safe.attr(e, 'aria-checked') === 'true',
      editable: e.isContentEditable === true, readonly: e.readOnly === true, focused: e.getRootNode().activeElement === e };
  };
  const changed = (e) => {
    e.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true }));
    e.dispatchEvent(new Event('change', { bubbles: true }));
  };
  // take focuses an element and selects what is in it.
  world.take = (key) => {
    const e = elementOf(key);
    if (!e) return false;
    e.focus();
    if (e.select) e.select();
    else if (e.isContentEditable) safe.view(e.ownerDocument).getSelection().selectAllChildren(e);
    return true;
  };
  // set gives a control that takes no typing a value, as choosing it does.
  world.set = (key, v) => {
    const e = elementOf(key);
    if (!e) return { gone: true };
    const before = e.value;
    e.value = v;
    if (e.value !== v && !(e.type === 'number' && Number(e.value) === Number(v))) {
      e.value = before;
      return { reason: 'it does not take this value' };
    }
    e.focus();
    changed(e);
    return {};
  };
  // choose selects options by value, else by text.
  world.choose = (key, wanted) => {
    let e = elementOf(key);
    if (!e) return { gone: true };
    let own = null;
    if (e.localName === 'option') { own = e; e = e.closest('select'); }
    if (!e || !e.options) return { reason: 'it has no options' };
    const options = [...e.options];
    const picked = own ? [own] : wanted.map((w) => options.find((o) => o.value === w) || options.find((o) => o.label.trim() === w || o.text.trim() === w));
    const missing = picked.indexOf(undefined);
    if (missing >= 0) return { reason: 'there is no option ' + JSON.stringify(wanted[missing]) };
    for (const o of picked) if (o.disabled || o.parentNode.disabled) return { reason: 'the option is disabled' };
    if (picked.length !== 1 && !e.multiple) return { reason: 'it takes one option' };
    e.focus();
    const before = options.map((o) => o.selected).join();
    for (const o of options) o.selected = e.multiple && own ? o.selected || o === own : picked.includes(o);
    if (options.map((o) => o.selected).join() !== before) changed(e);
    return {};
  };
  world.submit = (key) => {
    const e = elementOf(key);
    if (!e) return { gone: true };
    Reflect.apply(HTMLFormElement.prototype.requestSubmit, e, []);
    return {};
  };
})()
