// The collector reads a document and hands it over in columns. It is evaluated in
// an isolated world, whose globals and prototypes no page script can reach. What a
// page can still do there is give elements names that forms, documents and windows
// take for their own properties, so those are read through getters taken from the
// prototypes.
//
// What it hands over is one string: the lengths of four parts, and the parts.
//
//   header  JSON: page, shapes, answers of code, what could not be read
//   ops     the tree, in document order, as numbers: 0 ends an element, 1 is a
//           text, 2 + 3*shape + kind an element with its attributes; kind 0 has
//           nothing inside, 1 has what follows until its end, 2 has one text
//   lens    the lengths of all attribute values and texts, in the order of ops
//   text    these values and texts, back to back
//
// Numbers are in base 32, low digits first, with 32 added to all digits but the last,
// a digit being a character of DIGITS. A shape is a tag, its style and the names of
// its attributes; elements alike share one. That makes 10,000 rows 10,000 numbers
// rather than 10,000 objects.
(() => {
  'use strict';
  if (globalThis.__pagestate) return;
  const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const READ = 'pagestate:read', EXPOSURE = 'pagestate:exposure';
  const MAX_DEPTH = 1900, MAX_TEXT = 96 << 20, MAX_OPS = 24 << 20;

  const getter = (proto, name) => {
    const get = Object.getOwnPropertyDescriptor(proto, name).get;
    return (o) => Reflect.apply(get, o, []);
  };
  const safe = {
    first: getter(Node.prototype, 'firstChild'), next: getter(Node.prototype, 'nextSibling'),
    parent: getter(Node.prototype, 'parentNode'), connected: getter(Node.prototype, 'isConnected'),
    shadow: getter(Element.prototype, 'shadowRoot'), root: getter(Document.prototype, 'documentElement'),
    view: getter(Document.prototype, 'defaultView'), ready: getter(Document.prototype, 'readyState'), title: getter(Document.prototype, 'title'),
    contentDocument: getter(HTMLIFrameElement.prototype, 'contentDocument'),
    names: (e) => Reflect.apply(Element.prototype.getAttributeNames, e, []),
    attr: (e, name) => Reflect.apply(Element.prototype.getAttribute, e, [name]),
    has: (e, name) => Reflect.apply(Element.prototype.hasAttribute, e, [name]),
    find: (d, sel) => Reflect.apply(Document.prototype.querySelector, d, [sel]),
    visible: (e) => Reflect.apply(Element.prototype.checkVisibility, e, [VISIBLE]),
  };
  const VISIBLE = { visibilityProperty: true, contentVisibilityAuto: false };

  const SMALL = [];
  for (let i = 0; i < 1024; i++) SMALL.push(i < 32 ? DIGITS[i] : DIGITS[i & 31 | 32] + DIGITS[i >> 5]);
  const number = (n) => {
    if (n < 1024) return SMALL[n];
    let s = '';
    for (; n >= 32; n = Math.floor(n / 32)) s += DIGITS[n % 32 | 32];
    return s + DIGITS[n];
  };

  // digest is Chaskey with 12 rounds (Mouha et al., 2014), a keyed 128-bit code of
  // 32-bit operations, over the UTF-16 units of text.
  const digest = (text, key) => {
    let [a, b, c, d] = key;
    const rounds = () => {
      for (let i = 0; i < 12; i++) {
        a = a + b | 0; b = b << 5 | b >>> 27; b ^= a; a = a << 16 | a >>> 16;
        c = c + d | 0; d = d << 8 | d >>> 24; d ^= c;
        a = a + d | 0; d = d << 13 | d >>> 19; d ^= a;
        c = c + b | 0; b = b << 7 | b >>> 25; b ^= c; c = c << 16 | c >>> 16;
      }
    };
    // The length goes first, so that the last block needs no mark.
    a ^= text.length; rounds();
    const n = text.length & ~7;
    let i = 0;
    for (; i < n; i += 8) {
      a ^= text.charCodeAt(i) | text.charCodeAt(i + 1) << 16;
      b ^= text.charCodeAt(i + 2) | text.charCodeAt(i + 3) << 16;
      c ^= text.charCodeAt(i + 4) | text.charCodeAt(i + 5) << 16;
      d ^= text.charCodeAt(i + 6) | text.charCodeAt(i + 7) << 16;
      rounds();
    }
    const rest = [0, 0, 0, 0];
    for (let j = 0; i < text.length; i++, j++) rest[j >> 1] |= text.charCodeAt(i) << 16 * (j & 1);
    a ^= rest[0] ^ key[0]; b ^= rest[1] ^ key[1]; c ^= rest[2] ^ key[2]; d ^= rest[3] ^ key[3];
    rounds();
    let out = '';
    for (const [w, k] of [[a, key[0]], [b, key[1]], [c, key[2]], [d, key[3]]]) out += ((w ^ k) >>> 0).toString(16).padStart(8, '0');
    return out;
  };
  const utf8Length = (text) => {
    let n = text.length;
    for (let i = 0; i < text.length; i++) {
      const c = text.charCodeAt(i);
      if (c >= 0x80) n += c < 0x800 || c >= 0xd800 && c < 0xe000 ? 1 : 2;
    }
    return n;
  };
  // head cuts text between code points.
  const head = (text, n) => {
    const c = text.charCodeAt(n - 1);
    return text.slice(0, c >= 0xd800 && c < 0xdc00 ? n - 1 : n);
  };

  // What lasts as long as the document.
  const masked = new WeakSet(); // controls that have been password fields
  const id = [...crypto.getRandomValues(new Uint32Array(4))].map((n) => n.toString(16).padStart(8, '0')).join('');
  let refs = [];     // elements that actions stand for, by number
  let foreign = [];  // frames whose documents cannot be read from here

  // Attributes that annotated pages are read by. data-agent- and aria- ones are as well.
  const LEAN = new Set(['id', 'for', 'role', 'type', 'name', 'value', 'title', 'alt', 'placeholder', 'hidden', 'open', 'disabled',
    'readonly', 'inert', 'autocomplete', 'checked', 'selected', 'multiple', 'size', 'min', 'max', 'step', 'contenteditable', 'colspan', 'rowspan',
    'scope', 'slot', 'popover', 'data-value']);
  const DROP = new Set(['style', 'srcset', 'sizes', 'nonce', 'integrity', 'srcdoc']);
  const SECRET = /(^|\s)(one-time-code|cc-\S+|\S*-password)(\s|$)/i;
  const BLANK = /^[ \t\n\r\f]*$/;
  const ODD = /[\n\r\t]|  /;
  const INTERACTIVE = new Set(['a', 'button', 'input', 'select', 'textarea', 'option', 'form', 'summary', 'label', 'area', 'details']);
  const ANNOTATED = '[data-agent-scope],[data-agent-record],[data-agent-field],[data-agent-action],script[data-agent-exposure]';

  const DISPLAY = {
    block: 'b', inline: 'i', 'inline-block': 'i', 'list-item': 'b', 'table-cell': 'c', none: 'n', contents: 'x', flex: 'B', grid: 'B',
    'inline-flex': 'I', 'inline-grid': 'I', table: 'b', 'table-row': 'b', 'table-row-group': 'b', 'table-header-group': 'b',
    'table-footer-group': 'b', 'table-caption': 'b', 'flow-root': 'b', '-webkit-box': 'b', 'inline-table': 'i', ruby: 'i', 'ruby-text': 'i',
    'ruby-base': 'i', '-webkit-inline-box': 'i', math: 'i',
  };

  class Reading {
    constructor(opts) {
      this.cut = opts.cut || Infinity;
      this.key = opts.key;
      this.infer = opts.infer;
      this.full = true;
      this.ops = ''; this.lens = ''; this.text = '';
      this.count = 0; this.broken = false;
      this.shapes = []; this.byKey = new Map();
      this.answers = [];
      this.modal = null;
    }

    op(n) { this.ops += number(n); if (++this.count > MAX_OPS) throw new RangeError('too many elements'); }

    put(v) {
      if (v.isWellFormed()) {
        this.lens += number(v.length * 2);
        this.text += v;
      } else { // as JSON, which keeps halves of pairs
        const q = JSON.stringify(v);
        this.lens += number(q.length * 2 + 1);
        this.text += q;
      }
      if (this.text.length > MAX_TEXT) throw new RangeError('too much text');
    }

    shape(key) {
      let n = this.byKey.get(key);
      if (n === undefined) {
        n = this.shapes.length;
        this.byKey.set(key, n);
        this.shapes.push(key);
      }
      return n;
    }

    // document reads a document whose root element is to be a child of what is open.
    document(doc, depth) {
      const view = safe.view(doc);
      const answers = this.ask(view);
      if (depth === 0) this.full = this.infer || !answers.length && !safe.find(doc, ANNOTATED);
      const root = safe.root(doc);
      if (!root) return;
      const r = { doc, view, Form: view.HTMLFormElement, style: view.getComputedStyle.bind(view), answers };
      this.element(root, r, depth, true);
    }

    // ask lets code of the document answer what it exposes.
    ask(view) {
      const answers = [];
      const hear = (e) => { const d = e.detail; if (typeof d === 'string' && d) answers.push(d); };
      view.addEventListener(EXPOSURE, hear, true);
      try { view.dispatchEvent(new view.Event(READ)); } finally { view.removeEventListener(EXPOSURE, hear, true); }
      return answers;
    }

    // element reads e and what is in it. shown says that what is around it is
    // rendered, so that its style means something.
    element(e, r, depth, shown) {
      if (depth > MAX_DEPTH) throw new RangeError('too deep');
      const form = e instanceof r.Form;
      const html = e.namespaceURI === 'http://www.w3.org/1999/xhtml' || form;
      const tag = form ? 'form' : html ? e.localName : 'svg:' + e.localName;
      switch (tag) {
        case 'script': if (!e.hasAttribute('data-agent-exposure')) return; break;
        case 'style': case 'template': case 'noscript': case 'title': case 'base': return;
        case 'link': case 'meta': if (!this.full || !e.hasAttribute('itemprop')) return; break;
        case 'head': this.scripts(e, r, depth); return;
      }
      // The key of the shape: tag, style, attribute names. Ours begin with "*".
      let key = tag, values = null;
      const add = (name, value) => { key += ' ' + name; (values ??= []).push(value); };
      let pre = false;
      if (shown) {
        const style = r.style(e);
        const display = DISPLAY[style.display] || 'b';
        let flags = display;
        const text = form ? safe.first(e) : e.firstChild;
        if (display === 'n') shown = false;
        else if (display === 'x' || !(form ? safe.visible(e) : e.checkVisibility(VISIBLE))) {
          // What skips its content around it hides it.
          flags += style.visibility !== 'visible' ? 'h' : display === 'x' ? 'v' : 'k';
        } else flags += 'v';
        if (text instanceof r.view.Text && style.contentVisibility === 'hidden') flags += 's';
        if (text !== null && this.odd(text, r)) {
          const space = style.whiteSpaceCollapse;
          flags += space === 'collapse' ? 'w' : space === 'preserve-breaks' ? 'l' : 'p';
          pre = space !== 'collapse';
        }
        key += ' *' + flags;
      }
      let doc = null;
      if (shown && (tag === 'iframe' || tag === 'frame')) {
        doc = this.frame(e, tag);
        if (doc) add('*frame', '');
        else { add('*foreign', String(foreign.length)); foreign.push(e); }
      }
      this.attributes(e, tag, form, r, add);
      const answers = r.answers.length && e === safe.root(r.doc) ? r.answers : null;
      const at = 2 + 3 * this.shape(key);
      if (tag === 'iframe' || tag === 'frame') {
        if (!doc) { this.open(at, values); return; }
        this.open(at + 1, values);
        this.document(doc, depth + 1);
        this.op(0);
        return;
      }
      if (tag === 'textarea' || tag === 'script') {
        let text = tag === 'script' ? e.textContent : e.value;
        if (text === '') { this.open(at, values); return; }
        if (tag === 'textarea') text = this.secret(e) ? digest(text, this.key) : text.length > this.cut ? head(text, 4096) : text;
        this.open(at + 2, values);
        this.put(text);
        return;
      }
      const shadow = form ? null : e.shadowRoot;
      let c = form ? safe.first(e) : e.firstChild;
      if (c === null && !shadow && !answers) { this.open(at, values); return; }
      if (c !== null && !shadow && !answers && c instanceof r.view.Text && c.nextSibling === null && c.length <= this.cut) {
        this.open(at + 2, values);
        this.put(c.data);
        return;
      }
      this.open(at + 1, values);
      if (shadow) {
        this.op(2 + 3 * this.shape('template shadowrootmode') + 1);
        this.put('open');
        this.children(shadow.firstChild, r, depth + 2, shown, false);
        this.op(0);
      }
      this.children(c, r, depth + 1, shown, pre);
      if (answers) {
        for (const a of answers) {
          this.op(2 + 3 * this.shape('script type data-agent-exposure id') + 2);
          this.put('application/json'); this.put(''); this.put('code'); this.put(a);
        }
      }
      this.op(0);
    }

    // open writes the op of an element and its attribute values.
    open(at, values) {
      this.op(at);
      if (values) for (const v of values) this.put(v);
    }

    // odd reports whether a text among the siblings from c on has blanks that
    // depend on white-space.
    odd(c, r) {
      for (let n = 0; c !== null && n < 8; c = safe.next(c), n++) {
        if (c instanceof r.view.Text && (c.length > 4096 || ODD.test(c.data))) return true;
      }
      return c !== null;
    }

    children(c, r, depth, shown, pre) {
      for (let next; c !== null; c = next) {
        next = safe.next(c);
        if (c instanceof r.view.Text) {
          if (!pre && BLANK.test(c.data)) { if (c.length) { this.op(1); this.put(' '); } }
          else this.textNode(c.data);
        } else if (c instanceof r.view.Element) this.element(c, r, depth, shown);
      }
    }

    textNode(v) {
      if (v.length <= this.cut) { this.op(1); this.put(v); return; }
      this.op(2 + 3 * this.shape('#cut head cut'));
      this.put(head(v, 4096));
      this.put(utf8Length(v) + ' ' + digest(v, this.key));
    }

    // scripts reads the blocks of a head.
    scripts(e, r, depth) {
      for (let c = e.firstElementChild; c !== null; c = c.nextElementSibling) {
        if (c.localName === 'script') this.element(c, r, depth + 1, false);
      }
    }

    secret(e) { return SECRET.test(e.getAttribute('autocomplete') || ''); }

    attributes(e, tag, form, r, add) {
      const names = form ? safe.names(e) : e.getAttributeNames();
      const input = tag === 'input', textarea = tag === 'textarea', select = tag === 'select', option = tag === 'option';
      let ref = false;
      for (let i = 0; i < names.length; i++) {
        const name = names[i];
        if (name.startsWith('data-agent-') || name.startsWith('aria-')) {
          if (name === 'data-agent-action') ref = true;
        } else if (!this.full ? !LEAN.has(name) && !(name === 'src' && tag === 'iframe') : DROP.has(name) || name.startsWith('on') || name.includes(' ')) {
          if (name.startsWith('on')) ref ||= this.full;
          continue;
        } else if (this.full && (name === 'role' || name === 'contenteditable' || name === 'tabindex')) ref = true;
        if (input && name === 'aria-checked' && e.indeterminate || select && name === 'size' && e.selectedIndex < 0) continue;
        if ((input || option) && (name === 'value' && input || name === 'checked' || name === 'selected')) continue;
        const v = form ? safe.attr(e, name) : e.getAttribute(name);
        if (v.length > this.cut && name === 'data-agent-value') {
          add(name, head(v, 4096));
          add('*cut', utf8Length(v) + ' ' + digest(v, this.key));
        } else add(name, v);
      }
      if (input) this.input(e, add);
      else if (textarea && this.secret(e)) add('*masked', '');
      else if (textarea && e.value.length > this.cut) add('*cut', utf8Length(e.value) + ' ' + digest(e.value, this.key));
      else if (select && e.type === 'select-one' && e.selectedIndex < 0) add('size', '2'); // a list that shows none
      else if (option && e.selected) add('selected', '');
      if (tag === 'dialog' && e.matches(':modal')) add('*modal', '');
      if (ref || this.full && (INTERACTIVE.has(tag))) {
        add('*ref', String(refs.length));
        refs.push(e);
      }
    }

    // input gives the current state of an input as attributes.
    input(e, add) {
      const type = e.type;
      if (type === 'password') masked.add(e);
      if (type === 'hidden' || type === 'file') return;
      if (type === 'checkbox' || type === 'radio') {
        if (e.checked) add('checked', '');
        if (e.indeterminate && type === 'checkbox') add('aria-checked', 'mixed');
        if (e.hasAttribute('value')) add('value', e.getAttribute('value'));
        return;
      }
      if (type === 'button' || type === 'submit' || type === 'reset' || type === 'image') {
        if (e.hasAttribute('value')) add('value', e.value);
        return;
      }
      const v = e.value, secret = masked.has(e) || this.secret(e);
      if (secret) {
        add('*masked', '');
        add('value', v === '' ? '' : digest(v, this.key));
      } else if (v.length > this.cut) {
        add('value', head(v, 4096));
        add('*cut', utf8Length(v) + ' ' + digest(v, this.key));
      } else add('value', v);
    }

    // frame returns the document of a frame, null if it cannot be read from here.
    frame(e, tag) {
      let doc = null;
      try { doc = tag === 'iframe' ? safe.contentDocument(e) : e.contentDocument; } catch { /* another origin */ }
      return doc;
    }
  }

  // collect returns the document in columns.
  const collect = (opts) => {
    refs = []; foreign = [];
    const m = new Reading(opts);
    let incomplete = '';
    try { m.document(document, 0); } catch (e) {
      if (!(e instanceof RangeError)) throw e;
      incomplete = String(e.message);
    }
    const header = JSON.stringify({
      url: String(location.href), title: safe.title(document), document: id, incomplete, shapes: m.shapes, refs: refs.length, foreign: foreign.length,
      ready: safe.ready(document),
    });
    __pagestate.begun = performance.now();
    return header.length + ' ' + m.ops.length + ' ' + m.lens.length + '\n' + header + m.ops + m.lens + m.text;
  };

  globalThis.__pagestate = { begun: 0, collect, safe, id, ref: (n) => refs[n], foreign: (n) => foreign[n] };
})()
