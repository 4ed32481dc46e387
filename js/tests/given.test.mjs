/** Wrong arguments in the place of text, bytes, keys, sources and options are refused by name, and never taken for something else. */

import assert from "node:assert/strict";
import { createReadStream } from "node:fs";
import { open as openFile } from "node:fs/promises";
import { Readable } from "node:stream";
import { test } from "node:test";
import vm from "node:vm";
import * as polyseal from "../dist/index.js";
import { fileHandleSource, fileSource } from "../dist/node.js";
import { collect } from "./kit.mjs";
import { manifestName, sealTree } from "./trees.mjs";

const key = polyseal.keyFile(new Uint8Array(32).fill(9));
const plaintext = Uint8Array.from({ length: 5000 }, (_, i) => i);
const file = await collect(polyseal.encrypt(plaintext, [key], { segmentSize: 4096 }));
const other = (code) => vm.runInNewContext(code);
const foreign = (bytes) => new (other("Uint8Array"))(bytes);

const createReadable = (bytes) => Readable.from([Buffer.from(bytes)]);

/** Values that are neither text nor bytes. Of some, `new Uint8Array(value)` makes bytes. */
const neither = {
  "a number": 1234, zero: 0, "a bigint": 12n, "a list": [1, 2, 3], "a list of text": ["a", "b"], "a String": new String("12345"), null: null, undefined: undefined,
  "a promise": Promise.resolve("secret"), "a Date": new Date(32), "an object": { length: 32 }, true: true, "a function": () => "secret", "a symbol": Symbol("secret"),
  "16-bit numbers": new Uint16Array(16), "a DataView": new DataView(new ArrayBuffer(32)), "an iterable": new Set([1, 2]), "a list of another realm": other("[1, 2, 3]"),
  "something that says it is bytes": { [Symbol.toStringTag]: "Uint8Array", length: 32, buffer: new ArrayBuffer(32), byteOffset: 0 },
  "a proxy of bytes": new Proxy(new Uint8Array(32), {}), "made of their prototype": Object.create(Uint8Array.prototype), "a String of another realm": other("new String('12345')"),
};

async function refused(work, name, code = "invalid-argument") {
  await assert.rejects(async () => work(), (error) => {
    assert.equal(error?.name, "PolysealError", `${name}: ${error?.stack ?? error}`);
    assert.equal(error.code, code, `${name}: ${error.message}`);
    assert.doesNotMatch(error.message, /1234|12345|secret|no stream of bytes|length of the file is not known/, name);
    return true;
  });
}

const entries = {
  passphrase: (value) => polyseal.passphrase(value),
  "context to encrypt": (value) => collect(polyseal.encrypt(plaintext, [key], { context: value })),
  "context to encrypt apart": (value) => polyseal.encryptDetached(plaintext, [key], { context: value }),
  "context to open": (value) => polyseal.open(file, [key], { context: value }),
  "context of a stream": (value) => polyseal.decryptStream(file, [key], { context: value }),
  "context of a tree": (value) => polyseal.openTree(new Map(), [key], { context: value }),
  "context of new recipients": (value) => polyseal.changeRecipients(file, [key], [key], { context: value }),
  "key file": (value) => polyseal.parseKeyFile(value),
  armour: (value) => polyseal.decodeArmor(value),
};
const binary = {
  key: (value) => polyseal.keyFile(value),
  "file to armour": (value) => polyseal.encodeArmor(value),
  "file to open": (value) => polyseal.open(value, [key]),
  "file to inspect": (value) => polyseal.inspect(value),
  "file to change": (value) => polyseal.changeRecipients(value, [key], [key]),
  plaintext: (value) => collect(polyseal.encrypt(value, [key])),
  "plaintext for a file apart": (value) => polyseal.encryptDetached(value, [key]),
  "stream to decrypt": (value) => polyseal.decryptStream(value, [key]),
  header: (value) => polyseal.open(file.subarray(4096), [key], { header: value }),
  "header of a stream": (value) => polyseal.decryptStream(file.subarray(4096), [key], { header: value }),
  "file of a tree": (value) => polyseal.openTree(() => value, [key]),
};

test("what is neither text nor bytes is nowhere taken for a secret, a context or a file", async () => {
  for (const [entry, take] of Object.entries({ ...entries, ...binary })) {
    for (const [name, value] of Object.entries(neither)) {
      // An undefined option was not given.
      if (value === undefined && /context|header/.test(entry)) continue;
      await refused(() => take(value), `${entry}, ${name}`, value == null && entry === "file of a tree" ? "no-manifest" : undefined);
    }
  }
});

test("text is not taken for bytes", async () => {
  for (const [entry, take] of Object.entries(binary)) await refused(() => take("12345"), entry);
});

test("ages are text, and kinds have names", async () => {
  const take = [polyseal.ageIdentity, polyseal.ageRecipient, polyseal.parseAgeIdentities, polyseal.parseAgeRecipients];
  for (const make of take) for (const [name, value] of Object.entries(neither)) await refused(() => make(value), `${make.name}, ${name}`);
  for (const value of ["X25519", "", 1, null, {}]) await refused(() => polyseal.generateAgeIdentity(value), String(value));
});

test("only keys open, only recipients are encrypted for, and both come in a list", async () => {
  const { identity, recipient } = await polyseal.generateAgeIdentity();
  const lists = [
    key, null, "secret", {}, new Set([key]), [null], [undefined], ["secret"], [1234], [[key]], [{}], [{ type: "constructor" }], [{ type: "passphrase" }],
    [{ type: "passphrase", bytes: 1234 }], [{ type: "passphrase", bytes: [1, 2] }], [{ type: "passphrase", bytes: "secret" }], [{ type: "passphrase", bytes: new Uint8Array(0) }],
    [{ type: "key-file", key: "secret" }], [{ type: "key-file" }], [{ type: "age-identity" }], [{ type: "age-identity", unwrapper: {} }], [Promise.resolve(key)],
    [{ type: "age-recipient", wrapper: { labels: "x", wrap() {} } }], [{ type: "age-recipient", wrapper: { labels: [1], wrap() {} } }],
  ];
  for (const list of lists) {
    const name = JSON.stringify(list) ?? String(list);
    await refused(() => polyseal.open(file, list), name);
    await refused(() => polyseal.decryptStream(file, list), name);
    await refused(() => polyseal.openTree(new Map(), list), name);
    await refused(() => polyseal.encrypt(plaintext, list), name);
    await refused(() => polyseal.encryptDetached(plaintext, list), name);
    await refused(() => polyseal.changeRecipients(file, list, [key]), name);
    await refused(() => polyseal.changeRecipients(file, [key], list), name);
  }
  await refused(() => polyseal.open(file, [polyseal.ageRecipient(recipient)]), "a recipient opens nothing");
  await refused(() => polyseal.encrypt(plaintext, [polyseal.ageIdentity(identity)]), "an identity is nothing to encrypt for");
});

test("options are objects, and each has the values that it may have", async () => {
  for (const options of [null, 1, "armor", [], true]) {
    await refused(() => polyseal.open(file, [key], options), String(options));
    await refused(() => polyseal.encrypt(plaintext, [key], options), String(options));
    await refused(() => polyseal.inspect(file, options), String(options));
    await refused(() => polyseal.decryptStream(file, [key], options), String(options));
    await refused(() => polyseal.openTree(new Map(), [key], options), String(options));
    await refused(() => polyseal.httpSource("https://a.test/", options), String(options));
    await refused(() => polyseal.encryptedSize(1, options), String(options));
  }
  for (const option of [{ armor: "false" }, { armor: 0 }, { signal: null }, { signal: {} }, { suites: null }, { suites: [1] }, { suites: { x: 1 } }, { header: null }]) {
    await refused(() => polyseal.open(file, [key], option), JSON.stringify(option));
  }
  for (const option of [
    { segmentSize: "4096" }, { segmentSize: null }, { segmentSize: [4096] }, { segmentSize: 4096n }, { headerSize: "4096" }, { headerSize: NaN }, { suite: null }, { suite: ["aes-256-gcm"] },
    { armor: "yes" },
  ]) await refused(() => polyseal.encrypt(plaintext, [key], option), Object.keys(option)[0]);
  for (const size of ["1", -1, 0.5, NaN, null, undefined, 1n, [1]]) await refused(() => polyseal.encryptedSize(size), String(size));
  await refused(() => polyseal.changeRecipients(file, [key], [key], { keep: "false" }), "keep");
  await refused(() => polyseal.openTree(new Map(), [key], { allowUnboundContents: "false" }), "allowUnboundContents");
  for (const files of [null, [], {}, "tree", 1]) await refused(() => polyseal.openTree(files, [key]), String(files));
  const opened = await polyseal.open(file, [key]);
  for (const [start, end] of [["0", 1], [0, "1"], [null, 1], [0, 1n]]) await refused(() => opened.read(start, end), String(start));
  await refused(() => opened.stream(null), "stream");
  await refused(() => opened.read(0, 1, null), "read");
});

test("bytes of another realm are the same bytes, everywhere", async () => {
  const secret = new Uint8Array(32).fill(9), text = new TextEncoder().encode("x");
  const sealed = async (recipients, options) => collect(polyseal.encrypt(foreign(plaintext), recipients, options));
  const forOthers = await sealed([polyseal.keyFile(foreign(secret))], { context: foreign(text) });
  assert.deepEqual(await (await polyseal.open(foreign(forOthers), [key], { context: "x" })).read(), plaintext);
  assert.deepEqual(await (await polyseal.open(foreign(forOthers).buffer, [key], { context: text.buffer })).read(), plaintext);
  assert.deepEqual(await collect((await polyseal.decryptStream(foreign(file), [key])).stream), plaintext);
  assert.equal((await polyseal.inspect(foreign(file))).recipients, 1);
  const byPassphrase = await sealed([polyseal.passphrase(foreign(text))]);
  assert.deepEqual(await (await polyseal.open(byPassphrase, [polyseal.passphrase("x")])).read(), plaintext);
  assert.deepEqual(await (await polyseal.open(byPassphrase, [{ type: "passphrase", bytes: foreign(text) }])).read(), plaintext);
  assert.deepEqual(polyseal.parseKeyFile(foreign(new TextEncoder().encode(polyseal.generateKeyFile()))).length, 32);
  assert.deepEqual(polyseal.decodeArmor(foreign(new TextEncoder().encode(polyseal.encodeArmor(foreign(file))))), file);
  const { header, payload } = await polyseal.encryptDetached(plaintext.buffer, [key]);
  assert.deepEqual(await (await polyseal.open(await collect(payload), [key], { header: foreign(header) })).read(), plaintext);
  const chunks = async function* () { yield foreign(file.subarray(0, 777)); yield file.subarray(777); };
  assert.deepEqual(await collect((await polyseal.decryptStream(chunks(), [key])).stream), plaintext);
  const source = { size: file.length, read: async (start, end) => foreign(file.subarray(start, end)) };
  assert.deepEqual(await (await polyseal.open(source, [key])).read(), plaintext);
  // An age plugin's, too.
  const unwrap = async () => foreign(new Uint8Array(16));
  const { recipient } = await polyseal.generateAgeIdentity();
  const forAge = await sealed([polyseal.ageRecipient(recipient)]);
  await refused(() => polyseal.open(forAge, [{ type: "age-identity", unwrapper: { unwrap } }]), "another key", "no-matching-key");
  await refused(() => polyseal.open(forAge, [{ type: "age-identity", unwrapper: { unwrap: async () => 1234 } }]), "a number of a plugin");
  for (const stanza of [null, 1, [1], [{ type: 1, args: [], body: text }], [{ type: "x", args: "y", body: text }], [{ type: "x", args: [], body: [1] }]]) {
    await refused(() => sealed([{ type: "age-recipient", wrapper: { labels: [], wrap: async () => stanza } }]), "a stanza of a plugin");
  }
});

test("what has only a part of what a source has is none", async () => {
  const handle = await openFile(new URL(import.meta.url));
  const stream = createReadStream(new URL(import.meta.url));
  for (const value of [handle, stream, { read: async () => file }, { size: 5n, read: async () => file }, { size: null, read: async () => file }]) {
    await refused(() => polyseal.open(value, [key]), Object.prototype.toString.call(value));
  }
  await refused(() => polyseal.open({ size: NaN, read: async () => file }, [key]), "NaN", "source-failed");
  await handle.close();
  stream.destroy();
  await refused(() => fileSource(new URL("https://a.test/secret")), "a server");
  // Options that are inherited count, too.
  await refused(() => polyseal.open(file, [key], Object.create({ armor: "false" })), "inherited");
  const tree = await polyseal.openTree(await sealTree(key, { a: plaintext }), [key]);
  for (const names of ["ab", 1, null, undefined, {}]) await refused(() => tree.compare(names), String(names));
  assert.deepEqual(tree.compare({ *[Symbol.iterator]() { yield "a.polyseal"; } }).missing, [manifestName]);
});

test("Blobs, streams, Responses and URLs are told by what they can do", async () => {
  /** As another implementation has it, such as jsdom's or a polyfill's. */
  const disguised = (object, ...names) => Object.fromEntries(names.map((name) => [name, typeof object[name] === "function" ? object[name].bind(object) : object[name]]));
  const blob = disguised(new Blob([file]), "size", "slice", "arrayBuffer", "stream");
  assert.deepEqual(await (await polyseal.open(blob, [key])).read(), plaintext);
  assert.deepEqual(await collect((await polyseal.decryptStream(blob, [key])).stream), plaintext);
  const stream = disguised(new Blob([file]).stream(), "getReader", "cancel", "locked");
  assert.deepEqual(await collect((await polyseal.decryptStream(stream, [key])).stream), plaintext);
  for (const response of [new Response(file), disguised(new Response(file), "ok", "status", "body", "bodyUsed", "arrayBuffer", "clone")]) {
    assert.deepEqual(await collect((await polyseal.decryptStream(response, [key])).stream), plaintext);
  }
  // The body of one in Node may be a stream of Node.
  const ofNode = { ok: true, status: 200, bodyUsed: false, arrayBuffer() {}, clone() {}, body: createReadable(file) };
  assert.deepEqual(await collect((await polyseal.decryptStream(ofNode, [key])).stream), plaintext);
  await refused(() => polyseal.decryptStream(new Response("", { status: 404 }), [key]), "404", "source-failed");
  await assert.rejects(polyseal.open(new Response(file), [key]), /decryptStream/);
  await assert.rejects(polyseal.open(new Blob([file]).stream(), [key]), /decryptStream/);
  const taken = new Blob([file]).stream();
  taken.getReader();
  await refused(() => polyseal.decryptStream(taken, [key]), "a stream that has a reader");
  const read = new Response(file);
  await read.arrayBuffer();
  await refused(() => polyseal.decryptStream(read, [key]), "a Response that was read");
});

test("what streams and sources give is bytes", async () => {
  for (const chunk of ["12345", 1234, null, [1, 2], new Uint16Array(3)]) {
    const stream = () => new ReadableStream({ start(controller) { controller.enqueue(chunk); controller.close(); } });
    await refused(() => collect(polyseal.encrypt(stream(), [key])), String(chunk));
    await refused(() => polyseal.decryptStream(stream(), [key]), String(chunk));
    for (const coder of [polyseal.armorDecoder, polyseal.armorEncoder]) await refused(() => collect(stream().pipeThrough(coder())), String(chunk));
    await refused(() => polyseal.open({ size: 5000, read: async () => chunk }, [key]), String(chunk));
  }
});

test("files of Node are given by name or open", async () => {
  for (const [name, value] of Object.entries(neither)) {
    await refused(() => fileSource(value), name);
    await refused(() => fileHandleSource(value), name);
  }
});
