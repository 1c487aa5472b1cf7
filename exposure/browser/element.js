// What is done with a page besides reading it: waiting until it is quiet, and
// finding out where an element can be hit. It is evaluated behind the collector, in
// the same isolated world.
(() => {
  'use strict';
  const world = globalThis.__pagestate;
  if (world.settle) return;
  const { safe } = world, { contains, hit } = globalThis.__pagestate_cover;
  let settled = 0; // when the page last said that it is done
  addEventListener('pagestate:settled', () => { settled = performance.now(); }, true);

  const wait = (ms) => new Promise((done) => setTimeout(done, ms));
  // frames waits for animation frames; a page that is not shown has none.
  const frames = (n) => Promise.race([wait(50 * n + 50), new Promise((done) => {
    const step = () => n-- > 0 ? requestAnimationFrame(step) : done();
    step();
  })]);

  // roots adds the trees that are observed with d: itself, open shadow trees,
  // documents in frames.
  const roots = (d, list) => {
    list.push(d);
    const walker = document.createTreeWalker(d, NodeFilter.SHOW_ELEMENT);
    for (let e = walker.nextNode(); e !== null; e = walker.nextNode()) {
      let inner = null;
      try { inner = safe.shadow(e) || (e instanceof HTMLIFrameElement ? safe.contentDocument(e) : null); } catch { /* another kind of element */ }
      if (inner) roots(inner, list);
    }
    return list;
  };

  // settle waits for two frames, and unless that is enough until nothing has
  // changed for quiet ms, for at most most ms. It gives "settled", "quiet" or
  // "changing". Changes of style attributes alone do not count.
  world.settle = async (enough, quiet, most) => {
    const started = performance.now();
    await frames(2);
    const done = () => settled > world.begun && world.begun > 0;
    if (enough || done()) return 'settled';
    let last = performance.now();
    const observers = [];
    const seen = new Set();
    const observe = () => {
      for (const root of roots(document, [])) {
        if (seen.has(root)) continue;
        seen.add(root);
        const o = new MutationObserver((list) => {
          for (const m of list) {
            if (m.type === 'attributes' && m.attributeName === 'style') continue;
            last = performance.now();
            return;
          }
        });
        o.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
        observers.push(o);
      }
    };
    observe();
    try {
      for (;;) {
        const now = performance.now();
        if (done()) return 'settled';
        if (now - last >= quiet) return 'quiet';
        if (now - started >= most) return 'changing';
        await wait(Math.max(1, Math.min(quiet - (now - last), most - (now - started), 50)));
        if (last > now) observe(); // what was added may have trees of its own
      }
    } finally { for (const o of observers) o.disconnect(); }
  };

  world.matches = (selector) => safe.find(document, selector) !== null;

  const name = (e) => {
    let s = '<' + String(e.localName);
    for (const a of ['id', 'class', 'role']) {
      const v = safe.attr(e, a);
      if (v) s += ' ' + a + '="' + v.slice(0, 60) + '"';
    }
    return s + '>';
  };
  // outward takes a point of a document's viewport to that of the top one it can be
  // seen from. It gives {x, y}, {reason} if something is above a frame around it, or null
  // if a frame is out of view there.
  const outward = (view, x, y) => {
    for (let frame; view !== globalThis && (frame = view.frameElement); ) {
      const r = frame.getBoundingClientRect(), s = getComputedStyle(frame), doc = frame.ownerDocument;
      x += r.x + frame.clientLeft + parseFloat(s.paddingLeft);
      y += r.y + frame.clientTop + parseFloat(s.paddingTop);
      view = safe.view(doc);
      if (!inside(view, x, y)) return null;
      const at = hit(doc, x, y);
      if (at !== frame) return at ? { reason: 'covered by ' + name(at) } : null;
    }
    return { x, y };
  };
  const inside = (view, x, y) => x >= 0 && y >= 0 && x < view.innerWidth && y < view.innerHeight;

  // inward takes a point of the top viewport to that of a document.
  const inward = (view, x, y) => {
    for (let frame; view !== globalThis && (frame = view.frameElement); view = safe.view(frame.ownerDocument)) {
      const r = frame.getBoundingClientRect(), s = getComputedStyle(frame);
      x -= r.x + frame.clientLeft + parseFloat(s.paddingLeft);
      y -= r.y + frame.clientTop + parseFloat(s.paddingTop);
    }
    return [x, y];
  };
  const targetOf = (e) => e.localName === 'option' ? e.closest('select') || e : e;
  // holds reports whether what is at a point is the target, or a label of it.
  const holds = (target, at) => contains(target, at) ||
    target.labels && [...target.labels].some((l) => contains(l, at) && contains(l, target));

  // point scrolls an element into view and finds a point of it that can be hit: the
  // middle of one of its boxes. It gives {x, y} or {reason}, or {gone: true}.
  world.point = (n) => {
    const e = world.ref(n);
    if (!e || !safe.connected(e)) return { gone: true };
    const doc = e.ownerDocument, view = safe.view(doc);
    if (!view) return { gone: true };
    const target = targetOf(e);
    const rects = () => [...target.getClientRects()].filter((r) => r.width > 0 && r.height > 0);
    const place = (r) => [(Math.max(r.left, 0) + Math.min(r.right, view.innerWidth)) / 2, (Math.max(r.top, 0) + Math.min(r.bottom, view.innerHeight)) / 2];
    let list = rects();
    if (!list.length) return { reason: 'it has no size' };
    const test = () => {
      let reason = '';
      for (const r of list.slice(0, 4)) {
        const [x, y] = place(r);
        if (!inside(view, x, y)) continue;
        const at = hit(doc, x, y);
        if (at && holds(target, at)) {
          const found = outward(view, x, y);
          if (found && !found.reason) return found;
          reason = found ? found.reason : '';
        } else reason = at ? 'covered by ' + name(at) : '';
      }
      return reason ? { reason } : null;
    };
    const found = test();
    if (found && !found.reason) return found;
    target.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
    list = rects();
    return test() || { reason: 'it cannot be scrolled into view' };
  };

  // aim makes ready for a click at a point: one that does not land on the element is kept
  // from the page. If the element is not at the point any more it gives where it is.
  let aimed = null;
  const EVENTS = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'dblclick', 'auxclick'];
  world.aim = (n, x, y) => {
    world.landed();
    const e = world.ref(n);
    const view = e && safe.connected(e) ? safe.view(e.ownerDocument) : null;
    if (!view) return { gone: true };
    const target = targetOf(e), at = hit(e.ownerDocument, ...inward(view, x, y));
    if (!at || !holds(target, at)) {
      const now = world.point(n);
      return now.reason || now.gone ? now : { ...now, moved: true };
    }
    const aim = { view, pressed: false, missed: '' };
    aim.see = (event) => {
      if (!event.isTrusted) return;
      if (!aim.pressed && aim.missed === '') {
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
  world.state = (n) => {
    const e = world.ref(n);
    if (!e || !safe.connected(e)) return { gone: true };
    return { tag: String(e.localName), type: e.type === undefined ? '' : String(e.type), checked: e.checked === true || safe.attr(e, 'aria-checked') === 'true',
      editable: e.isContentEditable === true, readonly: e.readOnly === true, focused: e.getRootNode().activeElement === e };
  };
  const changed = (e) => {
    e.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true }));
    e.dispatchEvent(new Event('change', { bubbles: true }));
  };
  // take focuses an element and selects what is in it.
  world.take = (n) => {
    const e = world.ref(n);
    if (!e || !safe.connected(e)) return false;
    e.focus();
    if (e.select) e.select();
    else if (e.isContentEditable) safe.view(e.ownerDocument).getSelection().selectAllChildren(e);
    return true;
  };
  // set gives a control that takes no typing a value, as choosing it does.
  world.set = (n, v) => {
    const e = world.ref(n);
    if (!e || !safe.connected(e)) return { gone: true };
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
  world.choose = (n, wanted) => {
    let e = world.ref(n);
    if (!e || !safe.connected(e)) return { gone: true };
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
  world.submit = (n) => {
    const e = world.ref(n);
    if (!e || !safe.connected(e)) return { gone: true };
    Reflect.apply(HTMLFormElement.prototype.requestSubmit, e, []);
    return {};
  };
})()
