// What style sheets do to what is exposed: whether it is rendered, and how its text is
// laid out. It is evaluated in front of the collector, in the same isolated world.
(() => {
  'use strict';
  if (globalThis.__pagestate_styles) return;
  const safe = globalThis.__pagestate_safe;

  const DISPLAY = {
    block: 'b', inline: 'i', 'inline-block': 'i', 'list-item': 'b', 'table-cell': 'c', none: 'n', contents: 'x', flex: 'B', grid: 'B',
    'inline-flex': 'I', 'inline-grid': 'I', table: 'b', 'table-row': 'b', 'table-row-group': 'b', 'table-header-group': 'b',
    'table-footer-group': 'b', 'table-caption': 'b', 'flow-root': 'b', '-webkit-box': 'b', 'inline-table': 'i', ruby: 'i', 'ruby-text': 'i',
    'ruby-base': 'i', '-webkit-inline-box': 'i', math: 'i',
  };

  // styled returns the elements of a document or shadow tree whose style may not be
  // that of their tags: those that a rule about what matters here selects. null means
  // any; it is less work to ask for the style of every element than to find out. inline
  // says whether elements have styles of their own (INLINED).
  const MAX_RULES = 2000, MAX_SELECTORS = 40;
  const MATTERS = ['display', 'visibility', 'content-visibility', 'white-space-collapse', '-webkit-text-security', 'all'];
  const INLINED = '[style],[popover],svg [display],svg [visibility]';
  const styled = (root, view, inline) => {
    const get = 'defaultView' in root ? documentGet : shadowGet;
    const { CSSStyleRule, CSSImportRule, CSSKeyframesRule, CSSScopeRule } = view;
    const selectors = [], play = [false, false, false, false, false, false];
    let rules = 0;
    // scan reports whether the rules are ones that selectors tell all about.
    const scan = (list) => {
      for (let i = 0; i < list.length; i++) {
        if (++rules > MAX_RULES) return false;
        const rule = list[i];
        if (rule instanceof CSSStyleRule) {
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
        } else if (rule instanceof CSSImportRule) {
          if (rule.styleSheet && !scan(rule.styleSheet.cssRules)) return false;
        } else if (rule instanceof CSSKeyframesRule) {
          continue; // what is animated is asked for
        } else if (rule instanceof CSSScopeRule) {
          return false;
        } else if (rule.cssRules && !scan(rule.cssRules)) return false;
      }
      return true;
    };
    try {
      const sheets = get.sheets(root), adopted = get.adopted(root);
      for (let i = 0; i < sheets.length; i++) if (!sheets[i].disabled && !scan(sheets[i].cssRules)) return null;
      for (let i = 0, n = adopted.length; i < n; i++) if (!adopted[i].disabled && !scan(adopted[i].cssRules)) return null;
      if (inline) selectors.push(INLINED);
      const set = selectors.length ? [...get.all(root, selectors.join(','))] : [];
      let any = play[5] || inline;
      for (const a of get.animations(root)) if (a.effect && a.effect.target) { set.push(a.effect.target); any = true; }
      // What is asked of an element's style, and the letters for it.
      const asked = { visibility: any || play[1], content: any || play[2], space: any || play[3], dots: any || play[4] };
      return { set, sign: selectors.join() + any + play, asked };
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

  // flagsOf returns the letters of the elements that have a style of their own, null if
  // any may have.
  const flagsOf = (styles, styleOf) => {
    if (styles === null) return null;
    const flags = new Map(), { set, asked } = styles;
    for (let i = 0; i < set.length; i++) {
      let style = computed.get(set[i]);
      if (style === undefined) computed.set(set[i], style = styleOf(set[i]));
      flags.set(set[i], letters(style, asked));
    }
    return flags;
  };

  // Documents may be clobbered, shadow roots cannot be.
  const documentGet = { sheets: safe.sheets, adopted: safe.adopted, all: safe.findAll, animations: safe.animations };
  const shadowGet = {
    sheets: (r) => r.styleSheets, adopted: (r) => r.adoptedStyleSheets, all: (r, sel) => r.querySelectorAll(sel), animations: (r) => r.getAnimations(),
  };

  globalThis.__pagestate_styles = { styled, flagsOf, letters, ALL, INLINED };
})()
