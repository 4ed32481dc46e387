/** The main jobs in engines that lack something: `engines.mjs`; one engine and one feature at a time in `long`. */

import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { test } from "node:test";
import { engines, jobsWithout } from "./engines.mjs";

const half = "half of X25519 in WebCrypto";

test("without all that some engine lacks, at once", () => jobsWithout([...new Set(engines.flatMap(({ lacks }) => lacks))].filter((feature) => feature !== half)));

test(`without ${half}`, () => jobsWithout([half]));

test("no source goes through a stream by a loop that Safari does not have", async () => {
  // The iterables of `for await` are named here: generators of these sources, and a caller's own.
  const found = [];
  for (const directory of ["../src/", "../core/src/", "../page/src/page/", "../page/src/worker/", "../page/src/shared/"]) {
    for (const name of await readdir(new URL(directory, import.meta.url), { recursive: true })) {
      if (!name.endsWith(".ts")) continue;
      const text = await readFile(new URL(directory + name, import.meta.url), "utf8");
      for (const [, what] of text.matchAll(/for await \(const \w+ of ([^\n]*?)\) \{/g)) found.push(what.replace(/\(.*/, ""));
    }
  }
  assert.deepEqual([...new Set(found)].sort(), ["pieces", "wrappingKeys"]);
});
