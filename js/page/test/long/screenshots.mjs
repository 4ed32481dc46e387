/** `node test/long/screenshots.mjs DIRECTORY` makes pictures of every state, for people to look at. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { directory, launch, serve, tool, withPage } from "./harness.mjs";
import { throughAllStates } from "./states.mjs";

const output = process.argv[2];
mkdirSync(output, { recursive: true });
const [browser, server] = [await launch(), await serve()];
const key = join(directory, "screenshots.key");
tool(["keygen", "-o", key]);
for (const colorScheme of ["light", "dark"]) {
  await withPage(browser, server, { colorScheme, reducedMotion: "reduce" }, async (page) => {
    await throughAllStates(page, key, async (state) => {
      for (const width of [390, 768, 1600]) {
        await page.setViewportSize({ width, height: 900 });
        await page.screenshot({ path: join(output, `${state}-${width}-${colorScheme}.png`), fullPage: true });
      }
    });
  });
}
await browser.close();
await server.close();
