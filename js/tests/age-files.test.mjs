/** age's own files: all of age's test kit, files of the programs age and polyseal, and what is refused. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { inflateSync } from "node:zlib";
import * as polyseal from "../dist/index.js";
import { inDirectory, run, tool } from "./tool.mjs";
import { load, vectors } from "./vectors.mjs";

const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");

/** A file of the kit: what it says of itself, and the age file behind that. */
function parseKitFile(bytes) {
  const blank = Buffer.from(bytes).indexOf("\n\n");
  const file = { keys: [], armored: false, bytes: Buffer.from(bytes).subarray(blank + 2) };
  for (const line of Buffer.from(bytes).subarray(0, blank).toString().split("\n")) {
    const [name, value] = [line.slice(0, line.indexOf(": ")), line.slice(line.indexOf(": ") + 2)];
    if (name === "expect" || name === "payload") file[name] = value;
    else if (name === "identity") file.keys.push(polyseal.ageIdentity(value));
    else if (name === "passphrase") file.keys.push(polyseal.passphrase(value));
    else if (name === "armored") file.armored = value === "yes";
    else if (name === "compressed") file.bytes = inflateSync(file.bytes);
    else assert.ok(["file key", "comment"].includes(name), name);
  }
  return file;
}

/** The outcomes in the words of the kit. */
const words = {
  "no-matching-key": "no match", "header-not-authentic": "HMAC failure", "bad-armor": "armor failure", "not-a-polyseal-file": "header failure",
  "unsupported-version": "header failure", "truncated-header": "header failure", "bad-header": "header failure", "too-much-work": "header failure",
  "truncated-payload": "payload failure", "corrupt-segment": "payload failure",
};

async function outcomeOf({ bytes, keys, armored }) {
  try {
    const plaintext = await (await polyseal.openAge(bytes, keys, { armor: armored })).read();
    return ["success", sha256(plaintext)];
  } catch (error) {
    if (error?.name !== "PolysealError") throw error;
    return [words[error.code] ?? error.code];
  }
}

test("the test kit of age: every file", async () => {
  const counts = {};
  for (const name of await readdir(join(vectors, "age/testkit"))) {
    const file = parseKitFile(await load(`age/testkit/${name}`));
    const [outcome, payload] = await outcomeOf(file);
    assert.equal(outcome, file.expect, name);
    if (outcome === "success") assert.equal(payload, file.payload, name);
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  // As in crates/polyseal-file/tests/age_testkit.rs.
  assert.deepEqual(counts, { "success": 26, "no match": 13, "HMAC failure": 1, "header failure": 62, "payload failure": 19, "armor failure": 22 });
});

test("what begins as a file of age is told from others, and armour without being asked", async () => {
  const crate = (name) => readFile(new URL(`../../crates/polyseal-file/tests/age/${name}`, import.meta.url));
  const identities = polyseal.parseAgeIdentities((await crate("x25519.txt")).toString());
  for (const [name, expected] of [["x25519.age", true], ["passphrase.age", true], ["x25519.txt", false]]) {
    assert.equal(await polyseal.isAgeFile(await crate(name)), expected, name);
  }
  assert.equal(await polyseal.isAgeFile(new Uint8Array(0)), false);
  assert.equal(await polyseal.isAgeFile(new Blob(["\r\n -----BEGIN AGE ENCRYPTED FILE-----\n"])), true);
  const plain = Buffer.from(await crate("x25519.age"));
  assert.deepEqual((await polyseal.inspectAge(plain)).recipients, ["X25519"]);
  const armored = `-----BEGIN AGE ENCRYPTED FILE-----\n${plain.toString("base64").replace(/.{64}/g, "$&\n").trimEnd()}\n-----END AGE ENCRYPTED FILE-----\n`;
  const opened = [await polyseal.openAge(plain, identities), await polyseal.openAge(Buffer.from(armored), identities)];
  assert.deepEqual(await opened[0].read(), await opened[1].read());
  await assert.rejects(polyseal.open(plain, identities), { code: "not-a-polyseal-file" });
  const passphrase = await polyseal.openAge(await crate("passphrase.age"), [...identities, polyseal.passphrase("correct horse")]);
  assert.ok((await passphrase.read()).length === passphrase.size);
  await assert.rejects(polyseal.openAge(await crate("passphrase.age"), identities), { code: "no-matching-key" });
});

test("too much work is refused before any is done", async () => {
  const [, , third, ...rest] = (await readFile(new URL("../../crates/polyseal-file/tests/age/passphrase.age", import.meta.url))).toString("latin1").split("\n");
  const salt = Buffer.alloc(16).toString("base64").slice(0, 22);
  for (const work of ["21", "64", "9".repeat(400)]) {
    const bytes = Buffer.from(["age-encryption.org/v1", `-> scrypt ${salt} ${work}`, third, ...rest].join("\n"), "latin1");
    await assert.rejects(polyseal.openAge(bytes, [polyseal.passphrase("p")]), { code: "too-much-work" }, work);
  }
  const stanza = `-> X25519 ${"A".repeat(43)}\n${"A".repeat(43)}\n`;
  const many = Buffer.from(`age-encryption.org/v1\n${stanza.repeat(9000)}--- ${"A".repeat(43)}\n${"n".repeat(40)}`);
  const { identity } = await polyseal.generateAgeIdentity();
  await assert.rejects(polyseal.openAge(many, Array(4).fill(polyseal.ageIdentity(identity))), { code: "too-much-work" });
  await assert.rejects(polyseal.openAge(Buffer.concat([many.subarray(0, 880000), Buffer.alloc(300000, 65)]), []), { code: "bad-header" });
});

/** A file, and parts of it: the end first, nothing that is altered, and nothing of a file without its end. */
async function checkParts(bytes, keys, contents) {
  const opened = await polyseal.openAge(new Blob([bytes]), keys);
  assert.equal(opened.size, contents.length);
  assert.ok(Buffer.from(await opened.read()).equals(contents));
  assert.ok(Buffer.from(await opened.read(65530, 65540)).equals(contents.subarray(65530, 65540)));
  await assert.rejects(polyseal.openAge(bytes.subarray(0, -1), keys), { code: "corrupt-segment", isLast: true });
  await assert.rejects(polyseal.openAge(bytes.subarray(0, opened.header.payloadOffset + 65552), keys), { code: "corrupt-segment", isLast: true, segment: 0 });
  const altered = Buffer.from(bytes);
  altered[opened.header.payloadOffset + 65552 + 5] ^= 1;
  const damaged = await polyseal.openAge(altered, keys);
  assert.ok(Buffer.from(await damaged.read(0, 65536)).equals(contents.subarray(0, 65536)));
  await assert.rejects(damaged.read(), { code: "corrupt-segment", segment: 1 });
}

const contents = Buffer.from(Array.from({ length: 200000 }, (_, i) => i * 7 >> 3 & 255));

test("files of polyseal in age's format, for identities and a passphrase", { skip: tool === undefined && "there is no tool" }, () => inDirectory(async (directory, write) => {
  const plain = await write("plain", contents);
  for (const kind of ["x25519", "hybrid"]) {
    const { identity, recipient } = await polyseal.generateAgeIdentity(kind);
    const bytes = await run(["encrypt", "--format", "age", "-r", recipient, "-o", "-", plain]);
    await checkParts(bytes, [polyseal.ageIdentity(identity)], contents);
    const armored = await run(["encrypt", "--format", "age", "--armor", "-r", recipient, "-o", "-", plain]);
    assert.ok(Buffer.from(await (await polyseal.openAge(armored, [polyseal.ageIdentity(identity)])).read()).equals(contents));
  }
  // A passphrase takes its time, so it opens one file, and once.
  const bytes = await run(["encrypt", "--format", "age", "-o", "-", plain], { passphrase: "correct horse" });
  assert.ok(Buffer.from(await (await polyseal.openAge(bytes, [polyseal.passphrase("correct horse")])).read()).equals(contents));
}));

const hasAge = (() => { try { return execFileSync("age", ["--version"]).length > 0; } catch { return false; } })();

test("files of age", { skip: !hasAge && "age is not installed" }, async () => {
  const { identity, recipient } = await polyseal.generateAgeIdentity();
  const { recipient: other } = await polyseal.generateAgeIdentity();
  for (const more of [[], ["--armor"]]) {
    const bytes = execFileSync("age", ["--encrypt", ...more, "-r", other, "-r", recipient], { input: contents });
    const opened = await polyseal.openAge(bytes, [polyseal.ageIdentity(identity)]);
    assert.ok(Buffer.from(await opened.read()).equals(contents));
    if (more.length === 0) await checkParts(bytes, [polyseal.ageIdentity(identity)], contents);
  }
});

test("altered files of the kit, and random ones, are refused with an error of this library", async () => {
  let state = 7;
  const next = (below) => (state = Math.imul(state, 1103515245) + 12345 >>> 0) % 65521 % below;
  const names = (await readdir(join(vectors, "age/testkit"))).filter((name) => /^(x25519|hybrid|stanza|armor_(x25519|crlf)|hmac|stream_(one|two|short|empty))/.test(name));
  for (let i = 0; i < 400; i++) {
    const file = parseKitFile(await load(`age/testkit/${names[i % names.length]}`));
    const bytes = Buffer.from(file.bytes);
    for (let times = next(3); times >= 0; times--) bytes[next(Math.min(bytes.length, 600))] = next(256);
    const [outcome] = await outcomeOf({ ...file, bytes, armored: undefined });
    // Only white space around armour may change, and a stanza of another type.
    assert.ok(outcome !== "success" || /^armor/.test(names[i % names.length]), `${names[i % names.length]} ${i}`);
  }
});
