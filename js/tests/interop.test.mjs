/** Files of the tool are read here, and the tool reads files that are written here. */

import assert from "node:assert/strict";
import { mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import * as polyseal from "../dist/index.js";
import { fileSource } from "../dist/node.js";
import { aegisSuites } from "./aegis.mjs";
import { collect } from "./kit.mjs";
import { inDirectory, run } from "./tool.mjs";

const plaintext = crypto.getRandomValues(new Uint8Array(20000));
const passphrase = "correct horse 🐎";

/** Each way to open a file: keys here, and arguments of the tool for both directions. */
async function waysToOpen(write) {
  const keyText = polyseal.generateKeyFile();
  const key = polyseal.keyFile(polyseal.parseKeyFile(Buffer.from(keyText)));
  const keyPath = await write("k.key", keyText);
  const ways = {
    "key file": { recipient: key, key, encrypt: ["-k", keyPath], decrypt: ["-k", keyPath] },
    passphrase: { recipient: polyseal.passphrase(passphrase), key: polyseal.passphrase(passphrase), encrypt: [], decrypt: [], passphrase },
  };
  for (const kind of ["x25519", "hybrid"]) {
    const made = await polyseal.generateAgeIdentity(kind);
    const path = await write(`${kind}.identity`, `${made.identity}\n`);
    ways[kind] = {
      recipient: polyseal.ageRecipient(made.recipient), key: polyseal.ageIdentity(made.identity),
      encrypt: ["-r", made.recipient], decrypt: ["-i", path],
    };
  }
  return ways;
}

const suites = ["aes-128-gcm", "xaes-256-gcm", "kc-xaes-256-gcm", "h-aes-256-gcm", "h-kc-aes-256-gcm", "hkdf-committed-aes-256-gcm",
  "padding-fix-aes-256-gcm", "ctx-aes-256-gcm", "aegis-256x2"];

test("files of the tool", () => inDirectory(async (directory, write) => {
  const input = await write("plain", plaintext);
  const ways = await waysToOpen(write);
  const read = async (name, way, options = {}) => {
    const source = await fileSource(join(directory, name));
    try {
      return await (await polyseal.open(source, [way.key], { suites: aegisSuites, ...options })).read();
    } finally {
      await source.close();
    }
  };
  const encrypt = (name, way, ...more) => run(["encrypt", ...way.encrypt, "-o", name, ...more, input], { cwd: directory, passphrase: way.passphrase });
  for (const [name, way] of Object.entries(ways)) {
    const file = name.replace(" ", "-");
    await encrypt(file, way, "--suite", "aes-256-gcm", "--context", "a päth");
    assert.deepEqual(await read(file, way, { context: "a päth" }), plaintext, name);
  }
  const way = ways["key file"];
  for (const suite of suites) {
    await encrypt(suite, way, "--suite", suite, "--segment-size", "4KiB");
    assert.deepEqual(await read(suite, way), plaintext, suite);
  }
  await encrypt("armored", way, "--suite", "aes-256-gcm", "--armor");
  assert.deepEqual(await read("armored", way), plaintext);
  await encrypt("payload", way, "--suite", "aes-256-gcm", "--header", "header", "--header-size", "8KiB");
  assert.deepEqual(await read("payload", way, { header: await readFile(join(directory, "header")) }), plaintext);
}));

test("files for the tool", () => inDirectory(async (directory, write) => {
  const ways = await waysToOpen(write);
  const decrypted = async (file, way, ...more) => new Uint8Array(await run(["decrypt", ...way.decrypt, ...more, await write("file", file)], { passphrase: way.passphrase }));
  for (const [name, way] of Object.entries(ways)) {
    const file = await collect(polyseal.encrypt(plaintext, [way.recipient], { context: "a päth", armor: name === "hybrid" }));
    assert.deepEqual(await decrypted(file, way, "--context", "a päth"), plaintext, name);
  }
  const way = ways["key file"];
  for (const suite of suites) {
    const file = await collect(polyseal.encrypt(plaintext, [ways.x25519.recipient, way.recipient], { suite, segmentSize: 8192, suites: aegisSuites }));
    assert.deepEqual(await decrypted(file, way), plaintext, suite);
  }
  for (const length of [0, 1, 65535, 65536, 65537]) {
    const some = new Uint8Array(length);
    assert.deepEqual(await decrypted(await collect(polyseal.encrypt(some, [way.recipient])), way), some);
  }
  const { header, payload } = await polyseal.encryptDetached(plaintext, [way.recipient]);
  assert.deepEqual(await decrypted(await collect(payload), way, "--header", await write("header", header)), plaintext);
  const file = await collect(polyseal.encrypt(plaintext, [way.recipient]));
  file.set(await polyseal.changeRecipients(file, [way.key], [ways.hybrid.recipient], { keep: true }));
  assert.deepEqual(await decrypted(file, ways.hybrid), plaintext);
  assert.deepEqual(await decrypted(file, way), plaintext);
}));

test("a tree of the tool", () => inDirectory(async (directory, write) => {
  const { "key file": way, x25519: other } = await waysToOpen(write);
  const at = (...names) => join(directory, ...names);
  await mkdir(at("album/may"), { recursive: true });
  await writeFile(at("album/may/one"), plaintext);
  await writeFile(at("album/index"), "list");
  await writeFile(at("album/empty"), "");
  await symlink("may/one", at("album/link"));
  await symlink("../outside", at("album/leads-out"));

  for (const context of [undefined, "holiday"]) {
    const sealed = context === undefined ? "sealed" : "sealed-with-context";
    await run(["encrypt", ...way.encrypt, ...(context === undefined ? [] : ["--context", context]), "--suite", "aes-256-gcm", "--recursive", "-o", sealed, "album"], { cwd: directory });
    const files = await filesOf(at(sealed));
    const names = [...files.keys()];
    const options = context === undefined ? {} : { context };
    const tree = await polyseal.openTree(files, [way.key], options);
    assert.deepEqual([tree.version, tree.complete], [3, true]);
    assert.deepEqual(tree.entries.map(({ type, name }) => `${type} ${name}`),
      ["file empty", "file index", "link leads-out", "link link", "directory may", "file may/one"]);
    assert.deepEqual(tree.entries.filter(({ type }) => type === "link").map(({ staysInTree }) => staysInTree), [false, true]);
    assert.deepEqual(await (await tree.open("may/one")).read(), plaintext);
    assert.equal(Buffer.from(await (await tree.open(tree.entries[1])).read()).toString(), "list");
    assert.equal((await tree.open("empty")).size, 0);
    await assert.rejects(tree.open("may"), { code: "invalid-argument" });
    await assert.rejects(tree.open("nothing"), { code: "no-such-entry" });
    assert.deepEqual(tree.compare(names), { missing: [], unexpected: [] });
    assert.deepEqual(tree.compare([...names.filter((name) => name !== "empty.polyseal"), "x"]), { missing: ["empty.polyseal"], unexpected: ["x"] });

    const renamed = await polyseal.openTree((name) => files.get(name === "empty.polyseal" ? "index.polyseal" : name), [way.key], options);
    await assert.rejects(renamed.open("empty"), { code: "does-not-belong" });
    files.delete("empty.polyseal");
    await assert.rejects(tree.open("empty"), { code: "missing-file" });
    await assert.rejects(polyseal.openTree(new Map(), [way.key]), { code: "no-manifest" });
    await assert.rejects(polyseal.openTree(files, [other.key], options), { code: "no-matching-key" });
    await assert.rejects(polyseal.openTree(files, [way.key], { context: "another" }), { code: "context-differs" });
    // No file of the tree is taken for its manifest.
    const swapped = new Map([...files, [".polyseal-manifest.polyseal", files.get("index.polyseal")]]);
    await assert.rejects(polyseal.openTree(swapped, [way.key], options), { code: "bad-manifest" });
  }
}));

/** The files of a folder by their names. */
async function filesOf(folder) {
  const found = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
    .map(({ parentPath, path, name }) => join(parentPath ?? path, name));
  return new Map(await Promise.all(found.map(async (path) => [path.slice(folder.length + 1), new Blob([await readFile(path)])])));
}

test("a tree that the tool updated, and an interrupted update of it", () => inDirectory(async (directory, write) => {
  const { "key file": { encrypt, key } } = await waysToOpen(write);
  const [album, sealed] = [join(directory, "album"), join(directory, "sealed")];
  const update = () => run(["encrypt", ...encrypt, "--suite", "aes-256-gcm", "--recursive", "--update", "-o", sealed, album], { cwd: directory });
  const is = async (tree, contents) => {
    for (const [name, text] of Object.entries(contents)) assert.equal(Buffer.from(await (await tree.open(name)).read()).toString(), text, name);
  };
  await mkdir(album);
  for (const name of ["changes", "goes", "stays"]) await writeFile(join(album, name), `${name}, first`);
  await update();
  const before = await filesOf(sealed);
  await writeFile(join(album, "changes"), "changes, second");
  await writeFile(join(album, "added"), "added");
  await rm(join(album, "goes"));
  await update();

  const now = { added: "added", changes: "changes, second", stays: "stays, first" };
  const after = await filesOf(sealed);
  const tree = await polyseal.openTree(after, [key]);
  assert.deepEqual([tree.number, tree.complete], [2n, true]);
  assert.deepEqual(tree.compare(after.keys()), { missing: [], unexpected: [] });
  await is(tree, now);
  await assert.rejects(tree.open("goes"), { code: "no-such-entry" });

  // The tree before, with what the update brings beside it.
  const saltOf = (name) => Buffer.from(tree.entries.find((entry) => entry.name === name).fileSalt).toString("hex");
  before.set(".polyseal-update/manifest.polyseal", after.get(".polyseal-manifest.polyseal"));
  for (const name of ["added", "changes"]) before.set(`.polyseal-update/${saltOf(name)}.polyseal`, after.get(`${name}.polyseal`));
  const interrupted = await polyseal.openTree(before, [key]);
  assert.deepEqual([interrupted.number, interrupted.interrupted, interrupted.complete], [2n, true, false]);
  assert.deepEqual(interrupted.compare(before.keys()), { missing: [], unexpected: [] });
  await is(interrupted, now);
  before.delete(`.polyseal-update/${saltOf("changes")}.polyseal`);
  await is(interrupted, { ...now, changes: "changes, first" });
}));
