/** The conformance kit of the file format with the suites of this library alone. */

import assert from "node:assert/strict";
import { test } from "node:test";
import * as polyseal from "../../dist/index.js";
import { runFiles } from "../kit.mjs";
import { load, readJson } from "../vectors.mjs";

const index = await readJson("file-format/index.json");
const loadFile = (name) => load(`file-format/${name}`);

test("every file, with the suites of this library", async (t) => {
  const { counts, failures } = await runFiles(polyseal, index, loadFile);
  t.diagnostic(JSON.stringify(counts));
  assert.deepEqual(failures, []);
  assert.equal(counts.tests, index.tests.length);
  assert.equal(counts.parts, index.parts.length);
  assert.ok(counts.tests >= 746 && counts.parts >= 12, "the kit lacks cases");
});
