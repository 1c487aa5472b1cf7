// The Vue 3 adapter of the page runtime: an ES module for apps whose bundler or
// import map finds "vue".
//
//   import agent, { useAgentTool } from "…/vue.js";
//   createApp(App).use(agent);   // v-scope, v-record, v-tool, <AgentDock>
//
// What is declared lives as long as its component: directives as long as their
// element, tools as long as the component or effect scope that useAgentTool was
// called in, less the time that a component is kept alive without being shown.
import './pagestate.js';
import { getCurrentInstance, getCurrentScope, onActivated, onDeactivated, onScopeDispose } from 'vue';

const { pagestate } = globalThis;

// directive makes a directive that declares its value for its element. options
// must return every option it knows, so that an update takes away what is gone.
// before says that it is declared before the elements inside are mounted or
// updated: a tool's name depends on the record around it.
const directive = (declare, before, options) => {
  const handles = new WeakMap();
  const give = (el, { value }) => {
    const o = { ...options(value ?? {}), el };
    const handle = handles.get(el);
    if (handle) handle.update(o);
    else handles.set(el, declare(o));
  };
  return {
    [before ? 'beforeMount' : 'mounted']: give,
    [before ? 'beforeUpdate' : 'updated']: give,
    beforeUnmount(el) {
      handles.get(el)?.release();
      handles.delete(el);
    },
  };
};

export const vScope = directive(pagestate.scope, true,
  ({ id, label, description, role, parent, state, volatile, sensitive, unordered, ids, total, offset }) =>
    ({ id, label, description, role, parent, state, volatile, sensitive, unordered, ids, total, offset }));
export const vRecord = directive(pagestate.record, true, ({ id, data, fields, replaces }) => ({ id, data, fields, replaces }));
export const vTool = directive(pagestate.tool, false,
  ({ id, desc, kind, params, available, run, expect }) => ({ id, desc, kind, params, available, run, expect }));

// useAgentTool declares a function-level tool.
export function useAgentTool(options) {
  let handle = pagestate.tool(options);
  const release = () => { handle?.release(); handle = undefined; };
  if (getCurrentScope()) onScopeDispose(release);
  else console.warn(`pagestate: the tool "${options.id}" was declared outside of a component and stays until it is released`);
  if (getCurrentInstance()) {
    onDeactivated(release);
    onActivated(() => { handle ??= pagestate.tool(options); });
  }
  return { release, update: (more) => { options = { ...options, ...more }; handle?.update(more); } };
}

// AgentDock stands where an app has a chat panel of its own; it shows nothing.
export const AgentDock = () => null;
AgentDock.inheritAttrs = false;

export const createAgent = () => ({
  install(app) {
    app.directive('scope', vScope).directive('record', vRecord).directive('tool', vTool).component('AgentDock', AgentDock);
  },
});
export default createAgent();
