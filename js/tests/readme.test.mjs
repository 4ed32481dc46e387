/** The example of README.md, where the package is installed. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";

import { install } from "./installed.mjs";

test("the example of the README runs", async (t) => {
  const root = await mkdtemp(join(tmpdir(), "polyseal-readme-"));
  t.after(() => rm(root, { recursive: true }));
  await install(root);
  const page = await readFile(new URL("../README.md", import.meta.url), "utf8");
  const examples = [...page.matchAll(/^```js\n(.*?)^```$/gms)];
  assert.equal(examples.length, 1);
  await writeFile(join(root, "example.js"), examples[0][1]);
  const { stdout } = await promisify(execFile)(process.execPath, ["example.js"], { cwd: root });
  assert.equal(stdout, "12 at noon\n");
});
