// The collector reads a document and hands it over in columns. It is evaluated in
// an isolated world, whose globals and prototypes no page script can reach. What a
// page can still do there is give elements names that forms, documents and windows take
// for their own properties, so those are read through getters of the prototypes.
//
// What it hands over is one string, whole or as what differs from the last one:
//
//   header  a JSON array of texts and numbers: the page, what could not be read, how
//           long the parts are; header.go reads it
//   ops     the tree, in document order, as numbers: 0 ends an element, 1 is a
//           text, 2 + 3*shape + kind an element with its attributes; kind 0 has
//           nothing inside, 1 has what follows until its end, 2 has one text
//   lens    the lengths of all attribute values and texts, in the order of ops
//   shapes  a JSON array of what elements have in common
//   text    the values and texts, back to back
//
// Numbers are in base 32, low digits first, with 32 added to all digits but the last,
// a digit being a character of DIGITS. A shape is a tag, its style, the names of its
// attributes, values that many have, and the one text inside if many have it ("#");
// elements alike share one.
(() => {
  'use strict';
  if (globalThis.__pagestate) return;
  const { Numbers, digest, utf8Length, head, common } = globalThis.__pagestate_text;
  const { hear, ofTools } = globalThis.__pagestate_answers, roots = globalThis.__pagestate_roots, { framed, documentIn, onItsWay, isPDF, PDF } = globalThis.__pagestate_frames;
  const { Shapes, ACTS, SAYS, CUTS, MOVES, SHARED, REGION, CLASSED, ANNOTATED, NAMED, REFERRED, INLINE } = globalThis.__pagestate_shapes;
  const HTML = 'http://www.w3.org/1999/xhtml';
  const DEEP = 'too many elements inside each other';
  const MAX_DEPTH = 1900, MAX_TEXT = 96 << 20, MAX_OPS = 32 << 20;

  const safe = globalThis.__pagestate_safe;

  // The status that the document came with, 0 if none is known.
  const status = (performance.getEntriesByType('navigation')[0] || {}).responseStatus || 0;

  // What lasts as long as the document.
  const secrets = globalThis.__pagestate_secrets; // controls that have been password fields
  const id = [...crypto.getRandomValues(new Uint32Array(4))].map((n) => n.toString(16).padStart(8, '0')).join('');
  let refs = [];     // elements that actions stand for, by number
  let regions = [];  // scopes and frames, by number
  let foreign = [];  // frames whose documents cannot be read from here

  const SECRET = /(^|\s)(one-time-code|cc-\S+|\S*-password)(\s|$)/i;
  const NONE = [];
  const BLANK = /^[ \t\n\r\f]*$/;
  const { styled, flagsOf, lettersOf, INLINED } = globalThis.__pagestate_styles, { Classes } = globalThis.__pagestate_selectors, { STYLED, controlOf, stateOf, moved } = globalThis.__pagestate_states, { covered } = globalThis.__pagestate_cover;

  // traits are what the document is known to have: bits of shapes.js. A document is asked
  // the first time. Later a reading goes by what the last one saw, and begins anew if it
  // sees more, or nothing that is annotated where something was.
  const MARKS = '[data-agent-scope],[data-agent-record],[data-agent-field],[data-agent-action],script[data-agent-exposure]';
  const QUERIES = [[ANNOTATED, MARKS], [NAMED, 'label[for],iframe,frame,object,embed,slot'], [NAMED | REFERRED, '[aria-labelledby]'], [INLINE, INLINED]];
  const ASKED = ANNOTATED | NAMED | REFERRED | INLINE;
  let traits = -1;
  const ask = () => {
    traits = 0;
    for (const [trait, selector] of QUERIES) if (safe.find(document, selector) !== null) traits |= trait;
  };
  // classes are those that elements of the document and of frames have been seen with;
  // elements is how many there were, about. Rules about other classes are left out.
  const classes = new Classes();
  let elements = 500;
  const namesOf = (styles) => styles !== null && styles.names.size > 0 ? styles.names : null;
  // Anew is thrown by a reading that went by traits which were not all.
  class Anew { }

  // Rows that have not changed are not read again. A row is an element that lists are
  // made of; where in the last reading it was written is kept until something in it is
  // mutated, which an observer tells, or moved in, or has another style. States of
  // controls and shadow roots, which no observer tells of, are looked at each time.
  const rows = new WeakMap();
  let was = null; // the last reading, null if nothing of it can be used again
  let passes = 0, sign = '', styleOf = new Map(), observer = null, touched = false; // mutated since the last reading
  const ROWS = 'li,tr,article,[data-agent-record]', MAX_RECORDS = 2000;
  const forget = (n) => {
    for (; n !== null; n = safe.parent(n)) if (rows.delete(n)) return;
  };
  const note = (list) => {
    if (list.length > 0) touched = true;
    if (list.length > MAX_RECORDS) { was = null; return; }
    for (const m of list) {
      forget(m.target);
      for (const n of m.addedNodes) {
        rows.delete(n); // it may have changed while it was nowhere
        if (n instanceof Element) for (const inner of safe.all(n, ROWS)) rows.delete(inner);
      }
    }
  };

  // attend takes notice of what has changed in the document.
  const attend = () => {
    if (observer === null) {
      observer = new MutationObserver(note);
      observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    }
    note(observer.takeRecords());
  };

  // reuse makes ready for a reading that reuses rows.
  const reuse = (reading, styles, flags) => {
    const now = `${reading.full} ${reading.named} ${reading.referred} ${reading.cut} ${reading.key} ${styles === null ? '' : styles.sign}`;
    if (now !== sign || reading.fresh || was === null || shapes.list.length > MAX_SHAPES) {
      was = shapes = null;
    } else if (flags !== null) {
      for (const [e, s] of flags) if (styleOf.get(e) !== s) forget(e);
      for (const e of styleOf.keys()) if (!flags.has(e)) forget(e);
    }
    sign = now;
    styleOf = flags || new Map();
    shapes ??= new Shapes(reading, null);
    reading.shapes = shapes;
  };
  // Shapes last as long as rows do: the numbers of shapes are part of what was written.
  const MAX_SHAPES = 4096;
  let shapes = null;
  // numbers are the ops and lens of two readings: the last one, and the one to come.
  const numbers = [[new Numbers(512), new Numbers(512)], [new Numbers(512), new Numbers(512)]];

  class Reading {
    constructor(opts, told) {
      this.cut = opts.cut || Infinity;
      this.key = opts.key;
      this.infer = opts.infer;
      this.full = true;
      const spare = numbers[was !== null && was.ops === numbers[0][0] ? 1 : 0];
      this.ops = spare[0].empty(); this.lens = spare[1].empty();
      this.texts = []; this.size = 0;
      this.careful = opts.careful || false;
      this.fresh = !opts.delta;
      this.values = []; this.shape = null; this.shapes = null;
      this.secrets = secrets;
      this.coming = 0; // documents in frames that are being parsed
      this.row = null; this.plain = true; // the row being read, and that it can be kept
      this.number = ++passes;
      this.told = told; // what code of documents has answered
      this.seen = 0; // traits that were
      this.unstyled = false; // a rule was left out for a class that an element has
      this.count = 0;
      this.hosts = []; this.states = []; // of rows; a state is three: element, what of it, how it was
      // What is to be copied from the last reading, of each column.
      this.ops0 = this.ops1 = this.lens0 = this.lens1 = this.text0 = this.text1 = 0;
    }

    op(n) {
      if (this.ops0 !== this.ops1) this.copy();
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

    // copy copies what is to be from the last reading.
    copy() {
      this.ops.copy(was.ops, this.ops0, this.ops1);
      this.lens.copy(was.lens, this.lens0, this.lens1);
      if (this.text0 !== this.text1) this.texts.push(was.text.slice(this.text0, this.text1));
      this.ops0 = this.ops1;
    }

    // document reads a document whose root element is to be a child of what is open.
    document(doc, depth) {
      const view = safe.view(doc);
      let said = this.told.get(doc);
      if (said === undefined) this.told.set(doc, said = hear(doc, view));
      if (depth === 0) {
        attend();
        if (traits < 0) ask();
        this.full = this.isFull();
        this.named = this.full || (traits & NAMED) !== 0 || safe.byId(document, 'playwright-highlight-container') !== null;
        this.referred = (traits & REFERRED) !== 0;
      }
      const root = safe.root(doc);
      if (!root) return;
      const r = { view, root, style: view.getComputedStyle.bind(view), flags: null, answers: said, light: null, traits: ASKED, names: null, top: false };
      const styles = styled(doc, view, (traits & INLINE) !== 0, classes, elements);
      r.names = namesOf(styles);
      r.flags = flagsOf(styles, r.style);
      if (depth === 0 && this.careful) this.shapes = new Shapes(this, null);
      else if (depth === 0) {
        reuse(this, styles, r.flags);
        r.top = true;
      }
      const around = this.secrets;
      this.secrets = view.__pagestate_secrets || secrets; // each document is watched by its own
      this.element(root, this.type(root), r, depth, true, false, this.full);
      this.secrets = around;
    }

    // isFull reports whether all is read that something may be inferred from: nothing
    // is annotated.
    isFull() { return this.infer || (traits & ANNOTATED) === 0 && this.told.get(document).every(ofTools); }

    // type is what the interface of an element tells of it. Nothing that a page does
    // changes which interface that is.
    type(e) {
      const proto = Object.getPrototypeOf(e);
      return this.shapes.types.get(proto) || this.shapes.type(proto, safe.namespace(e) === HTML, safe.localName(e));
    }

    // element reads e and what is in it. shown says that what is around it is
    // rendered, so that its style means something; pre that blanks are kept around it;
    // said that its text may be read.
    element(e, type, r, depth, shown, pre, said) {
      if (depth > MAX_DEPTH) throw new RangeError(DEEP);
      const form = type.form;
      let kind = type.kind !== null ? type.kind : this.shapes.kind(type.html ? e.localName : 'svg:' + e.localName);
      if (kind.rare) {
        switch (kind.tag) {
          case 'script': if (!e.hasAttribute('data-agent-exposure')) return; break;
          case 'style': case 'template': case 'noscript': case 'title': case 'base': return;
          case 'link': case 'meta': if (!this.full || !e.hasAttribute('itemprop')) return; break;
          case 'head': this.scripts(e, r, depth); return;
          case 'object': case 'embed': if (framed(e, kind.tag)) kind = kind.framed; break;
          case 'pre': case 'listing': case 'xmp': case 'plaintext': pre = true; break;
        }
      }
      if (r.top && this.row === null && (kind.row || !this.full && (form ? safe.has(e, 'data-agent-record') : e.hasAttribute('data-agent-record')))) {
        this.keep(e, kind, form, r, depth, shown, pre, said);
      } else this.write(e, kind, form, r, depth, shown, pre, said);
    }

    // keep writes a row, as it was written last if it can be.
    keep(e, kind, form, r, depth, shown, pre, said) {
      const bits = (shown ? 1 : 0) | (pre ? 2 : 0) | (said ? 4 : 0), around = this.seen;
      let row = rows.get(e);
      if (row !== undefined && was !== null && row.number === was.number && row.bits === bits && this.still(row)) {
        this.again(row);
        return;
      }
      if (row === undefined) rows.set(e, row = { number: 0, bits: 0, ops: 0, ops1: 0, lens: 0, lens1: 0, text: 0, text1: 0, refs: 0, refs1: 0, regions: 0, regions1: 0, hosts: 0, hosts1: 0, states: 0, states1: 0, seen: 0, count: 0 });
      if (this.ops0 !== this.ops1) this.copy();
      row.bits = bits;
      row.number = 0; // until it is written
      row.ops = this.ops.length; row.lens = this.lens.length; row.text = this.size;
      row.refs = refs.length; row.regions = regions.length; row.hosts = this.hosts.length; row.states = this.states.length;
      this.row = row;
      this.plain = true;
      this.seen = 0;
      row.count = -this.count;
      this.write(e, kind, form, r, depth, shown, pre, said);
      this.row = null;
      row.seen = this.seen;
      row.count += this.count;
      this.seen |= around;
      row.number = this.plain ? this.number : 0;
      row.ops1 = this.ops.length; row.lens1 = this.lens.length; row.text1 = this.size;
      row.refs1 = refs.length; row.regions1 = regions.length; row.hosts1 = this.hosts.length; row.states1 = this.states.length;
    }

    // again writes a row as it was written last. Rows that follow one another as they
    // did are copied together.
    again(row) {
      const ops = row.ops1 - row.ops, lens = row.lens1 - row.lens, text = row.text1 - row.text;
      if (this.ops0 === this.ops1 || row.ops !== this.ops1 || row.lens !== this.lens1 || row.text !== this.text1) {
        if (this.ops0 !== this.ops1) this.copy();
        this.ops0 = this.ops1 = row.ops; this.lens0 = this.lens1 = row.lens; this.text0 = this.text1 = row.text;
      }
      row.ops = this.ops.length + this.ops1 - this.ops0;
      row.lens = this.lens.length + this.lens1 - this.lens0;
      row.text = this.size;
      this.ops1 += ops; this.lens1 += lens; this.text1 += text;
      row.ops1 = row.ops + ops; row.lens1 = row.lens + lens; row.text1 = row.text + text;
      if ((this.size += text) > MAX_TEXT) throw new RangeError('too much text');
      const first = [refs.length, regions.length, this.hosts.length, this.states.length];
      for (let i = row.refs; i < row.refs1; i++) refs.push(was.refs[i]);
      for (let i = row.regions; i < row.regions1; i++) regions.push(was.regions[i]);
      for (let i = row.hosts; i < row.hosts1; i++) this.hosts.push(was.hosts[i]);
      for (let i = row.states; i < row.states1; i++) this.states.push(was.states[i]);
      [row.refs, row.regions, row.hosts, row.states] = first;
      row.refs1 = refs.length; row.regions1 = regions.length; row.hosts1 = this.hosts.length; row.states1 = this.states.length;
      row.number = this.number;
      this.seen |= row.seen;
      this.count += row.count;
    }

    // still reports whether what no observer tells of is as it was.
    still(row) {
      const { hosts, states } = was;
      for (let i = row.states; i < row.states1; i += 3) if (stateOf(states[i], states[i + 1]) !== states[i + 2]) return false;
      for (let i = row.hosts; i < row.hosts1; i++) if (hosts[i].shadowRoot !== null) return false;
      return true;
    }

    // write writes an element and what is in it.
    write(e, kind, form, r, depth, shown, pre, said) {
      this.count++;
      // The shape: tag, style, attribute names. Ours begin with "*".
      const tag = kind.tag;
      if (this.row !== null) {
        if (kind.unkept) this.plain = false;
        else if (kind.host) this.hosts.push(e);
        if (kind.control) {
          const control = controlOf(e, kind);
          this.states.push(e, control, stateOf(e, control));
        }
      }
      this.shape = kind.shape;
      this.values.length = 0;
      let dotted = false; // its text shows as dots
      if (shown) {
        const flags = r.flags === null ? lettersOf(e, r.style) : r.flags.get(e);
        if (r.flags === null && this.row !== null) this.states.push(e, STYLED, flags);
        if (flags !== undefined) {
          const last = flags[flags.length - 1];
          shown = flags[0] !== 'n';
          if (last === 'w' || last === 'l' || last === 'p') pre = last !== 'w';
          dotted = flags.includes('d');
          this.shape = this.shapes.step(this.shape, '*' + flags);
        }
      }
      let doc = null;
      if (kind.frame && shown) {
        doc = documentIn(e, tag);
        if (!safe.has(e, 'data-agent-scope')) regions.push(e);
        if (doc && isPDF(doc)) this.add('*foreign', PDF);
        else if (doc) {
          const way = onItsWay(e, doc);
          if (way && safe.ready(doc) === 'loading') this.coming++;
          this.add('*frame', way ? 'coming' : '');
        }
        else { this.add('*foreign', String(foreign.length)); foreign.push(e); }
      }
      if (roots.some && kind.host && roots.has(e)) {
        this.add('*closed', '');
        if (!this.named && e.id !== '') this.add('id', e.id); // to call it by
      }
      said = this.attributes(e, kind, form, dotted, r) || said || kind.said;
      const answers = e === r.root && r.answers.length > 0 ? r.answers : null;
      const at = 2 + 3 * this.shapes.number(this.shape);
      if (kind.frame) {
        if (!doc || isPDF(doc)) { this.open(at); return; }
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
      if (kind.custom && shadow === null) roots.doubt(e, true);
      const first = form ? safe.firstElement(e) : e.firstElementChild;
      if (first === null && !shadow && !answers && given.length === 0) {
        const text = said ? form ? safe.text(e) : e.textContent : '';
        if (text === '') {
          if (kind.host && shown && !kind.custom && e.firstChild === null && roots.doubt(e, false)) this.plain = false;
          this.open(at);
          return;
        }
        if (text.length <= this.cut) {
          const told = this.row === null ? null : this.shapes.told(this.shape, text);
          this.open(told === null ? at + 2 : 2 + 3 * this.shapes.number(told));
          if (told === null) this.put(text);
          return;
        }
      }
      this.open(at + 1);
      if (shadow) {
        this.op(2 + 3 * this.shapes.fixed('template shadowrootmode') + 1);
        this.put('open');
        const styles = styled(shadow, r.view, shadow.querySelector(INLINED) !== null, classes, elements);
        const inner = { ...r, flags: flagsOf(styles, r.style), names: namesOf(styles), answers: [], top: false, traits: NAMED | REFERRED,
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
          this.op(2 + 3 * this.shapes.fixed('script type data-agent-exposure *code') + 2);
          this.put('application/json'); this.put(ofTools(a) ? 'tools' : ''); this.put('code'); this.put(a);
        }
      }
      this.op(0);
    }

    // add adds an attribute to the shape and value that are being made.
    add(name, value) {
      this.shape = this.shapes.step(this.shape, name);
      this.values.push(value);
    }

    // open writes the op of an element and its attribute values.
    open(at) {
      this.op(at);
      for (let i = 0; i < this.values.length; i++) this.put(this.values[i]);
    }

    children(c, r, depth, shown, pre) {
      for (let next; c !== null; c = next) {
        const node = c.nodeType; // of a form it may be anything
        if (node === 3 || node === 4) {
          next = c.nextSibling;
          this.text(c.data, pre);
        } else if (node === 1 || typeof node !== 'number') {
          const type = this.type(c);
          next = type.form ? safe.next(c) : c.nextSibling;
          this.element(c, type, r, depth, shown, pre, true);
        } else next = c.nextSibling;
      }
    }

    // child is children of one that a slot is given.
    child(c, r, depth, shown, pre) {
      if (c.nodeType === 3 || c.nodeType === 4) this.text(c.data, pre);
      else this.element(c, this.type(c), r, depth, shown, pre, true);
    }

    // elements is children without the texts, which nobody reads there.
    elements(c, r, depth, shown, pre) {
      for (let next; c !== null; c = next) {
        const type = this.type(c);
        next = type.form ? safe.nextElement(c) : c.nextElementSibling;
        this.element(c, type, r, depth, shown, pre, false);
      }
    }

    text(v, pre) {
      if (pre || !BLANK.test(v)) this.textNode(v);
      else if (v !== '') { this.op(1); this.put(' '); }
    }

    textNode(v) {
      if (v.length <= this.cut) { this.op(1); this.put(v); return; }
      this.op(2 + 3 * this.shapes.fixed('#cut head cut'));
      this.put(head(v, 4096));
      this.put(utf8Length(v) + ' ' + digest(v, this.key));
    }

    // scripts reads the blocks of a head.
    scripts(e, r, depth) {
      for (let c = e.firstElementChild; c !== null; c = c.nextElementSibling) {
        if (c.localName === 'script') this.element(c, this.type(c), r, depth + 1, false, false, false);
      }
    }

    secret(e) { return SECRET.test(e.getAttribute('autocomplete') || ''); }

    // attributes adds the attributes of an element, and reports whether one makes its
    // text be read.
    attributes(e, kind, form, dotted, r) {
      const { read, uses, all } = this.shapes.plan(kind, form ? safe.names(e) : e.getAttributeNames());
      for (let i = 0; i < read.length; i++) {
        const name = read[i], use = uses[i];
        if ((use & MOVES) !== 0 && kind.state && moved(e, kind.tag, name)) continue;
        const v = form ? safe.attr(e, name) : e.getAttribute(name);
        if ((use & SHARED) !== 0) {
          const shape = this.shapes.same(this.shape, name, v);
          if (shape !== null) { this.shape = shape; continue; }
        }
        if ((use & CUTS) !== 0 && v.length > this.cut) {
          this.add(name, head(v, 4096));
          this.add('*cut', utf8Length(v) + ' ' + digest(v, this.key));
        } else this.add(name, v);
      }
      this.seen |= all & r.traits;
      if ((this.seen & ~traits) !== 0) {
        traits |= this.seen;
        throw new Anew();
      }
      if (r.names !== null && (all & CLASSED) !== 0 && classes.see(form ? safe.attr(e, 'class') : e.getAttribute('class'), r.names)) this.unstyled = true;
      if ((all & REGION) !== 0) regions.push(e);
      if (kind.input) this.input(e, dotted);
      else if (kind.state) this.state(e, kind.tag, dotted);
      if ((all & ACTS) !== 0 || this.full && kind.acts) {
        this.shape = this.shapes.step(this.shape, '*ref'); // they are counted
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
        case 'iframe': case 'embed': case 'object': { // by which it is named
          const at = tag === 'object' ? 'data' : 'src';
          if (!this.full && safe.has(e, at)) this.add(at, head(safe.attr(e, at), 1024));
        }
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
  }

  // read reads the document.
  const read = (opts) => {
    const told = new Map();
    for (let i = 0; ; i++) {
      refs = []; regions = []; foreign = [];
      roots.begin();
      const m = new Reading(opts, told);
      try {
        m.document(document, 0);
        traits = m.seen;
        elements = m.count;
        if (!m.unstyled && m.full === m.isFull() || i > 8) return [m, ''];
      } catch (e) {
        if (e instanceof Anew) continue;
        if (!(e instanceof RangeError)) throw e;
        return [m, /^too /.test(e.message) ? e.message : DEEP]; // or the stack overflowed
      }
    }
  };

  // collect returns the document in columns.
  const collect = (opts) => {
    const [m, incomplete] = read(opts);
    if (m.ops0 !== m.ops1) m.copy();
    const parts = [m.ops.toString(), m.lens.toString(), JSON.stringify(m.shapes === null ? [] : m.shapes.list), m.texts.join('')];
    if (!m.careful) was = incomplete !== '' ? null : { number: m.number, ops: m.ops, lens: m.lens, text: parts[3], refs, regions, hosts: m.hosts, states: m.states };
    if (!m.careful && !parts[3].isWellFormed()) return collect({ ...opts, careful: true });
    const header = [safe.url(document), safe.title(document), id, incomplete, safe.ready(document), isPDF(document) ? PDF : '', __pagestate.signal(), foreign.length, roots.unknown().length, m.coming, status, readings + 1];
    const lies = covered(regions), before = opts.delta ? last : null, same = [];
    let sent = parts;
    if (before !== null) {
      for (let i = 0; i < parts.length; i++) same.push(...common(before[i], parts[i]));
      sent = parts.map((p, i) => p.slice(same[2 * i], p.length - same[2 * i + 1]));
    }
    header.push(sent[0].length, sent[1].length, sent[2].length, lies.length, ...lies);
    if (before !== null) header.push(readings, ...same);
    last = parts;
    readings++;
    __pagestate.begun = performance.now(); touched = false;
    return JSON.stringify(header) + sent.join('');
  };

  // What was handed over last: of what is much like it, only the middle is handed over,
  // with the lengths of what is the same in front and behind.
  let last = null, readings = 0;

  globalThis.__pagestate = { told: roots.told, unknown: roots.unknown, begun: 0, collect, id, ref: (n) => refs[n], foreign: (n) => foreign[n],
    number: () => readings, untouched: () => { note(observer.takeRecords()); return !touched; } };
})()
