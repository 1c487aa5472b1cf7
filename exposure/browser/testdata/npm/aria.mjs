// Takes Playwright's snapshots of a page that is open in a browser: node aria.mjs BROWSER PAGE,
// where BROWSER is the address of its debugging port and PAGE that of the page. Each line
// of the standard input is answered with one snapshot's time in ms and size in bytes.
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';

const [browserURL, pageURL] = process.argv.slice(2);
const browser = await chromium.connectOverCDP(browserURL);
const page = browser.contexts().flatMap((c) => c.pages()).find((p) => p.url() === pageURL);
if (!page) throw new Error('no page ' + pageURL);
console.log(JSON.stringify({ ms: 0, bytes: 0 }));
for await (const _ of createInterface({ input: process.stdin })) {
  const began = performance.now();
  const text = await page.ariaSnapshot({ mode: 'ai', timeout: 0 });
  console.log(JSON.stringify({ ms: performance.now() - began, bytes: Buffer.byteLength(text) }));
}
await browser.close();
