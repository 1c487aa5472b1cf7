// The page runtime: how a page's own code says what it exposes. It is plain
// JavaScript for a script tag or for `import "./pagestate.js"`; both set
// globalThis.pagestate, and a second copy in a document joins the first.
//
//   pagestate.scope({ id: "todo", label: "Tasks" });
//   pagestate.record(() => tasks.map((t) => ({ id: t.id, fields: { text: t.text } })), { scope: "todo" });
//   const tool = pagestate.tool({
//     id: "complete_open_tasks",
//     desc: "Mark every open task as completed.",
//     kind: "write",
//     params: { type: "object", properties: {} },   // JSON Schema; none means no parameters
//     available: () => open() > 0 || "No task is open.",
//     run: (params, { signal }) => ({ completed: completeOpenTasks() }),
//     expect: { desc: "No task remains open", check: () => open() === 0 },
//   });
//   tool.release();
//
// Everything declared lasts until its handle is released or its `signal` aborts;
// `handle.update({ … })` changes some options. With `el`, a declaration belongs to
// an element: the element is annotated with data-agent-* attributes, scope and
// record are those around it, and it counts while the element is in the document.
// A tool with `el` needs no `run`: it is then operated as a person would.
//
// pagestate.settled() says that the page is done with what it was asked to do.
(() => {
  'use strict';
  const KEY = Symbol.for('pagestate.registry');
  if (globalThis[KEY]) return;
  const { stringify } = JSON, { setTimeout, AbortController } = globalThis;
  const scopes = new Set(), records = new Set(), tools = new Set(), calls = new Map();

  const refuse = (what) => { throw new TypeError('pagestate: ' + what); };
  // An id is text; an integer is its decimal digits.
  const idOf = (v) => typeof v === 'string' ? v : typeof v === 'bigint' || Number.isInteger(v) ? `${BigInt(v)}` : '';

  // around returns the scope and record that an element is in, in the flat tree.
  const around = (el) => {
    let record = '';
    for (let n = el; n; n = n.assignedSlot || n.parentNode || n.host) {
      record ||= n.getAttribute?.('data-agent-record') || '';
      const scope = n.getAttribute?.('data-agent-scope');
      if (scope) return { scope, record };
    }
    return { scope: '', record };
  };
  const place = ({ el, scope, record }) => el ? around(el) : { scope: scope ?? '', record: record == null ? '' : idOf(record) };
  const attached = (o) => !o.el || o.el.isConnected;
  const call = (v, ...args) => typeof v === 'function' ? v(...args) : v;
  // said is what something that was thrown says.
  const said = (e) => String(e?.message ?? e);

  // declare adds what options say to a list; check refuses what is incomplete, and
  // attributes returns what an element is annotated with.
  const declare = (list, options, check, attributes) => {
    const entry = { o: options, set: {} };
    const annotate = (wanted) => {
      const { el } = entry.o;
      for (const name in { ...entry.set, ...wanted }) {
        const value = wanted[name];
        if (value != null && value !== false) {
          const text = value === true ? '' : `${value}`;
          if (el.getAttribute(name) !== text) el.setAttribute(name, text);
          entry.set[name] = true;
        } else if (entry.set[name]) {
          el.removeAttribute(name);
          delete entry.set[name];
        }
      }
    };
    const apply = (o) => {
      check(o, entry);
      entry.o = o;
      if (o.el) annotate(attributes(o));
    };
    const handle = {
      update: (more) => { if (list.has(entry)) apply({ ...entry.o, ...more, el: entry.o.el }); },
      release: () => { if (list.delete(entry) && entry.o.el) annotate({}); },
    };
    if (Symbol.dispose) handle[Symbol.dispose] = handle.release;
    const { signal } = options;
    apply({ ...options });
    if (!signal?.aborted) list.add(entry);
    else if (options.el) annotate({});
    signal?.addEventListener('abort', handle.release, { once: true });
    return handle;
  };

  const scope = (options) => declare(scopes, options, (o) => {
    if (!idOf(o.id)) refuse('a scope needs an id');
  }, (o) => ({
    'data-agent-scope': idOf(o.id), 'data-agent-label': o.label, 'data-agent-description': o.description,
    'data-agent-volatile': o.volatile?.join(' '), 'data-agent-unordered': o.unordered, 'data-agent-ids': o.ids,
    'data-agent-total': o.total, 'data-agent-offset': o.offset,
    role: o.el.hasAttribute('role') ? undefined : o.role,
  }));

  // record declares one record, or what a function lists each time it is asked.
  const record = (given, options) => declare(records, typeof given === 'function' ? { ...options, list: given } : given, (o) => {
    if (!o.list && !idOf(o.id ?? o.data?.id)) refuse('a record needs an id, text or an integer: id, or data.id');
  }, (o) => ({ 'data-agent-record': idOf(o.id ?? o.data?.id), 'data-agent-replaces': o.replaces }));

  // nameOf returns a tool's name: its id less the "@" and record that it is in.
  const nameOf = (o, at) => at.record && o.id.endsWith('@' + at.record) ? o.id.slice(0, -at.record.length - 1) || o.id : o.id;

  const tool = (options) => declare(tools, options, (o, entry) => {
    if (typeof o.id !== 'string' || !o.id) refuse('a tool needs an id');
    const is = `tool "${o.id}" `;
    if (typeof o.desc !== 'string' || !o.desc) refuse(is + 'needs a desc');
    if (o.run ? typeof o.run !== 'function' : !o.el) refuse(is + 'needs a run function');
    if (o.expect && (typeof o.expect.check !== 'function' || !o.expect.desc)) refuse(is + 'expects something without desc and check');
    if (!o.el) for (const other of tools) {
      if (other !== entry && !other.o.el && other.o.id === o.id) refuse(is + 'is declared twice');
    }
  }, (o) => ({ 'data-agent-action': nameOf(o, around(o.el)), 'data-agent-description': o.desc, 'data-agent-kind': o.kind }));

  const find = (scope, record, name) => {
    for (const { o } of tools) {
      if (!attached(o)) continue;
      const at = place(o);
      if (at.scope === scope && at.record === record && nameOf(o, at) === name) return o;
    }
  };

  // available is true, or why not: text, or false where there is nothing to say.
  const available = (o) => {
    try {
      const v = o.available === undefined || call(o.available);
      return v === true || typeof v === 'string' && v || false;
    } catch (e) {
      return `its availability could not be told: ${said(e)}`;
    }
  };

  // What ran last, by its key: what it expects is asked also if it has been released since.
  let ran = {};

  // read returns a capture of what is declared, undefined if nothing is.
  const read = () => {
    if (!scopes.size && !records.size && !tools.size) return;
    const out = { scopes: [], records: [], actions: [], diagnostics: [] };
    const fault = (code, at, message) => out.diagnostics.push(stringify({ code, at, message }));
    for (const { o } of scopes) {
      if (!attached(o)) continue;
      const { label, description, role, parent, volatile, sensitive, unordered, ids, total, offset } = o;
      const id = idOf(o.id);
      let state = 'inactive';
      try { state = call(o.state); } catch (e) {
        fault('bad-state', id, `the state could not be told; the scope is taken for inactive: ${said(e)}`);
      }
      out.scopes.push(stringify({ id, label, description, role, parent, state, volatile, sensitive, unordered, ids, total, offset }));
    }
    const add = (o, at) => {
      const id = idOf(o.id ?? o.data?.id), scope = at.scope;
      if (!id) return fault('bad-id', scope, 'a record without an id is left out');
      const fields = call(o.fields) ?? {}, list = [];
      for (const name of Object.keys(fields)) {
        try {
          const text = stringify(fields[name]);
          if (text !== undefined) list.push(stringify(name) + ':' + text);
        } catch (e) {
          fault('bad-field', `${scope && scope + '/'}${id}/${name}`, `the field is left out: ${said(e)}`);
        }
      }
      const head = stringify({ id, scope, replaces: o.replaces });
      out.records.push(head.slice(0, -1) + ',"fields":{' + list + '}}');
    };
    for (const { o } of records) {
      if (!attached(o)) continue;
      const at = place(o);
      try {
        if (!o.list) add(o, at);
        else for (const r of o.list()) add(r, at);
      } catch (e) {
        fault('unread-exposure', at.scope, `records could not be read: ${said(e)}`);
      }
    }
    for (const { o } of tools) {
      if (!attached(o)) continue;
      const at = place(o), name = nameOf(o, at);
      const action = { id: at.record ? `${name}@${at.record}` : name, name, description: o.desc, kind: o.kind, primitive: o.run && 'call', available: available(o),
        scope: at.scope || undefined, record: at.record || undefined, element: !!o.el, run: !!o.run };
      let params;
      try { params = stringify(o.params); } catch {
        fault('bad-params', name, 'the parameters cannot be written as JSON');
        action.available = 'its parameters are not described correctly';
      }
      out.actions.push(stringify(action).slice(0, -1) + (params ? ',"params":' + params : '') + '}');
    }
    return '{' + Object.keys(out).map((k) => `"${k}":[${out[k]}]`) + '}';
  };

  const registry = {
    version: 1,
    read,
    // The others take scope, record and name of a tool and give {gone: true} if
    // it is not there.
    available: (...key) => {
      const o = find(...key);
      return o ? { available: available(o) } : { gone: true };
    },
    expectation: (...key) => {
      const { desc, timeout } = find(...key)?.expect ?? {};
      return { desc, timeout };
    },
    async run(scope, record, name, params, id) {
      const o = find(scope, record, name);
      if (!o?.run) return { gone: true };
      ran = { key: stringify([scope, record, name]), o };
      const stop = new AbortController();
      calls.set(id, stop);
      try {
        return { value: await o.run(params, { signal: stop.signal }) };
      } finally {
        calls.delete(id);
      }
    },
    // holds gives true once what a tool expects does, false if stopped before.
    async holds(scope, record, name, id) {
      const o = find(scope, record, name) || (ran.key === stringify([scope, record, name]) ? ran.o : 0);
      if (!o) return { gone: true };
      const check = o.expect?.check;
      const stop = new AbortController();
      calls.set(id, stop);
      try {
        while (check && !stop.signal.aborted) {
          try { if (await check()) return { value: true }; } catch { /* not yet */ }
          await new Promise((done) => setTimeout(done, 20));
        }
        return { value: !check };
      } finally {
        calls.delete(id);
      }
    },
    stop: (id) => calls.get(id)?.abort(),
  };
  Object.defineProperty(globalThis, KEY, { __proto__: null, value: Object.freeze(registry) });
  globalThis.pagestate = Object.freeze({ scope, record, tool, settled: () => { dispatchEvent(new Event('pagestate:settled')); } });
  addEventListener('pagestate:read', () => {
    let detail;
    try { detail = read(); } catch (e) { // rather than seem to declare nothing
      detail = stringify({ diagnostics: [{ code: 'unread-exposure', at: 'pagestate', message: `what is declared could not be read: ${said(e)}` }] });
    }
    if (detail) dispatchEvent(new CustomEvent('pagestate:exposure', { detail }));
  });
})();
