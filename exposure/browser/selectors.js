// Selectors of style sheets, and which of them can select anything in a document: those
// whose classes it has. It is evaluated in front of the scripts that use it, in the same
// isolated world.
(() => {
  'use strict';
  if (globalThis.__pagestate_selectors) return;

  // parse takes a list of selectors apart, as the object model of style sheets writes it:
  // each with a class and an id that its last part asks for. Those that select a part
  // that is no element are left out. null for what reaches into or out of shadow trees.
  const parse = (text) => {
    const list = [], n = text.length;
    let start = 0, last = '', depth = 0; // last is its last part, without what is in brackets
    const end = (i) => {
      if (!last.includes('::')) list.push({ text: text.slice(start, i), name: named(last, '.'), id: named(last, '#') });
      start = i + 1; last = '';
    };
    if (/:host|::slotted|::part/.test(text)) return null;
    for (let i = 0; i < n; i++) {
      const c = text[i];
      if (c === '\\') {
        const escape = ESCAPE.exec(text.slice(i, i + 9))[0];
        if (depth === 0) last += escape;
        i += escape.length - 1;
      } else if (c === '"' || c === "'") {
        for (i++; i < n && text[i] !== c; i++) if (text[i] === '\\') i++;
      } else if (c === '(' || c === '[') depth++;
      else if (c === ')' || c === ']') depth--;
      else if (depth > 0) continue;
      else if (c === ',') end(i);
      else if (c === ' ' || c === '>' || c === '+' || c === '~') last = '';
      else last += c;
    }
    end(n);
    return list;
  };
  const ESCAPE = /^\\(?:[0-9a-f]{1,6} ?|[^]?)/i;
  const named = (part, sign) => {
    const at = new RegExp('(?:^|[^\\\\])\\' + sign + '((?:\\\\[0-9a-f]{1,6} ?|\\\\[^]|[^\\\\.#:*|])+)', 'i').exec(part);
    return at === null ? '' : at[1].replace(/\\(?:([0-9a-f]{1,6}) ?|([^]))/gi, (_, hex, c) => c ?? String.fromCodePoint(Math.min(parseInt(hex, 16) || 0xfffd, 0x10ffff)));
  };

  // selectorsOf is parse, remembered.
  const parsed = new Map(), MAX_PARSED = 1 << 14;
  const selectorsOf = (text) => {
    let list = parsed.get(text);
    if (list === undefined) {
      if (parsed.size >= MAX_PARSED) parsed.clear();
      parsed.set(text, list = parse(text));
    }
    return list;
  };

  // nested is the selector of a rule inside one with the selector around, which "&" is
  // where it is in no string.
  const nested = (text, around) => around === '' ? text : text.replace(/"(?:\\[^]|[^"\\])*"|&/g, (part) => part === '&' ? ':is(' + around + ')' : part);

  // Classes are those that elements have been seen with. There may be too many to know.
  class Classes {
    constructor() { this.names = new Set(); this.texts = new Set(); this.last = ''; this.many = false; }

    // see takes notice of a class attribute, and reports whether one of the names is in
    // list and was not known.
    see(text, list) {
      if (text === this.last || this.many || this.texts.has(text)) return false;
      this.last = text;
      if (this.texts.size >= MAX_TEXTS) { this.many = true; return true; }
      this.texts.add(text);
      let found = false;
      for (const name of text.split(/[ \t\n\r\f]+/)) {
        if (this.names.has(name)) continue;
        this.names.add(name);
        found ||= list.has(name);
      }
      return found;
    }

    has(name) { return this.many || this.names.has(name); }
  }
  const MAX_TEXTS = 20000;

  globalThis.__pagestate_selectors = { selectorsOf, nested, Classes };
})()
