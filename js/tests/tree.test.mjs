/** Which files are taken for the manifest of a tree, and how long one may be: see also `manifest.test.mjs`. */

import assert from "node:assert/strict";
import { test } from "node:test";
import * as polyseal from "../dist/index.js";
import { manifestName, sealTree } from "./trees.mjs";

const key = polyseal.keyFile(new Uint8Array(32).fill(5));
const contents = { "a.bin": new Uint8Array(9000).fill(1), b: new Uint8Array(0) };

test("a tree, with a context and without", async () => {
  for (const context of [undefined, "holidays"]) {
    const tree = await polyseal.openTree(await sealTree(key, contents, { context }), [key], context === undefined ? {} : { context });
    assert.deepEqual([tree.version, tree.entries.map(({ name }) => name)], [2, ["a.bin", "b"]]);
    assert.deepEqual(await (await tree.open("a.bin")).read(), contents["a.bin"]);
  }
  const old = await sealTree(key, contents, { version: 1, context: "holidays", manifestContext: "holidays" });
  assert.equal((await polyseal.openTree(old, [key], { context: "holidays", allowUnboundContents: true })).version, 1);
});

test("a file of a tree is not taken for its manifest, whatever it says", async () => {
  for (const options of [
    // Somebody who knows a key puts a manifest of their own into a file, which is bound as files are.
    { context: "holidays", manifestContext: "holidays" },
    { manifestContext: null },
    // Or gives the old version to what is bound as the new one.
    { version: 1, context: "holidays" },
    { version: 1 },
  ]) {
    const opening = sealTree(key, contents, options).then((files) =>
      polyseal.openTree(files, [key], { allowUnboundContents: true, ...(options.context === undefined ? {} : { context: options.context }) }));
    await assert.rejects(opening, { code: "bad-manifest", message: /another version, or of a file/ }, JSON.stringify(options));
  }
  const files = await sealTree(key, contents);
  await assert.rejects(polyseal.openTree(files.set(manifestName, files.get("a.bin.polyseal")), [key]), { code: "bad-manifest" });
});

/** A source that is said to be `size` bytes long, and what is read of it. */
function longSource(start, size) {
  const reads = [];
  return { reads, size, read: async (from, to) => {
    reads.push(to);
    return Uint8Array.from({ length: to - from }, (_, i) => start[from + i] ?? 0);
  } };
}

test("a manifest of more than 256 MiB is refused before a key is used, and one of 256 MiB is not", async () => {
  const manifest = (await sealTree(key, contents)).get(manifestName);
  for (const [size, message] of [[2 ** 28, /not authentic|length/], [2 ** 28 + 1, /manifest of the tree is too long/]]) {
    const source = longSource(manifest, size);
    await assert.rejects(polyseal.openTree(new Map([[manifestName, source]]), [key]), { message });
    assert.equal(Math.max(...source.reads) > 4096, size === 2 ** 28);
  }
});

test("armour of more than 256 MiB is not decoded in memory", async () => {
  const source = longSource(Buffer.from("-----BEGIN POLYSEAL FILE-----\n"), 2 ** 28 + 1);
  await assert.rejects(polyseal.open(source, [key]), { code: "invalid-argument", message: /too long to be read in any order/ });
  assert.deepEqual(source.reads, [4096]);
});
