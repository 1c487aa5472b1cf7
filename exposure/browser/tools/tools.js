// What finds and runs the tools that a page offers by itself. It is evaluated in the
// main world before the page's own scripts, so that what it saves of the globals is
// what they were; all it leaves is one property of window that is not enumerable.
//
// encode is what browser.EncodeScript gives.
((encode, options) => {
  'use strict';
  const KEY = '__pagestate_tools', GONE = '{"gone":true}';
  if (window[KEY]) { window[KEY].listen(); return; }

  const { apply, getOwnPropertyDescriptor: own, ownKeys } = Reflect, { isArray } = Array;
  const { defineProperty: define, freeze, prototype: objectProto, getPrototypeOf: proto } = Object;
  const { parse } = JSON, { CustomEvent, Error, DOMException, AbortController, MessageChannel, setTimeout, clearTimeout } = window;
  const Promise = (async () => {})().constructor; // whatever the page calls so
  const method = (f) => (self, a, b, c) => apply(f, self, [a, b, c]);
  const getter = (p, name) => { const f = own(p, name)?.get; return (self) => apply(f, self, []); };
  const each = method(Map.prototype.forEach), mapSize = getter(Map.prototype, 'size');
  const signalOf = getter(AbortController.prototype, 'signal'), abort = method(AbortController.prototype.abort);
  const now = method(Performance.prototype.now), clock = window.performance, split = method(String.prototype.split), slice = method(String.prototype.slice);
  const replaceAll = method(String.prototype.replaceAll);
  const attribute = method(Element.prototype.getAttribute), listenTo = method(EventTarget.prototype.addEventListener), dispatch = method(EventTarget.prototype.dispatchEvent);
  const soon = (f, ms) => apply(setTimeout, window, [f, ms]), cancel = (id) => apply(clearTimeout, window, [id]);
  // task gives a promise of the next task, also where the page has taken setTimeout away.
  const task = () => new Promise((done) => {
    soon(done, 0);
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => { port1.close(); done(); };
    port2.postMessage(0);
  });
  // scriptless reports whether the document runs no scripts, as one in a sandbox: no task
  // that is waited for comes then, and there are no tools.
  const match = window.matchMedia, hits = getter((window.MediaQueryList || function () {}).prototype, 'matches');
  const scriptless = () => { try { return hits(apply(match, window, ['(scripting: none)'])); } catch { return false; } };
  const calls = { __proto__: null };
  const namesOf = (o) => {
    const names = [];
    for (const name in o) if (own(o, name)) push(names, name);
    return names;
  };
  const push = (list, v) => define(list, list.length, { __proto__: null, value: v, writable: true, enumerable: true, configurable: true });
  const text = (v) => encode(v);
  const said = (v) => typeof v === 'string' ? v : '';
  const messageOf = (e) => {
    try {
      if (e instanceof Error || e instanceof DOMException) return said(e.message) || said(e.name) || 'an error without a message';
      if (typeof e === 'string') return e;
      if (e && typeof e === 'object' && said(e.message)) return e.message;
      return e === undefined ? 'it failed without saying why' : 'it failed with ' + encode(e);
    } catch { return 'it failed with what cannot be read'; }
  };

  // frames calls f with what this script left in each frame inside that may be read.
  const frames = (f) => {
    for (let i = 0; i < window.length; i++) {
      let inner;
      try { inner = window[i][KEY]; } catch { continue; }
      if (inner) f(inner);
    }
  };
  // here reports whether a frame inside still has what this script left in it.
  const here = (inner) => {
    let found = false;
    frames((other) => { found = found || other === inner; });
    return found;
  };
  // kept waits for a promise, but not for one that will never be kept: gone() says so,
  // or it takes longer than anything that is merely slow. It reports whether it was.
  const kept = (promise, patience, gone) => new Promise((done) => {
    let left = patience / 20;
    const look = () => { if (--left < 0 || gone()) done(false); else soon(look, 20); };
    (async () => { try { await promise; } catch { /* it ended */ } left = 0; done(true); })();
    soon(look, 20);
  });
  // bareFrames reports whether there are frames inside that this script has not
  // reached: they were there when the page was attached to.
  const bareFrames = () => {
    for (let i = 0; i < window.length; i++) {
      try { if (!window[i][KEY] || window[i][KEY].bareFrames()) return true; } catch { /* not ours to see */ }
    }
    return false;
  };
  // label names the frame that the document is in, "" for the top one.
  const label = () => {
    if (window === window.top) return '';
    let name = '', around = '';
    try {
      const e = window.frameElement;
      name = attribute(e, 'name') || attribute(e, 'id') || attribute(e, 'title') || '';
      around = window.parent[KEY].label();
    } catch { name = window.name; }
    return (around && around + '.') + (name || 'frame');
  };
  const grouped = (name) => {
    const frame = label();
    return frame ? frame + '/' + name : name;
  };

  // Faults of one reading, as JSON texts.
  let faults = [];
  const fault = (code, at, message) => push(faults, text({ code, at, message }));

  // describe returns what a tool says of itself; run gets its parsed parameters, a
  // signal, and their text.
  const describe = (group, at, t, parts) => {
    const name = said(parts.name(t));
    if (!name) { fault('bad-tool', group, at + ' has no name and is left out'); return; }
    const tool = { group, name, description: said(t.description), kind: '', params: '', unavailable: '', run: undefined };
    const place = group + '/' + name;
    if (!tool.description) {
      tool.description = name;
      fault('no-description', place, 'the tool has no description; its name is used');
    }
    try {
      const hints = t.annotations;
      if (hints && hints.readOnlyHint === true) tool.kind = 'read';
      else if (hints && (hints.readOnlyHint === false || hints.destructiveHint === true)) tool.kind = 'write';
    } catch { /* says nothing */ }
    try {
      const schema = parts.schema(t, place);
      if (schema === undefined || schema === null) fault('bad-params', place, 'the tool does not describe its parameters; it is called without any');
      else tool.params = encode(schema, true);
    } catch (e) {
      fault('bad-params', place, 'the description of its parameters is no JSON: ' + messageOf(e));
      tool.unavailable = options.reasonSchema;
    }
    tool.run = parts.run(t);
    if (!tool.run) tool.unavailable = options.reasonNoFunction;
    return tool;
  };
  const MAX_TOOLS = 2000, MAX_ROWS = 20000, MAX_CHARS = 8 << 20;
  const describeAll = (out, group, list, parts) => {
    for (let i = 0; i < list.length; i++) {
      if (out.length >= MAX_TOOLS) {
        fault('bad-tool', group, 'more than ' + MAX_TOOLS + ' tools; the others are left out');
        return;
      }
      const at = 'entry ' + i + ' of "' + group + '"';
      try {
        const t = list[i];
        if (t === null || typeof t !== 'object') { fault('bad-tool', group, at + ' is no tool'); continue; }
        const tool = describe(group, at, t, parts);
        if (tool) push(out, tool);
      } catch (e) {
        fault('bad-tool', group, at + ' cannot be read: ' + messageOf(e));
      }
    }
  };

  // DevTools third-party tools: groups that listeners of an event answer with.
  // Groups that come after the event was dispatched belong to it all the same:
  // they stay until a later event had LATE ms to be answered and they were not among
  // its answers.
  const LATE = 2000;
  let late = [], asked = [];
  const discover = () => {
    const found = [], at = now(clock);
    let open = true;
    push(asked, at);
    const answer = (group) => {
      try {
        if (group && typeof group.then === 'function') {
          group.then(answer, () => {});
          return;
        }
      } catch { /* read below */ }
      if (open) { push(found, group); return; }
      const kept = [];
      for (let i = 0; i < late.length; i++) if (!alike(late[i].group, group)) push(kept, late[i]);
      push(kept, { group, at });
      late = kept;
    };
    const event = new CustomEvent('devtoolstooldiscovery');
    define(event, 'respondWith', { __proto__: null, value: answer, writable: true, enumerable: true, configurable: true });
    dispatch(window, event);
    open = false;

    // since is when the latest event was dispatched that had time to be answered.
    let since = -1;
    const recent = [];
    for (let i = 0; i < asked.length; i++) if (at - asked[i] >= LATE) since = asked[i];
    for (let i = 0; i < asked.length; i++) if (asked[i] >= since) push(recent, asked[i]);
    asked = recent;
    const kept = [];
    for (let i = 0; i < late.length; i++) {
      let drop = late[i].at < since;
      for (let j = 0; j < found.length && !drop; j++) drop = alike(found[j], late[i].group);
      if (!drop) push(kept, late[i]);
    }
    late = kept;
    for (let i = 0; i < late.length; i++) push(found, late[i].group);
    return found;
  };
  // alike reports whether two groups are one that was answered twice.
  const alike = (a, b) => {
    try {
      if (a === b) return true;
      if (a.name !== b.name || a.tools.length !== b.tools.length) return false;
      for (let i = 0; i < a.tools.length; i++) if (a.tools[i].name !== b.tools[i].name) return false;
      return true;
    } catch { return false; }
  };
  const devtools = {
    name: (t) => t.name,
    schema: (t) => t.inputSchema,
    run: (t) => typeof t.execute === 'function' && ((params, signal) => apply(t.execute, t, [params, { signal }])),
  };
  const readDevtools = (out) => {
    if (window !== window.top) return; // frames are not asked
    const groups = discover();
    for (let i = 0; i < groups.length; i++) {
      try {
        const g = groups[i], list = g.tools, name = said(g.name) || 'devtools';
        if (!isArray(list)) fault('bad-tool', name, 'a group of tools has no list of them');
        else describeAll(out, name, list, devtools);
      } catch (e) {
        fault('bad-tool', 'devtools', 'a group of tools cannot be read: ' + messageOf(e));
      }
    }
  };

  // WebMCP: tools that are registered in a context, native or a polyfill. They are
  // listed by a promise, so what is known is what the last listing gave; it is
  // renewed whenever the context says that they changed.
  const mcp = { context: undefined, polyfill: false, list: [], pending: undefined, asked: undefined, again: false, silent: false };
  // Chromium (156) ends the process of a page in which the contexts of two documents are
  // looked at that were one after the other in one frame, the second by an address that is
  // a script, such as javascript:''. So that of such a document is left alone; it came
  // without a navigation, or is about:blank by one.
  const put = (() => {
    try {
      const came = window.navigation.activation;
      return !!came && (came.entry === null || document.URL === 'about:blank');
    } catch { return false; }
  })();
  const findContext = () => {
    try {
      let c = put && !own(document, 'modelContext') ? undefined : document.modelContext;
      if (!c || typeof c.getTools !== 'function') c = navigator.modelContext;
      if (!c || typeof c.getTools !== 'function' || typeof c.executeTool !== 'function') c = undefined;
      if (c === mcp.context) return;
      mcp.context = c;
      mcp.list = [];
      if (!c) return;
      mcp.polyfill = c.__isWebMCPPolyfill === true;
      if (typeof c.addEventListener === 'function') c.addEventListener('toolchange', changed);
      changed();
    } catch { mcp.context = undefined; }
  };
  // The browser's own context lists the tools of frames of the same origin, too. They
  // are asked for by the outermost document alone: a browser that is asked by several
  // at once (Chromium 156) never answers some of them, or kills them.
  const outer = () => {
    if (mcp.polyfill || window === window.top) return undefined;
    try { const o = window.parent[KEY]; return o && o.native() ? o : undefined; } catch { return undefined; }
  };
  const native = () => !!mcp.context && !mcp.polyfill;
  const given = (list) => {
    if (native()) {
      const mine = [];
      for (let i = 0; i < list.length; i++) if (!list[i].window || list[i].window === window) push(mine, list[i]);
      mcp.list = mine;
      frames((inner) => inner.given(list));
    } else if (mcp.polyfill) mcp.list = list; // it knows of no frames
  };
  const renew = () => {
    const o = outer();
    if (o) { o.renew(); return; }
    if (mcp.pending) { mcp.again = true; return; }
    const asked = mcp.asked = {};
    mcp.pending = (async () => {
      let list = [];
      do {
        mcp.again = false;
        try { list = await mcp.context.getTools(); } catch { list = []; }
        if (mcp.asked !== asked) return; // it was given up
        given(list);
      } while (mcp.again);
      mcp.pending = undefined;
    })();
  };
  // changed lists the tools, and once more: a frame may be told of its tool before the
  // list of the outermost document has it.
  const changed = () => {
    renew();
    if (outer()) soon(renew, 100);
  };
  const webmcp = {
    name: (t) => t.name,
    schema: (t) => t.inputSchema === undefined ? {} : typeof t.inputSchema === 'string' ? parse(t.inputSchema) : t.inputSchema,
    run: (t) => async (params, signal, paramsText) => {
      const out = await mcp.context.executeTool(t, mcp.polyfill ? paramsText : params, { signal });
      if (typeof out !== 'string') return out;
      if (out === 'undefined') return undefined;
      // The result is JSON text, but a string as it is: they cannot be told apart.
      try { return parse(out); } catch { return out; }
    },
  };

  // page-agent: the tools of its instances that a property of window holds, or that
  // whoever can see the heap has adopted. Only their tools are ever read: an instance
  // knows its secrets.
  let adopted = [], unreachable = false, searched = 0; // searched: ids given out by then
  const isAgent = (v) => {
    try {
      return v && v.disposed !== true && typeof v === 'object' && typeof v.stop === 'function' && typeof v.execute === 'function' && mapSize(v.tools) >= 0;
    } catch { return false; }
  };
  const findAgents = () => {
    const found = [];
    const look = (name) => {
      const d = own(window, name);
      if (d && isAgent(d.value)) {
        for (let i = 0; i < found.length; i++) if (found[i] === d.value) return;
        push(found, d.value);
      }
    };
    look('pageAgent');
    for (let i = 0; i < adopted.length; i++) if (isAgent(adopted[i]) && adopted[i] !== found[0]) push(found, adopted[i]);
    unreachable = false;
    if (!own(window, '__PAGE_AGENT_IDS__')) return found;
    const names = ownKeys(window);
    for (let i = 0; i < names.length; i++) if (names[i] !== KEY) look(names[i]);
    let ids = 0;
    try { ids = window.__PAGE_AGENT_IDS__.length; } catch { /* not its */ }
    unreachable = !found.length && ids > searched;
    if (!found.length && ids > 0) fault('unreachable-agent', 'page-agent', 'a page-agent is at work here, but cannot be found');
    return found;
  };
  // adopt takes the agents among objects.
  const adopt = (objects) => {
    const list = [];
    for (let i = 0; i < objects.length; i++) if (isAgent(objects[i])) push(list, objects[i]);
    adopted = list;
    try { searched = window.__PAGE_AGENT_IDS__.length; } catch { /* not its */ }
  };
  const pageAgent = (agent) => ({
    name: (t) => t.key,
    schema: ({ tool: { inputSchema: s } }, place) => {
      try {
        const standard = s['~standard'];
        if (standard && standard.jsonSchema) return standard.jsonSchema.input({ target: 'draft-2020-12' });
        if (typeof s.toJSONSchema === 'function') return s.toJSONSchema();
      } catch { /* it has no JSON Schema */ }
      fault('unchecked-params', place, 'its parameters have no JSON Schema; only the tool itself checks them');
      return {};
    },
    run: ({ tool }) => typeof tool.execute === 'function' && (async (params, signal) => {
      const standard = tool.inputSchema && tool.inputSchema['~standard'];
      if (standard && typeof standard.validate === 'function') {
        const checked = await standard.validate(params);
        if (checked.issues) throw new Error('invalid parameters: ' + encode(checked.issues));
        params = checked.value;
      }
      return apply(tool.execute, agent, [params, { signal }]);
    }),
  });
  const readAgents = (out) => {
    const agents = findAgents();
    for (let i = 0; i < agents.length; i++) {
      const group = grouped(i ? 'page-agent#' + (i + 1) : 'page-agent'), list = [];
      each(agents[i].tools, (tool, key) => {
        if (tool !== null && typeof tool === 'object') push(list, { key, tool, description: tool.description });
      });
      describeAll(out, group, list, pageAgent(agents[i]));
    }
  };

  // tools returns what there is now.
  const tools = () => {
    const out = [];
    faults = [];
    findContext();
    readDevtools(out);
    if (mcp.silent) fault('unanswered', grouped(options.webmcp), 'the list of tools does not come; the tools are those last listed');
    describeAll(out, grouped(options.webmcp), mcp.list, webmcp);
    readAgents(out);
    return out;
  };
  const find = (list, group, name, occurrence) => {
    for (let i = 0; i < list.length; i++) if (list[i].group === group && list[i].name === name && occurrence-- === 0) return list[i];
  };
  let known = []; // as of the last reading: what a caller chose from

  // State probes: tools that only read, whose results are kept as records.
  const results = []; // by probe: {rows, bad, seen, failed}
  const idOf = (v) => typeof v === 'string' ? v : typeof v === 'bigint' || typeof v === 'number' && v % 1 === 0 && v < 1e21 && v > -1e21 ? '' + v : '';
  const isObject = (v) => v !== null && typeof v === 'object' && !isArray(v) && (proto(v) === null || proto(v) === objectProto);
  const drill = (v, path) => {
    if (!path) return v;
    const pointer = path[0] === '/';
    const parts = split(pointer ? slice(path, 1) : path, pointer ? '/' : '.');
    for (let i = 0; i < parts.length; i++) {
      const part = pointer ? replaceAll(replaceAll(parts[i], '~1', '/'), '~0', '~') : parts[i];
      if (v === null || typeof v !== 'object' || !own(v, part)) throw new Error('the result has nothing at ' + path);
      v = v[part];
    }
    return v;
  };
  const row = (scope, id, names, value) => {
    let fields = '';
    for (let i = 0; i < names.length; i++) {
      let v;
      try { v = text(value(names[i])); } catch (e) { v = text({ $js: 'error', message: messageOf(e) }); }
      if (v) fields += (fields && ',') + text(names[i]) + ':' + v;
    }
    return '{"id":' + text(id) + ',"scope":' + text(scope) + ',"fields":{' + fields + '}}';
  };
  const tooLarge = (what) => new Error('the result is too large: ' + what);
  // rowsOf returns a result as records: an array of objects is rows, an object one
  // record, anything else one record with a field "value". bad counts rows without
  // an id.
  const rowsOf = (probe, value) => {
    const rows = [];
    let bad = 0, chars = 0, objects = isArray(value);
    if (objects && value.length > MAX_ROWS) throw tooLarge(value.length + ' rows');
    for (let i = 0; objects && i < value.length; i++) objects = isObject(value[i]);
    if (!objects) {
      if (isObject(value)) push(rows, row(probe.scope, probe.record, namesOf(value), (n) => value[n]));
      else push(rows, row(probe.scope, probe.record, ['value'], () => value));
      if (rows[0].length > MAX_CHARS) throw tooLarge(rows[0].length + ' characters');
      return { rows, bad };
    }
    const keys = probe.key ? [probe.key] : ['id', '_id', 'key'];
    for (let i = 0; i < value.length; i++) {
      const r = value[i];
      let id = '', key = '';
      for (let j = 0; j < keys.length && !id; j++) id = own(r, key = keys[j]) ? idOf(r[key]) : '';
      if (!id) { bad++; continue; }
      const names = [], all = namesOf(r);
      for (let j = 0; j < all.length; j++) if (all[j] !== key) push(names, all[j]);
      push(rows, row(probe.scope, id, names, (n) => r[n]));
      if ((chars += rows[rows.length - 1].length) > MAX_CHARS) throw tooLarge(rows.length + ' rows or more');
    }
    return { rows, bad };
  };
  const matches = (probe, t) => t.name === probe.tool || t.group + '/' + t.name === probe.tool;
  const ask = async (probe, list) => {
    const found = [];
    for (let i = 0; i < list.length; i++) if (matches(probe, list[i])) push(found, list[i]);
    if (!found.length) throw new Error('there is no such tool');
    if (found.length > 1) throw new Error(found.length + ' tools have this name');
    const t = found[0];
    if (t.kind === 'write') throw new Error('the tool says that it changes something');
    if (t.unavailable) throw new Error(t.unavailable);
    probe.asked = true;
    const stop = new AbortController();
    let timer;
    const deadline = new Promise((_, no) => {
      timer = soon(() => { no(new Error('the tool did not answer within ' + options.probeTimeout + ' ms')); abort(stop); }, options.probeTimeout);
    });
    const run = async () => t.run(parse(probe.params), signalOf(stop), probe.params);
    // Both are native promises; race is done by hand, since a page may replace Promise.race.
    const value = await new Promise((yes, no) => {
      (async () => { try { yes(await run()); } catch (e) { no(e); } })();
      (async () => { try { await deadline; } catch (e) { no(e); } })();
    });
    cancel(timer);
    if (value === undefined) throw new Error('the tool returned nothing');
    return rowsOf(probe, drill(value, probe.path));
  };

  // rest is what a preparation ends with: "frames" if there are frames that this
  // script has not reached, "agents" if one is at work that was not found, "idle" if none need be made before the next reading of
  // this document, since there is nothing whose change is not told.
  const rest = () => {
    if (bareFrames()) return 'frames';
    if (unreachable && window === window.top) return 'agents';
    let idle = !options.probes.length && !mcp.polyfill && !mcp.pending && !mcp.silent && !mcp.list.length && !own(window, '__PAGE_AGENT_IDS__');
    frames((inner) => { idle = idle && inner.rest() === 'idle'; });
    return idle ? 'idle' : '';
  };

  // prepare finds out what takes time: the probes' results, tools that are listed
  // by promises, and groups that come a task later.
  let prepared = false;
  const prepare = async () => {
    if (scriptless()) return 'idle';
    listen(); // a document that was opened for writing has lost its listeners
    findContext();
    if (mcp.context && (mcp.polyfill || mcp.silent || mcp.list.length)) renew(); // it may be about to tell
    if (!prepared) {
      prepared = true;
      tools();
      await task();
    }
    const waits = [];
    frames((inner) => push(waits, kept(inner.prepare(), 2 * options.patience, () => !here(inner))));
    for (let i = 0; i < waits.length; i++) await waits[i];
    mcp.silent = !!mcp.pending && !await kept(mcp.pending, options.patience, () => false);
    if (mcp.silent) mcp.pending = undefined;
    const probes = options.probes;
    if (!probes.length || window !== window.top) return rest();
    const list = tools(), waiting = [];
    for (let i = 0; i < probes.length; i++) {
      push(waiting, (async () => {
        try { results[i] = { ...await ask(probes[i], list), seen: true }; } catch (e) {
          const was = results[i];
          results[i] = { rows: was ? was.rows : [], bad: 0, seen: !!was && was.seen, failed: messageOf(e) };
        }
      })());
    }
    for (let i = 0; i < waiting.length; i++) await waiting[i];
    return rest();
  };

  const read = () => {
    known = tools();
    const scopes = [], records = [], actions = [];
    for (let i = 0; i < results.length; i++) {
      const probe = options.probes[i], r = results[i];
      if (!r) continue;
      push(scopes, text({ id: probe.scope, label: probe.tool }));
      // What was never seen is neither there nor gone.
      if (r.failed && probe.asked && !r.seen) fault('unread-exposure', probe.scope, 'the state has not been seen yet: ' + r.failed);
      else if (r.failed) fault('probe-failed', probe.scope, 'the state is as it was last seen: ' + r.failed);
      if (r.bad) fault('bad-id', probe.scope, r.bad + (r.bad == 1 ? ' record without an id is left out' : ' records without an id are left out'));
      for (let j = 0; j < r.rows.length; j++) push(records, r.rows[j]);
    }
    for (let i = 0; i < known.length; i++) {
      const t = known[i];
      push(actions, '{"id":' + text(t.name) + ',"name":' + text(t.name) + ',"group":' + text(t.group) + ',"description":' + text(t.description) +
        ',"kind":' + text(t.kind) + ',"primitive":"call","available":' + (t.unavailable ? text(t.unavailable) : 'true') + (t.params && ',"params":' + t.params) + '}');
    }
    if (!scopes.length && !actions.length && !faults.length) return '';
    const join = (list) => { let s = ''; for (let i = 0; i < list.length; i++) s += (i ? ',' : '') + list[i]; return '[' + s + ']'; };
    return '{"provider":' + text(options.provider) + ',"scopes":' + join(scopes) + ',"records":' + join(records) +
      ',"actions":' + join(actions) + ',"diagnostics":' + join(faults) + '}';
  };

  // sane reports whether JSON.parse was the real one when we came.
  const sane = () => { try { return parse('{"a":1}').a === 1; } catch { return false; } };

  // run gives the text of {"value": …} with nothing in it for undefined,
  // {"error": "…"} or {"gone": true}.
  const run = async (group, name, occurrence, params, id, literal) => {
    const t = find(known, group, name, occurrence);
    if (!t) {
      const inside = [];
      frames((inner) => push(inside, inner));
      for (let i = 0; i < inside.length; i++) {
        const out = await inside[i].run(group, name, occurrence, params, id, literal);
        if (out !== GONE) return out;
      }
    }
    if (!t || !t.run) return GONE;
    const stop = new AbortController();
    calls[id] = stop;
    try {
      const v = text(await t.run(sane() ? parse(params) : literal(), signalOf(stop), params));
      return v ? '{"value":' + v + '}' : '{}';
    } catch (e) {
      return '{"error":' + text(messageOf(e)) + '}';
    } finally {
      delete calls[id];
    }
  };
  const stop = (id) => {
    const c = calls[id];
    if (c) abort(c);
    frames((inner) => inner.stop(id));
    return '';
  };
  const answer = () => {
    const detail = read();
    if (detail) dispatch(window, new CustomEvent(options.answerEvent, { detail }));
  };
  const listen = () => listenTo(window, options.readEvent, answer);
  listen();
  define(window, KEY, { __proto__: null, value: freeze({ listen, label, bareFrames, rest, adopt, native, given, renew, prepare, run, stop, read }) });
})
