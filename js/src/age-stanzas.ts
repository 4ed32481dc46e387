/**
 * The contents of an age stanza of section 4: labels, and recipient stanzas of the age v1 header (c2sp.org/age).
 *
 * Recipient stanzas are read strictly: visible ASCII, one space between arguments, and a body in canonical unpadded
 * Base64 in lines of 64 characters, of which the last is shorter.
 */

import { base64nopad } from "@scure/base";
import { ascii, asciiText, concat, readU16, u16, type Bytes } from "./bytes.js";
import { badHeader } from "./errors.js";

/** A recipient stanza of the age v1 header. */
export interface RecipientStanza {
  readonly type: string;
  /** The arguments after the type. */
  readonly args: readonly string[];
  readonly body: Uint8Array;
}

export interface AgeContents {
  readonly labels: readonly string[];
  readonly recipients: readonly RecipientStanza[];
}

const visible = /^[\x21-\x7e]+$/;
const lineLength = 64;

/** The inverse of {@link formatAgeContents}. Anything else is a bad header. */
export function parseAgeContents(contents: Uint8Array): AgeContents {
  const labelsEnd = contents.length < 2 ? Infinity : 2 + readU16(contents, 0);
  if (labelsEnd > contents.length) throw badHeader("the labels of an age stanza do not fit");
  const labels = parseLabels(asciiText(contents.subarray(2, labelsEnd)));
  const text = asciiText(contents.subarray(labelsEnd));
  if (!text.endsWith("\n")) throw badHeader("an age stanza does not end with a line");
  const recipients = parseRecipientStanzas(text.slice(0, -1).split("\n"));
  if (recipients.some(({ type }) => type === "scrypt")) throw badHeader("an age stanza has a passphrase of age");
  return { labels, recipients };
}

function parseLabels(text: string): string[] {
  if (text === "") return [];
  const labels = text.split(" ");
  labels.forEach((label, i) => {
    if (!visible.test(label)) throw badHeader("a label of an age stanza is not visible ASCII");
    // Strings of ASCII compare as their bytes do.
    if (i > 0 && !((labels[i - 1] as string) < label)) throw badHeader("the labels of an age stanza are not sorted");
  });
  return labels;
}

/** Recipient stanzas, one after the other, as the lines of a header. */
export function parseRecipientStanzas(lines: readonly string[]): RecipientStanza[] {
  const stanzas: RecipientStanza[] = [];
  for (let i = 0; i < lines.length;) {
    const [arrow, type, ...args] = (lines[i++] as string).split(" ");
    if (arrow !== "->" || type === undefined || ![type, ...args].every((text) => visible.test(text))) {
      throw badHeader("an age stanza has something that is no recipient stanza");
    }
    let body = "";
    for (;;) {
      const line = lines[i++];
      if (line === undefined || line.length > lineLength) throw badHeader("the body of a recipient stanza is not valid");
      body += line;
      if (line.length < lineLength) break;
    }
    stanzas.push({ type, args, body: decodeBase64(body) ?? fail() });
  }
  return stanzas;
}

function fail(): never {
  throw badHeader("the body of a recipient stanza is not canonical Base64");
}

/** Canonical unpadded Base64, or null. */
export function decodeBase64(text: string): Uint8Array | null {
  try {
    const bytes = base64nopad.decode(text);
    return base64nopad.encode(bytes) === text ? bytes : null;
  } catch {
    return null;
  }
}

export const encodeBase64 = (bytes: Uint8Array): string => base64nopad.encode(bytes);

export function formatAgeContents({ labels, recipients }: AgeContents): Bytes {
  const text = recipients.map(({ type, args, body }) => {
    const encoded = encodeBase64(body);
    const lines: string[] = [];
    // A last line that is empty follows a body that fills its lines.
    for (let at = 0; at <= encoded.length; at += lineLength) lines.push(encoded.slice(at, at + lineLength));
    return `-> ${[type, ...args].join(" ")}\n${lines.join("\n")}\n`;
  }).join("");
  const labelText = labels.join(" ");
  return concat(u16(labelText.length), ascii(labelText), ascii(text));
}
