// A page with a page-agent from npm: a tool of its own, one that replaces a built-in
// one, one that takes a built-in one away, and one that can be stopped half-way.
import { PageAgent, tool } from 'page-agent';
import { z } from 'zod/v4';

const add = (id, title) => {
  const li = document.createElement('li'), span = document.createElement('span');
  li.dataset.agentRecord = id;
  span.dataset.agentField = 'title';
  span.textContent = title;
  li.append(span);
  document.querySelector('[data-agent-scope=cart]').append(li);
};
const wait = (ms, signal) => new Promise((done, fail) => {
  const timer = setTimeout(done, ms);
  signal.addEventListener('abort', () => { clearTimeout(timer); fail(signal.reason); });
});

window.assistant = new PageAgent({
  model: 'none', baseURL: 'http://127.0.0.1:9/v1', apiKey: 'sk-never-to-be-seen', language: 'en-US',
  instructions: { system: 'also-never-to-be-seen' },
  customTools: {
    add_to_cart: tool({
      description: 'Add a product to the cart by its id.',
      inputSchema: z.object({ product: z.string().min(1), quantity: z.number().int().min(1).max(99).default(1) }),
      execute: async (input) => {
        add(input.product, `${input.quantity}x ${input.product}`);
        return `Added ${input.quantity}x ${input.product}.`;
      },
    }),
    restock: tool({
      description: 'Fill up the cart, one jar after the other.',
      inputSchema: z.object({ jars: z.number().int().max(9) }),
      execute: async function (input, { signal }) {
        for (let i = 1; i <= input.jars; i++) {
          signal.throwIfAborted();
          add('jar-' + i, 'Jar ' + i);
          if (i === 2) await wait(30_000, signal);
        }
        return `Filled up by ${this === window.assistant ? 'the assistant' : 'somebody else'}.`;
      },
    }),
    wait: tool({
      description: 'Wait for a while, at most a second.',
      inputSchema: z.object({ when: z.date().optional() }), // has no JSON Schema
      execute: async () => 'Waited.',
    }),
    scroll: null,
  },
});
