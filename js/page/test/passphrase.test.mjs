import assert from "node:assert/strict";
import { test } from "node:test";
import { shared } from "./shared.mjs";

const { word, generatePassphrase, wordsInPassphrase, bitsInWord } = await shared("passphrase");

test("there are 2^16 words, all different, of five letters", () => {
  const words = new Set(Array.from({ length: 65536 }, (_, number) => word(number)));
  assert.equal(words.size, 65536);
  for (const one of words) assert.match(one, /^[bdfghjklmnprstvz][aiou][bdfghjklmnprstvz][aiou][bdfghjklmnprstvz]$/);
});

test("known answers: 127.0.0.1 and 63.84.220.193 of the proquint article", () => {
  assert.deepEqual([word(0x7f00), word(0x0001), word(0x3f54), word(0xdcc1)], ["lusab", "babad", "gutih", "tugad"]);
});

test("a passphrase has at least 100 bits, and all of them come from the generator", () => {
  assert.ok(wordsInPassphrase * bitsInWord >= 100);
  const numbers = [0, 1, 2, 0x7f00, 0xffff, 0x8000, 5];
  assert.equal(generatePassphrase((into) => into.set(numbers)), numbers.map(word).join("-"));
});

test("the generator's numbers are overwritten", () => {
  let kept;
  generatePassphrase((into) => { kept = into.fill(7); });
  assert.deepEqual([...kept], [0, 0, 0, 0, 0, 0, 0]);
});

test("passphrases differ, and every letter occurs where it may", () => {
  const passphrases = Array.from({ length: 500 }, () => generatePassphrase());
  assert.equal(new Set(passphrases).size, 500);
  for (let position = 0; position < 5; position++) {
    const letters = new Set(passphrases.flatMap((passphrase) => passphrase.split("-").map((one) => one[position])));
    assert.equal(letters.size, position % 2 === 0 ? 16 : 4);
  }
});
