/** Statements: files that are signed open as they were signed, and nothing else of them is given out. */

import assert from "node:assert/strict";
import { test } from "node:test";
import * as polyseal from "../dist/index.js";
import { readHeader } from "../dist/inspect.js";
import { segmentNonce } from "../dist/payload.js";
import { acceptStatement } from "../dist/statement/statement.js";
import { acceptedName, parseSigners } from "../dist/statement/signers.js";
import { parseSshSignature, sshPublicKey, verifiesSsh } from "../dist/statement/ssh-signature.js";
import { payloadCipher, unlock } from "../dist/unlock.js";
import { aegisSuites } from "./aegis.mjs";
import { collect } from "./kit.mjs";
import { signers as signersMade, statementAbout } from "./signed.mjs";
import { load, readJson } from "./vectors.mjs";

const text = (bytes) => new TextDecoder("latin1").decode(bytes);
const unhex = (digits) => Uint8Array.from(digits.match(/../g), (pair) => parseInt(pair, 16));
const index = await readJson("statement/index.json");
const kit = (name) => load(`statement/${name}`);
const signers = text(await kit("allowed_signers"));
const key = polyseal.keyFile(unhex(index.key));
const suites = aegisSuites;
const open = (file, statement, options = {}) => polyseal.open(file, [key], { signers, statement, suites, ...options });

/** Files of AES-GCM, which are quick, of two segments and of three groups, with statements of both kinds. */
const made = {};
for (const [name, length] of [["short", 5000], ["groups", 67 * 4096 + 100]]) {
  const plaintext = Buffer.from(Uint8Array.from({ length }, (_, i) => i % 251));
  const file = await collect(polyseal.encrypt(plaintext, [key], { segmentSize: 4096 }));
  made[name] = { plaintext, file, statements: [new Uint8Array(await statementAbout(file)), new Uint8Array(await statementAbout(file, key))] };
}
const openMade = (file, statement) => polyseal.open(file, [key], { signers: signersMade, statement });
const streamMade = async (file, statement) => before((await polyseal.decryptStream(file, [key], { signers: signersMade, statement })).stream);

const words = {
  "bad-statement": "text", "unsupported-statement-version": "version", "bad-signature": "signature", "not-accepted": "not accepted", "bad-hashes": "hashes",
  "other-file": "other file", "not-as-signed": "segment",
};

async function outcomeOf(work) {
  try {
    return { outcome: "ok", result: await work() };
  } catch (error) {
    assert.equal(error.name, "PolysealError", error.stack);
    return { outcome: words[error.code] ?? error.code, error };
  }
}

/** A stream's contents before its end or its error. */
async function before(stream) {
  const chunks = [];
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return { given: Buffer.concat(chunks), error: null };
      chunks.push(value);
    }
  } catch (error) {
    return { given: Buffer.concat(chunks), error };
  }
}

test("every file and statement of the kit", async () => {
  for (const { file, statement, outcome, context } of index.tests) {
    const [bytes, stored] = [await kit(file), await kit(statement)];
    const plaintext = outcome === "ok" ? await (await polyseal.open(bytes, [key], { context, suites })).read() : null;
    const ways = file === "groups.polyseal" ? { open: async () => (await open(bytes, stored)).read() } : {
      open: async () => (await open(bytes, stored, { context })).read(),
      "open, apart from its header": async () => (await open(bytes.subarray(4096), stored, { context, header: bytes.subarray(0, 4096) })).read(),
      "open armour": async () => (await open(new TextEncoder().encode(polyseal.encodeArmor(bytes)), new Blob([stored]), { context })).read(),
      stream: async () => collect((await polyseal.decryptStream(bytes, [key], { suites, context, signers, by: "alice@example.org", statement: stored })).stream),
    };
    for (const [way, work] of Object.entries(ways)) {
      const { outcome: found, result } = await outcomeOf(work);
      assert.equal(found, outcome, `${statement}, ${way}`);
      if (outcome === "ok") assert.deepEqual(result, plaintext, `${statement}, ${way}`);
    }
    const { outcome: found, result } = await outcomeOf(() => polyseal.verifySigned(bytes, { signers, statement: stored }));
    // Only a key shows the holder.
    assert.equal(found, statement === "other-holder.sig" ? "ok" : outcome, `${statement}, without a key`);
    if (found === "ok") assert.match(`${result.principal} ${result.fingerprint}`, /^alice@example\.org SHA256:[A-Za-z0-9+/]{43}$/);
  }
  assert.ok(index.tests.length >= 28);
});

test("a stored segment that opens as the last and as another, to two texts, is signed with one end", async () => {
  const attack = (name) => load(`attacks/two-ends.${name}`);
  const [file, statement, list] = [await attack("polyseal"), await attack("sig"), text(await attack("signers"))];
  const twoEnds = polyseal.keyFile(unhex("2dccbc71eb8d0be0d9fbcdcbb16b0d45fab777a668a5c8d2ee286bc542392176"));
  const options = { signers: list, statement, suites };
  const opened = await polyseal.open(file, [twoEnds], options);
  const cut = file.subarray(0, 4096 + 4112);
  const other = await (await polyseal.open(cut, [twoEnds], { suites })).read();
  assert.notDeepEqual((await opened.read()).subarray(0, other.length), other);
  await assert.rejects(polyseal.open(cut, [twoEnds], options), { code: "not-as-signed", segment: 0 });
  const { given, error } = await before((await polyseal.decryptStream(cut, [twoEnds], options)).stream);
  assert.deepEqual([given.length, error.code], [0, "not-as-signed"]);
});

/** The segments of a file, sealed by somebody who has the key. */
async function segmentsOf(file) {
  const { header } = await readHeader(file, {});
  const cipher = await payloadCipher(header, await unlock(header, [key]), undefined, undefined);
  return (segment, isLast, plaintext) => cipher.seal(segmentNonce(header.suite, segment, isLast), plaintext);
}

test("segments that open, and were not signed, are not given out", async () => {
  const { file, plaintext, statements: [, statement] } = made.groups;
  const seal = await segmentsOf(file);
  for (const [segment, cut] of [[0, false], [31, false], [32, false], [40, true], [66, false], [0, true]]) {
    const altered = file.slice(0, cut ? 4096 + (segment + 1) * 4112 : undefined);
    altered.set(await seal(segment, cut, new Uint8Array(4096).fill(7)), 4096 + segment * 4112);
    assert.equal((await (await polyseal.open(altered, [key])).read(segment * 4096))[0], 7);
    const refused = cut ? openMade(altered, statement) : openMade(altered, statement).then((opened) => opened.read(segment * 4096 + 5, segment * 4096 + 6));
    await assert.rejects(refused, { code: "not-as-signed", segment });
    const { given, error } = await streamMade(altered, statement);
    assert.deepEqual([error.code, error.segment], ["not-as-signed", segment]);
    assert.ok(plaintext.subarray(0, segment * 4096).equals(given));
    await assert.rejects(polyseal.verifySigned(altered, { signers: signersMade, statement }), { code: "not-as-signed", segment });
    // The others are as they were.
    if (!cut) assert.ok(plaintext.subarray(4096 * 67).equals(await (await openMade(altered, statement)).read(4096 * 67)));
  }
});

test("only the last segment opens as the last, and only with the length that was signed", async () => {
  const { file, statements: [statement] } = made.groups;
  const payload = file.subarray(4096);
  const last = Math.ceil(payload.length / 4112) - 1;
  const coverage = await acceptStatement({ signers: signersMade, statement });
  const outcome = async (segment, isLast, stored = payload.subarray(segment * 4112, (segment + 1) * 4112)) =>
    (await outcomeOf(async () => (await coverage.check(segment, segment + 1))(segment, stored, isLast))).outcome;
  assert.deepEqual(await Promise.all([
    outcome(last, true), outcome(last, false), outcome(0, false), outcome(0, true), outcome(last - 1, true), outcome(last + 1, true), outcome(last + 33, false),
  ]), ["ok", "segment", "ok", "segment", "segment", "segment", "segment"]);
  // A signer's own mistake.
  const { header } = await readHeader(file, {});
  const other = await acceptStatement({ signers: signersMade, statement: new Uint8Array(await statementAbout(file, undefined, payload.length + 1)) });
  other.checkHeader(header);
  await assert.rejects(async () => (await other.check(last, last + 1))(last, payload.subarray(last * 4112), true), { code: "not-as-signed" });
});

test("no byte of the hashes is spare, and a part takes those of its group alone", async () => {
  const { file, statements: [statement] } = made.groups;
  const signed = text(statement).lastIndexOf("-----\n") + 6;
  for (const other of [statement.subarray(0, -1), Uint8Array.of(...statement, 0)]) await assert.rejects(openMade(file, other), { code: "bad-hashes" });
  for (let at = signed; at < statement.length; at += 32) {
    const altered = statement.slice();
    altered[at] ^= 1;
    const segment = Math.floor((at - signed) / 32 / 34) * 32;
    const read = openMade(file, altered).then((opened) => opened.read(segment * 4096, segment * 4096 + 1));
    await assert.rejects(read, { code: "bad-hashes" }, `hash ${(at - signed) / 32}`);
  }
  const read = [];
  const source = { size: statement.length, read: async (start, end) => (read.push([start - signed, end - signed]), statement.slice(start, end)) };
  const opened = await openMade(file, source);
  await opened.read(40 * 4096, 41 * 4096);
  assert.deepEqual(read.slice(1), [[64 * 32 + 128, 64 * 32 + 128 + 6 * 32], [34 * 32, 68 * 32]]);
});

test("whatever is altered in file, text, signature and hashes, nothing of it is given out", async () => {
  let state = 1;
  const below = (most) => (state = Math.imul(state, 1664525) + 1013904223 >>> 0) % most;
  let refused = 0;
  for (let turn = 0; turn < 240; turn++) {
    const stem = turn % 40 < 4 ? "groups" : "short";
    const { plaintext, statements } = made[stem];
    const [file, statement] = [made[stem].file.slice(), statements[turn % 2].slice()];
    const signed = text(statement).lastIndexOf("-----\n") + 6;
    const flip = (bytes) => {
      const at = below(bytes.length);
      bytes[at] ^= 1 << below(8);
      return at;
    };
    const places = [
      () => flip(file.subarray(0, 4096)) * 0,
      () => Math.floor(flip(file.subarray(4096)) / 4112) * 4096,
      () => flip(statement.subarray(0, signed)) * 0,
      () => Math.floor(flip(statement.subarray(signed)) / (32 * (stem === "groups" ? 34 : 32))) * 32 * 4096,
    ];
    const unchanged = places[Math.floor(turn / 2) % places.length]();
    const streamed = await outcomeOf(() => streamMade(file, statement));
    const inParts = await outcomeOf(async () => before((await openMade(file, statement)).stream()));
    for (const { outcome, error, result = { given: Buffer.alloc(0), error } } of [streamed, inParts]) {
      assert.ok(plaintext.subarray(0, result.given.length).equals(result.given), `turn ${turn}: another text`);
      if (outcome !== "ok" || result.error !== null) {
        refused++;
        assert.ok(result.given.length <= unchanged, `turn ${turn}: ${result.given.length} bytes before ${result.error}`);
      } else assert.equal(result.given.length, plaintext.length);
    }
  }
  // A bit of base64 may be a spare one.
  assert.ok(refused > 460, `${refused}`);
});

test("signatures of ssh-keygen, of every kind of key", async () => {
  const { text: signedText, tests } = await readJson("sshsig/index.json");
  const bytes = new TextEncoder().encode(signedText);
  for (const { comment, key: line, signature: armored, outcome } of tests) {
    const [kind, encoded] = line.split(" ");
    const blob = sshPublicKey(kind, encoded);
    assert.ok(blob, comment);
    const signature = parseSshSignature(/^-----BEGIN SSH SIGNATURE-----\n(.*)-----END SSH SIGNATURE-----\n$/s.exec(armored)[1]);
    let found = "signature";
    if (signature !== null) {
      const isOfKey = Buffer.from(signature.key).equals(blob);
      found = isOfKey && await verifiesSsh(signature, "polyseal", bytes) ? "ok" : "not accepted";
      assert.ok(!await verifiesSsh(signature, "polyseal", bytes.subarray(1)), comment);
      assert.ok(!await verifiesSsh(signature, "file", bytes) || comment === "another namespace", comment);
    }
    assert.equal(found, outcome, `${comment}, ${kind}`);
  }
  assert.ok(tests.length >= 31);
});

const publicKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILM+rvN+ot98qgEN796jTiQfZfG1KaT0PtFDJ/XFSqti";
const blob = sshPublicKey(...publicKey.split(" "));

test("lists of signers are those of ssh-keygen", () => {
  const times = 'a valid-after="20260101Z",valid-before="202602011230Z" KEY';
  for (const [line, by, time, name] of [
    ["a KEY", undefined, 0, "a"],
    ["\n# no\n\t a@b,c \t KEY comment text\r\n", undefined, 0, "a@b,c"],
    ['a namespaces="file,poly*" KEY', undefined, 0, "a"],
    ['a namespaces="file" KEY', undefined, 0, null],
    ['a namespaces="*,!polyseal" KEY', undefined, 0, null],
    ['a NAMESPACES="polyseal" KEY', undefined, 0, "a"],
    ["a cert-authority KEY", undefined, 0, null],
    ["*@example.org KEY", "alice@example.org", 0, "alice@example.org"],
    ["*@example.org,!eve@* KEY", "eve@example.org", 0, null],
    ["a?,b KEY", "ab", 0, "ab"],
    ["a?,b KEY", "a", 0, null],
    ["a? KEY", "aä", 0, null],
    ["a?? KEY", "aä", 0, "aä"],
    ['"a b" KEY', "a b", 0, "a b"],
    ["*a*b*c KEY", "xaxbxbc", 0, "xaxbxbc"],
    ["*a*b*c KEY", "xaxbxbcd", 0, null],
    ["** KEY", "anybody", 0, "anybody"],
    [times, undefined, 1_767_225_599, null],
    [times, undefined, 1_767_225_600, "a"],
    [times, undefined, 1_769_948_999, "a"],
    [times, undefined, 1_769_949_000, null],
    ['a valid-before="20241231235960Z" KEY', undefined, 1_735_689_599, "a"],
    ["b KEY\na KEY", "a", 0, "a"],
    ["a ssh-new@example.org AAAAE3NzaC1uZXdAZXhhbXBsZS5vcmc=\na KEY", undefined, 0, "a"],
  ]) {
    const lines = parseSigners(line.replaceAll("KEY", publicKey));
    assert.equal(acceptedName(lines, blob, "polyseal", by, time * 1000), name, `${line} for ${by} at ${time}`);
  }
});

test("a line that is not understood is named", () => {
  for (const line of [
    "a", "KEY", "a option KEY", 'a namespaces="x KEY', "a namespaces=x KEY", 'a namespaces="x",namespaces="y" KEY', "a valid-after=20260101 KEY",
    'a valid-after="20260101" KEY', 'a valid-after="20261301Z" KEY', 'a valid-before="20260230Z" KEY', 'a valid-before="20260228246000Z" KEY',
    'a valid-before="+2026022Z" KEY', 'a valid-before="19691231Z" KEY', "a ssh-ed25519 AAAA", '"a KEY', 'a"b" KEY', "a ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAAA==",
  ]) assert.throws(() => parseSigners(`a ${publicKey}\n${line.replaceAll("KEY", publicKey)}`), { code: "bad-signers", line: 2 }, line);
});

test("who is asked for has to have signed, and somebody has to vouch for a signature", async () => {
  const [file, statement] = [await kit("short.polyseal"), await kit("short.sig")];
  const opened = await open(file, statement);
  assert.deepEqual({ ...opened.signer, fingerprint: "" }, { principal: "alice@example.org", fingerprint: "", time: 1796000000n });
  assert.equal((await polyseal.decryptStream(file, [key], { signers, statement, suites })).signer.fingerprint, opened.signer.fingerprint);
  assert.equal((await polyseal.open(file, [key], { suites })).signer, null);
  const later = `${signers.trim().replace('namespaces="polyseal"', 'valid-before="20200101Z"')}`;
  for (const [options, code] of [
    [{ by: "bob@example.org" }, "not-accepted"], [{ by: "" }, "not-accepted"], [{ signers: "" }, "not-accepted"], [{ signers: "# nobody" }, "not-accepted"],
    [{ signers: later }, "not-accepted"], [{ signers: "a b" }, "bad-signers"], [{ statement: undefined }, "no-statement"],
    [{ signers: undefined }, "invalid-argument"], [{ signers: undefined, statement: undefined, by: "x" }, "invalid-argument"],
    [{ signers: null }, "invalid-argument"], [{ signers: new TextEncoder().encode(signers) }, "invalid-argument"], [{ by: 1 }, "invalid-argument"],
    [{ statement: "short.sig" }, "invalid-argument"], [{ statement: new Uint8Array(0) }, "bad-signature"],
  ]) {
    const all = { signers, statement, ...options };
    for (const work of [() => polyseal.open(file, [key], all), () => polyseal.decryptStream(file, [key], all), () => polyseal.verifySigned(file, all)]) {
      await assert.rejects(work, { name: "PolysealError", code }, JSON.stringify(options));
    }
  }
  // One that cannot be read, before or behind one that is accepted; and more than a statement may have.
  const [at, end] = [text(statement).indexOf("-----BEGIN"), text(statement).lastIndexOf("-----\n") + 6];
  const armored = text(statement.subarray(at, end));
  for (const [place, more] of [[at, armored.replace(/\n[^-]*/, "\nAAAA\n")], [end, armored.replace(/\n[^-]*/, "\nAAAA\n")], [end, armored.repeat(65536 / (end - at))]]) {
    const other = Buffer.concat([statement.subarray(0, place), Buffer.from(more, "latin1"), statement.subarray(place)]);
    await assert.rejects(open(file, other), { code: "bad-signature" });
  }
  await assert.rejects(polyseal.verifySigned(file, {}), { code: "invalid-argument" });
  for (const work of [() => polyseal.openTree(new Map(), [key], { signers }), () => polyseal.openAge(file, [key], { signers, statement })]) {
    await assert.rejects(work, { code: "invalid-argument" });
  }
  // The time is that of the caller's clock.
  await assert.rejects(acceptStatement({ signers: signers.replace("namespaces", 'valid-after="20270101Z",namespaces'), statement }, Date.UTC(2026, 11)), { code: "not-accepted" });
});
