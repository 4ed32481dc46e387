/** Which recipient stanzas of an age stanza an identity is tried on: as age does, so up to the first it opens or rejects. */

import assert from "node:assert/strict";
import { test } from "node:test";
import * as polyseal from "../dist/index.js";
import { wrapperOf } from "../dist/age.js";
import { formatAgeContents } from "../dist/age-stanzas.js";
import { ascii, concat, random, u16, u32, u64 } from "../dist/bytes.js";
import { hmac } from "../dist/kdf.js";
import { segmentNonce } from "../dist/payload.js";
import { suiteByName, suiteField } from "../dist/suites.js";
import { headerMacKey, payloadCipher, stanzaKeys, xor } from "../dist/unlock.js";
import { inDirectory, run } from "./tool.mjs";

const suite = suiteByName("aes-256-gcm");

/** A file with these age stanzas: each a wrapping key and its recipient stanzas. */
async function fileWith(ageStanzas) {
  const fileKey = random(32);
  const fileSalt = random(32);
  const fields = concat(ascii("polyseal"), u16(1), u16(0), u32(4096), u64(4096), new Uint8Array(8), fileSalt, suiteField(suite), new Uint8Array(32));
  const bound = concat(fields.subarray(0, 10), fields.subarray(12));
  const stanzas = [];
  for (const [wrappingKey, recipients] of ageStanzas) {
    const salt = random(32);
    const { id, pad, macKey } = await stanzaKeys(wrappingKey, salt, 3);
    const contents = formatAgeContents({ labels: [], recipients });
    const authenticated = concat(u16(3), u16(104 + contents.length), salt, id, xor(fileKey, pad), contents);
    stanzas.push(concat(authenticated, await hmac(macKey, concat(bound, authenticated))));
  }
  const header = new Uint8Array(4096);
  header.set(concat(fields, ...stanzas));
  header.set(u16(stanzas.length), 10);
  header.set(await hmac(await headerMacKey(fileKey, fileSalt), header.subarray(0, 4064)), 4064);
  const cipher = await payloadCipher({ suite, segmentSize: 4096, payloadOffset: 4096, fileSalt }, fileKey, undefined, undefined);
  return concat(header, await cipher.seal(segmentNonce(suite, 0, true), new Uint8Array(5)));
}

const { identity, recipient } = await polyseal.generateAgeIdentity();
const other = await polyseal.generateAgeIdentity();
const wrap = async (key, whose = recipient) => (await wrapperOf(whose).wrap(key))[0];
const rejected = { type: "X25519", args: ["A".repeat(42)], body: random(32) };
const [key, another] = [random(16), random(16)];

const cases = {
  "rejected before ours": ["bad-header", [[key, [rejected, await wrap(key)]]]],
  "rejected behind ours": ["ok", [[key, [await wrap(key), rejected]]]],
  "rejected in another stanza before ours": ["ok", [[another, [rejected]], [key, [await wrap(key)]]]],
  "for another before ours": ["ok", [[key, [await wrap(key, other.recipient), await wrap(key)]]]],
  "rejected alone": ["bad-header", [[key, [rejected]]]],
  "rejected behind one for another": ["bad-header", [[key, [await wrap(key, other.recipient), rejected]]]],
  "two of ours, the first with another key": ["no-matching-key", [[key, [await wrap(another), await wrap(key)]]]],
  "two of ours, the second with another key": ["ok", [[key, [await wrap(key), await wrap(another)]]]],
  "two of ours in two stanzas, the first with another key": ["ok", [[another, [await wrap(key)]], [key, [await wrap(key)]]]],
  "a body of 33 bytes before ours": ["bad-header", [[key, [await wrap(random(17)), await wrap(key)]]]],
};

test("here and by the tool", () => inDirectory(async (directory, write) => {
  const codes = { ok: 0, "bad-header": 3, "no-matching-key": 4 };
  const key = await write("i.identity", identity);
  for (const [name, [expected, stanzas]] of Object.entries(cases)) {
    const file = await fileWith(stanzas);
    const outcome = await polyseal.open(file, [polyseal.ageIdentity(identity)]).then(({ size }) => (size === 5 ? "ok" : "another size"), ({ code }) => code);
    assert.equal(outcome, expected, name);
    await run(["verify", "-i", key, await write("file", file)], { codes: [codes[expected]] });
  }
}));
