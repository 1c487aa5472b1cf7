// What has to be watched before anybody reads: which controls have been password
// fields. It is evaluated in our isolated world of every document, before the scripts
// of the page.
(() => {
  'use strict';
  if (globalThis.__pagestate_secrets) return;
  const secrets = new WeakSet();
  const note = (list) => { for (const m of list) if (/^\s*password\s*$/i.test(m.oldValue || '')) secrets.add(m.target); };
  const observers = [];
  const watch = (root) => {
    const o = new MutationObserver(note);
    o.observe(root, { subtree: true, attributes: true, attributeFilter: ['type'], attributeOldValue: true });
    observers.push(o);
  };
  watch(document);
  // has reports whether a control has been a password field.
  const has = (e) => {
    for (const o of observers) note(o.takeRecords());
    return secrets.has(e);
  };
  globalThis.__pagestate_secrets = { has, add: (e) => secrets.add(e) };
})()
