/** The claims of a file's header, without a key. None of them is authentic. */

import { armorDecoder, decodeArmor, isArmor } from "./armor.js";
import { ByteReader } from "./byte-reader.js";
import { concat } from "./bytes.js";
import { invalidArgument, PolysealError } from "./errors.js";
import { bytesGiven, isBlob, optionsGiven, type BytesLike } from "./given.js";
import { countRecipients, headerLength, headerUnit, parseHeader, version, type Header, type Stanza } from "./header.js";
import { toSource, type Source, type SourceLike } from "./source.js";
import type { Suites } from "./suites.js";
import { isSupported } from "./unlock.js";

export type StanzaInfo =
  | { type: "key-file"; keyId: Uint8Array }
  | { type: "passphrase"; keyId: Uint8Array; memory: number; passes: number; lanes: number }
  | { type: "age"; keyId: Uint8Array; labels: readonly string[]; recipients: readonly string[] }
  | { type: "unknown"; number: number };

export interface HeaderInfo {
  version: 1;
  suite: string;
  /** Whether files of this suite can be opened here. */
  suiteSupported: boolean;
  segmentSize: number;
  tagLength: number;
  /** The length of the header. */
  payloadOffset: number;
  fileSalt: Uint8Array;
  hasContext: boolean;
  recipients: number;
  stanzas: StanzaInfo[];
}

/** How a header is found: at the beginning of a file, or apart from its payload (section 13). */
export interface HeaderOptions {
  /** The header, if it is kept apart. The source is then the payload alone. */
  header?: BytesLike | Blob | undefined;
  /** Whether the file is ASCII armour. By default its first byte says so. A payload without its header never is. */
  armor?: boolean | undefined;
  signal?: AbortSignal | undefined;
  /** Implementations of more suites. */
  suites?: Suites | undefined;
}

/** The most that is decoded at once, for an armoured file that is to be read in any order. */
export const maximumArmorLength = 268435456;

export interface FileInParts {
  header: Header;
  payload: Source;
  /** Where the payload begins in `payload`. */
  payloadStart: number;
  /** Whether the payload is what was decoded of armour. */
  wasArmor: boolean;
}

export async function readHeader(sourceLike: SourceLike, options: HeaderOptions): Promise<FileInParts> {
  const { header: apart, armor, signal } = optionsGiven(options);
  let source = await toSource(sourceLike, signal);
  if (apart !== undefined) return { header: parseDetachedHeader(await bytesOf(apart)), payload: source, payloadStart: 0, wasArmor: false };
  let start = await source.read(0, Math.min(headerUnit, source.size), signal);
  const wasArmor = armor ?? isArmor(start);
  if (wasArmor) {
    if (source.size > maximumArmorLength) throw invalidArgument("This ASCII armour is too long to be read in any order. Decrypt it as a stream.");
    source = await toSource(decodeArmor(await source.read(0, source.size, signal)));
    start = await source.read(0, Math.min(headerUnit, source.size));
  }
  const length = Math.min(headerLength(start), source.size);
  const more = length > start.length ? await source.read(start.length, length, signal) : new Uint8Array(0);
  const header = parseHeader(concat(start, more));
  return { header, payload: source, payloadStart: header.payloadOffset, wasArmor };
}

async function bytesOf(header: BytesLike | Blob): Promise<Uint8Array> {
  if (!isBlob(header)) return bytesGiven(header, "A header that is kept apart, if it is no Blob,");
  // A header that is longer than any is refused whatever it has, so no more than that is read.
  return new Uint8Array(await header.slice(0, 65537).arrayBuffer());
}

function parseDetachedHeader(bytes: Uint8Array): Header {
  const header = parseHeader(bytes);
  if (header.payloadOffset !== bytes.length) throw new PolysealError("bad-header", "The header that is kept apart has something behind it.");
  return header;
}

/** The header of a stream, and a reader of what follows it. `opened` gets each reader that has to be closed on an error. */
export async function readStreamHeader(
  stream: ReadableStream<Uint8Array>, options: HeaderOptions, opened: (reader: ByteReader) => void,
): Promise<{ header: Header; reader: ByteReader }> {
  let reader = new ByteReader(stream);
  opened(reader);
  if (options.header !== undefined) return { header: parseDetachedHeader(await bytesOf(options.header)), reader };
  const first = await reader.peek();
  if (options.armor ?? (first !== undefined && isArmor(Uint8Array.of(first)))) {
    reader = new ByteReader(reader.rest().pipeThrough(armorDecoder() as ReadableWritablePair<Uint8Array, Uint8Array>));
    opened(reader);
  }
  const start = await reader.read(headerUnit);
  const length = headerLength(start);
  return { header: parseHeader(concat(start, await reader.read(length - start.length))), reader };
}

/** The header of a file. No key is needed, and nothing that it says is authentic. */
export async function inspect(source: SourceLike, options: HeaderOptions = {}): Promise<HeaderInfo> {
  return headerInfo((await readHeader(source, options)).header, options.suites);
}

export async function headerInfo(header: Header, suites: Suites | undefined): Promise<HeaderInfo> {
  return {
    version,
    suite: header.suite.name,
    suiteSupported: await isSupported(header.suite.name, suites),
    segmentSize: header.segmentSize,
    tagLength: header.suite.tagLength,
    payloadOffset: header.payloadOffset,
    fileSalt: header.fileSalt.slice(),
    hasContext: header.hasContext,
    recipients: countRecipients(header.stanzas),
    stanzas: header.stanzas.map(stanzaInfo),
  };
}

function stanzaInfo(stanza: Stanza): StanzaInfo {
  switch (stanza.type) {
    case "key-file":
      return { type: stanza.type, keyId: stanza.id.slice() };
    case "passphrase":
      return { type: stanza.type, keyId: stanza.id.slice(), ...stanza.cost };
    case "age":
      return { type: stanza.type, keyId: stanza.id.slice(), labels: stanza.age.labels, recipients: stanza.age.recipients.map(({ type }) => type) };
    case "unknown":
      return { type: stanza.type, number: stanza.number };
  }
}
