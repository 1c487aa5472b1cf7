// Which elements may have closed shadow roots. No script can tell; the browser can, when
// it is asked about an element. It is evaluated in front of the collector, in the same
// isolated world.
//
// Those that are asked about are custom elements and, of those of HTML that can have a
// shadow root, the ones that have nothing inside and take room all the same, or are
// a div in the body, where widgets are put that float above the page. Each is asked
// about once, and again when its size has changed; of elements of one tag and class
// the first few, as all of them have one or none has.
(() => {
  'use strict';
  if (globalThis.__pagestate_roots) return;
  const MAX_ASKED = 128, MAX_ALIKE = 4;
  const closed = new WeakSet(); // elements that have one
  const sizes = new WeakMap();  // of those that were asked about
  const alike = new Map();      // how many of a tag and class were, and had none
  const asking = new Map();     // how many of them are to be
  let unknown = [], asked = 0;

  const sizeOf = (e) => `${e.offsetWidth} ${e.offsetHeight} ${e.scrollWidth} ${e.scrollHeight}`;
  const shows = (e) => {
    if (e.offsetWidth > 0 && e.offsetHeight > 0) return true;
    const p = e.parentElement;
    return e.localName === 'div' && p !== null && p.localName === 'body';
  };
  const likeness = (e) => e.localName + ' ' + e.className;

  const roots = {
    some: false, // whether any has been found
    has: (e) => closed.has(e),
    begin: () => { unknown = []; asking.clear(); },

    // doubt notes an element that may have one, and reports whether it is one to be
    // looked at each time.
    doubt: (e, custom) => {
      if (closed.has(e)) return true;
      const before = sizes.get(e), full = asked + unknown.length >= MAX_ASKED;
      if (before === undefined) {
        if (full) return false;
        if (!custom) {
          const like = likeness(e), n = asking.get(like) || 0;
          if (n + (alike.get(like) || 0) >= MAX_ALIKE || !shows(e)) return false;
          asking.set(like, n + 1);
        }
      } else if (full || before === sizeOf(e)) return true;
      unknown.push(e);
      return true;
    },

    unknown: () => unknown,

    // told notes what the browser has said about them.
    told: (list) => {
      list.forEach((is, i) => {
        const e = unknown[i];
        asked++;
        sizes.set(e, sizeOf(e));
        const like = likeness(e);
        if (!is) { alike.set(like, (alike.get(like) || 0) + 1); return; }
        closed.add(e);
        alike.delete(like);
        roots.some = true;
      });
      unknown = [];
    },
  };
  globalThis.__pagestate_roots = roots;
})()
