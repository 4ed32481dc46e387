/**
 * The library's main jobs, and those of the page's worker, without what an engine lacks: `engines.json` says what that is,
 * and where that is known from.
 *
 * The features that a page's window lacks are not here, but in the tests of the page: `showSaveFilePicker` is taken
 * away there, too.
 */

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { after, before } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { collect } from "./kit.mjs";
import { signers, statementAbout } from "./signed.mjs";
import { manifestName, sealManifest, sealTree } from "./trees.mjs";

export const { engines } = JSON.parse(await readFile(new URL("engines.json", import.meta.url), "utf8"));
const bundle = await readFile(new URL("../dist/polyseal.browser.js", import.meta.url), "utf8");
const pageDirectory = fileURLToPath(new URL("../page/", import.meta.url));
const worker = (await build({
  entryPoints: [`${pageDirectory}src/worker/worker.ts`], bundle: true, write: false, format: "iife", target: "es2022", platform: "browser",
  tsconfig: `${pageDirectory}tsconfig.json`, define: { CORE: "null" }, alias: { "hash-wasm": fileURLToPath(import.meta.resolve("hash-wasm")) }, nodePaths: [fileURLToPath(new URL("../node_modules", import.meta.url))],
})).outputFiles[0].text;

/** Replaces a property, or takes it away, and gives what puts it back. */
function replace(object, name, value) {
  const before = Object.getOwnPropertyDescriptor(object, name);
  if (before === undefined && value === undefined) return () => undefined;
  if (value === undefined) delete object[name];
  else Object.defineProperty(object, name, { value, configurable: true, writable: true });
  return () => {
    if (before === undefined) delete object[name];
    else Object.defineProperty(object, name, before);
  };
}

const noX25519 = (name) => replace(crypto.subtle, name, async function (...args) {
  if (JSON.stringify(args).includes("X25519")) throw new DOMException("not implemented", "NotSupportedError");
  return Object.getPrototypeOf(crypto.subtle)[name].apply(crypto.subtle, args);
});

/** Missing features that are more than a property. */
const special = {
  "X25519 in WebCrypto": () => noX25519("importKey"),
  "half of X25519 in WebCrypto": () => noX25519("deriveBits"),
  "streams of bytes": () => replace(globalThis, "ReadableStream", class extends ReadableStream {
    constructor(source, strategy) {
      // Node's own fetch makes some.
      if (source?.type === "bytes" && !new Error().stack.includes("node:internal/deps")) throw new TypeError("streams of bytes are not implemented");
      super(source, strategy);
    }
  }),
  "streams as transferred": () => replace(MessagePort.prototype, "postMessage", function () { throw new DOMException("no stream is transferred", "DataCloneError"); }),
  // They cannot be taken away, so that nothing may name them.
  ...Object.fromEntries(["Symbol.asyncDispose", "Symbol.dispose"].map((name) => [name, () => {
    for (const script of [bundle, worker]) assert.ok(!script.includes(name) && !/\busing [\w$]+ ?=/.test(script));
    return () => undefined;
  }])),
  "relaxed vectors": () => replace(WebAssembly, "validate", () => false),
};

function without(feature) {
  if (Object.hasOwn(special, feature)) return special[feature]();
  const path = feature.split(".").map((name) => (name.startsWith("@@") ? Symbol[name.slice(2)] : name));
  const name = path.pop();
  const holder = path.reduce((object, step) => object?.[step], globalThis);
  return holder === undefined ? () => undefined : replace(holder, name, undefined);
}

const plaintext = crypto.getRandomValues(new Uint8Array(13000));
const secret = crypto.getRandomValues(new Uint8Array(32));
let polyseal, tree, incomplete, served, server, address;

before(async () => {
  polyseal = await import("../dist/index.js");
  tree = await sealTree(polyseal.keyFile(secret), { "a.bin": plaintext, b: new Uint8Array(0) });
  incomplete = await sealManifest(polyseal.keyFile(secret), [{ path: "d", type: "d", state: 3 }, { path: "x", type: "x", state: 2, reason: 1 }]);
  served = tree.get("a.bin.polyseal");
  server = createServer((request, response) => {
    const [start, end] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range).slice(1).map(Number);
    const last = Math.min(end, served.length - 1);
    response.writeHead(206, { "Content-Range": `bytes ${start}-${last}/${served.length}`, ETag: '"1"' }).end(served.subarray(start, last + 1));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${server.address().port}/a`;
});
after(() => {
  server.closeAllConnections();
  server.close();
});

let loads = 0;

/** The library as it is loaded in an engine: nothing of an earlier one is remembered. */
async function libraryJobs() {
  const library = await import(`../dist/polyseal.browser.js?load=${++loads}`);
  const { identity, recipient } = await library.generateAgeIdentity();
  const key = library.keyFile(secret);
  const keys = [key, library.ageIdentity(identity)];
  const sealed = await collect(library.encrypt(new Blob([plaintext]), [library.ageRecipient(recipient)], { armor: true, segmentSize: 4096 }));
  assert.deepEqual(await (await library.open(sealed, keys)).read(), plaintext);
  assert.deepEqual(await collect((await library.decryptStream(new Blob([sealed]).stream(), keys)).stream), plaintext);
  const opened = await library.openTree(tree, [key]);
  assert.deepEqual(await (await opened.open("a.bin")).read(100, 9000), plaintext.subarray(100, 9000));
  assert.equal(opened.compare(tree.keys()).missing.length, 0);
  assert.equal((await library.verifySigned(served, { signers, statement: await statementAbout(served) })).time, 1796000000n);
  assert.deepEqual(await (await library.open(await library.httpSource(address, { headers: { a: "b" } }), [key])).read(5000, 10000), plaintext.subarray(5000, 10000));
}

const unsigned = { statement: null, signers: "" };

/** A handle of a file that the user chose. */
function handleInto(chunks) {
  return { createWritable: async () => ({ write: async (chunk) => void chunks.push(chunk.slice()), close: async () => undefined, abort: async () => undefined }) };
}

/** The worker's script, started as a worker's, and spoken to as the page does. */
async function pageJobs() {
  const restore = ["onmessage", "postMessage", "location"].map((name) => replace(globalThis, name, null));
  const answers = new Map();
  globalThis.postMessage = (message) => answers.get(message.id)?.(message);
  let last = 0;
  const call = (operation, request) => new Promise((resolve, reject) => {
    answers.set(++last, (message) => {
      if (message.kind === "result") resolve(message.result);
      else if (message.kind === "failure") reject(new Error(JSON.stringify(message.failure)));
    });
    globalThis.onmessage({ data: { kind: "request", id: last, operation, request } });
  });
  try {
    (0, eval)(worker);
    globalThis.onmessage({ data: { kind: "start", page: "https://page.test/" } });
    const keyFileSecret = () => ({ kind: "key-file", bytes: secret.slice() });
    const asFile = (bytes, name) => new File([bytes], name);
    const files = new Map([...tree].map(([name, bytes]) => [name, asFile(bytes, name)]));
    const { entries, interrupted } = await call("openTree", { files, secret: keyFileSecret(), context: "", signers: "" });
    assert.deepEqual(entries.map(({ name, present, notTaken }) => [name, present, notTaken]), [["a.bin", true, null], ["b", true, null]]);
    assert.equal(interrupted, false);
    const { file } = await call("openEntry", { entry: 0 });
    await call("verify", { file });
    assert.deepEqual(new Uint8Array(await (await call("save", { file, to: "blob" })).arrayBuffer()), plaintext);
    const chunks = [];
    await call("save", { file, to: { handle: handleInto(chunks) } });
    assert.deepEqual(Buffer.concat(chunks), Buffer.from(plaintext));
    const { identity, recipient } = await polyseal.generateAgeIdentity();
    const { blob } = await call("encrypt", { file: asFile(plaintext, "x"), choices: { secret: { kind: "age", text: recipient }, context: "c", armor: false }, to: "blob" });
    assert.deepEqual((await call("inspect", { file: blob, header: null })).kinds, ["age"]);
    assert.equal((await call("open", { file: blob, name: "x", header: null, secret: { kind: "age", text: identity }, context: "c", ...unsigned })).size, plaintext.length);
    const [stored, statement] = [tree.get("a.bin.polyseal"), asFile(await statementAbout(tree.get("a.bin.polyseal")), "x.sig")];
    const signed = { file: asFile(stored, "x"), name: "x", header: null, context: "", statement };
    assert.equal((await call("open", { ...signed, secret: keyFileSecret(), signers })).signature.principal, "carol@example.org");
    assert.equal((await call("open", { ...signed, secret: keyFileSecret(), signers: "" })).signature, "unvouched");
    await assert.rejects(call("open", { ...signed, secret: keyFileSecret(), signers, statement: null }), /no-statement/);
    await assert.rejects(call("openTree", { files, secret: keyFileSecret(), context: "", signers }), /no-statement/);
    assert.deepEqual((await call("verifyAll", {})).map(({ name, failure }) => [name, failure]), [["a.bin", null], ["b", null]]);
    const facts = await call("openTree", { files: new Map([[manifestName, asFile(incomplete.bytes, manifestName)]]), secret: keyFileSecret(), context: "", signers: "" });
    assert.deepEqual(facts.entries.map(({ type, name, notTaken }) => [type, name, notTaken]), [["absent", "x", "permission-denied"]]);
    const age = async (name) => asFile(await readFile(new URL(`../../crates/polyseal-file/tests/age/${name}`, import.meta.url)), name);
    const ageSecrets = { "x25519.age": { kind: "age", text: await (await age("x25519.txt")).text() }, "passphrase.age": { kind: "passphrase", text: "correct horse" } };
    for (const [name, ageSecret] of Object.entries(ageSecrets)) {
      const opened = await call("open", { file: await age(name), name: "a.txt", header: null, secret: ageSecret, context: "", ...unsigned });
      if (opened.media !== null) assert.equal((await call("showText", { file: opened.file })).text.length, opened.size);
    }
  } finally {
    for (const back of restore) back();
  }
}

export async function jobsWithout(features) {
  const restore = features.map(without).reverse();
  try {
    await libraryJobs();
    await pageJobs();
  } finally {
    for (const back of restore) back();
  }
}
