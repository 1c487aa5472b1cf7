// Where the viewport of a frame is in that of the document around it, however the frame
// is transformed. It is evaluated behind the collector, in the same isolated world.
(() => {
  'use strict';
  const world = globalThis.__pagestate;
  if (world.placeOf) return;
  const safe = globalThis.__pagestate_safe, { flatParent, hit } = globalThis.__pagestate_cover;
  const LOST = { reason: 'its frame is transformed in a way that cannot be followed' };

  // linear returns what transforms and zoom make of directions in an element, null if
  // they turn it in space or along a path. Where it is does not come into it.
  const linear = (e, view) => {
    const zoom = e.currentCSSZoom || 1;
    let all = new DOMMatrix([zoom, 0, 0, zoom, 0, 0]);
    for (let p = e; p; p = flatParent(p)) {
      if (safe.type(p) !== 1) continue;
      const s = view.getComputedStyle(p);
      if (s.display === 'contents' || s.display === 'inline' && p !== e) continue; // they do not apply
      if (s.transform === 'none' && s.rotate === 'none' && s.scale === 'none' && s.offsetPath === 'none') continue;
      if (s.offsetPath !== 'none') return null;
      try {
        let own = new DOMMatrix();
        if (s.rotate !== 'none') own = own.multiply(new DOMMatrix('rotate(' + s.rotate + ')'));
        if (s.scale !== 'none') own = own.multiply(new DOMMatrix('scale(' + s.scale.split(' ').join(',') + ')'));
        if (s.transform !== 'none') own = own.multiply(new DOMMatrix(s.transform));
        if (!own.is2D) return null;
        all = own.multiply(all);
      } catch { return null; } // about another axis
    }
    return [all.a, all.b, all.c, all.d];
  };

  // placeOf returns the matrix [a, b, c, d, e, f] that takes a point of a frame's
  // viewport to that of the document around it, or {reason}. Directions come from
  // styles, the place from the box that the browser tells: the two must agree.
  world.placeOf = (frame) => {
    const view = safe.view(frame.ownerDocument), s = view.getComputedStyle(frame);
    const m = linear(frame, view);
    if (m === null) return LOST;
    const [a, b, c, d] = m, px = (name) => parseFloat(s[name]) || 0;
    const edge = (side) => px('border' + side + 'Width') + px('padding' + side);
    const outer = s.boxSizing === 'border-box' ? 0 : 1;
    const w = px('width') + outer * (edge('Left') + edge('Right')), h = px('height') + outer * (edge('Top') + edge('Bottom'));
    const xs = [0, a * w, c * h, a * w + c * h], ys = [0, b * w, d * h, b * w + d * h];
    const left = Math.min(...xs), top = Math.min(...ys), r = safe.box(frame);
    if (Math.abs(Math.max(...xs) - left - r.width) > 2 || Math.abs(Math.max(...ys) - top - r.height) > 2) return LOST;
    const x = edge('Left'), y = edge('Top');
    return [a, b, c, d, r.left - left + a * x + c * y, r.top - top + b * x + d * y];
  };
  const apply = ([a, b, c, d, e, f], x, y) => [a * x + c * y + e, b * x + d * y + f];

  world.inside = (view, x, y) => x >= 0 && y >= 0 && x < view.innerWidth && y < view.innerHeight;
  world.name = (e) => {
    let s = '<' + String(e.localName);
    for (const a of ['id', 'class', 'role']) {
      const v = safe.attr(e, a);
      if (v) s += ' ' + a + '="' + v.slice(0, 60) + '"';
    }
    return s + '>';
  };

  // outward takes a point of a document's viewport to that of the top one it can be
  // seen from. It gives {x, y}, {reason} if it cannot be told or something is above a frame
  // around it, or null if a frame is out of view there.
  world.outward = (view, x, y) => {
    for (let frame; view !== globalThis && (frame = view.frameElement); ) {
      const place = world.placeOf(frame), doc = frame.ownerDocument;
      if (place.reason) return place;
      [x, y] = apply(place, x, y);
      view = safe.view(doc);
      if (!world.inside(view, x, y)) return null;
      const at = hit(doc, x, y);
      if (at !== frame) return at ? { reason: 'covered by ' + world.name(at) } : null;
    }
    return { x, y };
  };

  // inward takes a point of the top viewport to that of a document; null if it cannot be
  // told.
  world.inward = (view, x, y) => {
    let all = new DOMMatrix();
    for (let frame; view !== globalThis && (frame = view.frameElement); view = safe.view(frame.ownerDocument)) {
      const place = world.placeOf(frame);
      if (place.reason) return null;
      all = new DOMMatrix(place).multiply(all);
    }
    const p = all.inverse().transformPoint(new DOMPoint(x, y));
    return Number.isFinite(p.x) && Number.isFinite(p.y) ? [p.x, p.y] : null;
  };
})()
