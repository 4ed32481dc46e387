/** Which files are taken for the manifest of a tree, and how long one may be: see also `manifest.test.mjs`. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import { ascii, concat } from "../dist/bytes.js";
import * as polyseal from "../dist/index.js";
import { headerChoices, makeHeader } from "../dist/write-header.js";
import { comingName, manifestName, manifestText, seal, sealManifest, sealTree } from "./trees.mjs";

const key = polyseal.keyFile(new Uint8Array(32).fill(5));
const contents = { "a.bin": new Uint8Array(9000).fill(1), b: new Uint8Array(0) };

test("a tree, with a context and without", async () => {
  for (const context of [undefined, "holidays"]) {
    const tree = await polyseal.openTree(await sealTree(key, contents, { context }), [key], context === undefined ? {} : { context });
    assert.deepEqual([tree.version, tree.number, tree.complete, tree.interrupted, tree.entries.map(({ name }) => name)], [3, 1n, true, false, ["a.bin", "b"]]);
    const file = await tree.open("a.bin");
    assert.deepEqual(await file.read(), contents["a.bin"]);
    assert.equal(file.entry, tree.entries[0]);
    const second = await polyseal.openTree(await sealTree(key, contents, { version: 2, context }), [key], context === undefined ? {} : { context });
    assert.deepEqual([second.version, second.number, second.complete], [2, 0n, true]);
    assert.deepEqual(await (await second.open("a.bin")).read(), contents["a.bin"]);
  }
  const old = await sealTree(key, contents, { version: 1, context: "holidays", manifestContext: "holidays" });
  assert.equal((await polyseal.openTree(old, [key], { context: "holidays", allowUnboundContents: true })).version, 1);
});

test("a file of a tree is not taken for its manifest, whatever it says", async () => {
  for (const options of [
    // Somebody who knows a key puts a manifest of their own into a file, which is bound as files are.
    { context: "holidays", manifestContext: "holidays" },
    { manifestContext: null },
    // Or gives one version to what is bound as another.
    { version: 2, manifestContext: "polyseal-manifest/3" },
    { manifestContext: "polyseal-manifest/2" },
    { version: 2, context: "holidays", manifestContext: "polyseal-manifest/3:holidays" },
    { version: 1, manifestContext: "polyseal-manifest/3" },
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

const textOf = async (file) => Buffer.from(await file.read()).toString();

test("what could not be taken is named, and what an earlier run took of it is given out", async () => {
  const [kept, gone] = [await seal(ascii("kept"), key), await seal(ascii("gone"), key)];
  const manifest = await sealManifest(key, [
    { path: "d", type: "d", state: 2, reason: 1 }, { path: "d/kept", ...kept, state: 2, reason: 1 }, { path: "gone", ...gone, state: 3 },
    { path: "old", type: "d", state: 3 }, { path: "old/was", ...gone, state: 3 }, { path: "pipe", type: "x", state: 2, reason: 4 },
    { path: "z", type: "x", state: 2, reason: 99 },
  ], { number: 2 });
  const files = new Map([[manifestName, manifest.bytes], ["d/kept.polyseal", kept.bytes], ["gone.polyseal", gone.bytes]]);
  const tree = await polyseal.openTree(files, [key]);
  assert.deepEqual([tree.complete, tree.interrupted, tree.number], [false, false, 2n]);
  assert.deepEqual(tree.failed.map(({ type, name, reason }) => [type, name, reason]), [
    ["directory", "d", "permission-denied"], ["file", "d/kept", "permission-denied"], ["absent", "pipe", "unsupported-type"], ["absent", "z", "unknown"],
  ]);
  assert.deepEqual(tree.entries, tree.failed);
  assert.equal(await textOf(await tree.open("d/kept")), "kept");
  for (const name of ["gone", "old/was"]) await assert.rejects(tree.open(name), { code: "no-such-entry" }, name);
  await assert.rejects(tree.open("pipe"), { code: "invalid-argument" });
  assert.deepEqual(tree.compare(files.keys()), { missing: [], unexpected: [] });
  files.delete("d/kept.polyseal");
  files.set(kept.updateName, kept.bytes);
  assert.deepEqual(tree.compare([...files.keys(), "pipe.polyseal"]), { missing: ["d/kept.polyseal"], unexpected: ["pipe.polyseal"] });
});

/** A tree whose update was interrupted before any file came to its place. `change` is made to what the coming manifest says. */
async function interruptedTree({ number = 5, change = (previous) => previous } = {}) {
  const [same, old, gone, becomes, deleted] = await Promise.all(["same", "old", "gone", "a file", "deleted"].map((of) => seal(ascii(of), key)));
  const own = await sealManifest(key, [{ path: "again", ...deleted, state: 3 }, { path: "becomes", ...becomes }, { path: "changes", ...old }, { path: "gone", ...gone }, { path: "same", ...same }], { number: 4 });
  const [inside, newer, added, again] = await Promise.all(["a folder now", "newer", "added", "back again"].map((of) => seal(ascii(of), key)));
  const coming = await sealManifest(key, [
    { path: "again", ...again },
    { path: "becomes", type: "d" }, { path: "becomes/inside", ...inside }, { path: "changes", ...newer }, { path: "gone", ...gone, state: 3 },
    { path: "same", ...same, state: 1 }, { path: "zadded", ...added },
  ], { number, previous: change(own) });
  const files = new Map([
    [manifestName, own.bytes], ["again.polyseal", deleted.bytes], [again.updateName, again.bytes], ["becomes.polyseal", becomes.bytes], ["changes.polyseal", old.bytes], ["gone.polyseal", gone.bytes], ["same.polyseal", same.bytes],
    [comingName, coming.bytes], [inside.updateName, inside.bytes], [newer.updateName, newer.bytes], [added.updateName, added.bytes],
  ]);
  return { files, newer, added, again };
}

const zero = new Uint8Array(32);

test("an interrupted update: each file is as it is now, or as it was before", async () => {
  for (const options of [{}, { number: 1, change: (previous) => ({ ...previous, commitment: zero }) }]) {
    const { files, newer, added, again } = await interruptedTree(options);
    const tree = await polyseal.openTree(files, [key]);
    assert.deepEqual([tree.interrupted, tree.complete, tree.failed, tree.number], [true, false, [], BigInt(options.number ?? 5)]);
    assert.deepEqual(tree.compare(files.keys()), { missing: [], unexpected: [] });
    const old = files.get("changes.polyseal");
    const read = async () => {
      const file = await tree.open("changes");
      assert.equal(Number(file.entry.size), file.size);
      return textOf(file);
    };
    for (const [name, contents] of [["becomes/inside", "a folder now"], ["same", "same"], ["zadded", "added"]]) assert.equal(await textOf(await tree.open(name)), contents);
    assert.equal(await read(), "newer");
    await assert.rejects(tree.open("gone"), { code: "no-such-entry" });
    await assert.rejects(tree.open("becomes"), { code: "invalid-argument" });
    // The old file had been deleted before the update.
    assert.equal(await textOf(await tree.open("again")), "back again");
    files.delete(again.updateName);
    await assert.rejects(tree.open("again"), { code: "does-not-belong" });
    // The new file is in its place, and altered.
    files.delete(added.updateName);
    files.set("zadded.polyseal", added.bytes.with(4100, added.bytes[4100] ^ 1));
    await assert.rejects(tree.open("zadded"), { code: "corrupt-segment" });
    files.delete(newer.updateName);
    files.set("changes.polyseal", newer.bytes);
    assert.equal(await read(), "newer");
    // The new file is lost, or is another one, and the old one is there.
    files.set("changes.polyseal", old);
    assert.equal(await read(), "old");
    files.set(newer.updateName, files.get("same.polyseal"));
    assert.equal(await read(), "old");
    files.delete(newer.updateName);
    files.set("changes.polyseal", old.with(-1, old.at(-1) ^ 1));
    await assert.rejects(tree.open("changes"), { code: "corrupt-segment" });
    files.set("changes.polyseal", files.get("same.polyseal"));
    await assert.rejects(tree.open("changes"), { code: "does-not-belong" });
    files.delete("changes.polyseal");
    await assert.rejects(tree.open("changes"), { code: "missing-file" });
    assert.deepEqual(tree.compare([...files.keys(), "other", ".polyseal-update/other", ".polyseal-signed/other"]), { missing: ["changes.polyseal"], unexpected: ["other"] });
  }
});

test("a coming manifest that is not the tree's is ignored", async () => {
  const flip = (bytes, at) => bytes.with(at, bytes.at(at) ^ 1);
  for (const [name, options, alter = () => undefined] of [
    ["the same number", { number: 4 }],
    ["two more", { number: 6 }],
    ["another salt", { change: (previous) => ({ ...previous, salt: flip(previous.salt, 0) }) }],
    ["another commitment", { change: (previous) => ({ ...previous, commitment: flip(previous.commitment, 31) }) }],
    ["another root", { change: (previous) => ({ ...previous, root: flip(previous.root, 0) }) }],
    ["salt without commitment", { number: 1, change: (previous) => ({ ...previous, commitment: zero, salt: zero }) }],
    ["root without commitment", { number: 1, change: (previous) => ({ ...previous, commitment: zero, root: zero }) }],
    ["none", { change: () => undefined }],
    ["altered", {}, (files) => files.set(comingName, flip(files.get(comingName), -1))],
    ["the tree's own", {}, (files) => files.set(comingName, files.get(manifestName))],
    ["a file", {}, (files) => files.set(comingName, files.get("same.polyseal"))],
    ["nothing", {}, (files) => files.set(comingName, new Uint8Array(0))],
    ["of another key", {}, async (files) => files.set(comingName, (await sealManifest(polyseal.keyFile(zero), [])).bytes)],
    ["of version 2", {}, async (files) => files.set(comingName, (await seal(manifestText([], { version: 2 }), key, "polyseal-manifest/2")).bytes)],
  ]) {
    const { files } = await interruptedTree(options);
    await alter(files);
    const tree = await polyseal.openTree(files, [key]);
    assert.deepEqual([tree.complete, tree.number], [true, 4n], name);
    assert.deepEqual(tree.compare(files.keys()), { missing: [], unexpected: [] }, name);
    assert.equal(await textOf(await tree.open("changes")), "old", name);
    assert.equal(await textOf(await tree.open("gone")), "gone", name);
  }
});

test("a tree of version 2 counts as number 0, and its upgrade can be interrupted", async () => {
  const own = await seal(manifestText([], { version: 2 }), key, "polyseal-manifest/2");
  const one = await seal(ascii("contents"), key);
  for (const [number, follows] of [[1, true], [2, false]]) {
    const coming = await sealManifest(key, [{ path: "one", ...one }], { number, previous: own });
    const tree = await polyseal.openTree(new Map([[manifestName, own.bytes], [comingName, coming.bytes], [one.updateName, one.bytes]]), [key]);
    assert.deepEqual([tree.version, tree.interrupted], [follows ? 3 : 2, follows]);
    if (follows) assert.equal(await textOf(await tree.open("one")), "contents");
  }
});

test("where nobody can tell whether an update was interrupted, the tree is not opened", async () => {
  const { files } = await interruptedTree();
  const failing = (error) => (name) => {
    if (name === comingName) throw error;
    return files.get(name);
  };
  const failed = (status) => new polyseal.PolysealError("source-failed", "The server does not answer so.", { status });
  for (const error of [new Error("EIO"), failed(500), failed(undefined)]) await assert.rejects(polyseal.openTree(failing(error), [key]), error);
  const broken = new Map(files).set(comingName, { size: 9000, read: async () => { throw new Error("EIO"); } });
  await assert.rejects(polyseal.openTree(broken, [key]), { message: "EIO" });
  const choices = headerChoices({ suite: "omd-sha256", context: "polyseal-manifest/3" });
  const { header } = await makeHeader([key], choices);
  await assert.rejects(polyseal.openTree(new Map(files).set(comingName, concat(header.bytes, new Uint8Array(100))), [key]), { code: "unsupported-suite" });
  for (const error of [failed(404), failed(410), failed(403), Object.assign(new Error("no such file"), { code: "ENOENT" }), new DOMException("", "NotFoundError")]) {
    assert.equal((await polyseal.openTree(failing(error), [key])).interrupted, false, String(error));
  }
});

test("a tree on a server", async () => {
  const { files, newer } = await interruptedTree();
  const server = createServer((request, response) => {
    const bytes = files.get(request.url.slice(1));
    if (bytes === undefined) return response.writeHead(404).end();
    const [from, last] = request.headers.range.match(/\d+/g).map(Number);
    const end = Math.min(last + 1, bytes.length);
    response.writeHead(206, { "Content-Range": `bytes ${from}-${end - 1}/${bytes.length}`, ETag: '"1"' }).end(bytes.subarray(from, end));
  }).listen(0, "127.0.0.1");
  try {
    await once(server, "listening");
    const find = (name) => new URL(name, `http://127.0.0.1:${server.address().port}/`);
    const tree = await polyseal.openTree(find, [key]);
    assert.equal(await textOf(await tree.open("changes")), "newer");
    files.delete(newer.updateName);
    assert.equal(await textOf(await tree.open("changes")), "old");
    files.delete("changes.polyseal");
    await assert.rejects(tree.open("changes"), { code: "missing-file" });
    files.delete(comingName);
    assert.equal((await polyseal.openTree(find, [key])).complete, true);
    files.delete(manifestName);
    await assert.rejects(polyseal.openTree(find, [key]), { code: "no-manifest" });
  } finally {
    server.close();
  }
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
