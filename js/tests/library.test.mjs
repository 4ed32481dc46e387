/** Round trips and rules of the library by itself, as properties and by cases. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import * as polyseal from "../dist/index.js";
import { concat, equalInConstantTime } from "../dist/bytes.js";
import { hkdf, hkdfOfKey, importHkdfKey } from "../dist/kdf.js";
import { layoutOf, payloadLength, segmentNonce } from "../dist/payload.js";
import { maximumSegments, suiteByName } from "../dist/suites.js";
import { payloadCipher } from "../dist/unlock.js";
import { makeHeader } from "../dist/write-header.js";
import { aegisSuites } from "./aegis.mjs";
import { collect } from "./kit.mjs";

const random = (length) => crypto.getRandomValues(new Uint8Array(length));
const key = polyseal.keyFile(random(32));
const otherKey = polyseal.keyFile(random(32));
const computed = ["aes-256-gcm", "aes-128-gcm", "xaes-256-gcm", "kc-xaes-256-gcm", "h-aes-256-gcm", "h-kc-aes-256-gcm",
  "hkdf-committed-aes-256-gcm", "padding-fix-aes-256-gcm", "ctx-aes-256-gcm"];

const suites = fc.constantFrom(...computed);
const lengths = fc.oneof(fc.constantFrom(0, 1, 4095, 4096, 4097, 8192, 12289), fc.nat(20000));

/** A stream that gives the bytes in pieces of these lengths, over and over. */
function inPieces(bytes, pieces) {
  let at = 0;
  let i = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      const length = pieces[i++ % pieces.length];
      controller.enqueue(bytes.subarray(at, at + length));
      at += length;
    },
  });
}

const pieces = fc.array(fc.integer({ min: 1, max: 9000 }), { minLength: 1, maxLength: 5 });

test("what is encrypted is what is decrypted, by each suite, in any pieces, in any part", () => fc.assert(
  fc.asyncProperty(suites, lengths, pieces, pieces, fc.option(fc.uint8Array({ minLength: 1, maxLength: 40 })), fc.nat(20000), fc.nat(20000), async (
    suite, length, written, read, context, a, b) => {
    const plaintext = random(length);
    const options = { suite, segmentSize: 4096, ...(context === null ? {} : { context }) };
    const file = await collect(polyseal.encrypt(inPieces(plaintext, written), [key], options));
    assert.equal(file.length, polyseal.encryptedSize(length, options));
    const { stream } = await polyseal.decryptStream(inPieces(file, read), [otherKey, key], options);
    assert.deepEqual(await collect(stream), plaintext);
    const opened = await polyseal.open(file, [key], options);
    assert.equal(opened.size, length);
    const [start, end] = [Math.min(a, b), Math.max(a, b)];
    assert.deepEqual(await opened.read(start, end), plaintext.slice(start, end));
  }), { numRuns: 30 }));

test("armour is the file, in any pieces", () => fc.assert(
  fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 300 }), pieces.map((some) => some.map((n) => n % 70 + 1)), async (file, some) => {
    const text = polyseal.encodeArmor(file);
    assert.deepEqual(polyseal.decodeArmor(text), file);
    const streamed = await collect(inPieces(file, some).pipeThrough(polyseal.armorEncoder()));
    assert.equal(Buffer.from(streamed).toString(), text);
    assert.deepEqual(await collect(inPieces(streamed, some).pipeThrough(polyseal.armorDecoder())), file);
  }), { numRuns: 60 }));

test("a decoder of armour takes or refuses the same in one piece and in many", () => fc.assert(
  fc.asyncProperty(fc.nat(), fc.constantFrom("", "\n", "\r", "\r\n", " ", "-", "A", "=", "\t", "-----"), pieces.map((some) => some.map((n) => n % 9 + 1)), fc.boolean(), async (at, put, some, crlf) => {
    const text = polyseal.encodeArmor(new Uint8Array(100)).replace(/\n/g, crlf ? "\r\n" : "\n");
    const place = at % (text.length + 1);
    const altered = Buffer.from(text.slice(0, place) + put + text.slice(place + (at & 1)));
    const outcome = async (work) => { try { return Buffer.from(await work()).toString("hex"); } catch (error) { return error.code; } };
    const whole = await outcome(() => polyseal.decodeArmor(altered));
    assert.equal(await outcome(() => collect(inPieces(altered, some).pipeThrough(polyseal.armorDecoder()))), whole);
  }), { numRuns: 150 }));

test("every altered byte of a file is refused", async () => {
  const file = await collect(polyseal.encrypt(new Uint8Array(5000), [key], { segmentSize: 4096, context: "a" }));
  const good = await polyseal.open(file, [key], { context: "a" });
  assert.equal(good.size, 5000);
  await fc.assert(fc.asyncProperty(fc.nat(file.length - 1), fc.integer({ min: 1, max: 255 }), async (at, difference) => {
    const altered = file.slice();
    altered[at] ^= difference;
    await assert.rejects(async () => (await polyseal.open(altered, [key], { context: "a" })).read(), { name: "PolysealError" });
    await assert.rejects(async () => collect((await polyseal.decryptStream(new Blob([altered]).stream(), [key], { context: "a" })).stream), { name: "PolysealError" });
  }), { numRuns: 80 });
});

test("every file that is cut is refused", async () => {
  const file = await collect(polyseal.encrypt(random(9000), [key], { segmentSize: 4096 }));
  await fc.assert(fc.asyncProperty(fc.nat(file.length - 1), async (length) => {
    const cut = file.subarray(0, length);
    await assert.rejects(polyseal.open(cut, [key]), { name: "PolysealError" });
    await assert.rejects(async () => collect((await polyseal.decryptStream(new Blob([cut]).stream(), [key])).stream), { name: "PolysealError" });
  }), { numRuns: 60 });
});

test("a stream gives what has opened, and then the error", async () => {
  const plaintext = random(20000);
  const file = await collect(polyseal.encrypt(plaintext, [key], { segmentSize: 4096 }));
  file[4096 + 3 * 4112] ^= 1;
  const { stream } = await polyseal.decryptStream(new Blob([file]).stream(), [key]);
  const reader = stream.getReader();
  for (let i = 0; i < 3; i++) assert.deepEqual((await reader.read()).value, plaintext.slice(i * 4096, (i + 1) * 4096));
  await assert.rejects(reader.read(), { code: "corrupt-segment", segment: 3 });
});

test("HKDF is the same by HMAC and by WebCrypto", () => fc.assert(
  fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 80 }), fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.uint8Array({ maxLength: 200 }),
    fc.integer({ min: 1, max: 100 }), async (secret, salt, info, length) => {
      assert.deepEqual(await hkdf(secret, salt, info, length), await hkdfOfKey(await importHkdfKey(secret), salt, info, length));
    }), { numRuns: 30 }));

test("lengths of payloads and plaintexts belong together", () => fc.assert(fc.property(fc.nat(100000), (length) => {
  const header = { suite: { name: "aes-256-gcm", tagLength: 16 }, segmentSize: 4096 };
  assert.equal(layoutOf(header, payloadLength(header.suite, 4096, length)).size, length);
  let layout;
  try {
    layout = layoutOf(header, length);
  } catch (error) {
    assert.equal(error.code, "truncated-payload");
    return;
  }
  assert.equal(payloadLength(header.suite, 4096, layout.size), length);
})));

test("the most segments of a suite", () => {
  const of = (name, segmentSize) => maximumSegments({ name }, segmentSize);
  assert.equal(of("aes-256-gcm", 65536), Math.floor(2 ** 52 / 65552));
  assert.equal(of("padding-fix-aes-256-gcm", 4096), Math.floor(2 ** 52 / 4144));
  assert.equal(of("dndk-gcm", 16777216), 2 ** 40);
  assert.equal(of("dndk-gcm", 4096), 2 ** 48);
  assert.equal(of("aegis-256x2", 16777216), 2 ** 48);
});

test("comparison", () => fc.assert(fc.property(fc.uint8Array({ maxLength: 8 }), fc.uint8Array({ maxLength: 8 }), (a, b) => {
  assert.equal(equalInConstantTime(a, b), Buffer.compare(a, b) === 0);
  assert.ok(equalInConstantTime(a, a.slice()));
})));

test("recipients that cannot be together", async () => {
  const secret = polyseal.passphrase("secret");
  const [plain, hybrid] = [await polyseal.generateAgeIdentity("x25519"), await polyseal.generateAgeIdentity("hybrid")].map(({ recipient }) => polyseal.ageRecipient(recipient));
  for (const recipients of [[], [secret, secret], [secret, key], [secret, plain], [plain, hybrid]]) {
    assert.throws(() => polyseal.encrypt(new Uint8Array(1), recipients), { code: "invalid-recipients" });
    await assert.rejects(polyseal.encryptDetached(new Uint8Array(1), recipients), { code: "invalid-recipients" });
  }
  for (const many of [Array(129).fill(key), Array(129).fill(plain), [...Array(128).fill(plain), key]]) {
    assert.throws(() => polyseal.encrypt(new Uint8Array(1), many), { code: "invalid-recipients" });
  }
  await assert.rejects(collect(polyseal.encrypt(new Uint8Array(1), Array(42).fill(hybrid))), { code: "header-full" });
  const many = await collect(polyseal.encrypt(new Uint8Array(1), [...Array(127).fill(plain), key]));
  assert.equal((await polyseal.inspect(many)).recipients, 128);
});

test("the header has the least length that leaves room", async () => {
  const offset = async (count) => (await polyseal.inspect(await collect(polyseal.encrypt(new Uint8Array(0), Array(count).fill(key))))).payloadOffset;
  // 160 + 32 + 108 n + 2048 bytes.
  assert.equal(await offset(17), 4096);
  assert.equal(await offset(18), 8192);
});

test("arguments that cannot be", async () => {
  const encryptWith = (options) => () => polyseal.encrypt(new Uint8Array(1), [key], options);
  for (const options of [{ segmentSize: 5000 }, { segmentSize: 2048 }, { segmentSize: 2 ** 25 }, { segmentSize: NaN }, { headerSize: 0 }, { headerSize: 5000 },
    { headerSize: 69632 }, { suite: "aes-192-gcm" }, { suite: "aes-256-gcm:tag=16" }, { context: "" }, { context: new Uint8Array(65536) }, { context: "\ud800" }]) {
    assert.throws(encryptWith(options), { code: "invalid-argument" }, JSON.stringify(options));
  }
  await assert.rejects(collect(encryptWith({ suite: "aegis-256" })()), { code: "unsupported-suite" });
  assert.throws(() => polyseal.passphrase(""), { code: "bad-passphrase" });
  assert.throws(() => polyseal.passphrase("x".repeat(4097)), { code: "bad-passphrase" });
  assert.throws(() => polyseal.passphrase("\udc00"), { code: "invalid-argument" });
  assert.throws(() => polyseal.keyFile(new Uint8Array(31)), { code: "invalid-argument" });
});

test("a key of WebCrypto that cannot be extracted", async () => {
  const secret = random(32);
  const mine = polyseal.keyFile(await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveBits"]));
  const file = await collect(polyseal.encrypt(secret, [mine]));
  assert.deepEqual(await (await polyseal.open(file, [polyseal.keyFile(secret)])).read(), secret);
  const wrong = await crypto.subtle.importKey("raw", secret, "AES-GCM", false, ["encrypt"]);
  assert.throws(() => polyseal.keyFile(wrong), { code: "invalid-argument" });
});

test("new key files are key files, and differ", () => {
  const [a, b] = [polyseal.generateKeyFile(), polyseal.generateKeyFile()].map((text) => polyseal.parseKeyFile(Buffer.from(text)));
  assert.equal(a.length, 32);
  assert.notDeepEqual(a, b);
});

test("a header apart from its payload", async () => {
  const plaintext = random(10000);
  const { header, payload } = await polyseal.encryptDetached(plaintext, [key], { segmentSize: 4096 });
  const bytes = await collect(payload);
  // A payload may begin as armour does.
  for (const stored of [bytes, new Blob([bytes])]) {
    assert.deepEqual(await (await polyseal.open(stored, [key], { header })).read(), plaintext);
  }
  assert.deepEqual(await (await polyseal.open(bytes, [key], { header: new Blob([header]) })).read(), plaintext);
  assert.deepEqual(await (await polyseal.open(concat(header, bytes), [key])).read(), plaintext);
  assert.deepEqual(await collect((await polyseal.decryptStream(new Blob([bytes]).stream(), [key], { header })).stream), plaintext);
  await assert.rejects(polyseal.open(bytes, [key], { header: concat(header, bytes) }), { code: "bad-header" });
  await assert.rejects(polyseal.open(bytes, [key], { header: header.subarray(1) }), { code: "not-a-polyseal-file" });
  const other = await polyseal.encryptDetached(plaintext, [key], { segmentSize: 4096 });
  await assert.rejects(polyseal.open(bytes, [key], { header: other.header }), { code: "corrupt-segment", segment: 2 });
});

test("changed recipients open the same payload", async () => {
  const plaintext = random(100);
  const file = await collect(polyseal.encrypt(plaintext, [key], { context: "a" }));
  const age = await polyseal.generateAgeIdentity();
  const withHeader = (header) => concat(header, file.subarray(header.length));
  const opens = async (header, with_) => assert.deepEqual(await (await polyseal.open(withHeader(header), [with_], { context: "a" })).read(), plaintext);

  const replaced = await polyseal.changeRecipients(file, [key], [otherKey, polyseal.ageRecipient(age.recipient)]);
  assert.equal(replaced.length, 4096);
  await opens(replaced, otherKey);
  await opens(replaced, polyseal.ageIdentity(age.identity));
  await assert.rejects(polyseal.open(withHeader(replaced), [key], { context: "a" }), { code: "no-matching-key" });

  const kept = await polyseal.changeRecipients(file, [key], [otherKey], { keep: true, context: "a" });
  await opens(kept, key);
  await opens(kept, otherKey);

  await assert.rejects(polyseal.changeRecipients(file, [otherKey], [otherKey]), { code: "no-matching-key" });
  await assert.rejects(polyseal.changeRecipients(file, [key], [otherKey], { context: "b" }), { code: "context-differs" });
  await assert.rejects(polyseal.changeRecipients(file, [key], [polyseal.passphrase("x")], { keep: true }), { code: "invalid-recipients" });
  await assert.rejects(polyseal.changeRecipients(file, [key], Array(60).fill(otherKey)), { code: "header-full" });
  await assert.rejects(polyseal.changeRecipients(file, [key], []), { code: "invalid-recipients" });
  await assert.rejects(polyseal.changeRecipients(new TextEncoder().encode(polyseal.encodeArmor(file)), [key], [otherKey]), { code: "invalid-argument" });
});

test("suites of the caller, and which are supported", async () => {
  assert.equal(polyseal.suiteNames.length, 38);
  const plaintext = random(5000);
  for (const suite of ["aegis-256x2", "aegis-128l:tag=32", "ctx-aegis-128x4"]) {
    const file = await collect(polyseal.encrypt(plaintext, [key], { suite, suites: aegisSuites, segmentSize: 4096 }));
    assert.equal((await polyseal.inspect(file)).suiteSupported, false);
    assert.equal((await polyseal.inspect(file, { suites: aegisSuites })).suiteSupported, true);
    await assert.rejects(polyseal.open(file, [key]), { code: "unsupported-suite", message: /npm install @polyseal\/core/ });
    assert.deepEqual(await (await polyseal.open(file, [key], { suites: aegisSuites })).read(), plaintext);
  }
  const file = await collect(polyseal.encrypt(plaintext, [key]));
  await assert.rejects(polyseal.open(file, [key], { suites: { "aes-256-gcm": async () => ({ open: async () => null }) } }), { code: "corrupt-segment", segment: 0 });
});

test("what inspect says", async () => {
  const age = await polyseal.generateAgeIdentity("hybrid");
  const file = await collect(polyseal.encrypt(new Uint8Array(9), [key, polyseal.ageRecipient(age.recipient)], { context: "x", segmentSize: 8192, headerSize: 12288 }));
  const { fileSalt, stanzas, ...info } = await polyseal.inspect(file);
  assert.deepEqual(info, {
    version: 1, suite: "aes-256-gcm", suiteSupported: true, segmentSize: 8192, tagLength: 16, payloadOffset: 12288, hasContext: true, recipients: 2,
  });
  assert.equal(fileSalt.length, 32);
  assert.deepEqual(stanzas.map(({ type }) => type), ["key-file", "age"]);
  assert.deepEqual([stanzas[1].labels, stanzas[1].recipients], [["postquantum"], ["mlkem768x25519"]]);
  const secret = await polyseal.inspect(await collect(polyseal.encrypt(new Uint8Array(9), [polyseal.passphrase("x")])));
  assert.deepEqual({ ...secret.stanzas[0], keyId: null }, { type: "passphrase", keyId: null, memory: 65536, passes: 3, lanes: 4 });
});

test("armoured files open, and are found to be armoured", async () => {
  const plaintext = random(300);
  const armored = await collect(polyseal.encrypt(plaintext, [key], { armor: true }));
  assert.match(Buffer.from(armored).toString(), /^-----BEGIN POLYSEAL FILE-----\n/);
  assert.deepEqual(await (await polyseal.open(new Blob(["\r\n ", armored]), [key])).read(), plaintext);
  assert.deepEqual(await collect((await polyseal.decryptStream(new Blob([armored]).stream(), [key])).stream), plaintext);
  await assert.rejects(polyseal.open(armored, [key], { armor: false }), { code: "not-a-polyseal-file" });
});

/** A stream without an end, which counts what is taken from it and whether it was cancelled. */
function endless(chunk) {
  const state = { taken: 0, cancelled: false };
  const stream = new ReadableStream({
    pull(controller) { state.taken++; controller.enqueue(chunk); },
    cancel() { state.cancelled = true; },
  }, { highWaterMark: 0 });
  return { state, stream };
}

test("a consumer that is slow or stops holds back the source", async () => {
  const { state, stream } = endless(new Uint8Array(65536));
  const reader = polyseal.encrypt(stream, [key]).getReader();
  for (let i = 0; i < 5; i++) await reader.read();
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.ok(state.taken <= 5 + 18, `${state.taken} segments were taken for five`);
  await reader.cancel();
  assert.ok(state.cancelled);
});

test("an aborted signal ends what is under way, also while the source waits", async () => {
  const reason = new Error("enough");
  const file = await collect(polyseal.encrypt(new Uint8Array(200000), [key], { segmentSize: 4096 }));
  const waiting = (begin) => {
    const state = { cancelled: false };
    const stream = new ReadableStream({
      start(controller) { controller.enqueue(begin); },
      pull: () => new Promise(() => undefined),
      cancel() { state.cancelled = true; },
    });
    return { state, stream };
  };
  for (const work of [
    async ({ stream }, signal) => collect(polyseal.encrypt(stream, [key], { signal })),
    async ({ stream }, signal) => collect((await polyseal.decryptStream(stream, [key], { signal })).stream),
  ]) {
    for (const begin of [file.subarray(0, 100), file.subarray(0, 50000)]) {
      const controller = new AbortController();
      const source = waiting(begin);
      const result = work(source, controller.signal);
      setTimeout(() => controller.abort(reason), 30);
      await assert.rejects(result, reason);
      assert.ok(source.state.cancelled);
    }
  }
  const controller = new AbortController();
  controller.abort(reason);
  await assert.rejects(polyseal.open(file, [key], { signal: controller.signal }), reason);
  await assert.rejects(collect(polyseal.encrypt(file, [key], { signal: controller.signal })), reason);
});

test("an error of the source is the error of the stream", async () => {
  const broken = () => new ReadableStream({ pull() { throw new Error("unplugged"); } });
  await assert.rejects(collect(polyseal.encrypt(broken(), [key])), { message: "unplugged" });
  await assert.rejects(polyseal.decryptStream(broken(), [key]), { message: "unplugged" });
  await assert.rejects(collect(polyseal.encrypt(new ReadableStream({ start(c) { c.enqueue("text"); c.close(); } }), [key])), { code: "invalid-argument" });
});

/** A file of which only what is read is ever made. Its plaintext of `size` bytes has the number of its segment everywhere. */
async function virtualFile(size, segmentSize) {
  const choices = { suite: suiteByName("aes-256-gcm"), segmentSize, headerSize: 4096, context: undefined };
  const { header, fileKey } = await makeHeader([key], choices);
  const cipher = await payloadCipher(header, fileKey, undefined, undefined);
  const segments = Math.ceil(size / segmentSize);
  const stored = segmentSize + 16;
  const seal = (i) => cipher.seal(segmentNonce(header.suite, i, i === segments - 1), new Uint8Array(Math.min(segmentSize, size - i * segmentSize)).fill(i));
  return {
    size: 4096 + size + 16 * segments,
    async read(start, end) {
      if (end <= 4096) return header.bytes.slice(start, end);
      const first = Math.floor((start - 4096) / stored);
      const made = await Promise.all(Array.from({ length: Math.ceil((end - 4096) / stored) - first }, (_, i) => seal(first + i)));
      const base = 4096 + first * stored;
      return concat(...made).slice(start - base, end - base);
    },
  };
}

test("parts of a file of 64 TiB", async () => {
  const size = 2 ** 46 - 5;
  const file = await polyseal.open(await virtualFile(size, 65536), [key]);
  assert.equal(file.size, size);
  for (const start of [0, 2 ** 32 - 3, 2 ** 45 + 65534, size - 70000]) {
    const bytes = await file.read(start, start + 70000);
    const expected = Uint8Array.from({ length: Math.min(70000, size - start) }, (_, i) => Math.floor((start + i) / 65536));
    assert.deepEqual(bytes, expected);
  }
});

test("a file that is cut at an edge or within a segment, however long it is", async () => {
  const file = await virtualFile(2 ** 30, 4096);
  await assert.rejects(polyseal.open({ ...file, size: file.size - 4112 }, [key]), { code: "corrupt-segment", segment: 2 ** 18 - 2 });
  await assert.rejects(polyseal.open({ ...file, size: file.size - 4112 * 1000 - 20 }, [key]), { code: "corrupt-segment" });
});

test("what can be iterated is taken as a stream, and is told when no more is wanted", async () => {
  const plaintext = random(20000);
  let ended = false;
  async function* chunks(bytes) {
    try {
      for (let at = 0; at < bytes.length; at += 777) yield bytes.subarray(at, at + 777);
    } finally {
      ended = true;
    }
  }
  const file = await collect(polyseal.encrypt(chunks(plaintext), [key]));
  assert.deepEqual(await collect((await polyseal.decryptStream(chunks(file), [key])).stream), plaintext);
  ended = false;
  await assert.rejects(polyseal.decryptStream(chunks(file), [otherKey]), { code: "no-matching-key" });
  assert.ok(ended);
  await assert.rejects(collect(polyseal.encrypt((async function* () { yield "text"; })(), [key])), { code: "invalid-argument" });
  assert.throws(() => polyseal.encrypt("text", [key]), { code: "invalid-argument" });
});

test("a suite that cannot be loaded is an error of the library", async () => {
  for (const implementation of [() => { throw new Error("no module"); }, async () => { throw new Error("no module"); }]) {
    const failed = collect(polyseal.encrypt(new Uint8Array(1), [key], { suite: "aegis-256", suites: { "aegis-256": implementation } }));
    await assert.rejects(failed, (error) => error.code === "suite-failed" && error.cause.message === "no module");
  }
});

test("lines of a key file end with LF or CRLF, and the last one may lack that", () => {
  const line = `polyseal-key-1-${"ab".repeat(32)}`;
  for (const text of [line, `${line}\n`, `${line}\r\n`, `# a\r\n${line}`, `# a\n\r\n \t${line}\t \r\n\n`, `\ufeff# a\r\n${line}\r\n# b`]) assert.equal(polyseal.parseKeyFile(text)[31], 0xab, JSON.stringify(text));
  for (const text of [`${line}\r`, `# a\r${line}\n`, `${line}\r# a\n`, `# a\r\n${line}\r`, `${line}\r\r\n`, `${line}\n\r`, `${line}\n# a\r`, `# a\rb\n${line}\n`, `\r${line}`, `${line}\n\n\r\n\r`]) {
    assert.throws(() => polyseal.parseKeyFile(text), { code: "bad-key-file" }, JSON.stringify(text));
  }
  // Blanks take no quadratic time.
  const { user } = process.cpuUsage();
  for (let i = 0; i < 50; i++) assert.throws(() => polyseal.parseKeyFile(`${" ".repeat(16000)}x${" ".repeat(300)}`), { code: "bad-key-file" });
  assert.ok(process.cpuUsage().user - user < 2e6);
});

test("a key file is also taken as text", () => {
  const text = polyseal.generateKeyFile();
  assert.deepEqual(polyseal.parseKeyFile(text), polyseal.parseKeyFile(Buffer.from(text)));
});
