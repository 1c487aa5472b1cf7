// What code of a document answers that it exposes. It is evaluated in front of the
// collector, in the same isolated world.
(() => {
  'use strict';
  if (globalThis.__pagestate_answers) return;
  const READ = 'pagestate:read', EXPOSURE = 'pagestate:exposure';
  // ofTools reports whether an answer is a provider's: it does not annotate the page.
  const ofTools = (answer) => answer.startsWith('{"provider":');

  let answers = null; // of this document, null when they are not asked for
  const add = (list, { detail: d }) => { if (typeof d !== 'string') d = d == null ? '' : typeof d; if (d) list.push(d); }; // what is no text is no capture
  addEventListener(EXPOSURE, (e) => { if (answers !== null) add(answers, e); }, true);

  // hear lets code of a document answer, whose window is view.
  const hear = (doc, view) => {
    const list = [], listener = doc === document ? null : (e) => add(list, e);
    if (listener !== null) view.addEventListener(EXPOSURE, listener, true);
    else answers = list;
    try { view.dispatchEvent(new view.Event(READ)); } finally {
      if (listener !== null) view.removeEventListener(EXPOSURE, listener, true);
      else answers = null;
    }
    return list;
  };

  globalThis.__pagestate_answers = { hear, ofTools };
})()
