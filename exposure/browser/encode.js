// encode returns a value as JSON text that keeps what JSON has no form for, as
// tagged objects: {"$js":"map","entries":[[key,value]]} and so on; doc of Invoke
// has the list. It builds the text by hand: the page may have replaced JSON.
// undefined gives "".
(value) => {
  'use strict';
  const MAX_DEPTH = 200, MAX_CHARS = 16 << 20;
  const proto = Object.getPrototypeOf, own = Object.getOwnPropertyDescriptor;
  const getter = (p, name) => own(p, name).get;
  const brand = (f, v) => { try { Reflect.apply(f, v, []); return true; } catch { return false; } };
  const mapSize = getter(Map.prototype, 'size'), setSize = getter(Set.prototype, 'size');
  const getTime = Date.prototype.getTime, mapEach = Map.prototype.forEach, setEach = Set.prototype.forEach;
  const bufferSize = getter(ArrayBuffer.prototype, 'byteLength');
  const HEX = '0123456789abcdef';
  let out = '', full = false;

  const put = (s) => { if (out.length > MAX_CHARS) full = true; if (!full) out += s; };
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
        esc = unit(s.charCodeAt(i));
      } else continue;
      r += s.slice(from, i) + esc;
      from = i + 1;
    }
    return r + (from ? s.slice(from) : s) + '"';
  };
  const tag = (kind, name, text) => put('{"$js":' + quote(kind) + (name ? ',"' + name + '":' + quote(text) : '') + '}');
  const say = (v) => { try { return '' + v; } catch { return typeof v; } };
  const className = (v) => {
    try {
      const c = proto(v) && own(proto(v), 'constructor');
      const n = c && c.value && own(c.value, 'name');
      return n && typeof n.value === 'string' && n.value || 'Object';
    } catch { return 'Object'; }
  };
  const describe = (n) => {
    let s = '<' + n.nodeName.toLowerCase();
    if (n.nodeType !== 1) return n.nodeName;
    for (const a of ['id', 'name', 'type', 'role', 'data-agent-record', 'data-agent-scope']) {
      const v = Element.prototype.getAttribute.call(n, a);
      if (v) s += ' ' + a + '="' + v.slice(0, 80) + '"';
    }
    return s + '>';
  };

  const path = [];
  const list = (n, at) => {
    put('[');
    for (let i = 0; i < n && !full; i++) {
      if (i) put(',');
      member(() => at(i), true);
    }
    put(']');
  };
  // member writes what get gives; one that throws spoils itself only.
  const member = (get, inList) => {
    let v;
    try { v = get(); } catch (e) { fail(e); return; }
    if (v === undefined && inList) tag('undefined');
    else write(v);
  };
  const fail = (e) => {
    let m;
    try { m = e instanceof Error ? e.message : say(e); } catch { m = 'unreadable error'; }
    tag('error', 'message', say(m));
  };
  const object = (v) => {
    let json;
    try { json = v.toJSON; } catch (e) { fail(e); return; }
    if (brand(getTime, v)) {
      const t = Reflect.apply(getTime, v, []);
      tag('date', 'value', t === t ? Date.prototype.toISOString.call(v) : 'invalid');
      return;
    }
    if (typeof json === 'function') { member(() => Reflect.apply(json, v, ['']), true); return; }
    if (Array.isArray(v)) { list(v.length, (i) => v[i]); return; }
    if (brand(mapSize, v)) {
      put('{"$js":"map","entries":[');
      let first = true;
      Reflect.apply(mapEach, v, [(x, k) => {
        if (full) return;
        put(first ? '[' : ',['); first = false;
        member(() => k, true); put(','); member(() => x, true); put(']');
      }]);
      put(']}');
      return;
    }
    if (brand(setSize, v)) {
      put('{"$js":"set","entries":[');
      let first = true;
      Reflect.apply(setEach, v, [(x) => { if (full) return; if (!first) put(','); first = false; member(() => x, true); }]);
      put(']}');
      return;
    }
    if (ArrayBuffer.isView(v)) {
      put('{"$js":' + quote(className(v)) + ',"values":');
      list(v.length === undefined ? 0 : v.length, (i) => v[i]);
      put('}');
      return;
    }
    if (brand(bufferSize, v)) { put('{"$js":"arraybuffer","bytes":' + v.byteLength + '}'); return; }
    if (v instanceof Error) { tag('error', 'message', say(v.message)); return; }
    if (v instanceof RegExp) { tag('regexp', 'value', say(v)); return; }
    if (v instanceof Node) { tag('node', 'value', describe(v)); return; }
    if (v instanceof NodeList || v instanceof HTMLCollection) { list(v.length, (i) => v[i]); return; }
    if (v instanceof String || v instanceof Number || v instanceof Boolean) { write(v.valueOf()); return; }
    const p = proto(v);
    const keys = Object.keys(v);
    if (p !== null && p !== Object.prototype && (!keys.length || v === globalThis)) { tag('object', 'class', className(v)); return; }
    put('{');
    let first = true;
    for (let i = 0; i < keys.length && !full; i++) {
      const k = keys[i];
      let x, thrown = false, err;
      try { x = v[k]; } catch (e) { thrown = true; err = e; }
      if (!thrown && x === undefined) continue;
      put((first ? '' : ',') + quote(k) + ':');
      first = false;
      if (thrown) fail(err); else write(x);
    }
    put('}');
  };
  const write = (v) => {
    if (full) { put('null'); return; }
    switch (typeof v) {
      case 'string': put(quote(v)); return;
      case 'boolean': put(v ? 'true' : 'false'); return;
      case 'number':
        if (v !== v || v === Infinity || v === -Infinity) tag('number', 'value', '' + v);
        else if (v === 0 && 1 / v < 0) tag('number', 'value', '-0');
        else put('' + v);
        return;
      case 'bigint': tag('bigint', 'value', '' + v); return;
      case 'symbol': tag('symbol', 'value', Symbol.prototype.toString.call(v)); return;
      case 'undefined': put('null'); return;
      case 'function': tag('function', 'name', typeof v.name === 'string' ? v.name : ''); return;
    }
    if (v === null) { put('null'); return; }
    for (let i = 0; i < path.length; i++) if (path[i] === v) { tag('cycle'); return; }
    if (path.length >= MAX_DEPTH) { tag('depth'); return; }
    path[path.length] = v;
    const before = out;
    try { object(v); } catch (e) { out = before; fail(e); }
    path.length--;
  };
  if (value === undefined) return '';
  write(value);
  if (full) {
    // Too much to hand over: its size and its beginning. Strings are the usual case.
    out = '';
    full = false;
    path.length = 0;
    tag('large', 'head', typeof value === 'string' ? value.slice(0, 16384) : say(className(value)));
  }
  return out;
}
