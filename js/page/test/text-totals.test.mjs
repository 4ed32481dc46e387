import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { shared } from "./shared.mjs";

const { decodeText, sniffText, textMedia, shownTextLength } = await shared("text");
const { isShownType } = await shared("media");
const { counted, folderName, totalOf } = await shared("totals");
const { isThisComputer, whereToOpen } = await shared("advice");
const { plaintextName, safeName } = await shared("format");

const utf8 = (text) => new TextEncoder().encode(text);

test("text is what is called so and is UTF-8 without control characters", () => {
  for (const name of ["a.txt", "A.TXT", "read.me.md", "x/y.csv", "a.json", "a.log"]) assert.equal(sniffText(name, utf8("grüße\n"), false), textMedia, name);
  for (const name of ["a.html", "a.svg", "a.xml", "a.js", "a.exe", "a.png", "txt", "a", "a.txt.exe", ""]) assert.equal(sniffText(name, utf8("text"), false), null, name);
  for (const start of [[], [0], [0x4d, 0x5a, 0x90, 0], [0xff, 0xfe, 0x41, 0], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0x1b, 0x5b], [0x7f]]) {
    assert.equal(sniffText("a.txt", Uint8Array.from(start), false), null, String(start));
  }
  // No element gets an address of it: it has no type that is shown so.
  assert.equal(isShownType(textMedia.type), false);
});

test("a character may be cut at the end of the beginning, and nowhere else", () => {
  const bytes = utf8("aé");
  assert.equal(decodeText(bytes.subarray(0, 2), true), "a");
  assert.equal(decodeText(bytes.subarray(0, 2), false), null);
  assert.equal(decodeText(bytes, false), "aé");
  assert.equal(decodeText(Uint8Array.of(0xc3, 0x41), true), null);
  assert.equal(decodeText(utf8("\ufeffa\tb\r\n\f"), false), "a\tb\r\n\f");
  assert.equal(decodeText(utf8("<script>alert(1)</script>"), false), "<script>alert(1)</script>");
  assert.equal(shownTextLength, 1048576);
});

const outcome = (name, size, code) => ({ name, size, failure: code === undefined ? null : { code, message: "" } });

test("totals of all files of a folder", () => {
  const twelve = Array.from({ length: 12 }, (_, i) => outcome(`${i}`, 283333));
  assert.deepEqual(totalOf(twelve, "whole"), { all: true, sentence: "12 files, 3.40 MB: all whole." });
  assert.deepEqual(totalOf([outcome("a", 1)], "saved"), { all: true, sentence: "1 file, 1 byte: saved." });
  const some = [outcome("a", 1000), outcome("b", 2000, "corrupt-segment"), outcome("c", 500)];
  assert.deepEqual(totalOf(some, "whole"), { all: false, sentence: "1 of 3 files is not whole. 2 others, 1.50 KB: whole." });
  assert.deepEqual(totalOf([...some, outcome("d", 9, "missing-file")], "saved"), { all: false, sentence: "2 of 4 files are not saved. 2 others, 1.50 KB: saved." });
  assert.deepEqual(totalOf([outcome("a", 1, "missing-file")], "whole"), { all: false, sentence: "1 of 1 file is not whole." });
  assert.deepEqual([counted(0, "file"), counted(1, "file"), counted(1234, "file")], ["0 files", "1 file", "1,234 files"]);
});

test("the folder for what is saved has a plain name", () => {
  assert.deepEqual(["album.sealed", "album", "x.polyseal", "", ".sealed", "..", "a\u202eb.sealed"].map((name) => folderName(name, safeName)),
    ["album", "album", "x", "opened", "opened", "file", "ab"]);
});

test("nobody is sent to a page on this computer", () => {
  for (const host of ["localhost", "127.0.0.1", "127.1.2.3", "[::1]", "page.localhost"]) {
    assert.ok(isThisComputer(host), host);
    assert.doesNotMatch(whereToOpen({ hostname: host, origin: `http://${host}:8000`, pathname: "/" }), /http/);
  }
  for (const host of ["example.org", "localhost.example.org", "127.example.org", "128.0.0.1"]) assert.ok(!isThisComputer(host), host);
  assert.match(whereToOpen({ hostname: "example.org", origin: "https://example.org", pathname: "/p/" }), / at https:\/\/example\.org\/p\/$/);
});

test("names of what is in a file of age", () => {
  assert.deepEqual(["a.txt.age", "a.AGE", "a.txt.age.asc", ".age"].map(plaintextName), ["a.txt", "a", "a.txt", ".age.decrypted"]);
});

test("the library in the page opens files of age, of identities and passphrases, and no altered one", async () => {
  const { isAgeFile, openAge, parseAgeIdentities, passphrase } = await shared("../../../src/index");
  const load = (name) => readFile(new URL(`../../../crates/polyseal-file/tests/age/${name}`, import.meta.url));
  for (const [name, keys] of [
    ["x25519.age", parseAgeIdentities((await load("x25519.txt")).toString())], ["hybrid.age", parseAgeIdentities((await load("hybrid.txt")).toString())],
    ["passphrase.age", [passphrase("correct horse")]],
  ]) {
    const file = new Blob([await load(name)]);
    assert.ok(await isAgeFile(file));
    const opened = await openAge(file, keys);
    assert.equal((await opened.read()).length, opened.size, name);
    await assert.rejects(openAge(file.slice(0, -1), keys), (error) => ["corrupt-segment", "truncated-payload"].includes(error.code), name);
  }
});
