// The collector reads a document and hands it over in columns. It is evaluated in
// an isolated world, whose globals and prototypes no page script can reach. What a
// page can still do there is give elements names that forms, documents and windows
// take for their own properties, so those are read through getters taken from the
// prototypes.
//
// What it hands over is one string, whole or as what differs from the last one: the lengths of four parts, and the parts.
//
//   header  JSON: page, shapes, what could not be read
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
  const { Numbers, digest, utf8Length, head, common } = globalThis.__pagestate_text;
  const READ = 'pagestate:read', EXPOSURE = 'pagestate:exposure';
  // ofTools reports whether an answer is a provider's: it does not annotate the page.
  const ofTools = (answer) => answer.startsWith('{"provider":');
  const MAX_DEPTH = 1900, MAX_TEXT = 96 << 20, MAX_OPS = 32 << 20;

  const getter = (proto, name) => {
    const get = Object.getOwnPropertyDescriptor(proto, name).get;
    return (o) => Reflect.apply(get, o, []);
  };
  const safe = {
    firstElement: getter(Element.prototype, 'firstElementChild'), nextElement: getter(Element.prototype, 'nextElementSibling'),
    text: getter(Node.prototype, 'textContent'), first: getter(Node.prototype, 'firstChild'), next: getter(Node.prototype, 'nextSibling'),
    parent: getter(Node.prototype, 'parentNode'), connected: getter(Node.prototype, 'isConnected'),
    shadow: getter(Element.prototype, 'shadowRoot'), root: getter(Document.prototype, 'documentElement'),
    view: getter(Document.prototype, 'defaultView'), url: getter(Document.prototype, 'URL'), ready: getter(Document.prototype, 'readyState'), title: getter(Document.prototype, 'title'),
    contentDocument: getter(HTMLIFrameElement.prototype, 'contentDocument'),
    names: (e) => Reflect.apply(Element.prototype.getAttributeNames, e, []),
    attr: (e, name) => Reflect.apply(Element.prototype.getAttribute, e, [name]),
    has: (e, name) => Reflect.apply(Element.prototype.hasAttribute, e, [name]),
    all: (e, sel) => Reflect.apply(Element.prototype.querySelectorAll, e, [sel]),
    find: (d, sel) => Reflect.apply(Document.prototype.querySelector, d, [sel]),
  };

  // onItsWay reports whether the document in a frame is not whole yet: it is being
  // parsed, or what is there is the empty one that each frame begins with.
  const onItsWay = (e, doc) => safe.ready(doc) === 'loading' ||
    safe.url(doc) === 'about:blank' && !e.hasAttribute('srcdoc') && /^https?:/.test(e.src) && safe.text(safe.root(doc) || doc) === '';

  // What lasts as long as the document.
  const secrets = globalThis.__pagestate_secrets; // controls that have been password fields
  const id = [...crypto.getRandomValues(new Uint32Array(4))].map((n) => n.toString(16).padStart(8, '0')).join('');
  let refs = [];     // elements that actions stand for, by number
  const closed = new WeakSet(), looked = new WeakSet(); // elements with a closed shadow root, and those that were asked for one
  let unknown = [], asked = 0; // elements to be asked, and how many have been
  const MAX_ASKED = 64;
  let regions = [];  // scopes and frames, by number
  let foreign = [];  // frames whose documents cannot be read from here

  // Attributes that annotated pages are read by. data-agent- and aria- ones are as well.
  const LEAN = new Set(['id', 'for', 'role', 'type', 'name', 'value', 'title', 'alt', 'placeholder', 'hidden', 'open', 'disabled',
    'readonly', 'inert', 'autocomplete', 'checked', 'selected', 'multiple', 'size', 'min', 'max', 'step', 'contenteditable', 'colspan', 'rowspan',
    'scope', 'slot', 'popover', 'data-value']);
  const DROP = new Set(['style', 'srcset', 'sizes', 'nonce', 'integrity', 'srcdoc']);
  const SECRET = /(^|\s)(one-time-code|cc-\S+|\S*-password)(\s|$)/i;
  const NONE = [];
  const BLANK = /^[ \t\n\r\f]*$/;
  // Elements whose text says what something is or holds.
  const SAID = new Set(['label', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'caption', 'legend', 'th', 'td', 'option']);
  const RARE = new Set(['script', 'style', 'template', 'noscript', 'title', 'base', 'link', 'meta', 'head', 'pre', 'listing', 'xmp', 'plaintext']);
  const HOSTS = new Set(['article', 'aside', 'blockquote', 'body', 'div', 'footer', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'header', 'main', 'nav', 'p',
    'section', 'span']);
  // Elements with a state that is not in their attributes, and the attributes of it.
  const STATEFUL = new Set(['input', 'textarea', 'select', 'option', 'dialog', 'iframe']);
  const CURRENT = new Set(['value', 'checked', 'selected', 'aria-checked', 'size']);
  const moved = (e, tag, name) => {
    switch (name) {
      case 'value': return tag === 'input';
      case 'checked': return tag === 'input';
      case 'selected': return tag === 'option';
      case 'aria-checked': return tag === 'input' && e.indeterminate;
      case 'size': return tag === 'select' && e.selectedIndex < 0;
    }
    return false;
  };
  const KEPT = 1, ACTS = 2, SAYS = 4, CUTS = 8, MOVES = 16, SHARED = 32, NAMES = 64, REGION = 128, MAX_VALUES = 64, MAX_VALUED = 4096;
  // Attributes whose values many elements share, and those that only name an element.
  const COMMON = new Set(['data-agent-field', 'data-agent-action', 'data-agent-description', 'data-agent-kind', 'data-agent-params', 'type', 'role', 'autocomplete',
    'class', 'colspan', 'scope', 'itemprop', 'itemtype', 'step', 'min', 'max']);
  const LABELS = new Set(['aria-label', 'title', 'placeholder']);
  const INTERACTIVE = new Set(['a', 'button', 'input', 'select', 'textarea', 'option', 'form', 'summary', 'label', 'area', 'details']);
  const ANNOTATED = '[data-agent-scope],[data-agent-record],[data-agent-field],[data-agent-action],script[data-agent-exposure]';

  const { styled, letters, ALL } = globalThis.__pagestate_styles, { covered } = globalThis.__pagestate_cover;

  // flagsOf returns the letters of the elements that have a style of their own, null if
  // any may have.
  const flagsOf = (styles, styleOf) => {
    if (styles === null) return null;
    const flags = new Map();
    for (const e of styles.set) flags.set(e, letters(styleOf(e), styles.asked));
    return flags;
  };

  // Rows that have not changed are not read again. A row is an element that lists are
  // made of; what was written for it is kept until something in it is mutated, which an
  // observer tells, or moved in, or has another style. States of controls and shadow
  // roots, which no observer tells of, are looked at each time.
  let rows = new WeakMap(), generation = 0, sign = '', styleOf = new Map(), observer = null;
  const ROWS = 'li,tr,article,[data-agent-record]', MAX_RECORDS = 2000;
  const forget = (n) => {
    for (; n !== null; n = safe.parent(n)) if (rows.delete(n)) return;
  };
  const note = (list) => {
    if (list.length > MAX_RECORDS) { rows = new WeakMap(); return; }
    for (const m of list) {
      forget(m.target);
      for (const n of m.addedNodes) {
        rows.delete(n); // it may have changed while it was nowhere
        if (n instanceof Element) for (const inner of safe.all(n, ROWS)) rows.delete(inner);
      }
    }
  };
  // reusable makes ready for a reading that reuses rows, and reports whether one can.
  const reusable = (reading, styles, flags, doc) => {
    if (observer === null) {
      observer = new MutationObserver(note);
      observer.observe(doc, { subtree: true, childList: true, attributes: true, characterData: true });
    }
    note(observer.takeRecords());
    const now = styles === null ? '' : JSON.stringify([styles.sign, reading.full, reading.named, reading.referred, reading.cut, reading.key]);
    if (styles === null || now !== sign || reading.fresh || shapes === null || shapes.list.length > MAX_SHAPES) {
      rows = new WeakMap();
      generation++;
      shapes = null;
    } else {
      for (const [e, s] of flags) if (styleOf.get(e) !== s) forget(e);
      for (const e of styleOf.keys()) if (!flags.has(e)) forget(e);
    }
    sign = now;
    styleOf = flags || new Map();
    shapes ??= newShapes();
    reading.begin(shapes);
    return styles !== null;
  };
  // Shapes last as long as rows do: the numbers of shapes are part of what is kept.
  const MAX_SHAPES = 4096;
  let shapes = null;
  const newShapes = () => ({ list: [], top: { next: new Map(), values: null, key: [], number: -1 }, names: new Map(), tags: new Map(), valued: 0 });
  const stateOf = (e) => {
    switch (e.localName) {
      case 'input': {
        const type = e.type;
        return type === 'checkbox' || type === 'radio' ? (e.checked ? 'c' : '') + (e.indeterminate ? 'i' : '') : e.value;
      }
      case 'select': {
        let s = e.selectedIndex + ':';
        if (e.multiple) for (const o of e.options) s += o.selected ? '1' : '0';
        return s;
      }
      case 'textarea': return e.value;
    }
    return '';
  };

  class Reading {
    constructor(opts) {
      this.cut = opts.cut || Infinity;
      this.key = opts.key;
      this.infer = opts.infer;
      this.full = true;
      this.ops = new Numbers(); this.lens = new Numbers(); this.texts = []; this.size = 0;
      this.careful = opts.careful || false;
      this.fresh = opts.since === 0;
      this.values = []; this.shapes = [];
      this.secrets = secrets;
      this.coming = 0; // documents in frames that are being parsed
      this.row = null; this.plain = true; // the row being read, and that it can be kept
    }

    // begin takes the shapes, once it is known whether they can be those of before.
    begin(shapes) {
      this.store = shapes;
      this.shapes = shapes.list; this.top = shapes.top; this.names = shapes.names; this.tags = shapes.tags;
      this.shape = this.top;
      this.form = this.kind('form');
    }

    op(n) {
      this.ops.put(n);
      if (this.ops.length > MAX_OPS) throw new RangeError('too many elements');
    }

    put(v) {
      if (this.careful && !v.isWellFormed()) { // as JSON, which keeps halves of pairs
        v = JSON.stringify(v);
        this.lens.put(v.length * 2 + 1);
      } else this.lens.put(v.length * 2);
      this.texts.push(v);
      if ((this.size += v.length) > MAX_TEXT) throw new RangeError('too much text');
    }

    // step goes from a shape to the same with one name more. Shapes are a tree, so
    // that no names are joined but once for each shape.
    step(node, name) {
      let n = node.next.get(name);
      if (n === undefined) {
        n = { next: new Map(), values: null, key: [...node.key, name], number: -1 };
        node.next.set(name, n);
      }
      return n;
    }

    // same goes from a shape to the same with an attribute and its value, for values
    // that many elements have. null if there are too many.
    same(node, name, value) {
      node.values ??= new Map();
      let next = node.values.get(name);
      if (next === undefined) node.values.set(name, next = new Map());
      let n = next.get(value);
      if (n === undefined) {
        if (value.length > 1024 || next.size >= MAX_VALUES || ++this.store.valued > MAX_VALUED) return null;
        n = { next: new Map(), values: null, key: [...node.key, [name, value]], number: -1 };
        next.set(value, n);
      }
      return n;
    }

    // number gives a shape its number, once something has it.
    number(node) {
      if (node.number < 0) {
        node.number = this.shapes.length;
        this.shapes.push(node.key);
      }
      return node.number;
    }

    // kind is what a tag says of an element.
    kind(tag) {
      let k = this.tags.get(tag);
      if (k === undefined) {
        k = { tag, shape: this.step(this.top, tag), rare: RARE.has(tag), row: tag === 'li' || tag === 'tr' || tag === 'article', said: SAID.has(tag), acts: INTERACTIVE.has(tag),
          frame: tag === 'iframe' || tag === 'frame', raw: tag === 'textarea' || tag === 'script',
          host: HOSTS.has(tag) || tag.includes('-'), custom: tag.includes('-') && !tag.startsWith('svg:'), input: tag === 'input', state: STATEFUL.has(tag) };
        this.tags.set(tag, k);
      }
      return k;
    }

    // use is what is done with attributes of a name: a sum of the bits below.
    use(name) {
      let u = this.names.get(name);
      if (u === undefined) {
        u = this.keeps(name) ? KEPT : 0;
        if (name === 'data-agent-action') u |= ACTS | SAYS;
        if (name === 'data-agent-field' || name === 'role' || name === 'id' && this.referred) u |= SAYS;
        if (this.full && (name === 'role' || name === 'contenteditable' || name === 'tabindex' || name.startsWith('on'))) u |= ACTS;
        if (name === 'data-agent-scope') u |= REGION;
        if (name === 'data-agent-value') u |= CUTS;
        if (CURRENT.has(name)) u |= MOVES;
        if (COMMON.has(name)) u |= SHARED;
        if (LABELS.has(name)) u |= NAMES;
        this.names.set(name, u);
      }
      return u;
    }

    keeps(name) {
      if (name.startsWith('data-agent-') || name.startsWith('aria-')) return true;
      if (!this.full) return LEAN.has(name) && (name !== 'id' || this.named);
      return !DROP.has(name) && !name.startsWith('on') && !name.startsWith('*') && !name.includes(' ');
    }

    // fixed is the number of a shape of ours.
    fixed(key) {
      let node = this.top;
      for (const name of key.split(' ')) node = this.step(node, name);
      return this.number(node);
    }

    // document reads a document whose root element is to be a child of what is open.
    document(doc, depth) {
      const view = safe.view(doc);
      const answers = this.ask(view);
      if (depth === 0) {
        this.full = this.infer || answers.every(ofTools) && !safe.find(doc, ANNOTATED);
        this.referred = this.named = false;
      }
      this.named ||= this.full || safe.find(doc, '[aria-labelledby],label[for],iframe,frame,slot') !== null;
      this.referred ||= this.named && safe.find(doc, '[aria-labelledby]') !== null;
      const root = safe.root(doc);
      if (!root) return;
      const r = { doc, view, Form: view.HTMLFormElement, Text: view.Text, Element: view.Element, HTMLElement: view.HTMLElement,
        style: view.getComputedStyle.bind(view), flags: null, answers, light: null };
      const styles = styled(doc, view);
      r.flags = flagsOf(styles, r.style);
      r.top = false;
      if (depth === 0 && this.careful) this.begin(newShapes());
      else if (depth === 0) r.top = reusable(this, styles, r.flags, doc);
      const around = this.secrets;
      this.secrets = view.__pagestate_secrets || secrets; // each document is watched by its own
      this.element(root, r, depth, true, false, this.full);
      this.secrets = around;
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
    // rendered, so that its style means something; pre that blanks are kept around it;
    // said that its text may be read.
    element(e, r, depth, shown, pre, said) {
      if (depth > MAX_DEPTH) throw new RangeError('too deep');
      const form = e instanceof r.Form;
      const kind = form ? this.form : e instanceof r.HTMLElement ? this.kind(e.localName) : this.kind('svg:' + e.localName);
      if (kind.rare) {
        switch (kind.tag) {
          case 'script': if (!e.hasAttribute('data-agent-exposure')) return; break;
          case 'style': case 'template': case 'noscript': case 'title': case 'base': return;
          case 'link': case 'meta': if (!this.full || !e.hasAttribute('itemprop')) return; break;
          case 'head': this.scripts(e, r, depth); return;
          case 'pre': case 'listing': case 'xmp': case 'plaintext': pre = true; break;
        }
      }
      if (r.top && this.row === null && (kind.row || !this.full && (form ? safe.has(e, 'data-agent-record') : e.hasAttribute('data-agent-record')))) {
        this.keep(e, kind, form, r, depth, shown, pre, said);
      } else this.write(e, kind, form, r, depth, shown, pre, said);
    }

    // keep writes a row, as it was kept if it can be.
    keep(e, kind, form, r, depth, shown, pre, said) {
      const bits = (shown ? 1 : 0) | (pre ? 2 : 0) | (said ? 4 : 0);
      const old = rows.get(e);
      if (old !== undefined && old.bits === bits && old.generation === generation && this.still(old)) {
        this.ops.add(old.ops);
        this.lens.add(old.lens);
        this.texts.push(old.text);
        if ((this.size += old.text.length) > MAX_TEXT) throw new RangeError('too much text');
        for (let i = 0; i < old.refs.length; i++) refs.push(old.refs[i]);
        for (let i = 0; i < old.regions.length; i++) regions.push(old.regions[i]);
        return;
      }
      const row = this.row = { bits, generation, ops: this.ops.length, lens: this.lens.length, text: this.texts.length, refs: refs.length, regions: regions.length,
        controls: [], states: [], hosts: [] };
      this.plain = true;
      this.write(e, kind, form, r, depth, shown, pre, said);
      this.row = null;
      if (!this.plain) { rows.delete(e); return; }
      row.ops = this.ops.since(row.ops);
      row.lens = this.lens.since(row.lens);
      row.text = this.texts.splice(row.text).join('');
      this.texts.push(row.text);
      row.refs = refs.slice(row.refs);
      row.regions = regions.slice(row.regions);
      rows.set(e, row);
    }

    // still reports whether what no observer tells of is as it was.
    still(row) {
      for (let i = 0; i < row.controls.length; i++) if (stateOf(row.controls[i]) !== row.states[i]) return false;
      for (let i = 0; i < row.hosts.length; i++) if (row.hosts[i].shadowRoot !== null) return false;
      return true;
    }

    // write writes an element and what is in it.
    write(e, kind, form, r, depth, shown, pre, said) {
      // The shape: tag, style, attribute names. Ours begin with "*".
      const tag = kind.tag;
      if (this.row !== null) {
        if (kind.custom || kind.frame || tag === 'dialog' || tag === 'slot') this.plain = false;
        else if (kind.host) this.row.hosts.push(e);
        if (kind.input || tag === 'select' || tag === 'textarea') {
          this.row.controls.push(e);
          this.row.states.push(stateOf(e));
        }
      }
      this.shape = kind.shape;
      this.values.length = 0;
      let dotted = false; // its text shows as dots
      if (shown) {
        const flags = r.flags === null ? letters(r.style(e), ALL) : r.flags.get(e);
        if (flags !== undefined) {
          const last = flags[flags.length - 1];
          shown = flags[0] !== 'n';
          if (last === 'w' || last === 'l' || last === 'p') pre = last !== 'w';
          dotted = flags.includes('d');
          this.shape = this.step(this.shape, '*' + flags);
        }
      }
      let doc = null;
      if (kind.frame && shown) {
        doc = this.frame(e, tag);
        if (doc) {
          const way = onItsWay(e, doc);
          if (way && safe.ready(doc) === 'loading') this.coming++;
          this.add('*frame', way ? 'coming' : '');
        }
        else { this.add('*foreign', String(foreign.length)); foreign.push(e); }
      }
      if (kind.custom && closed.has(e)) this.add('*closed', '');
      said = this.attributes(e, kind, form, dotted) || said || kind.said;
      const answers = r.answers.length && e === safe.root(r.doc) ? r.answers : null;
      const at = 2 + 3 * this.number(this.shape);
      if (kind.frame) {
        if (!doc) { this.open(at); return; }
        this.open(at + 1);
        this.document(doc, depth + 1);
        this.op(0);
        return;
      }
      if (kind.raw) {
        let text = tag === 'script' ? e.textContent : e.value;
        if (text === '') { this.open(at); return; }
        if (tag === 'textarea') text = dotted || this.secret(e) ? digest(text, this.key) : text.length > this.cut ? head(text, 4096) : text;
        this.open(at + 2);
        this.put(text);
        return;
      }
      const given = r.light !== null && tag === 'slot' ? e.assignedNodes() : NONE;
      const shadow = kind.host ? e.shadowRoot : null;
      if (kind.custom && shadow === null && !looked.has(e) && asked + unknown.length < MAX_ASKED) unknown.push(e);
      const first = form ? safe.firstElement(e) : e.firstElementChild;
      if (first === null && !shadow && !answers && given.length === 0) {
        const text = said ? form ? safe.text(e) : e.textContent : '';
        if (text === '') { this.open(at); return; }
        if (text.length <= this.cut) {
          this.open(at + 2);
          this.put(text);
          return;
        }
      }
      this.open(at + 1);
      if (shadow) {
        this.op(2 + 3 * this.fixed('template shadowrootmode') + 1);
        this.put('open');
        const inner = { ...r, flags: flagsOf(styled(shadow, r.view), r.style), answers: [], top: false,
          light: shadow.slotAssignment === 'manual' ? r : null };
        this.plain = false;
        if (said) this.children(shadow.firstChild, inner, depth + 2, shown, pre);
        else this.elements(shadow.firstElementChild, inner, depth + 2, shown, pre);
        this.op(0);
      }
      if (shadow && shadow.slotAssignment === 'manual') { /* its slots have what is shown of them */ }
      else if (given.length > 0) for (const c of given) this.child(c, r.light, depth + 1, shown, pre);
      else if (said) this.children(form ? safe.first(e) : e.firstChild, r, depth + 1, shown, pre);
      else this.elements(first, r, depth + 1, shown, pre);
      if (answers) {
        for (const a of answers) {
          this.op(2 + 3 * this.fixed('script type data-agent-exposure *code') + 2);
          this.put('application/json'); this.put(ofTools(a) ? 'tools' : ''); this.put('code'); this.put(a);
        }
      }
      this.op(0);
    }

    // add adds an attribute to the shape and value that are being made.
    add(name, value) {
      this.shape = this.step(this.shape, name);
      this.values.push(value);
    }

    // open writes the op of an element and its attribute values.
    open(at) {
      this.op(at);
      for (let i = 0; i < this.values.length; i++) this.put(this.values[i]);
    }

    children(c, r, depth, shown, pre) {
      for (let next; c !== null; c = next) {
        next = safe.next(c);
        this.child(c, r, depth, shown, pre);
      }
    }

    child(c, r, depth, shown, pre) {
      if (c instanceof r.Text) {
        const text = c.data;
        if (!pre && BLANK.test(text)) { if (text !== '') { this.op(1); this.put(' '); } }
        else this.textNode(text);
      } else if (c instanceof r.Element) this.element(c, r, depth, shown, pre, true);
    }

    // elements is children without the texts, which nobody reads there.
    elements(c, r, depth, shown, pre) {
      const { Form } = r;
      for (let next; c !== null; c = next) {
        next = c instanceof Form ? safe.nextElement(c) : c.nextElementSibling;
        this.element(c, r, depth, shown, pre, false);
      }
    }

    textNode(v) {
      if (v.length <= this.cut) { this.op(1); this.put(v); return; }
      this.op(2 + 3 * this.fixed('#cut head cut'));
      this.put(head(v, 4096));
      this.put(utf8Length(v) + ' ' + digest(v, this.key));
    }

    // scripts reads the blocks of a head.
    scripts(e, r, depth) {
      for (let c = e.firstElementChild; c !== null; c = c.nextElementSibling) {
        if (c.localName === 'script') this.element(c, r, depth + 1, false, false, false);
      }
    }

    secret(e) { return SECRET.test(e.getAttribute('autocomplete') || ''); }

    // attributes adds the attributes of an element, and reports whether one makes its
    // text be read.
    attributes(e, kind, form, dotted) {
      const names = form ? safe.names(e) : e.getAttributeNames();
      let all = 0;
      for (let i = 0; i < names.length; i++) all |= this.use(names[i]);
      const unnamed = kind.input && (all & ACTS) === 0 && !this.full && !this.referred;
      for (let i = 0; i < names.length; i++) {
        const name = names[i], use = this.use(name);
        if ((use & KEPT) === 0 || unnamed && (use & NAMES) !== 0 || (use & MOVES) !== 0 && kind.state && moved(e, kind.tag, name)) continue;
        const v = form ? safe.attr(e, name) : e.getAttribute(name);
        if ((use & SHARED) !== 0) {
          const shape = this.same(this.shape, name, v);
          if (shape !== null) { this.shape = shape; continue; }
        }
        if ((use & CUTS) !== 0 && v.length > this.cut) {
          this.add(name, head(v, 4096));
          this.add('*cut', utf8Length(v) + ' ' + digest(v, this.key));
        } else this.add(name, v);
      }
      if (kind.frame || (all & REGION) !== 0) regions.push(e);
      if (kind.input) this.input(e, dotted);
      else if (kind.state) this.state(e, kind.tag, dotted);
      if ((all & ACTS) !== 0 || this.full && kind.acts) {
        this.shape = this.step(this.shape, '*ref'); // they are counted
        refs.push(e);
      }
      return (all & SAYS) !== 0;
    }

    // state gives the current state of controls other than inputs.
    state(e, tag, dotted) {
      switch (tag) {
        case 'textarea':
          if (dotted || this.secret(e)) this.add('*masked', '');
          else if (e.value.length > this.cut) this.add('*cut', utf8Length(e.value) + ' ' + digest(e.value, this.key));
          break;
        case 'select': if (e.type === 'select-one' && e.selectedIndex < 0) this.add('size', '2'); break; // a list that shows none
        case 'option': if (e.selected) this.add('selected', ''); break;
        case 'dialog': if (e.matches(':modal')) this.add('*modal', ''); break;
        case 'iframe': if (!this.full && e.hasAttribute('src')) this.add('src', e.getAttribute('src')); break;
      }
    }

    // input gives the current state of an input as attributes.
    input(e, dotted) {
      const type = e.type;
      if (type === 'password') this.secrets.add(e);
      if (type === 'hidden' || type === 'file') return;
      if (type === 'checkbox' || type === 'radio') {
        if (e.checked) this.add('checked', '');
        if (e.indeterminate && type === 'checkbox') this.add('aria-checked', 'mixed');
        if (e.hasAttribute('value')) this.add('value', e.getAttribute('value'));
        return;
      }
      if (type === 'button' || type === 'submit' || type === 'reset' || type === 'image') {
        if (e.hasAttribute('value')) this.add('value', e.value);
        return;
      }
      const v = e.value, secret = this.secrets.has(e) || this.secret(e) || dotted;
      if (secret) {
        this.add('*masked', '');
        this.add('value', v === '' ? '' : digest(v, this.key));
      } else if (v.length > this.cut) {
        this.add('value', head(v, 4096));
        this.add('*cut', utf8Length(v) + ' ' + digest(v, this.key));
      } else this.add('value', v);
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
    refs = []; regions = []; foreign = []; unknown = [];
    const m = new Reading(opts);
    let incomplete = '';
    try { m.document(document, 0); } catch (e) {
      if (!(e instanceof RangeError)) throw e;
      incomplete = String(e.message);
    }
    const parts = [m.ops.toString(), m.lens.toString(), m.texts.join('')];
    if (!m.careful && !parts[2].isWellFormed()) return collect({ ...opts, careful: true });
    const before = last;
    last = { number: ++readings, parts };
    let delta = null, sent = parts;
    if (before !== null && before.number === opts.since) {
      delta = parts.map((p, i) => common(before.parts[i], p));
      sent = parts.map((p, i) => p.slice(delta[i][0], p.length - delta[i][1]));
    }
    const header = JSON.stringify({
      url: String(location.href), title: safe.title(document), document: id, incomplete, shapes: m.shapes, refs: refs.length, foreign: foreign.length,
      ready: safe.ready(document), unknown: unknown.length, covered: covered(regions), coming: m.coming, number: last.number, delta,
    });
    __pagestate.begun = performance.now();
    return header.length + ' ' + sent[0].length + ' ' + sent[1].length + '\n' + header + sent.join('');
  };

  // What was handed over last: of what is much like it, only the middle is handed over,
  // with the lengths of what is the same in front and behind.
  let last = null, readings = 0;
  const told = (n, isClosed) => {
    asked++;
    looked.add(unknown[n]);
    if (isClosed) closed.add(unknown[n]);
    return isClosed;
  };

  globalThis.__pagestate = { told, unknown: (n) => unknown[n], begun: 0, collect, safe, id, ref: (n) => refs[n], foreign: (n) => foreign[n] };
})()
