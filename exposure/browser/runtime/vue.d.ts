import type { Component, Directive, Plugin } from 'vue';

/** What the Vue adapter and pagestate.tool take as a tool. */
export interface AgentToolOptions<P = any> {
  id: string;
  desc: string;
  /** "read", "write", or the app's word; never authorisation. */
  kind?: string;
  /** JSON Schema of the parameters; none means that there are none. */
  params?: object;
  /** true, or the reason why not. */
  available?: boolean | string | (() => boolean | string);
  run?: (params: P, context: { signal: AbortSignal }) => unknown;
  expect?: { desc: string; check: () => boolean | Promise<boolean>; /** milliseconds */ timeout?: number };
}

export interface AgentScopeOptions {
  id: string;
  label?: string;
  description?: string;
  role?: string;
  parent?: string;
  state?: 'active' | 'inactive' | 'covered' | (() => 'active' | 'inactive' | 'covered');
  volatile?: string[];
  sensitive?: string[];
  unordered?: boolean;
  ids?: string;
  total?: number;
  offset?: number;
}

export interface AgentRecordOptions {
  /** Text or an integer; data.id if it is left out. */
  id?: string | number | bigint;
  data?: { id?: string | number | bigint };
  fields?: Record<string, unknown> | (() => Record<string, unknown>);
  replaces?: string;
}

export interface AgentHandle<O> {
  release(): void;
  update(more: Partial<O>): void;
}

export const vScope: Directive<HTMLElement, AgentScopeOptions>;
export const vRecord: Directive<HTMLElement, AgentRecordOptions>;
export const vTool: Directive<HTMLElement, AgentToolOptions>;
export function useAgentTool<P = any>(options: AgentToolOptions<P>): AgentHandle<AgentToolOptions<P>>;
export const AgentDock: Component;
export function createAgent(): Plugin;
declare const agent: Plugin;
export default agent;
