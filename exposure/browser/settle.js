// Waiting until a page is quiet, and reading it at the very moment when it is. It is
// evaluated behind the collector, in the same isolated world.
(() => {
  'use strict';
  const world = globalThis.__pagestate;
  if (world.settle) return;
  const safe = globalThis.__pagestate_safe, { documentIn } = globalThis.__pagestate_frames;
  let settled = 0; // when the page last said that it is done
  const say = () => { settled = performance.now(); };

  const wait = (ms) => new Promise((done) => setTimeout(done, ms));
  // task gives a promise of a task of its own: behind a frame's, when that is drawn.
  const task = () => new Promise((done) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => { port1.close(); done(); };
    port2.postMessage(0);
  });
  // frames waits for animation frames; a page that is not shown has none.
  const frames = (n) => Promise.race([wait(50 * n + 50), new Promise((done) => {
    const step = () => n-- > 0 ? requestAnimationFrame(step) : done();
    step();
  })]);

  // An action of code says that it has answered by an event on window whose name is told
  // to nobody before: the frames pass from then on. Another name, which ends in "!", says
  // that what the action expects has come to hold. Who forges them is read too early by
  // two frames, but never before we know of the answer.
  let name = '';
  const passed = { answered: null, held: null };
  const hear = (e) => { passed[e.type === name ? 'answered' : 'held'] = frames(2); };
  // signal gives the name for what is run from now on.
  world.signal = () => {
    for (const type of [name, name + '!']) removeEventListener(type, hear, true);
    name = [...crypto.getRandomValues(new Uint32Array(4))].join('-');
    for (const type of [name, name + '!']) addEventListener(type, hear, true);
    addEventListener('pagestate:settled', say, true); // a document that is opened for writing loses its listeners
    passed.answered = passed.held = null;
    return name;
  };

  // roots adds the trees that are observed with d: itself, open shadow trees, documents in
  // frames, objects and embeds.
  const roots = (d, list) => {
    list.push(d);
    const walker = document.createTreeWalker(d, NodeFilter.SHOW_ELEMENT);
    for (let e = walker.nextNode(); e !== null; e = walker.nextNode()) {
      const tag = safe.localName(e), inner = safe.shadow(e) || (DOCUMENTS.has(tag) ? documentIn(e, tag) : null);
      if (inner) roots(inner, list);
    }
    return list;
  };
  const DOCUMENTS = new Set(['iframe', 'frame', 'object', 'embed']);

  // watching observes what changes from now on: last is when something did. Changes of
  // style attributes alone do not count.
  const watching = () => {
    const observers = [], seen = new Set();
    const watch = {
      last: performance.now(),
      observe: () => {
        for (const root of roots(document, [])) {
          if (seen.has(root)) continue;
          seen.add(root);
          const o = new MutationObserver((list) => {
            if (list.some((m) => m.type !== 'attributes' || m.attributeName !== 'style')) watch.last = performance.now();
          });
          o.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
          observers.push(o);
        }
      },
      stop: () => { for (const o of observers) o.disconnect(); },
    };
    watch.observe();
    return watch;
  };

  // calm gives for how many ms nothing has changed, as far as that has been watched: from
  // when it is first asked, or asked anew, until nobody asks for a while.
  let watched = null, unasked = 0;
  world.calm = (anew) => {
    clearTimeout(unasked);
    const stop = () => { watched.stop(); watched = null; };
    if (watched !== null && anew) stop();
    watched ??= watching();
    watched.observe(); // what was added may have trees of its own
    unasked = setTimeout(stop, 5000);
    return Math.floor(performance.now() - watched.last);
  };

  // rest waits for two frames, and unless that is enough until nothing has changed for
  // quiet ms, for at most most ms. It gives "settled", "quiet" or "changing".
  const rest = async (enough, quiet, most) => {
    const started = performance.now();
    const begun = passed[enough ? 'held' : 'answered'];
    passed.answered = passed.held = null;
    await (begun || frames(2));
    const done = () => settled > world.begun && world.begun > 0;
    if (enough || done()) return 'settled';
    const watch = watching();
    try {
      for (;;) {
        const now = performance.now();
        if (done()) return 'settled';
        if (now - watch.last >= quiet) return 'quiet';
        if (now - started >= most) return 'changing';
        await wait(Math.max(1, Math.min(quiet - (now - watch.last), most - (now - started), 50)));
        if (watch.last > now) watch.observe(); // what was added may have trees of its own
      }
    } finally { watch.stop(); }
  };

  // settle gives the first letter of what rest does, and with options what the collector
  // hands over of the moment at which waiting ended; the letter alone if it cannot. In a
  // document that runs no scripts, as one in a sandbox, neither frames nor timers come.
  world.settle = async (enough, quiet, most, opts) => {
    if (matchMedia('(scripting: none)').matches) return 'm';
    const state = (await rest(enough, quiet, most))[0];
    if (!opts) return state;
    if (state === 's') await task();
    try { return state + world.collect(opts); } catch { return state; }
  };
})()
