// What is in frames, and in objects and embeds that show a document. It is evaluated in
// front of the collector, in the same isolated world.
(() => {
  'use strict';
  if (globalThis.__pagestate_frames) return;
  const { inFrame, inObject, windowOf, width, owner, view, root, text, url, ready, contentType } = globalThis.__pagestate_safe;
  const attr = (e, name) => globalThis.__pagestate_safe.attr(e, name) || '';

  // framed reports whether an object or embed may show a document rather than an image,
  // what a plug-in draws, or what is inside it. Of an embed only the browser can tell, of
  // one in a shadow tree or of another origin.
  const framed = (e, tag) => tag === 'object' ? windowOf(e) !== null : width(e) > 0 && attr(e, 'src') !== '' && !/^\s*(image\/(?!svg)|audio\/|video\/)/i.test(attr(e, 'type'));

  // embedded returns the document that an embed shows, null if it cannot be had from here.
  const embedded = (e) => {
    const w = view(owner(e));
    for (let i = 0; i < w.length; i++) {
      try { if (w[i].frameElement === e) return w[i].document; } catch { /* another origin */ }
    }
    return null;
  };

  // documentIn returns the document in an element, null if it cannot be read from here.
  const documentIn = (e, tag) => {
    try {
      switch (tag) {
        case 'iframe': return inFrame(e);
        case 'object': return inObject(e);
        case 'embed': return embedded(e);
      }
      return e.contentDocument;
    } catch { return null; } // another origin
  };

  // onItsWay reports whether the document in a frame is not whole yet: it is being
  // parsed, or what is there is the empty one that each frame begins with.
  // One that scripts around it write, and never close, has their address.
  const onItsWay = (e, doc) => {
    const at = url(doc);
    if (at === 'about:blank') return attr(e, 'srcdoc') === '' && /^https?:/.test(e.src || e.data) && text(root(doc) || doc) === '';
    return ready(doc) === 'loading' && at !== url(document);
  };

  // What is in a PDF is known to the browser's viewer alone.
  const PDF = 'it is a PDF', isPDF = (doc) => contentType(doc) === 'application/pdf';

  globalThis.__pagestate_frames = { framed, documentIn, onItsWay, isPDF, PDF };
})()
