// What style sheets do to what is exposed: whether it is rendered, and how its text is
// laid out. It is evaluated in front of the collector, in the same isolated world.
(() => {
  'use strict';
  if (globalThis.__pagestate_styles) return;
  const safe = globalThis.__pagestate_safe, { selectorsOf, nested } = globalThis.__pagestate_selectors;

  const DISPLAY = {
    block: 'b', inline: 'i', 'inline-block': 'i', 'list-item': 'b', 'table-cell': 'c', none: 'n', contents: 'x', flex: 'B', grid: 'B',
    'inline-flex': 'I', 'inline-grid': 'I', table: 'b', 'table-row': 'b', 'table-row-group': 'b', 'table-header-group': 'b',
    'table-footer-group': 'b', 'table-caption': 'b', 'flow-root': 'b', '-webkit-box': 'b', 'inline-table': 'i', ruby: 'i', 'ruby-text': 'i',
    'ruby-base': 'i', '-webkit-inline-box': 'i', math: 'i',
  };

  // styled returns the elements of a document or shadow tree whose style may not be
  // that of their tags: those that a rule about what matters here selects. null means
  // any; it is less work to ask for the style of every element than to find out. inline
  // says whether elements have styles of their own (INLINED), classes which classes they
  // have; names are those of rules that were left out for nothing has them. many is how
  // many elements there are, about.
  const MAX_SELECTORS = 200, MIN_RULES = 500, MAX_RULES = 50000;
  const INLINED = '[style],[popover],svg [display],svg [visibility]';
  const styled = (root, view, inline, classes, many) => {
    const isDocument = 'defaultView' in root, get = isDocument ? documentGet : shadowGet;
    const { CSSStyleRule, CSSNestedDeclarations, CSSImportRule, CSSKeyframesRule, CSSScopeRule } = view;
    const most = Math.min(Math.max(MIN_RULES, 4 * many), MAX_RULES), exact = !isDocument || safe.mode(root) !== 'BackCompat';
    const selectors = [], names = new Set(), play = { visibility: false, content: false, space: false, dots: false, all: false };
    let rules = 0;
    // matters reports whether declarations are about what matters here. A shorthand that
    // has variables in it has no longhands.
    const matters = (style) => {
      let is = style.display !== '';
      if (style.visibility !== '') is = play.visibility = true;
      if (style.contentVisibility !== '') is = play.content = true;
      if (style.whiteSpaceCollapse !== '' || style.whiteSpace !== '') is = play.space = true;
      if (style.webkitTextSecurity !== '') is = play.dots = true;
      if (style.all !== '') is = play.all = true;
      return is;
    };
    // take adds the selectors of a rule that can select something, and reports whether
    // they tell all about it.
    const take = (text) => {
      const list = selectorsOf(text);
      if (list === null) return false;
      for (const s of list) {
        if (s.name !== '' && exact && !classes.has(s.name)) names.add(s.name);
        else if (s.id !== '' && exact && get.byId(root, s.id) === null) continue;
        else if (selectors.push(s.text) > MAX_SELECTORS) return false;
      }
      return true;
    };
    // scan reports whether the rules are ones that selectors tell all about. around is
    // the selector of the rule that they are in.
    const scan = (list, around) => {
      const n = list.length;
      if ((rules += n) > most) return false;
      for (let i = 0; i < n; i++) {
        const rule = list[i];
        if (rule instanceof CSSStyleRule) {
          const inner = rule.cssRules, is = matters(rule.style);
          if (!is && inner.length === 0) continue;
          const full = nested(rule.selectorText, around);
          if (is && !take(full) || inner.length > 0 && !scan(inner, full)) return false;
        } else if (rule instanceof CSSNestedDeclarations) {
          if (matters(rule.style) && !take(around)) return false;
        } else if (rule instanceof CSSImportRule) {
          if (rule.styleSheet && !scan(rule.styleSheet.cssRules, '')) return false;
        } else if (rule instanceof CSSKeyframesRule) {
          continue; // what is animated is asked for
        } else if (rule instanceof CSSScopeRule) {
          return false;
        } else if (rule.cssRules && !scan(rule.cssRules, around)) return false;
      }
      return true;
    };
    try {
      const sheets = get.sheets(root), adopted = get.adopted(root);
      for (let i = 0, n = sheets.length; i < n; i++) if (!sheets[i].disabled && !scan(sheets[i].cssRules, '')) return null;
      for (let i = 0, n = adopted.length; i < n; i++) if (!adopted[i].disabled && !scan(adopted[i].cssRules, '')) return null;
      if (inline) selectors.push(INLINED);
      const found = selectors.length ? get.all(root, selectors.join(',')) : [], moving = get.animations(root);
      let any = play.all || inline;
      const set = new Array(found.length);
      for (let i = 0; i < set.length; i++) set[i] = found[i];
      for (const a of moving) if (a.effect && a.effect.target) { set.push(a.effect.target); any = true; }
      // What is asked of an element's style, and the letters for it.
      const asked = { visibility: any || play.visibility, content: any || play.content, space: any || play.space, dots: any || play.dots };
      return { set, sign: `${selectors} ${any} ${play.visibility} ${play.content} ${play.space} ${play.dots}`, asked, names };
    } catch { return null; } // a sheet of another origin, say
  };
  const ALL = { visibility: true, content: true, space: true, dots: true };

  // letters returns what matters of an element's style, as package html reads it.
  const letters = (style, asked) => {
    let s = DISPLAY[style.display] || 'b';
    if (asked.visibility) s += style.visibility === 'visible' ? 'v' : 'h';
    if (asked.content && style.contentVisibility === 'hidden') s += 's';
    if (asked.dots && style.webkitTextSecurity !== 'none') s += 'd';
    if (asked.space) {
      const space = style.whiteSpaceCollapse;
      s += space === 'collapse' ? 'w' : space === 'preserve-breaks' ? 'l' : 'p';
    }
    return s;
  };

  const computed = new WeakMap(); // styles, which are always current

  // styleOfOne returns the style of an element.
  const styleOfOne = (e, styleOf) => {
    let style = computed.get(e);
    if (style === undefined) computed.set(e, style = styleOf(e));
    return style;
  };

  // flagsOf returns the letters of the elements that have a style of their own, null if
  // any may have.
  const flagsOf = (styles, styleOf) => {
    if (styles === null) return null;
    const flags = new Map(), { set, asked } = styles;
    for (let i = 0; i < set.length; i++) {
      flags.set(set[i], letters(styleOfOne(set[i], styleOf), asked));
    }
    return flags;
  };

  // lettersOf returns those of one element.
  const lettersOf = (e, styleOf) => letters(styleOfOne(e, styleOf), ALL);

  // Documents may be clobbered, shadow roots cannot be.
  const documentGet = { sheets: safe.sheets, adopted: safe.adopted, all: safe.findAll, animations: safe.animations, byId: safe.byId };
  const shadowGet = {
    sheets: (r) => r.styleSheets, adopted: (r) => r.adoptedStyleSheets, all: (r, sel) => r.querySelectorAll(sel), animations: (r) => r.getAnimations(), byId: (r, id) => r.getElementById(id),
  };

  globalThis.__pagestate_styles = { styled, flagsOf, lettersOf, INLINED };
})()
