/**
 * The header of an age file (c2sp.org/age): lines of text, a MAC over them, and the nonce of the payload.
 *
 * The text is read strictly, in its one form. Limit: a header has at most 1 MiB.
 */

import { decodeBase64, parseRecipientStanzas, type RecipientStanza } from "../age-stanzas.js";
import { ascii, asciiText, wipe, type Bytes } from "../bytes.js";
import { badHeader, PolysealError } from "../errors.js";
import { hkdf, verifyHmac } from "../kdf.js";
import type { Source } from "../source.js";

export const versionLine = "age-encryption.org/v1\n";
const magic = "age-encryption.org/";
const maximumLength = 1048576;
const firstRead = 4096;
const nonceLength = 16;
const macLength = 32;
/** The salt of HKDF where age has none. An empty one means the same, and some browsers refuse it. */
const noSalt = new Uint8Array(32);

export interface AgeHeader {
  readonly recipients: readonly RecipientStanza[];
  readonly mac: Uint8Array;
  /** The text up to the three hyphens before the MAC: what the MAC is over. */
  readonly covered: Bytes;
  readonly nonce: Bytes;
  readonly payloadOffset: number;
}

const truncated = (): PolysealError => new PolysealError("truncated-header", "The file ends within its header.");

/** The header at the beginning of a file. Nothing of it is authentic. */
export async function readAgeHeader(source: Source, signal?: AbortSignal): Promise<AgeHeader> {
  const most = Math.min(maximumLength, source.size);
  let text = "";
  for (let wanted = Math.min(firstRead, most); ; wanted = Math.min(wanted * 4, most)) {
    text += asciiText(await source.read(text.length, wanted, signal));
    checkVersion(text);
    // No line of a stanza begins so: a hyphen is no digit of Base64.
    const macAt = text.indexOf("\n---") + 1;
    const end = macAt === 0 ? -1 : text.indexOf("\n", macAt);
    if (end >= 0) return parse(text, macAt, end, await source.read(end + 1, Math.min(end + 1 + nonceLength, source.size), signal));
    if (wanted === source.size) throw truncated();
    if (wanted === most) throw badHeader("it is longer than 1 MiB");
  }
}

function checkVersion(text: string): void {
  if (text.startsWith(versionLine)) return;
  if (text !== "" && versionLine.startsWith(text)) throw truncated();
  if (text.startsWith(magic)) throw new PolysealError("unsupported-version", "This file has a version of age's format that is not known here.");
  throw new PolysealError("not-a-polyseal-file", "This is not an age file.");
}

function parse(text: string, macAt: number, end: number, nonce: Uint8Array): AgeHeader {
  const lines = text.slice(versionLine.length, Math.max(versionLine.length, macAt - 1)).split("\n");
  const recipients = parseRecipientStanzas(lines);
  if (recipients.length > 1 && recipients.some(({ type }) => type === "scrypt")) throw badHeader("a passphrase does not stand alone");
  const line = text.slice(macAt, end);
  const mac = line.startsWith("--- ") ? decodeBase64(line.slice(4)) : null;
  if (mac?.length !== macLength) throw badHeader("its last line is not valid");
  if (nonce.length !== nonceLength) throw truncated();
  return { recipients, mac, covered: ascii(text.slice(0, macAt + 3)), nonce: new Uint8Array(nonce), payloadOffset: end + 1 + nonceLength };
}

/** Whether the header is the one that was written with this file key. The MAC is compared by WebCrypto, in constant time. */
export async function isAuthentic({ covered, mac }: AgeHeader, fileKey: Uint8Array): Promise<boolean> {
  const key = await hkdf(fileKey, noSalt, ascii("header"), macLength);
  try {
    return await verifyHmac(key, covered, mac);
  } finally {
    wipe(key);
  }
}

export const payloadKeyOf = ({ nonce }: AgeHeader, fileKey: Uint8Array): Promise<Bytes> => hkdf(fileKey, nonce, ascii("payload"), 32);
