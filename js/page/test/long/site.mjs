/**
 * `node test/long/site.mjs DIRECTORY` looks at every page of a site in Chromium, at three widths, light and dark: nothing is
 * wider than the window, axe finds nothing, no script fails, and no other host is asked. Each door of the first page leads
 * to a page whose first screen has a block of code. `scripts/book` runs it on the book, whose links `scripts/book-links` has
 * followed.
 */

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { axeFaults, launch, serve, widthFaults, withPage } from "./harness.mjs";

const [root, only = ""] = process.argv.slice(2);
const DOORS = 7, SCREEN = 600;
// All pages in one, a page for addresses that do not exist, and a list for browsers without scripts.
const pages = readdirSync(root, { recursive: true }).filter((name) => /\.html$/.test(name) && !/(^|\/)(print|404|toc)\.html$/.test(name) && name.startsWith(only));
const [browser, server] = [await launch(), await serve({ root })];
const found = [];
const look = (hash, options, run) => withPage(browser, server, { hash, ready: (page) => page.waitForLoadState("networkidle"), reducedMotion: "reduce", ...options }, run)
  .catch((error) => { found.push(`${hash}: ${error.message}`); });

for (const name of pages) {
  await Promise.all(["light", "dark"].map((colorScheme) => look(name, { colorScheme }, async (page) => {
    for (const width of [390, 1024, 1600]) {
      const faults = [...await widthFaults(page, width, "html, .content"), ...await axeFaults(page)];
      found.push(...faults.map((fault) => `${name}, ${colorScheme}, ${width}: ${fault}`));
    }
  })));
}
let doors;
await look("", { viewport: { width: 390, height: 900 } }, async (page) => {
  doors = await page.locator("#who-are-you + ul > li > a").evaluateAll((links) => links.map(({ href }) => new URL(href).pathname.slice(1)));
  await page.click("#mdbook-sidebar-toggle");
  await page.waitForSelector("#mdbook-sidebar:visible");
});
assert.equal(doors.length, DOORS);
for (const door of doors) {
  await look(door, { viewport: { width: 1024, height: SCREEN } }, async (page) => {
    const block = await page.locator("main pre").first().boundingBox();
    if (!block || block.y + block.height / 2 > SCREEN) found.push(`${door}: its first block of code begins at ${block?.y}`);
  });
}
await browser.close();
await server.close();
console.log(`site: ${pages.length} pages and ${DOORS} doors, ${found.length} faults`);
if (found.length) {
  console.error(found.join("\n\n"));
  process.exitCode = 1;
}
