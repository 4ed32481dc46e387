/**
 * Reading age's own files (c2sp.org/age): the format age-encryption.org/v1, and its armour.
 *
 * The payload is STREAM with ChaCha20-Poly1305 in chunks of 64 KiB. The last chunk is opened before anything is given
 * out, so the length of the plaintext is authentic from then on, and what is given out has opened.
 *
 * Limits: recipients of the types X25519, mlkem768x25519 and scrypt (up to 2^20), and those of the caller's unwrappers;
 * armour of 256 MiB. It is no goal of age that a file commits to its key, and a file has no context.
 */

import { chacha20poly1305 } from "@noble/ciphers/chacha.js";
import { decodeArmorOf, type ArmorForm } from "../armor.js";
import { asciiText, wipe, type Bytes } from "../bytes.js";
import { invalidArgument } from "../errors.js";
import { optionsGiven } from "../given.js";
import { maximumArmorLength } from "../inspect.js";
import { keysGiven, type Key } from "../keys.js";
import type { RangeOptions } from "../open.js";
import { corruptSegment, truncatedPayload } from "../payload.js";
import { orderedStream, type Job } from "../pipeline.js";
import { toSource, type Source, type SourceLike } from "../source.js";
import { withoutSigners } from "../statement/statement.js";
import { payloadKeyOf, readAgeHeader, versionLine, type AgeHeader } from "./header.js";
import { unlockAge } from "./unlock.js";

export interface AgeOptions {
  /** Whether the file is ASCII armour. By default its beginning says so. */
  armor?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/** The claims of a header. None is authentic before the file has been opened. */
export interface AgeHeaderInfo {
  version: 1;
  /** The type of each recipient, such as X25519; `scrypt` is a passphrase. */
  recipients: string[];
  payloadOffset: number;
}

const armorForm: ArmorForm = { begin: "-----BEGIN AGE ENCRYPTED FILE-----", end: "-----END AGE ENCRYPTED FILE-----", lenient: true };
const lookedAt = 2048;
const chunkLength = 65536;
const tagLength = 16;
const storedLength = chunkLength + tagLength;
/** Chunks that are read at once. */
const perBatch = 16;
const batchesAtOnce = 2;

const isArmored = (start: Uint8Array): boolean => asciiText(start).trimStart().startsWith(armorForm.begin);

/** Whether a file begins as one of age's, plain or as armour, of whatever version. */
export async function isAgeFile(source: SourceLike, options: AgeOptions = {}): Promise<boolean> {
  const { signal } = optionsGiven(options);
  const file = await toSource(source, signal);
  const start = await file.read(0, Math.min(lookedAt, file.size), signal);
  return asciiText(start).startsWith(versionLine.slice(0, versionLine.indexOf("/") + 1)) || isArmored(start);
}

async function readFile(sourceLike: SourceLike, { armor, signal }: AgeOptions): Promise<{ source: Source; header: AgeHeader }> {
  let source = await toSource(sourceLike, signal);
  if (armor ?? isArmored(await source.read(0, Math.min(lookedAt, source.size), signal))) {
    if (source.size > maximumArmorLength) throw invalidArgument("This ASCII armour is too long to be read in any order.");
    source = await toSource(decodeArmorOf(armorForm, await source.read(0, source.size, signal)));
  }
  return { source, header: await readAgeHeader(source, signal) };
}

const infoOf = ({ recipients, payloadOffset }: AgeHeader): AgeHeaderInfo => ({ version: 1, recipients: recipients.map(({ type }) => type), payloadOffset });

/** The header of an age file. No key is needed, and nothing that it says is authentic. */
export async function inspectAge(source: SourceLike, options: AgeOptions = {}): Promise<AgeHeaderInfo> {
  return infoOf((await readFile(source, optionsGiven(options))).header);
}

export class OpenedAgeFile {
  /** The length of the plaintext. It is authentic. */
  readonly size: number;
  readonly segmentSize = chunkLength;
  /** The fields of the header. All of it is authentic. */
  readonly header: AgeHeaderInfo;
  readonly #source: Source;
  readonly #key: Bytes;
  readonly #chunks: number;

  /** Use {@link openAge}. */
  constructor(source: Source, header: AgeHeaderInfo, key: Bytes) {
    this.header = header;
    this.#source = source;
    this.#key = key;
    const length = source.size - header.payloadOffset;
    this.#chunks = Math.ceil(length / storedLength);
    const last = length - (this.#chunks - 1) * storedLength;
    // An empty chunk behind others would give one plaintext two encryptions.
    if (this.#chunks === 0 || last < tagLength || last === tagLength && this.#chunks > 1) throw truncatedPayload();
    this.size = length - this.#chunks * tagLength;
  }

  /** The bytes from `start` to before `end`, or to the end of the plaintext if that comes first. */
  async read(start = 0, end: number = this.size, options: { signal?: AbortSignal | undefined } = {}): Promise<Bytes> {
    const { signal } = optionsGiven(options);
    const range = this.#range(start, end);
    const bytes = new Uint8Array(range.end - range.start);
    const reader = this.stream({ ...range, signal }).getReader();
    for (let offset = 0;;) {
      const next = await reader.read();
      if (next.done) return bytes;
      bytes.set(next.value, offset);
      offset += next.value.length;
      wipe(next.value);
    }
  }

  /** The bytes from `start` to before `end`, in order. Only what has opened is given; an error ends the stream. */
  stream(options: RangeOptions = {}): ReadableStream<Bytes> {
    const { start = 0, end = this.size, signal } = optionsGiven(options);
    const range = this.#range(start, end);
    return orderedStream(this.#jobs(range.start, range.end, signal), batchesAtOnce, signal);
  }

  #range(start: number, end: number): { start: number; end: number } {
    if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || end < start) {
      throw invalidArgument("A part begins at 0 or later, and does not end before it begins.");
    }
    return { start: Math.min(start, this.size), end: Math.min(end, this.size) };
  }

  async *#jobs(start: number, end: number, signal: AbortSignal | undefined): AsyncGenerator<Job> {
    if (start === end) return;
    const behind = Math.ceil(end / chunkLength);
    for (let first = Math.floor(start / chunkLength); first < behind; first += perBatch) {
      const next = Math.min(first + perBatch, behind);
      yield async () => (await this.#open(first, next, signal)).map((plaintext, i) => {
        const offset = (first + i) * chunkLength;
        return plaintext.subarray(Math.max(0, start - offset), Math.max(0, end - offset));
      });
    }
  }

  async #open(first: number, behind: number, signal: AbortSignal | undefined): Promise<Uint8Array[]> {
    const { payloadOffset } = this.header;
    const end = Math.min(payloadOffset + behind * storedLength, this.#source.size);
    const stored = await this.#source.read(payloadOffset + first * storedLength, end, signal);
    return Array.from({ length: behind - first }, (_, i) =>
      openChunk(this.#key, first + i, first + i === this.#chunks - 1, stored.subarray(i * storedLength, (i + 1) * storedLength)));
  }

  /** @internal Opens the last chunk, and gives out nothing. */
  async checkEnd(signal?: AbortSignal): Promise<void> {
    wipe(...await this.#open(this.#chunks - 1, this.#chunks, signal));
  }
}

/** The plaintext of a chunk. Nothing is decrypted before its tag has been compared, in constant time. */
function openChunk(key: Uint8Array, index: number, isLast: boolean, stored: Uint8Array): Uint8Array {
  const nonce = new Uint8Array(12);
  new DataView(nonce.buffer).setBigUint64(3, BigInt(index));
  nonce[11] = isLast ? 1 : 0;
  try {
    return chacha20poly1305(key, nonce).decrypt(stored);
  } catch {
    throw corruptSegment(index, isLast);
  }
}

/** Opens an age file, plain or as armour, with the first of the keys that opens it: age identities, or a passphrase. */
export async function openAge(source: SourceLike, keys: readonly Key[], options: AgeOptions = {}): Promise<OpenedAgeFile> {
  const { signal } = optionsGiven(options);
  withoutSigners(options, "An age file");
  signal?.throwIfAborted();
  const given = keysGiven(keys);
  const { source: file, header } = await readFile(source, options);
  const fileKey = await unlockAge(header, given, signal);
  try {
    const opened = new OpenedAgeFile(file, infoOf(header), await payloadKeyOf(header, fileKey));
    await opened.checkEnd(signal);
    return opened;
  } finally {
    wipe(fileKey);
  }
}
