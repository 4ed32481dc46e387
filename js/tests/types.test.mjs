/** The types of the package: see also `long/types.test.mjs`. */

import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { test } from "node:test";

test("no type that TypeScript 5.6 does not know is in a declaration", async () => {
  const directory = new URL("../dist/", import.meta.url);
  for (const name of (await readdir(directory)).filter((one) => one.endsWith(".d.ts"))) {
    assert.doesNotMatch(await readFile(new URL(name, directory), "utf8"), /(?:Int8|Uint8|Uint16|Float64|Uint32)Array<|ArrayBufferLike/, name);
  }
});
