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
  const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
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
    view: getter(Document.prototype, 'defaultView'), ready: getter(Document.prototype, 'readyState'), title: getter(Document.prototype, 'title'),
    contentDocument: getter(HTMLIFrameElement.prototype, 'contentDocument'),
    names: (e) => Reflect.apply(Element.prototype.getAttributeNames, e, []),
    attr: (e, name) => Reflect.apply(Element.prototype.getAttribute, e, [name]),
    has: (e, name) => Reflect.apply(Element.prototype.hasAttribute, e, [name]),
    find: (d, sel) => Reflect.apply(Document.prototype.querySelector, d, [sel]),
  };

  // Numbers is a list of numbers as text.
  const CODES = new TextEncoder().encode(DIGITS), latin1 = new TextDecoder('latin1');
  class Numbers {
    constructor() { this.bytes = new Uint8Array(4096); this.length = 0; }
    put(n) {
      if (this.length + 8 > this.bytes.length) {
        const larger = new Uint8Array(this.bytes.length * 2);
        larger.set(this.bytes);
        this.bytes = larger;
      }
      for (; n >= 32; n = n / 32 | 0) this.bytes[this.length++] = CODES[n & 31 | 32];
      this.bytes[this.length++] = CODES[n];
    }
    toString() { return latin1.decode(this.bytes.subarray(0, this.length)); }
  }

  // digest is Chaskey with 12 rounds (Mouha et al., 2014), a keyed 128-bit code of
  // 32-bit operations, over the UTF-16 units of text.
  const digest = (text, key) => {
    const [k0, k1, k2, k3] = key, n = text.length;
    let a = k0, b = k1, c = k2, d = k3;
    // The length goes first, so that the last block needs no mark.
    for (let i = -8; i < n; i += 8) {
      if (i < 0) a ^= n;
      else if (i + 8 <= n) {
        a ^= text.charCodeAt(i) | text.charCodeAt(i + 1) << 16;
        b ^= text.charCodeAt(i + 2) | text.charCodeAt(i + 3) << 16;
        c ^= text.charCodeAt(i + 4) | text.charCodeAt(i + 5) << 16;
        d ^= text.charCodeAt(i + 6) | text.charCodeAt(i + 7) << 16;
      } else {
        const rest = [0, 0, 0, 0];
        for (let j = 0; i + j < n; j++) rest[j >> 1] |= text.charCodeAt(i + j) << 16 * (j & 1);
        a ^= rest[0]; b ^= rest[1]; c ^= rest[2]; d ^= rest[3];
      }
      if (i + 8 >= n) { a ^= k0; b ^= k1; c ^= k2; d ^= k3; }
      for (let r = 0; r < 12; r++) {
        a = a + b | 0; b = b << 5 | b >>> 27; b ^= a; a = a << 16 | a >>> 16;
        c = c + d | 0; d = d << 8 | d >>> 24; d ^= c;
        a = a + d | 0; d = d << 13 | d >>> 19; d ^= a;
        c = c + b | 0; b = b << 7 | b >>> 25; b ^= c; c = c << 16 | c >>> 16;
      }
    }
    let out = '';
    for (const w of [a ^ k0, b ^ k1, c ^ k2, d ^ k3]) out += (w >>> 0).toString(16).padStart(8, '0');
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
  const closed = new WeakSet(), looked = new WeakSet(); // elements with a closed shadow root, and those that were asked for one
  let unknown = []; // elements to be asked
  const MAX_UNKNOWN = 32;
  let foreign = [];  // frames whose documents cannot be read from here

  // Attributes that annotated pages are read by. data-agent- and aria- ones are as well.
  const LEAN = new Set(['id', 'for', 'role', 'type', 'name', 'value', 'title', 'alt', 'placeholder', 'hidden', 'open', 'disabled',
    'readonly', 'inert', 'autocomplete', 'checked', 'selected', 'multiple', 'size', 'min', 'max', 'step', 'contenteditable', 'colspan', 'rowspan',
    'scope', 'slot', 'popover', 'data-value']);
  const DROP = new Set(['style', 'srcset', 'sizes', 'nonce', 'integrity', 'srcdoc']);
  const SECRET = /(^|\s)(one-time-code|cc-\S+|\S*-password)(\s|$)/i;
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
  const KEPT = 1, ACTS = 2, SAYS = 4, CUTS = 8, MOVES = 16, SHARED = 32, NAMES = 64, MAX_VALUES = 64, MAX_VALUED = 4096;
  // Attributes whose values many elements share, and those that only name an element.
  const COMMON = new Set(['data-agent-field', 'data-agent-action', 'data-agent-description', 'data-agent-kind', 'data-agent-params', 'type', 'role', 'autocomplete',
    'class', 'colspan', 'scope', 'itemprop', 'itemtype', 'step', 'min', 'max']);
  const LABELS = new Set(['aria-label', 'title', 'placeholder']);
  const INTERACTIVE = new Set(['a', 'button', 'input', 'select', 'textarea', 'option', 'form', 'summary', 'label', 'area', 'details']);
  const ANNOTATED = '[data-agent-scope],[data-agent-record],[data-agent-field],[data-agent-action],script[data-agent-exposure]';

  const DISPLAY = {
    block: 'b', inline: 'i', 'inline-block': 'i', 'list-item': 'b', 'table-cell': 'c', none: 'n', contents: 'x', flex: 'B', grid: 'B',
    'inline-flex': 'I', 'inline-grid': 'I', table: 'b', 'table-row': 'b', 'table-row-group': 'b', 'table-header-group': 'b',
    'table-footer-group': 'b', 'table-caption': 'b', 'flow-root': 'b', '-webkit-box': 'b', 'inline-table': 'i', ruby: 'i', 'ruby-text': 'i',
    'ruby-base': 'i', '-webkit-inline-box': 'i', math: 'i',
  };

  // styled returns the elements of a document or shadow tree whose style may not be
  // that of their tags: those that a rule about what matters here selects. null means
  // any; it is less work to ask for the style of every element than to find out.
  const MAX_RULES = 2000, MAX_SELECTORS = 40;
  const MATTERS = ['display', 'visibility', 'content-visibility', 'white-space-collapse', 'all'];
  const INLINE = '[style],[popover],svg [display],svg [visibility]';
  const styled = (root, view) => {
    const get = 'defaultView' in root ? documentGet : shadowGet;
    const selectors = [], play = new Array(MATTERS.length).fill(false);
    let rules = 0;
    // scan reports whether the rules are ones that selectors tell all about.
    const scan = (list) => {
      for (let i = 0; i < list.length; i++) {
        if (++rules > MAX_RULES) return false;
        const rule = list[i];
        if (rule instanceof view.CSSStyleRule) {
          const { style } = rule;
          let matters = false;
          for (let k = 0; k < MATTERS.length; k++) {
            if (style.getPropertyValue(MATTERS[k]) !== '') matters = play[k] = true;
          }
          if (rule.cssRules.length) return false; // selectors of nested rules are relative
          if (!matters) continue;
          const text = rule.selectorText;
          if (text.includes('::') && !text.includes(',')) continue; // it styles a part that is no element
          if (/:host|::slotted|::part/.test(text) || selectors.push(text) > MAX_SELECTORS) return false;
        } else if (rule instanceof view.CSSImportRule) {
          if (rule.styleSheet && !scan(rule.styleSheet.cssRules)) return false;
        } else if (rule instanceof view.CSSKeyframesRule) {
          continue; // what is animated is asked for
        } else if (rule instanceof view.CSSScopeRule) {
          return false;
        } else if (rule.cssRules && !scan(rule.cssRules)) return false;
      }
      return true;
    };
    try {
      for (const sheets of [get.sheets(root), get.adopted(root)]) {
        for (const sheet of sheets) if (!sheet.disabled && !scan(sheet.cssRules)) return null;
      }
      const set = new Set(get.all(root, selectors.length ? INLINE + ',' + selectors.join(',') : INLINE));
      let any = play[4];
      for (const e of set) any ||= e.hasAttributes() && e.matches(INLINE);
      for (const a of get.animations(root)) if (a.effect && a.effect.target) { set.add(a.effect.target); any = true; }
      return { has: (e) => set.has(e), visibility: any || play[1], content: any || play[2], space: any || play[3] };
    } catch { return null; } // a sheet of another origin, say
  };
  // get reads documents, which may be clobbered, and shadow roots, which cannot be.
  const documentGet = {
    sheets: getter(Document.prototype, 'styleSheets'), adopted: getter(Document.prototype, 'adoptedStyleSheets'),
    all: (d, sel) => Reflect.apply(Document.prototype.querySelectorAll, d, [sel]),
    animations: (d) => Reflect.apply(Document.prototype.getAnimations, d, []),
  };
  const shadowGet = {
    sheets: (r) => r.styleSheets, adopted: (r) => r.adoptedStyleSheets, all: (r, sel) => r.querySelectorAll(sel), animations: (r) => r.getAnimations(),
  };

  class Reading {
    constructor(opts) {
      this.cut = opts.cut || Infinity;
      this.key = opts.key;
      this.infer = opts.infer;
      this.full = true;
      this.ops = new Numbers(); this.lens = new Numbers(); this.texts = []; this.size = 0;
      this.careful = opts.careful || false;
      this.names = new Map(); this.tags = new Map();
      this.shapes = []; this.top = { next: new Map(), values: null, key: [], number: -1 };
      this.valued = 0;
      this.shape = this.top; this.values = [];
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
        if (value.length > 1024 || next.size >= MAX_VALUES || ++this.valued > MAX_VALUED) return null;
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
        k = { tag, shape: this.step(this.top, tag), rare: RARE.has(tag), said: SAID.has(tag), acts: INTERACTIVE.has(tag),
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
        style: view.getComputedStyle.bind(view), styled: styled(doc, view), answers };
      this.element(root, r, depth, true, false, this.full);
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
      // The shape: tag, style, attribute names. Ours begin with "*".
      const tag = kind.tag;
      this.shape = kind.shape;
      this.values.length = 0;
      if (shown && (r.styled === null || r.styled.has(e))) {
        const style = r.style(e);
        const display = DISPLAY[style.display] || 'b';
        let flags = display;
        if (display === 'n') shown = false;
        if (r.styled === null || r.styled.visibility) flags += style.visibility === 'visible' ? 'v' : 'h';
        if ((r.styled === null || r.styled.content) && style.contentVisibility === 'hidden') flags += 's';
        if (r.styled === null || r.styled.space) {
          const space = style.whiteSpaceCollapse;
          flags += space === 'collapse' ? 'w' : space === 'preserve-breaks' ? 'l' : 'p';
          pre = space !== 'collapse';
        }
        this.shape = this.step(this.shape, '*' + flags);
      }
      let doc = null;
      if (kind.frame && shown) {
        doc = this.frame(e, tag);
        if (doc) this.add('*frame', '');
        else { this.add('*foreign', String(foreign.length)); foreign.push(e); }
      }
      if (kind.custom && closed.has(e)) this.add('*closed', '');
      said = this.attributes(e, kind, form) || said || kind.said;
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
        if (tag === 'textarea') text = this.secret(e) ? digest(text, this.key) : text.length > this.cut ? head(text, 4096) : text;
        this.open(at + 2);
        this.put(text);
        return;
      }
      const shadow = kind.host ? e.shadowRoot : null;
      if (kind.custom && shadow === null && !looked.has(e) && unknown.length < MAX_UNKNOWN) unknown.push(e);
      const first = form ? safe.firstElement(e) : e.firstElementChild;
      if (first === null && !shadow && !answers) {
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
        const inner = { ...r, styled: styled(shadow, r.view), answers: [] };
        if (said) this.children(shadow.firstChild, inner, depth + 2, shown, pre);
        else this.elements(shadow.firstElementChild, inner, depth + 2, shown, pre);
        this.op(0);
      }
      if (said) this.children(form ? safe.first(e) : e.firstChild, r, depth + 1, shown, pre);
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
      const { Text, Element } = r;
      for (let next; c !== null; c = next) {
        next = safe.next(c);
        if (c instanceof Text) {
          const text = c.data;
          if (!pre && BLANK.test(text)) { if (text !== '') { this.op(1); this.put(' '); } }
          else this.textNode(text);
        } else if (c instanceof Element) this.element(c, r, depth, shown, pre, true);
      }
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
    attributes(e, kind, form) {
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
      if (kind.input) this.input(e);
      else if (kind.state) this.state(e, kind.tag);
      if ((all & ACTS) !== 0 || this.full && kind.acts) {
        this.shape = this.step(this.shape, '*ref'); // they are counted
        refs.push(e);
      }
      return (all & SAYS) !== 0;
    }

    // state gives the current state of controls other than inputs.
    state(e, tag) {
      switch (tag) {
        case 'textarea':
          if (this.secret(e)) this.add('*masked', '');
          else if (e.value.length > this.cut) this.add('*cut', utf8Length(e.value) + ' ' + digest(e.value, this.key));
          break;
        case 'select': if (e.type === 'select-one' && e.selectedIndex < 0) this.add('size', '2'); break; // a list that shows none
        case 'option': if (e.selected) this.add('selected', ''); break;
        case 'dialog': if (e.matches(':modal')) this.add('*modal', ''); break;
        case 'iframe': if (!this.full && e.hasAttribute('src')) this.add('src', e.getAttribute('src')); break;
      }
    }

    // input gives the current state of an input as attributes.
    input(e) {
      const type = e.type;
      if (type === 'password') masked.add(e);
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
      const v = e.value, secret = masked.has(e) || this.secret(e);
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
    refs = []; foreign = []; unknown = [];
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
      ready: safe.ready(document), unknown: unknown.length, number: last.number, delta,
    });
    __pagestate.begun = performance.now();
    return header.length + ' ' + sent[0].length + ' ' + sent[1].length + '\n' + header + sent.join('');
  };

  // What was handed over last: of what is much like it, only the middle is handed over,
  // with the lengths of what is the same in front and behind.
  let last = null, readings = 0;
  const common = (a, b) => {
    const equal = (m, back) => back ? a.slice(a.length - m) === b.slice(b.length - m) : a.slice(0, m) === b.slice(0, m);
    const longest = (most, back) => {
      if (equal(most, back)) return most;
      let low = 0, high = most; // equal at low, not at high
      while (high - low > 1) {
        const m = (low + high) >> 1;
        if (equal(m, back)) low = m; else high = m;
      }
      return low;
    };
    const inPair = (s, i) => (s.charCodeAt(i) & 0xfc00) === 0xdc00;
    let front = longest(Math.min(a.length, b.length), false);
    if (front > 0 && (inPair(b, front) || inPair(a, front))) front--;
    let back = longest(Math.min(a.length, b.length) - front, true);
    if (back > 0 && (inPair(b, b.length - back) || inPair(a, a.length - back))) back--;
    return [front, back];
  };

  const told = (n, isClosed) => {
    looked.add(unknown[n]);
    if (isClosed) closed.add(unknown[n]);
    return isClosed;
  };

  globalThis.__pagestate = { told, unknown: (n) => unknown[n], begun: 0, collect, safe, id, ref: (n) => refs[n], foreign: (n) => foreign[n] };
})()
