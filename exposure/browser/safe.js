// Reading nodes that a page may have clobbered: elements whose names forms, documents and
// windows take for their own properties. It is evaluated in front of the scripts that
// read them, in the same isolated world, whose prototypes no page script can reach.
(() => {
  'use strict';
  if (globalThis.__pagestate_safe) return;
  const getter = (proto, name) => {
    const get = Object.getOwnPropertyDescriptor(proto, name).get;
    return (o) => Reflect.apply(get, o, []);
  };
  const method = (proto, name) => {
    const f = proto[name];
    return (o, ...args) => Reflect.apply(f, o, args);
  };
  const D = Document.prototype, E = Element.prototype, N = Node.prototype;
  globalThis.__pagestate_safe = {
    type: getter(N, 'nodeType'), parent: getter(N, 'parentNode'), first: getter(N, 'firstChild'), next: getter(N, 'nextSibling'),
    text: getter(N, 'textContent'), owner: getter(N, 'ownerDocument'), connected: getter(N, 'isConnected'),
    firstElement: getter(E, 'firstElementChild'), nextElement: getter(E, 'nextElementSibling'),
    namespace: getter(E, 'namespaceURI'), localName: getter(E, 'localName'), shadow: getter(E, 'shadowRoot'), slot: getter(E, 'assignedSlot'),
    names: method(E, 'getAttributeNames'), attr: method(E, 'getAttribute'), has: method(E, 'hasAttribute'),
    all: method(E, 'querySelectorAll'), box: method(E, 'getBoundingClientRect'),
    host: getter(ShadowRoot.prototype, 'host'), inFrame: getter(HTMLIFrameElement.prototype, 'contentDocument'),
    inObject: getter(HTMLObjectElement.prototype, 'contentDocument'), windowOf: getter(HTMLObjectElement.prototype, 'contentWindow'),
    width: getter(HTMLElement.prototype, 'offsetWidth'),
    root: getter(D, 'documentElement'), view: getter(D, 'defaultView'), url: getter(D, 'URL'), ready: getter(D, 'readyState'), title: getter(D, 'title'),
    contentType: getter(D, 'contentType'), mode: getter(D, 'compatMode'), sheets: getter(D, 'styleSheets'), adopted: getter(D, 'adoptedStyleSheets'), animations: method(D, 'getAnimations'),
    find: method(D, 'querySelector'), findAll: method(D, 'querySelectorAll'), byId: method(D, 'getElementById'), at: method(D, 'elementFromPoint'),
  };
})()
