/** The conformance kit of the file format, all of it. `long/conformance.test.mjs` has it without AEGIS. */

import assert from "node:assert/strict";
import { test } from "node:test";
import * as polyseal from "../dist/index.js";
import { runFiles, runKeyFiles } from "./kit.mjs";
import { load, readJson } from "./vectors.mjs";
import { aegisSuites } from "./aegis.mjs";

const index = await readJson("file-format/index.json");
const loadFile = (name) => load(`file-format/${name}`);

test("every file, with AEGIS as a suite of the caller", async (t) => {
  const { counts, failures } = await runFiles(polyseal, index, loadFile, aegisSuites);
  t.diagnostic(JSON.stringify(counts));
  assert.deepEqual(failures, []);
  assert.equal(counts.tests, index.tests.length);
  assert.equal(counts.parts, index.parts.length);
  assert.ok(counts.tests >= 746 && counts.parts >= 12, "the kit lacks cases");
  assert.ok(counts.unsupportedSuite < 80, `${counts.unsupportedSuite} cases are not computed`);
});

test("every key file", async () => {
  const { count, failures } = await runKeyFiles(polyseal, index, loadFile);
  assert.deepEqual(failures, []);
  assert.ok(count >= 32);
});

test("the kit has nothing that these tests do not know", () => {
  assert.deepEqual(Object.keys(index).sort(), ["description", "keyFiles", "keys", "parts", "tests"]);
});
