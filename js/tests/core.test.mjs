/**
 * The package loads `@polyseal/core` by itself. Here that is a stand-in, with the same interface and the slow AEGIS of the
 * tests; `core/test` has the same with the real one.
 */

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import * as polyseal from "../dist/index.js";
import { fileSource } from "../dist/node.js";
import { aegisSuites } from "./aegis.mjs";
import { install, installCore } from "./installed.mjs";
import { collect } from "./kit.mjs";
import { inDirectory, run } from "./tool.mjs";

const plaintext = crypto.getRandomValues(new Uint8Array(9000));
const keyText = polyseal.generateKeyFile();
const key = (library) => library.keyFile(library.parseKeyFile(keyText));
const sealed = await collect(polyseal.encrypt(plaintext, [key(polyseal)], { suite: "aegis-256x2", suites: aegisSuites }));
const standIn = {
  "package.json": '{ "name": "@polyseal/core", "type": "module", "exports": "./index.js" }',
  "index.js": `export { aegisSuites as suites } from ${JSON.stringify(new URL("./aegis.mjs", import.meta.url).href)};`,
};
const remedy = { code: "unsupported-suite", message: "The suite aegis-256x2 needs the package @polyseal/core: npm install @polyseal/core." };

test("where it is installed, the tool's default opens without more ado", () => inDirectory(async (root, write) => {
  const library = await import(await install(root, standIn));
  await write("k.key", keyText);
  await write("plain", plaintext);
  await run(["encrypt", "-k", "k.key", "-o", "sealed", "plain"], { cwd: root });
  for (const file of [await readFile(join(root, "sealed")), sealed]) {
    const { suite, suiteSupported } = await library.inspect(file);
    assert.deepEqual([suite, suiteSupported], ["aegis-256x2", true]);
    assert.deepEqual(await (await library.open(file, [key(library)])).read(), plaintext);
    assert.deepEqual(await collect((await library.decryptStream(file, [key(library)])).stream), plaintext);
  }
  const altered = sealed.slice();
  altered[altered.length - 1] ^= 1;
  await assert.rejects(library.open(altered, [key(library)]), { code: "corrupt-segment" });
  const written = await collect(library.encrypt(plaintext, [key(library)], { suite: "aegis-256x2" }));
  assert.deepEqual(await (await polyseal.open(written, [key(polyseal)], { suites: aegisSuites })).read(), plaintext);
  // An option goes before it; a suite that it lacks is not there.
  const suites = { "aegis-256x2": async () => ({ open: async () => null }) };
  await assert.rejects(library.open(sealed, [key(library)], { suites }), { code: "corrupt-segment" });
  await assert.rejects(collect(library.encrypt(plaintext, [key(library)], { suite: "flex-och" })), { code: "unsupported-suite" });
}));

test("where it is not, the error says how to install it, and then it is found", () => inDirectory(async (root) => {
  const library = await import(await install(root));
  assert.equal((await library.inspect(sealed)).suiteSupported, false);
  await assert.rejects(library.open(sealed, [key(library)]), remedy);
  await assert.rejects(library.decryptStream(sealed, [key(library)]), remedy);
  await assert.rejects(collect(library.encrypt(plaintext, [key(library)], { suite: "aegis-256x2" })), remedy);
  const file = await collect(library.encrypt(plaintext, [key(library)]));
  assert.deepEqual(await (await library.open(file, [key(library)])).read(), plaintext);
  await installCore(root, standIn);
  assert.deepEqual(await (await library.open(sealed, [key(library)])).read(), plaintext);
}));

test("one that is broken is not taken for none", () => inDirectory(async (root) => {
  const url = await install(root, { ...standIn, "index.js": 'import "polyseal-that-is-not-there";' });
  const library = await import(url);
  await assert.rejects(library.open(sealed, [key(library)]), { code: "suite-failed", message: /is installed, and could not be loaded/ });
  assert.equal((await library.inspect(sealed)).suiteSupported, false);
}));

test("esbuild bundles the package where there is none", () => inDirectory(async (root, write) => {
  await install(root);
  const entry = await write("app.js", 'export * from "polyseal";');
  const bundle = async (platform, outfile) => {
    const { warnings } = await build({ entryPoints: [entry], bundle: true, format: "esm", platform, outfile: join(root, outfile), logLevel: "silent" });
    assert.deepEqual(warnings, []);
    return import(pathToFileURL(join(root, outfile)).href);
  };
  for (const platform of ["browser", "node"]) {
    const library = await bundle(platform, `${platform}.mjs`);
    await assert.rejects(library.open(sealed, [key(library)]), remedy);
  }
  await installCore(root, standIn);
  const library = await bundle("node", "with.mjs");
  assert.deepEqual(await (await library.open(sealed, [key(library)])).read(), plaintext);
  assert.doesNotMatch(await readFile(new URL("../dist/polyseal.browser.js", import.meta.url), "utf8"), /\bimport\s*\(/);
  const { open, keyFile, parseKeyFile } = await import("../dist/polyseal.browser.js");
  await assert.rejects(open(sealed, [keyFile(parseKeyFile(keyText))]), { code: "unsupported-suite", message: /npm install @polyseal\/core, and give its suites as the option "suites"\.$/ });
}));

test("a file's name, a key that is no list, and a source that closes itself", () => inDirectory(async (root, write) => {
  await assert.rejects(polyseal.open("notes.polyseal", [key(polyseal)]), { code: "invalid-argument", message: /not as text\. The name of a file goes to fileSource, of "polyseal\/node"/ });
  await assert.rejects(polyseal.open(sealed, key(polyseal)), { code: "invalid-argument", message: /^Keys are given as a list, such as \[key\], and not as an object/ });
  const source = await fileSource(await write("sealed", sealed));
  const file = await polyseal.open(source, [key(polyseal)], { suites: aegisSuites });
  await source[Symbol.asyncDispose]();
  await assert.rejects(file.read());
}));
