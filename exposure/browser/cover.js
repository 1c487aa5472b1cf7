// What is above what: the element at a point, and whether something lies over a whole
// region. It is evaluated in front of the collector, in the same isolated world.
(() => {
  'use strict';
  if (globalThis.__pagestate_cover) return;
  // Elements may be of documents in frames.
  const { type, parent, owner, slot, shadow, host, view, root, box, at } = globalThis.__pagestate_safe;

  // flatParent is the parent in the tree as it is rendered.
  const flatParent = (n) => type(n) === 1 ? slot(n) || parent(n) : parent(n) || (type(n) === 11 ? host(n) : null);
  const contains = (outer, n) => {
    for (; n; n = flatParent(n)) if (n === outer) return true;
    return false;
  };
  // hit returns what is at a point of a document's viewport, through shadow trees.
  const hit = (doc, x, y) => {
    let e = at(doc, x, y);
    while (e) {
      const tree = shadow(e), inner = tree && tree.elementFromPoint(x, y);
      if (!inner || inner === e) break;
      e = inner;
    }
    return e;
  };

  const cut = (a, b) => ({ left: Math.max(a.left, b.left), top: Math.max(a.top, b.top), right: Math.min(a.right, b.right), bottom: Math.min(a.bottom, b.bottom) });
  const empty = (r) => !(r.right - r.left >= 1 && r.bottom - r.top >= 1);
  const within = (inner, r) => r.left <= inner.left + 1 && r.top <= inner.top + 1 && r.right >= inner.right - 1 && r.bottom >= inner.bottom - 1;

  // isCovered reports whether something lies over all of e, by one hit test in the
  // middle of what is in view. What can be scrolled from under it is not covered: what
  // stays while the page scrolls must fill all that e can be seen in.
  const isCovered = (e) => {
    const doc = owner(e), v = view(doc);
    const all = box(e), screen = { left: 0, top: 0, right: v.innerWidth, bottom: v.innerHeight };
    const seen = cut(all, screen);
    if (empty(seen)) return false;
    const x = (seen.left + seen.right) / 2, y = (seen.top + seen.bottom) / 2;
    const at = hit(doc, x, y);
    if (!at || contains(e, at) || contains(at, e)) return false;
    if (v.getComputedStyle(e).pointerEvents === 'none') return false; // it is hit through
    let area = screen, scrolls = root(doc).scrollHeight > v.innerHeight + 1, fixed = false;
    for (let p = e; p && !contains(p, at); p = flatParent(p)) {
      if (type(p) === 1 && v.getComputedStyle(p).position === 'fixed') fixed = true;
    }
    for (let p = flatParent(e); p && p !== doc; p = flatParent(p)) {
      if (type(p) !== 1 || p === root(doc)) continue;
      const { overflowX, overflowY } = v.getComputedStyle(p);
      if (overflowX === 'visible' && overflowY === 'visible' || p.localName === 'body') continue;
      area = cut(area, box(p));
      scrolls = true;
    }
    if (x < area.left || y < area.top || x > area.right || y > area.bottom) return false; // it is scrolled away
    const above = [];
    for (let p = at; p && !contains(p, e); p = flatParent(p)) if (type(p) === 1) above.push(p);
    for (let i = above.length - 1, stays = false; i >= 0; i--) {
      const s = v.getComputedStyle(above[i]);
      stays ||= s.position === 'fixed' || s.position === 'sticky';
      if (s.pointerEvents === 'none') continue;
      const r = box(above[i]);
      if (within(area, r) || (!stays || fixed || !scrolls) && within(all, r)) return true;
    }
    return false;
  };

  // covered returns the numbers of the elements of a list that are covered.
  const MAX_TESTED = 1000;
  const covered = (list) => {
    const numbers = [];
    for (let i = 0; i < list.length && i < MAX_TESTED; i++) if (isCovered(list[i])) numbers.push(i);
    return numbers;
  };

  globalThis.__pagestate_cover = { flatParent, contains, hit, covered };
})()
