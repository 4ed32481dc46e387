import assert from "node:assert/strict";
import { test } from "node:test";
import { shared } from "./shared.mjs";

const { explain, notComplete, notTaken } = await shared("../page/explain");

const codes = [
  "not-a-polyseal-file", "unsupported-version", "truncated-header", "bad-header", "unsupported-suite", "no-matching-key", "header-not-authentic", "context-missing",
  "context-differs", "context-unexpected", "truncated-payload", "payload-too-long", "corrupt-segment", "bad-armor", "bad-key-file", "bad-identity", "bad-recipient",
  "bad-passphrase", "invalid-recipients", "header-full", "source-failed", "source-changed", "bad-manifest", "unsupported-manifest-version", "unbound-manifest",
  "no-manifest", "missing-file", "does-not-belong", "cancelled", "cancelled-folder", "disk-full", "write-refused", "not-shown", "not-text", "too-much-work", "suite-failed", "no-key-yet", "no-recipient-yet",
  "passphrase-not-kept", "one-file", "no-statement",
  "unsupported-statement-version", "bad-statement", "bad-signature", "bad-hashes", "bad-signers", "not-accepted", "other-file", "not-as-signed", "internal", "something-new",
];

test("every error says what happened, what it means and what to do, in whole sentences", () => {
  for (const code of codes) for (const secret of ["passphrase", "key-file", "age"]) {
    const { what, meaning, action } = explain({ code, message: "", segment: 3 }, { secret, suite: "omd-sha256", size: 1e6, segmentSize: 65536 });
    for (const text of [what, meaning, action]) assert.match(text, /^[A-Z].*\.$/s, `${code}: ${text}`);
  }
});

test("different errors have different texts", () => {
  const known = codes.filter((code) => !["something-new", "internal"].includes(code));
  const texts = known.map((code) => explain({ code, message: "", segment: 3 }, { secret: "passphrase" }).what);
  assert.equal(new Set(texts).size, known.length);
});

test("an altered part is named, and the end is told from the middle", () => {
  const at = (segment, isLast, more) => explain({ code: "corrupt-segment", message: "", segment, isLast }, { size: 1e6, segmentSize: 65536, ...more }).meaning;
  assert.match(at(3, false), /at part 4 of 16 \(bytes 196,608 to 262,143 of the contents\).*Nothing of the file is saved or shown\.$/);
  assert.match(at(15, true), /at its end, part 16 of 16.*The end may be missing, as when a download broke off/);
  const heading = (isLast) => explain({ code: "corrupt-segment", message: "", segment: 3, isLast }).what;
  assert.deepEqual([heading(true), heading(false)], ["The file is incomplete or altered.", "The file has been altered."]);
  assert.match(at(7, true, { size: undefined }), /at its end, part 8\. The end may be missing/);
  assert.match(at(7, false, { size: undefined }), /at part 8\./);
});

test("a part that is not as it was signed, and a line of the signers, are named", () => {
  const at = (segment, more = {}) => explain({ code: "not-as-signed", message: "", segment }, more).meaning;
  assert.match(at(3, { size: 1e6, segmentSize: 65536 }), /differs at part 4 of 16 \(bytes 196,608 to 262,143 of the contents\)/);
  assert.match(at(0), /differs at part 1\./);
  assert.equal(explain({ code: "bad-signers", message: "", line: 7 }).what, "Line 7 of the signers is not understood.");
});

test("what could not be taken, and why", () => {
  const reasons = ["permission-denied", "unreadable", "not-written", "unsupported-type", "changed", "unsuitable-name", "unknown"];
  const texts = reasons.flatMap((reason) => ["file", "directory", "absent"].map((type) => notTaken({ type, notTaken: reason })));
  assert.equal(new Set(texts).size, texts.length);
  for (const text of texts) assert.match(text, /^[A-Z].*: (it|its|permission|this page) .*\.$/);
  assert.equal(notTaken({ type: "link", notTaken: "changed" }), "From an earlier time. It could not be taken again: it changed while it was read.");
  assert.equal(notTaken({ type: "file", notTaken: null }), "");
});

test("why a folder is not complete", () => {
  const entries = (failed) => [{ type: "file", name: "good", notTaken: null }, ...failed.map((type, i) => ({ type, name: `n${i}`, notTaken: "unreadable" }))];
  const sentences = (failed, interrupted = false) => notComplete({ entries: entries(failed), interrupted }).join(" ");
  assert.equal(sentences([]), "");
  assert.equal(sentences(["file", "absent", "link"]), "3 files could not be taken when this was made: n0, n1, n2. The list says why.");
  assert.match(sentences(["directory"]), /^1 folder could not be taken when this was made: n0\./);
  assert.match(sentences(["directory", "file", "directory"]), /^1 file and 2 folders could not be taken/);
  assert.match(sentences(new Array(6).fill("file")), /^6 files could not .*: n0, n1, n2, n3, n4, …\. The list/);
  assert.match(sentences([], true), /^An update of this folder was interrupted\. Each file is as it was before the update or after it/);
  assert.match(sentences(["file"], true), /^1 file could not .* An update of this folder was interrupted\./);
});
