/** The conformance kit with every suite computed by WebAssembly, by each of the two modules. */

import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import vm from "node:vm";
import { build } from "esbuild";
import * as polyseal from "polyseal";
import { instantiate, load, moduleUrl, onUse, suites as onUseSuites } from "../dist/index.js";
import { install } from "../../tests/installed.mjs";
import { runFiles } from "../../tests/kit.mjs";
import * as vectors from "../../tests/vectors.mjs";

const index = await vectors.readJson("file-format/index.json");
const moduleNamed = (name) => new URL(`../dist/polyseal-${name}.wasm`, import.meta.url);
// An engine without relaxed vectors does not take the second.
const names = ["simd128", ...(moduleUrl().pathname.includes("relaxed") ? ["relaxed-simd"] : [])];

for (const name of names) {
  test(`every file, with vectors of ${name}`, async () => {
    const { counts, failures } = await runFiles(polyseal, index, (file) => vectors.load(`file-format/${file}`), await load(moduleNamed(name)));
    assert.deepEqual(failures, []);
    assert.equal(counts.unsupportedSuite, 0);
    assert.equal(counts.tests, index.tests.length);
  });
}

test("what is sealed opens, and what is altered does not", async () => {
  const suites = await load();
  assert.deepEqual(Object.keys(suites), polyseal.suiteNames);
  const plaintext = new Uint8Array(3 * 65536 + 5).map((_, i) => i);
  for (const suite of ["aegis-256x2", "flex-och", "omd-blake2b", "dndk-gcm:kc=1"]) {
    const key = polyseal.keyFile(new Uint8Array(32).fill(7));
    const sealed = new Uint8Array(await new Response(polyseal.encrypt(plaintext, [key], { suite, suites })).arrayBuffer());
    assert.deepEqual(await (await polyseal.open(sealed, [key], { suites })).read(), plaintext);
    sealed[sealed.length - 1] ^= 1;
    await assert.rejects(polyseal.open(sealed, [key], { suites }), { code: "corrupt-segment", segment: 3 });
  }
});

test("polyseal takes the package by itself where both are installed", async () => {
  const root = await realpath(await mkdtemp(join(tmpdir(), "polyseal-core-")));
  try {
    const library = await import(await install(root, fileURLToPath(new URL("..", import.meta.url))));
    const key = library.keyFile(new Uint8Array(32).fill(7));
    const plaintext = new Uint8Array(70000).map((_, i) => i);
    for (const suite of ["aegis-256x2", "flex-och", "omd-sha512"]) {
      const sealed = new Uint8Array(await new Response(library.encrypt(plaintext, [key], { suite })).arrayBuffer());
      assert.equal((await library.inspect(sealed)).suiteSupported, true);
      assert.deepEqual(await (await library.open(sealed, [key])).read(), plaintext);
      assert.deepEqual(await (await polyseal.open(sealed, [key], { suites: onUseSuites })).read(), plaintext);
    }
  } finally {
    await rm(root, { recursive: true });
  }
});

test("a key or a nonce of another length is an error", async () => {
  const suites = await load(await readFile(moduleUrl()));
  await assert.rejects(suites["aegis-256"](new Uint8Array(16)), /takes no key of 16 bytes/);
  const cipher = await suites["aegis-256"](new Uint8Array(32));
  await assert.rejects(cipher.seal(new Uint8Array(16), new Uint8Array(64)), /takes a nonce of 32 bytes/);
  await assert.rejects(cipher.open(new Uint8Array(33), new Uint8Array(64)), /takes a nonce of 32 bytes/);
});

test("what is not bytes is taken for none, and a page in the module's place is told", async () => {
  for (const value of [1234, [0, 97, 115, 109], null, undefined, "text", {}, new String("x"), Promise.resolve()]) {
    await assert.rejects(instantiate(value), { name: "TypeError", message: /given as bytes/ });
    await assert.rejects(load(value === undefined ? null : value), { name: "TypeError", message: /given as bytes/ });
    assert.throws(() => onUse(value), { name: "TypeError", message: /a function/ });
  }
  const suites = await load(await readFile(moduleUrl()));
  const cipher = await suites["aegis-256"](new Uint8Array(32));
  const list = Array(32).fill(0);
  await assert.rejects(suites["aegis-256"](list), /given as bytes/);
  await assert.rejects(cipher.seal(list, new Uint8Array(1)), /takes a nonce/);
  for (const text of [1234, [1, 2], null, "text", new Uint16Array(1)]) await assert.rejects(cipher.seal(new Uint8Array(32), text), /given as bytes/);
  const foreign = new (vm.runInNewContext("Uint8Array"))(32);
  assert.deepEqual(await (await suites["aegis-256"](foreign)).seal(foreign, foreign), await cipher.seal(new Uint8Array(32), new Uint8Array(32)));
  await assert.rejects(load(new URL("data:text/html,<!doctype html>")), /no WebAssembly module.*optimizeDeps/s);
  assert.equal(Object.keys(await load(new (vm.runInNewContext("ArrayBuffer"))(0)).catch(() => ({}))).length, 0);
});

test("the module is found from where Vite's development server moves the script", async () => {
  const root = await realpath(await mkdtemp(join(tmpdir(), "polyseal-core-")));
  try {
    const modules = join(root, "node_modules");
    await mkdir(join(modules, "@polyseal"), { recursive: true });
    await symlink(fileURLToPath(new URL("..", import.meta.url)), join(modules, "@polyseal/core"));
    const outfile = join(modules, ".vite/deps/@polyseal_core.js");
    await build({ entryPoints: [fileURLToPath(new URL("../dist/index.js", import.meta.url))], bundle: true, format: "esm", platform: "node", outfile, logLevel: "error" });
    const moved = await import(outfile);
    assert.ok(moved.moduleUrl().pathname.startsWith(`${modules}/@polyseal/core/dist/polyseal-`), moved.moduleUrl().pathname);
    assert.equal(Object.keys(await moved.load()).length, polyseal.suiteNames.length);
  } finally {
    await rm(root, { recursive: true });
  }
});

test("the module is loaded once, when a file needs it", async () => {
  let loads = 0;
  const suites = onUse(async () => {
    loads += 1;
    if (loads === 1) throw new Error("offline");
    return instantiate(await readFile(moduleUrl()));
  });
  assert.deepEqual([...Object.keys(suites), ...polyseal.builtInSuiteNames].sort(), [...polyseal.suiteNames].sort());
  assert.deepEqual(Object.keys(onUseSuites), Object.keys(suites));
  const key = polyseal.keyFile(new Uint8Array(32).fill(7));
  const sealed = async (suite) => new Uint8Array(await new Response(polyseal.encrypt(new Uint8Array(9), [key], { suite, suites })).arrayBuffer());
  await polyseal.open(await sealed("aes-256-gcm"), [key], { suites });
  assert.equal(loads, 0);
  await assert.rejects(sealed("aegis-256x2"), (error) => error.code === "suite-failed" && error.cause.message === "offline");
  const file = await sealed("aegis-256x2");
  await polyseal.open(file, [key], { suites });
  await polyseal.open(file, [key], { suites: onUseSuites });
  assert.equal(loads, 2);
});

test("the functions of a cipher keep its key", async () => {
  const suites = await load();
  const sealBy = async (byte) => (await suites["aegis-256"](new Uint8Array(32).fill(byte))).seal;
  const seal = await sealBy(1);
  const segment = () => seal(new Uint8Array(32), new Uint8Array(16));
  const before = await segment();
  for (let round = 0; round < 3; round++) {
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 10));
    await sealBy(2);
  }
  assert.deepEqual(await segment(), before);
});
