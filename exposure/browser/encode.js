// It is a factory: it saves what it needs of the page's globals, so that what was
// made before the page's own scripts works however they change the world.
//
// encode(value) gives JSON text that keeps what JSON has no form for, as tagged
// objects: {"$js":"map","entries":[[key,value]]} and so on; the doc of Invoke has
// the list. It builds the text by hand. undefined gives "".
//
// encode(value, true) gives what JSON.stringify means, and throws where something
// cannot be said: a cycle, a member that throws, too much.
(() => {
  'use strict';
  const MAX_DEPTH = 200, MAX_CHARS = 16 << 20, HEX = '0123456789abcdef';
  const MARKS = ['id', 'name', 'type', 'role', 'data-agent-record', 'data-agent-scope'];
  const { apply, getPrototypeOf: proto, getOwnPropertyDescriptor: own } = Reflect;
  const { isArray } = Array, { isView } = ArrayBuffer, { prototype: objectProto } = Object;
  const { Error, RegExp, String, Number, Boolean, DOMException, Node, NodeList, HTMLCollection } = globalThis;
  const arrayProto = Array.prototype, world = globalThis;
  const method = (f) => (self, a, b) => apply(f, self, [a, b]);
  const getter = (p, name) => { const f = p && own(p, name)?.get; return (self) => apply(f, self, []); };
  // namesOf is Object.keys, without it.
  const namesOf = (o) => {
    const names = [];
    for (const name in o) if (own(o, name)) names[names.length] = name;
    return names;
  };
  const slice = method(String.prototype.slice), codeAt = method(String.prototype.charCodeAt), lower = method(String.prototype.toLowerCase);
  const mapEach = method(Map.prototype.forEach), mapSize = getter(Map.prototype, 'size');
  const setEach = method(Set.prototype.forEach), setSize = getter(Set.prototype, 'size');
  const getTime = method(Date.prototype.getTime), toISO = method(Date.prototype.toISOString);
  const bufferSize = getter(ArrayBuffer.prototype, 'byteLength'), symbolText = method(Symbol.prototype.toString);
  const nodeName = getter(Node.prototype, 'nodeName'), nodeType = getter(Node.prototype, 'nodeType');
  const attribute = method(Element.prototype.getAttribute);
  const unbox = [method(String.prototype.valueOf), method(Number.prototype.valueOf), method(Boolean.prototype.valueOf)];

  const brand = (f, v) => { try { f(v); return true; } catch { return false; } };
  const unit = (c) => '\\u' + HEX[c >> 12 & 15] + HEX[c >> 8 & 15] + HEX[c >> 4 & 15] + HEX[c & 15];
  const quote = (s) => {
    let r = '"', from = 0;
    const n = s.length;
    for (let i = 0; i < n; i++) {
      const c = s[i];
      let esc;
      if (c === '"' || c === '\\') esc = '\\' + c;
      else if (c < ' ' || c >= '\ud800' && c <= '\udfff') {
        if (c >= '\ud800' && c < '\udc00' && i + 1 < n && s[i + 1] >= '\udc00' && s[i + 1] <= '\udfff') { i++; continue; }
        esc = unit(codeAt(s, i));
      } else continue;
      r += slice(s, from, i) + esc;
      from = i + 1;
    }
    return r + (from ? slice(s, from) : s) + '"';
  };
  const say = (v) => { try { return '' + v; } catch { return typeof v; } };
  const className = (v) => {
    try {
      const c = proto(v) && own(proto(v), 'constructor');
      const n = c && c.value && own(c.value, 'name');
      return n && typeof n.value === 'string' && n.value || 'Object';
    } catch { return 'Object'; }
  };
  const describe = (n) => {
    if (nodeType(n) !== 1) return nodeName(n);
    let s = '<' + lower(nodeName(n));
    for (let i = 0; i < MARKS.length; i++) {
      const v = attribute(n, MARKS[i]);
      if (v) s += ' ' + MARKS[i] + '="' + slice(v, 0, 80) + '"';
    }
    return s + '>';
  };
  const messageOf = (e) => {
    try { return e instanceof Error || e instanceof DOMException ? say(e.message) : say(e); } catch { return 'an unreadable error'; }
  };
  // ownJSON returns v's toJSON method, unless all objects or arrays of the page were
  // given one.
  const ownJSON = (v) => {
    const f = v.toJSON;
    return typeof f === 'function' && f !== objectProto.toJSON && f !== arrayProto.toJSON ? f : undefined;
  };

  return (value, plain) => {
    let out = '', full = false;
    const path = [];
    const put = (s) => { if (out.length > MAX_CHARS) full = true; if (!full) out += s; };
    const tag = (kind, name, text) => {
      if (plain) throw new Error('a ' + kind);
      put('{"$js":' + quote(kind) + (name ? ',"' + name + '":' + quote(text) : '') + '}');
    };
    const fail = (e) => { if (plain) throw e; tag('error', 'message', messageOf(e)); };
    // member writes what get gives; one that throws spoils itself only.
    const member = (get) => {
      let v;
      try { v = get(); } catch (e) { fail(e); return; }
      if (v !== undefined) write(v);
      else if (plain) put('null');
      else tag('undefined');
    };
    const list = (n, at) => {
      put('[');
      for (let i = 0; i < n && !full; i++) {
        if (i) put(',');
        member(() => at(i));
      }
      put(']');
    };
    const entries = (kind, each, one) => {
      put('{"$js":"' + kind + '","entries":[');
      let first = true;
      each((x, k) => {
        if (full) return;
        if (!first) put(',');
        first = false;
        one(x, k);
      });
      put(']}');
    };
    const members = (v) => {
      const names = namesOf(v), p = proto(v);
      if (!plain && p !== null && p !== objectProto && (!names.length || v === world)) { tag('object', 'class', className(v)); return; }
      put('{');
      let first = true;
      for (let i = 0; i < names.length && !full; i++) {
        let x, thrown = false, err;
        try { x = v[names[i]]; } catch (e) { thrown = true; err = e; }
        if (!thrown && (x === undefined || plain && (typeof x === 'function' || typeof x === 'symbol'))) continue;
        put((first ? '' : ',') + quote(names[i]) + ':');
        first = false;
        if (thrown) fail(err); else write(x);
      }
      put('}');
    };
    const object = (v) => {
      if (!plain && brand(getTime, v)) {
        const t = getTime(v);
        tag('date', 'value', t === t ? toISO(v) : 'invalid');
        return;
      }
      const json = ownJSON(v);
      if (json) { member(() => apply(json, v, [''])); return; }
      if (isArray(v)) { list(v.length, (i) => v[i]); return; }
      if (!plain) {
        if (brand(mapSize, v)) { entries('map', (f) => mapEach(v, f), (x, k) => { put('['); member(() => k); put(','); member(() => x); put(']'); }); return; }
        if (brand(setSize, v)) { entries('set', (f) => setEach(v, f), (x) => member(() => x)); return; }
        if (isView(v)) { put('{"$js":' + quote(className(v)) + ',"values":'); list(v.length || 0, (i) => v[i]); put('}'); return; }
        if (brand(bufferSize, v)) { put('{"$js":"arraybuffer","bytes":' + bufferSize(v) + '}'); return; }
        if (v instanceof Error || v instanceof DOMException) { tag('error', 'message', say(v.message)); return; }
        if (v instanceof RegExp) { tag('regexp', 'value', say(v)); return; }
        if (v instanceof Node) { tag('node', 'value', describe(v)); return; }
        if (v instanceof NodeList || v instanceof HTMLCollection) { list(v.length, (i) => v[i]); return; }
      }
      if (v instanceof String) { write(unbox[0](v)); return; }
      if (v instanceof Number) { write(unbox[1](v)); return; }
      if (v instanceof Boolean) { write(unbox[2](v)); return; }
      members(v);
    };
    const write = (v) => {
      if (full) { put('null'); return; }
      switch (typeof v) {
        case 'string': put(quote(v)); return;
        case 'boolean': put(v ? 'true' : 'false'); return;
        case 'number':
          if (v === v && v !== Infinity && v !== -Infinity && (v || 1 / v > 0)) put('' + v);
          else if (plain) put(v === 0 ? '0' : 'null');
          else tag('number', 'value', v === 0 ? '-0' : '' + v);
          return;
        case 'bigint': tag('bigint', 'value', '' + v); return;
        case 'symbol': if (plain) put('null'); else tag('symbol', 'value', symbolText(v)); return;
        case 'undefined': put('null'); return;
        case 'function': if (plain) put('null'); else tag('function', 'name', typeof v.name === 'string' ? v.name : ''); return;
      }
      if (v === null) { put('null'); return; }
      for (let i = 0; i < path.length; i++) if (path[i] === v) { tag('cycle'); return; }
      if (path.length >= MAX_DEPTH) { tag('depth'); return; }
      path[path.length] = v;
      const before = out;
      try { object(v); } catch (e) {
        if (plain) throw e;
        out = before;
        fail(e);
      }
      path.length--;
    };
    if (value === undefined) return '';
    write(value);
    if (full) {
      // Too much to hand over: its beginning. Strings are the usual case.
      out = '';
      full = false;
      path.length = 0;
      tag('large', 'head', typeof value === 'string' ? slice(value, 0, 16384) : className(value));
    }
    return out;
  };
})
