/** age's recipient stanzas: the test kit of age, as far as it is about them, and keys and recipients of each kind. */

import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { inflateSync } from "node:zlib";
import fc from "fast-check";
import * as polyseal from "../dist/index.js";
import { RejectedStanza, unwrapperOf, wrapperOf } from "../dist/age.js";
import { formatAgeContents, parseAgeContents } from "../dist/age-stanzas.js";
import { importPrivateKey, privateKeyInJavaScript } from "../dist/x25519.js";
import { load, vectors } from "./vectors.mjs";

const hex = (bytes) => Buffer.from(bytes).toString("hex");

/** The fields of a file of the kit, and the recipient stanzas of the age file behind them. */
function parseKitFile(bytes) {
  const text = Buffer.from(bytes).toString("latin1");
  const [fields, behind] = [text.slice(0, text.indexOf("\n\n")), text.slice(text.indexOf("\n\n") + 2)];
  const rest = fields.includes("compressed: zlib") ? inflateSync(Buffer.from(behind, "latin1")).toString("latin1") : behind;
  const values = (name) => fields.split("\n").filter((line) => line.startsWith(`${name}: `)).map((line) => line.slice(name.length + 2));
  const begin = rest.indexOf("\n") + 1;
  const contents = Buffer.concat([Buffer.alloc(2), Buffer.from(rest.slice(begin, rest.search(/^---( |$)/m)), "latin1")]);
  return { expect: values("expect")[0], fileKey: values("file key")[0], identities: values("identity"), contents };
}

/** The identities' outcome on the stanzas, in the words of the kit. */
async function outcomeOf({ contents, identities, fileKey }) {
  let rejected = false;
  let recipients;
  try {
    ({ recipients } = parseAgeContents(contents));
  } catch (error) {
    assert.equal(error.code, "bad-header");
    return "header failure";
  }
  for (const identity of identities) {
    for (const recipient of recipients) {
      try {
        const key = await unwrapperOf(identity).unwrap(recipient);
        if (key !== null) return hex(key) === fileKey ? "success" : "another key";
      } catch (error) {
        if (!(error instanceof RejectedStanza)) throw error;
        rejected = true;
      }
    }
  }
  return rejected ? "header failure" : "no match";
}

test("the test kit of age", async () => {
  const names = (await readdir(join(vectors, "age/testkit"))).filter((name) => /^(x25519|hybrid|stanza|header_crlf)/.test(name));
  assert.ok(names.length >= 47, `${names.length} files`);
  for (const name of names) {
    const file = parseKitFile(await load(`age/testkit/${name}`));
    assert.equal(await outcomeOf(file), file.expect, name);
  }
});

const word = fc.string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)), minLength: 1, maxLength: 12 });
const stanza = fc.record({ type: word.filter((type) => type !== "scrypt"), args: fc.array(word, { maxLength: 4 }), body: fc.uint8Array({ maxLength: 200 }) });

test("what is formatted is parsed", () => {
  fc.assert(fc.property(fc.uniqueArray(word, { maxLength: 4 }), fc.array(stanza, { minLength: 1, maxLength: 4 }), (labels, recipients) => {
    const contents = { labels: labels.sort((a, b) => (a < b ? -1 : 1)), recipients };
    assert.deepEqual(structuredClone(parseAgeContents(formatAgeContents(contents))), structuredClone(contents));
  }), { numRuns: 200 });
});

test("what is parsed is formatted to the same bytes", () => {
  const valid = fc.array(stanza, { minLength: 1, maxLength: 3 }).map((recipients) => formatAgeContents({ labels: ["a", "b"], recipients }));
  let taken = 0;
  fc.assert(fc.property(valid, fc.nat(), fc.nat(255), (contents, at, byte) => {
    const altered = contents.slice();
    altered[at % altered.length] = byte;
    let parsed;
    try {
      parsed = parseAgeContents(altered);
    } catch (error) {
      assert.equal(error.code, "bad-header");
      return;
    }
    taken++;
    assert.equal(hex(formatAgeContents(parsed)), hex(altered));
  }), { numRuns: 500 });
  assert.ok(taken > 20, "almost nothing was taken");
});

for (const kind of ["x25519", "hybrid"]) {
  test(`an identity of kind ${kind} opens what is wrapped for its recipient, and no other does`, async () => {
    const [mine, other] = [await polyseal.generateAgeIdentity(kind), await polyseal.generateAgeIdentity(kind)];
    const key = crypto.getRandomValues(new Uint8Array(16));
    const [wrapped] = await wrapperOf(mine.recipient).wrap(key);
    assert.deepEqual(await unwrapperOf(mine.identity).unwrap(wrapped), key);
    assert.equal(await unwrapperOf(other.identity).unwrap(wrapped), null);
  });
}

test("X25519, of RFC 7748 and of low order, by WebCrypto and by JavaScript", async () => {
  // Section 5.2 of the RFC, the first vector.
  const scalar = Buffer.from("a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4", "hex");
  const point = Buffer.from("e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c", "hex");
  const shared = "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552";
  for (const key of [await importPrivateKey(scalar), privateKeyInJavaScript(scalar)]) {
    assert.equal(hex(await key.agree(point)), shared);
    for (const lowOrder of ["00".repeat(32), `01${"00".repeat(31)}`, "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157"]) {
      assert.equal(await key.agree(Buffer.from(lowOrder, "hex")), null);
    }
  }
});

test("what is no identity and no recipient", async () => {
  const { identity, recipient } = await polyseal.generateAgeIdentity();
  for (const text of ["", "x", identity.toLowerCase(), identity.slice(0, -1), `${identity}Q`, recipient, "AGE-PLUGIN-X-1QQQQ", identity.replace("KEY-1", "KEY-PQ-1")]) {
    assert.throws(() => polyseal.ageIdentity(text), { code: "bad-identity" }, text);
  }
  for (const text of ["", "x", recipient.toUpperCase(), recipient.slice(0, -1), identity, "ssh-ed25519 AAAA", "age1pq1qq", recipient.replace("age1", "age1pq1")]) {
    assert.throws(() => polyseal.ageRecipient(text), { code: "bad-recipient" }, text);
  }
  assert.equal(polyseal.parseAgeIdentities(`# a comment\r\n\n ${identity} \r\n${identity}`).length, 2);
  assert.throws(() => polyseal.parseAgeIdentities("# nothing\n"), { code: "bad-identity" });
  assert.equal(polyseal.parseAgeRecipients(`${recipient}\n`).length, 1);
  assert.throws(() => polyseal.parseAgeRecipients(""), { code: "bad-recipient" });
});
