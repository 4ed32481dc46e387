/** The kit of the manifest: what is refused, what is bound, and which file belongs to which entry. */

import assert from "node:assert/strict";
import { test } from "node:test";
import * as polyseal from "../dist/index.js";
import { keyCommitment, parseManifest, payloadLeaf, payloadRoot } from "../dist/manifest.js";
import { openEntry } from "../dist/tree.js";
import { aegisSuites } from "./aegis.mjs";
import { collect } from "./kit.mjs";
import { load, readJson } from "./vectors.mjs";

const hex = (bytes) => Buffer.from(bytes).toString("hex");
const unhex = (text) => new Uint8Array(Buffer.from(text, "hex"));

const states = ["new", "unchanged", "failed", "deleted"];
const reasons = [null, "permission-denied", "unreadable", "not-written", "unsupported-type", "changed", "unsuitable-name"];

const expectedEntry = ({ stamp, reason, ...entry }) => ({ ...entry, ...(reason === undefined ? {} : { reason: reason < reasons.length ? reasons[reason] : "unknown" }) });

const identity = (previous) => previous && { salt: hex(previous.fileSalt), keyCommitment: hex(previous.keyCommitment), payloadRoot: hex(previous.payloadRoot) };

function outcomeOf(bytes, options) {
  try {
    return { outcome: "ok", manifest: parseManifest(bytes, options) };
  } catch (error) {
    assert.equal(error.name, "PolysealError");
    return { outcome: error.code, message: error.message };
  }
}

/** For what a manifest is refused: the code, and what the message says. */
const refusals = {
  "not-a-manifest": ["bad-manifest", /begin/],
  "unsupported-version": ["unsupported-manifest-version", /version/],
  "unbound-contents": ["unbound-manifest", /bind/],
  "bad-length": ["bad-manifest", /cut short|follows it|target/],
  "bad-path": ["bad-manifest", /path|target/],
  "out-of-order": ["bad-manifest", /in order/],
  "not-in-a-directory": ["bad-manifest", /in no directory/],
  "bad-mode": ["bad-manifest", /mode/],
  "bad-type": ["bad-manifest", /unknown type/],
  "bad-count": ["bad-manifest", /number of entries/],
  "bad-time": ["bad-manifest", /time/],
  "bad-number": ["bad-manifest", /number 0/],
  "bad-state": ["bad-manifest", /state/],
};

/** An entry as the kit has it, which has numbers for states and reasons, and the stamp that no reader looks at. */
const plain = (version) => ({ type, path, state, reason, mode, seconds, nanoseconds, ...rest }) => ({
  type, path: hex(path), mode, seconds: seconds.toString(), nanoseconds,
  ...(version === 3 ? { state: states.indexOf(state), reason } : {}),
  ...(type === "file" ? { size: rest.size.toString(), salt: hex(rest.fileSalt) } : {}),
  ...(rest.bound ? { keyCommitment: hex(rest.bound.keyCommitment), payloadRoot: hex(rest.bound.payloadRoot) } : {}),
  ...(type === "link" ? { target: hex(rest.target) } : {}),
});

test("every manifest", async () => {
  // Sizes and times have 64 bits, which numbers of JSON do not hold here.
  const text = Buffer.from(await load("manifest/index.json")).toString("utf8");
  const { tests } = JSON.parse(text.replace(/("(?:size|seconds|number)": )(-?\d+)/g, '$1"$2"'));
  assert.ok(tests.filter(({ version }) => version === 3).length > 40 && tests.length > 110);
  for (const { file, rule, version, outcome, outcomeIfAllowed, number, previous, entries } of tests) {
    const bytes = await load(`manifest/${file}`);
    for (const [expected, allowUnboundContents] of [[outcome, false], [outcomeIfAllowed, true]]) {
      const got = outcomeOf(bytes, { allowUnboundContents });
      if (expected !== "ok") {
        const [code, message] = refusals[expected];
        assert.equal(got.outcome, code, `${file}: ${rule}`);
        assert.match(got.message, message, `${file}: ${rule}`);
      } else {
        assert.equal(got.outcome, "ok", `${file}: ${rule}`);
        assert.deepEqual(got.manifest.entries.map(plain(version)), entries.map(expectedEntry), file);
        assert.deepEqual([got.manifest.version, got.manifest.number.toString(), identity(got.manifest.previous)], [version, number ?? "0", previous ?? null], file);
      }
    }
  }
});

const kit = await readJson("manifest/payloads.json");
const key = polyseal.keyFile(unhex(kit.key));

test("key commitments, leaves and roots of files", async () => {
  for (const { file, header, fileKey, salt, segment, leaves, ...expected } of kit.files) {
    const bytes = await load(`manifest/${file}`);
    assert.equal(hex(bytes.subarray(0, 160)), header);
    assert.equal(hex(await keyCommitment(unhex(fileKey), unhex(salt), bytes)), expected.keyCommitment, file);
    const payload = bytes.subarray(4096);
    const computed = Array.from({ length: Math.ceil(payload.length / segment) }, (_, i) => payloadLeaf(payload.subarray(i * segment, (i + 1) * segment)));
    assert.deepEqual(computed.map(hex), leaves, file);
    assert.equal(hex(payloadRoot(Buffer.concat(computed), 3)), expected.payloadRoot, file);
    assert.equal(hex(payloadRoot(Buffer.concat(computed), 2)), expected.payloadRootInVersion2, file);
  }
});

test("roots of bytes that are no file's", () => {
  for (const { segment, length, ...expected } of kit.roots) {
    const bytes = Uint8Array.from({ length }, (_, i) => Math.imul(i, 0x9e3779b9) >>> 24);
    const leaves = Array.from({ length: Math.ceil(length / segment) }, (_, i) => payloadLeaf(bytes.subarray(i * segment, (i + 1) * segment)));
    const [third, second] = [3, 2].map((version) => hex(payloadRoot(Buffer.concat(leaves), version)));
    assert.deepEqual([third, second], [expected.payloadRoot, expected.payloadRootInVersion2], `${length} bytes in segments of ${segment}`);
  }
});

test("which file belongs to which entry", async () => {
  for (const { file, entryOf, belongs, belongsInVersion1 } of kit.entries) {
    const of = kit.files.find((candidate) => candidate.file === entryOf);
    const { context } = kit.files.find((candidate) => candidate.file === file);
    const bytes = await load(`manifest/${file}`);
    const bound = { version: 3, keyCommitment: unhex(of.keyCommitment), payloadRoot: unhex(of.payloadRoot) };
    const second = { ...bound, version: 2, payloadRoot: unhex(of.payloadRootInVersion2) };
    for (const [expected, entry] of [[belongs, { bound }], [belongs, { bound: second }], [false, { bound: { ...bound, version: 2 } }], [belongsInVersion1, { bound: null }]]) {
      const opening = openEntry(
        { type: "file", size: BigInt(of.size), fileSalt: unhex(of.salt), ...entry }, bytes, [key],
        context === null ? undefined : unhex(context), { suites: aegisSuites });
      if (expected) assert.equal((await collect((await opening).stream())).length, of.size, file);
      else await assert.rejects(opening, { code: "does-not-belong" }, `${file} as ${entryOf}`);
    }
  }
});

test("a file that changes after it was verified is refused", async () => {
  const [first, second] = [await load("manifest/payload-short.polyseal"), await load("manifest/payload-replaced.polyseal")];
  const of = kit.files.find(({ file }) => file === "payload-short.polyseal");
  let bytes = first;
  const source = { size: first.length, read: async (start, end) => bytes.slice(start, end) };
  const entry = { type: "file", size: BigInt(of.size), fileSalt: unhex(of.salt), bound: { version: 3, keyCommitment: unhex(of.keyCommitment), payloadRoot: unhex(of.payloadRoot) } };
  const file = await openEntry(entry, source, [key], undefined, { suites: aegisSuites });
  assert.equal((await file.read()).length, of.size);
  bytes = second;
  await assert.rejects(file.read(), { code: "source-changed" });
});

test("a manifest has no more entries than memory should hold", () => {
  const directories = ["a", "b", "c"].map((name) => Buffer.concat([Buffer.from("d\x01\0"), Buffer.from(name), Buffer.alloc(14)]));
  const manifest = Buffer.concat([Buffer.from("polyseal-manifest\n\x02\0"), ...directories, Buffer.from("e\x03\0\0\0\0\0\0\0")]);
  assert.equal(parseManifest(manifest, {}, 3).entries.length, 3);
  assert.throws(() => parseManifest(manifest, {}, 2), { code: "bad-manifest", message: /more than 2 entries/ });
});
