/** The key files of section 8. */

import { asciiText, hex, random, wipe, type Bytes } from "./bytes.js";
import { PolysealError } from "./errors.js";
import { textOrBytes, type BytesLike } from "./given.js";

export const keyLength = 32;
const maximumTextLength = 16384;
const byteOrderMark = "\xef\xbb\xbf";
const keyLine = /^polyseal-key-1-([0-9a-fA-F]{64})$/;

function bad(what: string): PolysealError {
  return new PolysealError("bad-key-file", `This is not a key file: ${what}.`);
}

/** The key of 32 bytes in the contents of a key file. The caller wipes both; the copy that is read here is wiped. */
export function parseKeyFile(file: BytesLike | string): Bytes {
  const contents = textOrBytes(file, "A key file");
  try {
    return parse(contents);
  } finally {
    wipe(contents);
  }
}

function parse(contents: Bytes): Bytes {
  if (contents.length === keyLength) {
    // All bytes are looked at, because they may be a key.
    if (contents.reduce((text, byte) => text & isText(byte), 1) === 1) throw bad("it has 32 characters of text, as a password would");
    return new Uint8Array(contents);
  }
  if (contents.length > maximumTextLength) throw bad("it is too long");
  const text = asciiText(contents);
  if (/\r(?!\n)/.test(text)) throw bad("it has a carriage return without a line feed");
  const lines = (text.startsWith(byteOrderMark) ? text.slice(byteOrderMark.length) : text).split("\n");
  let digits: string | undefined;
  lines.forEach((line) => {
    const trimmed = withoutBlanks(line.endsWith("\r") ? line.slice(0, -1) : line);
    if (trimmed === "" || trimmed.startsWith("#")) return;
    const match = keyLine.exec(trimmed);
    if (match === null) throw bad("it has a line that is neither a key nor a comment");
    if (digits !== undefined) throw bad("it has more than one key");
    digits = match[1];
  });
  if (digits === undefined) throw bad("it has no key");
  const key = new Uint8Array(keyLength);
  for (let i = 0; i < keyLength; i++) key[i] = parseInt(digits.slice(2 * i, 2 * i + 2), 16);
  return key;
}

/** Without the spaces and tabs around it. An expression that looks for those at the end takes quadratic time. */
function withoutBlanks(line: string): string {
  const isBlank = (at: number): boolean => line[at] === " " || line[at] === "\t";
  let start = 0, end = line.length;
  while (start < end && isBlank(start)) start++;
  while (end > start && isBlank(end - 1)) end--;
  return line.slice(start, end);
}

/** 1 if the byte is printable, tab, LF or CR, else 0, by arithmetic alone. A difference below zero has its sign bit set. */
function isText(byte: number): number {
  const isBetween = (least: number, most: number): number => (~(byte - least) & ~(most - byte)) >>> 31;
  return isBetween(0x20, 0x7e) | isBetween(9, 10) | isBetween(13, 13);
}

/** The text of a new key file. Who loses it loses what it encrypts. */
export function generateKeyFile(): string {
  const key = random(keyLength);
  const text = `# A key file of Polyseal. Whoever has it opens what it encrypts. Keep it secret, and keep a copy.\npolyseal-key-1-${hex(key)}\n`;
  wipe(key);
  return text;
}
