import assert from "node:assert/strict";
import { test } from "node:test";
import { shared } from "./shared.mjs";

const { Meter } = await shared("meter");
const { formatBytes, formatCount, formatDuration, plaintextName, encryptedName, safeName, shownName, tooLongFor, partOf } = await shared("format");
const { findTree, pairSignatures } = await shared("chosen");

test("fraction, rate and time left of steady work", () => {
  const meter = new Meter(1000);
  meter.read(0, 0);
  assert.deepEqual(meter.read(10, 100), { fraction: 0.01, rate: null, secondsLeft: null });
  assert.deepEqual(meter.read(100, 1000), { fraction: 0.1, rate: 100, secondsLeft: 9 });
  assert.deepEqual(meter.read(1000, 10000), { fraction: 1, rate: 100, secondsLeft: 0 });
});

test("the rate follows a change within some seconds, and a stop gives no time left", () => {
  const meter = new Meter(1e9);
  for (let second = 0; second <= 10; second++) meter.read(second * 1000, second * 1000);
  let reading;
  for (let second = 11; second <= 20; second++) reading = meter.read(10000 + (second - 10) * 5000, second * 1000);
  assert.equal(reading.rate, 5000);
  for (let second = 21; second <= 30; second++) reading = meter.read(60000, second * 1000);
  assert.deepEqual([reading.rate, reading.secondsLeft], [0, null]);
});

test("nothing to do is all done, and more than all is all", () => {
  assert.equal(new Meter(0).read(0, 0).fraction, 1);
  assert.equal(new Meter(10).read(12, 0).fraction, 1);
});

test("bytes, counts and durations for people", () => {
  assert.deepEqual([0, 1, 2, 999, 1000, 1234, 12345, 123456, 999499, 999500, 1e9, 2147483648, 1e18].map(formatBytes),
    ["0 bytes", "1 byte", "2 bytes", "999 bytes", "1.00 KB", "1.23 KB", "12.3 KB", "123 KB", "999 KB", "1.00 MB", "1.00 GB", "2.15 GB", "1000 PB"]);
  assert.deepEqual([0, 999, 1000, 1234567, 4503599627370496].map(formatCount), ["0", "999", "1,000", "1,234,567", "4,503,599,627,370,496"]);
  assert.deepEqual([0.2, 1, 59, 60, 90, 3599, 3600, 5400, 90000].map(formatDuration),
    ["1 second", "1 second", "59 seconds", "1 minute", "2 minutes", "60 minutes", "1 hour", "1 hour 30 minutes", "25 hours"]);
});

test("names of what is in a file, and of files", () => {
  assert.deepEqual(["a.txt.polyseal", "a.POLYSEAL", "a.asc", "a.txt.polyseal.asc", "a.bin", ".polyseal", "polyseal"].map(plaintextName),
    ["a.txt", "a", "a", "a.txt", "a.bin.decrypted", ".polyseal.decrypted", "polyseal.decrypted"]);
  assert.deepEqual([encryptedName("a", false), encryptedName("a", true)], ["a.polyseal", "a.polyseal.asc"]);
  for (const name of ["a", "a.txt", "ä ö.tar.gz"]) for (const armor of [false, true]) assert.equal(plaintextName(encryptedName(name, armor)), name);
});

test("names that are offered for saving are one plain name", () => {
  assert.deepEqual(["a/b.txt", "..\\c.txt", "../..", "", ".", ".bashrc", "a\u202etxt.exe", "a\0b\n", "a:b|c?", "x. . ", "x".repeat(300)].map((name) => safeName(name)),
    ["b.txt", "c.txt", "file", "file", "file", "bashrc", "atxt.exe", "ab", "a_b_c_", "x", "x".repeat(255)]);
  assert.equal(safeName(`invoice-${"_".repeat(243)}.exe.pdf`), `invoice-${"_".repeat(243)}.pdf`);
  assert.equal(safeName(`${"a".repeat(250)}😀.txt`), `${"a".repeat(250)}.txt`);
  assert.equal(safeName(`${"😀".repeat(300)}`), "😀".repeat(63));
  assert.equal(safeName(`${"a".repeat(253)}. b`), `${"a".repeat(252)}. b`);
  for (const name of [`${"a".repeat(250)} .  .txt`, `a.${"b".repeat(300)}`, `${"é".repeat(200)}.txt`, `${"a".repeat(300)}.${"😀".repeat(20)}`]) {
    assert.ok(Buffer.byteLength(safeName(name)) <= 255, name);
    assert.ok(safeName(safeName(name)) === safeName(name) && !/[. ]$/.test(safeName(name)), name);
  }
  assert.equal(shownName("a\u202eb\u0007"), "a\ufffdb\ufffd");
});

test("a name that is too long for its suffix is shortened, and it is said how long it may be", () => {
  assert.deepEqual([246, 247].map((length) => tooLongFor("a".repeat(length), false)), [null, 246]);
  assert.deepEqual([242, 243].map((length) => tooLongFor("a".repeat(length), true)), [null, 242]);
  assert.equal(tooLongFor("é".repeat(124), false), 246);
  for (const armor of [false, true]) for (const name of ["a".repeat(400), `${"a".repeat(400)}.jpeg`, "é".repeat(246), `${"é".repeat(121)}.jpeg`]) {
    const encrypted = encryptedName(name, armor);
    assert.ok(Buffer.byteLength(encrypted) <= 255 && encrypted.endsWith(`${name.endsWith(".jpeg") ? ".jpeg" : ""}.polyseal${armor ? ".asc" : ""}`), encrypted);
    assert.equal(safeName(encrypted), encrypted);
  }
});

test("a name of a hostile tree takes no long time", () => {
  const { user } = process.cpuUsage();
  for (const character of [" ", ".", ". ", ".a", "a.", "/", "\u202e", "😀"]) {
    for (const name of [`a${character.repeat(400000)}b`, `a${character.repeat(400000)}`, `${character.repeat(400000)}b`]) {
      assert.ok(Buffer.byteLength(safeName(name)) <= 255);
      shownName(name);
      plaintextName(name);
      encryptedName(name, true);
    }
  }
  // Quadratic time would be minutes.
  assert.ok(process.cpuUsage().user - user < 10e6);
});

test("which part of a plaintext a segment is", () => {
  assert.equal(partOf(0, 65536, 100), "part 1 of 1 (bytes 0 to 99 of the contents)");
  assert.equal(partOf(3, 65536, 1000000), "part 4 of 16 (bytes 196,608 to 262,143 of the contents)");
  assert.equal(partOf(15, 65536, 1000000), "part 16 of 16 (bytes 983,040 to 999,999 of the contents)");
  assert.equal(partOf(0, 65536, 0), "part 1 of 1");
});

test("a signature belongs to the file of its name", () => {
  const pairs = (...paths) => pairSignatures(paths.map((path) => ({ path, file: path }))).map(({ path, signature }) => [path, signature?.path ?? null]);
  assert.deepEqual(pairs("a.polyseal.sig", "a.polyseal", "b.polyseal", "c.sig"), [["a.polyseal", "a.polyseal.sig"], ["b.polyseal", null], ["c.sig", null]]);
  assert.deepEqual(pairs("x/a", "y/a.sig"), [["x/a", null], ["y/a.sig", null]]);
  assert.deepEqual(pairs("a", "a.sig", "a.sig.sig"), [["a", "a.sig"]]);
});

test("a tree is found by its manifest, the one nearest to the top", () => {
  const chosen = (...paths) => paths.map((path) => ({ path, file: path }));
  assert.equal(findTree(chosen("a.polyseal", "b.polyseal-manifest.polyseal")), null);
  const flat = findTree(chosen(".polyseal-manifest.polyseal", "a.polyseal"));
  assert.deepEqual([flat.name, [...flat.files.keys()]], ["", [".polyseal-manifest.polyseal", "a.polyseal"]]);
  const deep = findTree(chosen("x/y/z/.polyseal-manifest.polyseal", "x/y/.polyseal-manifest.polyseal", "x/y/z/a.polyseal", "x/y/b.polyseal", "x/c.polyseal"));
  assert.equal(deep.name, "y");
  assert.deepEqual([...deep.files], [["z/.polyseal-manifest.polyseal", "x/y/z/.polyseal-manifest.polyseal"], [".polyseal-manifest.polyseal", "x/y/.polyseal-manifest.polyseal"], ["z/a.polyseal", "x/y/z/a.polyseal"], ["b.polyseal", "x/y/b.polyseal"]]);
});
