// Shapes: what elements of a tag with certain attributes have in common, and what the
// collector does with them. It is evaluated in front of the collector, in the same
// isolated world.
(() => {
  'use strict';
  if (globalThis.__pagestate_shapes) return;

  // Attributes that annotated pages are read by. aria- ones are as well.
  const LEAN = new Set(['id', 'for', 'role', 'type', 'name', 'value', 'title', 'alt', 'placeholder', 'hidden', 'open', 'disabled',
    'readonly', 'inert', 'autocomplete', 'checked', 'selected', 'multiple', 'size', 'min', 'max', 'step', 'contenteditable', 'colspan', 'rowspan',
    'scope', 'slot', 'popover', 'data-value', 'data-page-agent-ignore', 'data-browser-use-ignore',
    ...['action', 'description', 'exposure', 'field', 'ids', 'ignore', 'kind', 'label', 'offset', 'params', 'record', 'replaces', 'scope',
      'sensitive', 'total', 'unavailable', 'unordered', 'value', 'volatile'].map((name) => 'data-agent-' + name)]);
  const DROP = new Set(['style', 'srcset', 'sizes', 'nonce', 'integrity', 'srcdoc']);
  // Elements whose text says what something is or holds.
  const SAID = new Set(['label', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'caption', 'legend', 'th', 'td', 'option']);
  const RARE = new Set(['script', 'style', 'template', 'noscript', 'title', 'base', 'link', 'meta', 'head', 'pre', 'listing', 'xmp', 'plaintext', 'object', 'embed']);
  const HOSTS = new Set(['article', 'aside', 'blockquote', 'body', 'div', 'footer', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'header', 'main', 'nav', 'p',
    'section', 'span']);
  // Elements with a state that is not in their attributes, and the attributes of it.
  const STATEFUL = new Set(['input', 'textarea', 'select', 'option', 'dialog', 'iframe', 'object', 'embed']);
  const CURRENT = new Set(['value', 'checked', 'selected', 'aria-checked', 'size']);
  // Attributes whose values many elements share, and those that only name an element.
  const COMMON = new Set(['data-agent-field', 'data-agent-action', 'data-agent-description', 'data-agent-kind', 'data-agent-params', 'type', 'role', 'autocomplete',
    'class', 'colspan', 'scope', 'itemprop', 'itemtype', 'step', 'min', 'max']);
  const LABELS = new Set(['aria-label', 'title', 'placeholder']);
  const INTERACTIVE = new Set(['a', 'button', 'input', 'select', 'textarea', 'option', 'form', 'summary', 'label', 'area', 'details']);
  // Tags that are the only ones of their interface.
  const ALONE = new Set(['a', 'button', 'div', 'form', 'img', 'input', 'label', 'li', 'ol', 'option', 'p', 'select', 'span', 'table', 'textarea', 'tr', 'ul']);
  // What attributes are there for. CLASSED is for their classes. The last four are traits
  // of a document: that it is annotated, that elements are named by other places, by
  // aria-labelledby, and that they have styles of their own.
  const KEPT = 1, ACTS = 2, SAYS = 4, CUTS = 8, MOVES = 16, SHARED = 32, NAMES = 64, REGION = 128,
    CLASSED = 8192, ANNOTATED = 256, NAMED = 512, REFERRED = 1024, INLINE = 2048;
  const MAX_VALUES = 64, MAX_VALUED = 4096, MAX_TEXTS = 16, MAX_TOLD = 64;

  // newShape returns a shape without a number: that of the one before and a part more. It
  // remembers the last step and the last name that was asked for, which are mostly the
  // next ones.
  const newShape = (before, part) => ({ before, part, number: -1, next: new Map(), name: null, then: null, all: null, valueName: null, values: null, texts: null, mixed: false });
  // keyOf returns the parts of a shape, the first of which is its tag.
  const keyOf = (shape) => {
    const key = [];
    for (let s = shape; s.before !== null; s = s.before) key.push(s.part);
    return key.reverse();
  };
  const newPlan = () => ({ next: new Map(), name: null, then: null, read: null, uses: null, all: 0 });

  // Shapes are a tree, so that no names are joined but once for each shape. The list of
  // those that elements have is handed over. What is done depends on whether the page is
  // inferred from (full), elements are named by other places (named), and by
  // aria-labelledby (referred).
  class Shapes {
    constructor(reading, base) {
      this.full = reading.full; this.named = reading.named; this.referred = reading.referred;
      this.list = base === null ? [] : base.list;
      this.top = base === null ? newShape(null, '') : base.top;
      this.valued = base === null ? 0 : base.valued;
      this.tags = new Map(); this.names = new Map(); this.types = new Map();
    }

    // type makes what the interface with a prototype tells of an element: whether it is
    // HTML's, the form's, and its kind if all that have it are alike.
    type(proto, html, tag) {
      const t = { html, form: html && tag === 'form', kind: html && ALONE.has(tag) ? this.kind(tag) : null };
      this.types.set(proto, t);
      return t;
    }

    // step goes from a shape to the same with one name more.
    step(shape, name) {
      if (shape.name === name) return shape.then;
      let n = shape.next.get(name);
      if (n === undefined) shape.next.set(name, n = newShape(shape, name));
      shape.name = name;
      shape.then = n;
      return n;
    }

    // same goes from a shape to the same with an attribute and its value, for values
    // that many elements have. null if there are too many.
    same(shape, name, value) {
      if (shape.valueName !== name) {
        shape.all ??= new Map();
        let values = shape.all.get(name);
        if (values === undefined) shape.all.set(name, values = new Map());
        shape.valueName = name;
        shape.values = values;
      }
      let n = shape.values.get(value);
      if (n === undefined) {
        if (value.length > 1024 || !value.isWellFormed() || shape.values.size >= MAX_VALUES || ++this.valued > MAX_VALUED) return null;
        shape.values.set(value, n = newShape(shape, [name, value]));
      }
      return n;
    }

    // told goes from a shape in a row to the same with the one text inside, for a text
    // that has been there before. null for others.
    told(shape, text) {
      if (shape.mixed || text.length > MAX_TOLD) return null;
      shape.texts ??= new Map();
      const n = shape.texts.get(text);
      if (n) return n;
      if (n === undefined) {
        shape.mixed = shape.texts.size >= MAX_TEXTS;
        if (text.isWellFormed()) shape.texts.set(text, null);
        return null;
      }
      const more = newShape(shape, ['#', text]);
      shape.texts.set(text, more);
      return more;
    }

    // number gives a shape its number, once something has it.
    number(shape) {
      if (shape.number < 0) {
        shape.number = this.list.length;
        this.list.push(keyOf(shape));
      }
      return shape.number;
    }

    // fixed is the number of a shape of ours.
    fixed(key) {
      let shape = this.top;
      for (const name of key.split(' ')) shape = this.step(shape, name);
      return this.number(shape);
    }

    // kind is what a tag says of an element.
    kind(tag) {
      let k = this.tags.get(tag);
      if (k === undefined) {
        k = { tag, shape: this.step(this.top, tag), plan: newPlan(), rare: RARE.has(tag), row: tag === 'li' || tag === 'tr' || tag === 'article', said: SAID.has(tag),
          acts: INTERACTIVE.has(tag), frame: tag === 'iframe' || tag === 'frame', raw: tag === 'textarea' || tag === 'script',
          host: HOSTS.has(tag) || tag.includes('-'), custom: tag.includes('-') && !tag.startsWith('svg:'), input: tag === 'input', state: STATEFUL.has(tag),
          control: tag === 'input' || tag === 'select' || tag === 'textarea', unkept: tag === 'dialog' || tag === 'slot', framed: tag === 'object' || tag === 'embed' };
        k.unkept ||= k.custom || k.frame || k.framed;
        k.framed = k.framed && { ...k, frame: true }; // an object or embed that shows a document
        this.tags.set(tag, k);
      }
      return k;
    }

    // plan is what is done with the attributes of an element: the names of those that
    // are read, what for, and what any of them, read or not, is there for.
    plan(kind, names) {
      let p = kind.plan;
      for (let i = 0; i < names.length; i++) {
        const name = names[i];
        if (p.name !== name) {
          let n = p.next.get(name);
          if (n === undefined) p.next.set(name, n = newPlan());
          p.name = name;
          p.then = n;
        }
        p = p.then;
      }
      if (p.read === null) {
        p.read = []; p.uses = [];
        if (kind.frame || kind.framed || kind.tag === 'slot') p.all = NAMED;
        for (const name of names) p.all |= this.use(name) | this.trait(kind.tag, name);
        const unnamed = kind.input && (p.all & ACTS) === 0 && !this.full && !this.referred;
        for (const name of names) {
          const use = this.use(name);
          if ((use & KEPT) === 0 || unnamed && (use & NAMES) !== 0) continue;
          p.read.push(name);
          p.uses.push(use);
        }
      }
      return p;
    }

    // trait is what an attribute makes of the document.
    trait(tag, name) {
      switch (name) {
        case 'data-agent-scope': case 'data-agent-record': case 'data-agent-field': case 'data-agent-action': return ANNOTATED;
        case 'data-agent-exposure': return tag === 'script' ? ANNOTATED : 0;
        case 'aria-labelledby': return NAMED | REFERRED;
        case 'class': return CLASSED;
        case 'for': return tag === 'label' ? NAMED : 0;
        case 'style': case 'popover': return INLINE;
        case 'display': case 'visibility': return tag.startsWith('svg:') ? INLINE : 0;
      }
      return 0;
    }

    // use is what is done with attributes of a name: a sum of the bits above.
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
      if (name.startsWith('aria-')) return true;
      if (!this.full) return LEAN.has(name) && (name !== 'id' || this.named);
      return !DROP.has(name) && !name.startsWith('on') && !name.startsWith('*') && !name.includes(' ');
    }
  }

  globalThis.__pagestate_shapes = { Shapes, ACTS, SAYS, CUTS, MOVES, SHARED, REGION, CLASSED, ANNOTATED, NAMED, REFERRED, INLINE };
})()
