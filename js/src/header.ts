/**
 * The header of sections 1 and 4, as far as it can be read without a key, and what section 10 refuses before any key is
 * used. Nothing that is read here is authentic.
 *
 * Limits: 65536 bytes, 128 stanzas, 128 recipients, and Argon2id of 256 MiB, 10 passes and 16 lanes.
 */

import { parseAgeContents, type AgeContents } from "./age-stanzas.js";
import { asciiText, concat, isZero, readU16, readU32, readU64 } from "./bytes.js";
import { badHeader, PolysealError } from "./errors.js";
import type { Argon2idCost } from "./kdf.js";
import { parseSuiteField, type Suite } from "./suites.js";

export const magic = "polyseal";
export const version = 1;
export const headerUnit = 4096;
export const maximumHeaderLength = 65536;
export const minimumSegmentSize = 4096;
export const maximumSegmentSize = 16777216;

export const isSegmentSize = (size: number): boolean => size >= minimumSegmentSize && size <= maximumSegmentSize && (size & (size - 1)) === 0;
export const fixedFieldsLength = 160;
export const macLength = 32;
export const maximumRecipients = 128;
export const stanzaPrefixLength = 76;

export const stanzaType = { keyFile: 1, passphrase: 2, age: 3, passedOverFrom: 0x8000 } as const;

interface StanzaFields {
  /** All of the stanza, as it stands in the header. */
  readonly bytes: Uint8Array;
  readonly number: number;
}

interface WrappingStanza extends StanzaFields {
  readonly salt: Uint8Array;
  readonly id: Uint8Array;
  readonly wrappedFileKey: Uint8Array;
  /** The bytes that the tag is computed over, without the fixed fields. */
  readonly authenticated: Uint8Array;
  readonly tag: Uint8Array;
}

export type Stanza =
  | (WrappingStanza & { readonly type: "key-file" })
  | (WrappingStanza & { readonly type: "passphrase"; readonly cost: Argon2idCost })
  | (WrappingStanza & { readonly type: "age"; readonly age: AgeContents })
  | (StanzaFields & { readonly type: "unknown" });

export interface Header {
  /** All of it, with its MAC. */
  readonly bytes: Uint8Array;
  readonly segmentSize: number;
  readonly payloadOffset: number;
  readonly fileSalt: Uint8Array;
  readonly suite: Suite;
  readonly contextTag: Uint8Array;
  readonly hasContext: boolean;
  readonly stanzas: readonly Stanza[];
  /** F of section 4: what a stanza is bound to. */
  readonly boundFields: Uint8Array;
  readonly mac: Uint8Array;
}

const truncated = (): PolysealError => new PolysealError("truncated-header", "The file ends within its header: it has been cut short.");

/**
 * The length of the header that begins with `start`, which has `headerUnit` bytes or is all there is. Faults in magic,
 * version and payload offset are found here, so that a header is read only as far as it can go.
 */
export function headerLength(start: Uint8Array): number {
  const begun = start.subarray(0, magic.length);
  if (begun.length === 0 || asciiText(begun) !== magic.slice(0, begun.length)) {
    throw new PolysealError("not-a-polyseal-file", "This is not a Polyseal file.");
  }
  if (start.length < 10) throw truncated();
  if (readU16(start, 8) !== version) {
    throw new PolysealError("unsupported-version", "This file has another version of the format than 1.");
  }
  if (start.length < 24) throw truncated();
  const offset = readU64(start, 16);
  if (offset < headerUnit || offset > maximumHeaderLength || offset % BigInt(headerUnit) !== 0n) {
    throw badHeader("it says that it has a length that no header has");
  }
  return Number(offset);
}

/** The header at the beginning of `file`, which may go on behind it. */
export function parseHeader(file: Uint8Array): Header {
  const payloadOffset = headerLength(file);
  if (file.length < payloadOffset) throw truncated();
  const bytes = file.slice(0, payloadOffset);
  const count = readU16(bytes, 10);
  if (count < 1 || count > maximumRecipients) throw badHeader("it has no stanza, or more than 128");
  const segmentSize = readU32(bytes, 12);
  if (!isSegmentSize(segmentSize)) {
    throw badHeader("it has a segment size that does not exist");
  }
  if (!isZero(bytes.subarray(24, 32))) throw badHeader("its reserved field is not zero");
  const suite = parseSuiteField(bytes.subarray(64, 128));
  const contextTag = bytes.subarray(128, 160);
  const macOffset = payloadOffset - macLength;
  const stanzas = parseStanzas(bytes.subarray(0, macOffset), count);
  return {
    bytes, segmentSize, payloadOffset, suite, contextTag, stanzas,
    fileSalt: bytes.subarray(32, 64),
    hasContext: !isZero(contextTag),
    boundFields: boundFields(bytes),
    mac: bytes.subarray(macOffset),
  };
}

/** Bytes 0 to 9 and 12 to 159: the fixed fields but the number of stanzas. */
export const boundFields = (header: Uint8Array): Uint8Array =>
  concat(header.subarray(0, 10), header.subarray(12, fixedFieldsLength));

function parseStanzas(bytes: Uint8Array, count: number): Stanza[] {
  const stanzas: Stanza[] = [];
  let offset = fixedFieldsLength;
  for (let i = 0; i < count; i++) {
    if (offset + 4 > bytes.length) throw badHeader("a stanza does not fit");
    const end = offset + 4 + readU16(bytes, offset + 2);
    if (end > bytes.length) throw badHeader("a stanza does not fit");
    stanzas.push(parseStanza(bytes.subarray(offset, end)));
    offset = end;
  }
  if (!isZero(bytes.subarray(offset))) throw badHeader("its spare room is not zero");
  checkStanzasTogether(stanzas);
  return stanzas;
}

/** The rules of section 4 for all stanzas of a header. */
function checkStanzasTogether(stanzas: readonly Stanza[]): void {
  if (stanzas.length > 1 && stanzas.some(({ type }) => type === "passphrase")) throw badHeader("a passphrase does not stand alone");
  if (countRecipients(stanzas) > maximumRecipients) throw badHeader("it has more than 128 recipients");
  const labels = new Set(stanzas.flatMap((stanza) => (stanza.type === "age" ? [stanza.age.labels.join(" ")] : [])));
  if (labels.size > 1) throw badHeader("its age stanzas have different labels");
}

export function countRecipients(stanzas: readonly Stanza[]): number {
  return stanzas.reduce((sum, stanza) => sum + (stanza.type === "age" ? stanza.age.recipients.length : 1), 0);
}

/** One whole stanza. */
export function parseStanza(bytes: Uint8Array): Stanza {
  const number = readU16(bytes, 0);
  if (number >= stanzaType.passedOverFrom) return { type: "unknown", number, bytes };
  if (bytes.length < stanzaPrefixLength + macLength) throw badHeader("a stanza is too short");
  const tagOffset = bytes.length - macLength;
  const contents = bytes.subarray(stanzaPrefixLength, tagOffset);
  const fields = {
    bytes, number,
    salt: bytes.subarray(4, 36),
    id: bytes.subarray(36, 44),
    wrappedFileKey: bytes.subarray(44, 76),
    authenticated: bytes.subarray(0, tagOffset),
    tag: bytes.subarray(tagOffset),
  };
  switch (number) {
    case stanzaType.keyFile:
      if (contents.length !== 0) throw badHeader("a stanza for a key file has another length");
      return { ...fields, type: "key-file" };
    case stanzaType.passphrase:
      return { ...fields, type: "passphrase", cost: parseCost(contents) };
    case stanzaType.age:
      return { ...fields, type: "age", age: parseAgeContents(contents) };
    default:
      throw badHeader("it has a stanza of an unknown type");
  }
}

function parseCost(contents: Uint8Array): Argon2idCost {
  if (contents.length !== 12) throw badHeader("a stanza for a passphrase has another length");
  const cost = { memory: readU32(contents, 0), passes: readU32(contents, 4), lanes: readU32(contents, 8) };
  const { memory, passes, lanes } = cost;
  if (lanes < 1 || lanes > 16 || passes < 1 || passes > 10 || memory < 8 * lanes || memory > 262144) {
    throw badHeader("its passphrase takes more memory or time than a file may ask for");
  }
  return cost;
}
