import assert from "node:assert/strict";
import { test } from "node:test";
import { shared } from "./shared.mjs";

const { Meter } = await shared("meter");
const { formatBytes, formatCount, formatDuration, plaintextName, encryptedName, safeName, shownName, partOf } = await shared("format");
const { findTree } = await shared("chosen");

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
  assert.deepEqual(["a/b.txt", "..\\c.txt", "../..", "", ".", ".bashrc", "a\u202etxt.exe", "a\0b\n", "a:b|c?", "x. . ", "x".repeat(300)].map(safeName),
    ["b.txt", "c.txt", "file", "file", "file", "bashrc", "atxt.exe", "ab", "a_b_c_", "x", "x".repeat(200)]);
  assert.equal(safeName(`invoice-${"_".repeat(188)}.exe.pdf`), `invoice-${"_".repeat(188)}.pdf`);
  assert.equal(safeName(`${"a".repeat(199)}😀.txt`), `${"a".repeat(196)}.txt`);
  assert.equal(safeName(`${"😀".repeat(300)}`), "😀".repeat(200));
  assert.equal(safeName(`${"a".repeat(198)}. b`), `${"a".repeat(197)}. b`);
  for (const name of [`${"a".repeat(195)} .  .txt`, `a.${"b".repeat(300)}`]) {
    assert.ok(safeName(safeName(name)) === safeName(name) && !/[. ]$/.test(safeName(name)), name);
  }
  assert.equal(shownName("a\u202eb\u0007"), "a\ufffdb\ufffd");
});

test("which part of a plaintext a segment is", () => {
  assert.equal(partOf(0, 65536, 100), "part 1 of 1 (bytes 0 to 99 of the contents)");
  assert.equal(partOf(3, 65536, 1000000), "part 4 of 16 (bytes 196,608 to 262,143 of the contents)");
  assert.equal(partOf(15, 65536, 1000000), "part 16 of 16 (bytes 983,040 to 999,999 of the contents)");
  assert.equal(partOf(0, 65536, 0), "part 1 of 1");
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
