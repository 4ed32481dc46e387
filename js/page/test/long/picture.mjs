/** `node test/long/picture.mjs DIRECTORY` makes the pictures of the page for the first page of the book, light and dark. */

import { join } from "node:path";
import { directory, launch, openWithKeyFile, seal, serve, tool, withPage } from "./harness.mjs";

const [output] = process.argv.slice(2);
const [browser, server] = [await launch(), await serve()];
const key = join(directory, "backup.key");
tool(["keygen", "-o", key]);
const path = seal("notes.txt", "meet at noon\n", ["-k", key]);
for (const colorScheme of ["light", "dark"]) {
  await withPage(browser, server, { colorScheme, viewport: { width: 500, height: 900 }, deviceScaleFactor: 2, reducedMotion: "reduce" }, async (page) => {
    await openWithKeyFile(page, path, key);
    await page.click("#open-preview");
    await page.waitForSelector("#open-preview-media pre");
    await page.locator("#open-result-card").screenshot({ path: join(output, `page-${colorScheme}.png`) });
  });
}
await browser.close();
await server.close();
