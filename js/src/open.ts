/**
 * Opening a file of which any part can be read (section 6). The last segment is opened before anything else of the
 * payload, and the length of the plaintext is authentic from then on.
 */

import { wipe, type Bytes } from "./bytes.js";
import { invalidArgument } from "./errors.js";
import { optionsGiven, type BytesLike } from "./given.js";
import { headerInfo, readHeader, type FileInParts, type HeaderInfo, type HeaderOptions } from "./inspect.js";
import { keysGiven, type Key } from "./keys.js";
import { layoutOf, openSegment, type PayloadLayout } from "./payload.js";
import { orderedStream, type Job } from "./pipeline.js";
import type { SourceLike } from "./source.js";
import { acceptStatement, type Coverage, type SegmentCheck, type SignedOptions, type Signer } from "./statement/statement.js";
import type { SegmentCipher } from "./suites.js";
import { checkContext, contextBytes, payloadCipher, unlock } from "./unlock.js";

export interface OpenOptions extends HeaderOptions, SignedOptions {
  /** The context that the file is bound to: text is taken as UTF-8. */
  context?: string | BytesLike | undefined;
}

export interface RangeOptions {
  /** The first byte. By default 0. */
  start?: number | undefined;
  /** Behind the last byte. By default, and at most, the size. */
  end?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** Makes the check of the segments from `first` to before `behind`, before their bytes are read. */
type SegmentChecks = (first: number, behind: number, signal?: AbortSignal) => SegmentCheck | Promise<SegmentCheck>;

/** The bytes that are read from a source at once, if segments are smaller. */
const batchLength = 1048576;

export class OpenedFile {
  /** The length of the plaintext. It is authentic. */
  readonly size: number;
  readonly suite: string;
  readonly segmentSize: number;
  /** The fields of the header. All of it is authentic. */
  readonly header: HeaderInfo;
  /** The signer, if the option `signers` was given; otherwise null. */
  readonly signer: Signer | null;
  readonly #parts: FileInParts;
  readonly #layout: PayloadLayout;
  readonly #cipher: SegmentCipher;
  readonly #checks: SegmentChecks | undefined;

  /** Use {@link open}. */
  constructor({ parts, layout, cipher, info: header, coverage }: OpenedParts, checks?: SegmentChecks) {
    this.size = layout.size;
    this.suite = header.suite;
    this.segmentSize = layout.segmentSize;
    this.header = header;
    this.#parts = parts;
    this.#layout = layout;
    this.#cipher = cipher;
    this.signer = coverage?.signer ?? null;
    this.#checks = checks ?? coverage?.check.bind(coverage);
  }

  /** The bytes from `start` to before `end`, or to the end of the plaintext if that comes first. */
  async read(start = 0, end: number = this.size, options: { signal?: AbortSignal | undefined } = {}): Promise<Bytes> {
    const { signal } = optionsGiven(options);
    const range = this.#range(start, end);
    const bytes = new Uint8Array(range.end - range.start);
    const reader = this.stream({ ...range, ...(signal === undefined ? {} : { signal }) }).getReader();
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
    return orderedStream(this.#jobs(range.start, range.end, signal), this.segmentSize > batchLength ? 2 : 4, signal);
  }

  #range(start: number, end: number): { start: number; end: number } {
    if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || end < start) {
      throw invalidArgument("A part begins at 0 or later, and does not end before it begins.");
    }
    return { start: Math.min(start, this.size), end: Math.min(end, this.size) };
  }

  async *#jobs(start: number, end: number, signal: AbortSignal | undefined): AsyncGenerator<Job> {
    if (start === end) return;
    const { segmentSize, storedSegmentSize } = this.#layout;
    const perBatch = Math.max(1, Math.floor(batchLength / storedSegmentSize));
    const behind = Math.ceil(end / segmentSize);
    for (let first = Math.floor(start / segmentSize); first < behind; first += perBatch) {
      const next = Math.min(first + perBatch, behind);
      yield async () => {
        const segments = await this.openSegments(first, next, signal);
        const base = first * segmentSize;
        return segments.map((plaintext, i) => {
          const offset = base + i * segmentSize;
          return plaintext.subarray(Math.max(0, start - offset), Math.max(0, end - offset));
        });
      };
    }
  }

  /** @internal The plaintexts of the segments from `first` to before `behind`. */
  async openSegments(first: number, behind: number, signal?: AbortSignal): Promise<Bytes[]> {
    const { payload, payloadStart, header } = this.#parts;
    const { segments, storedSegmentSize, length } = this.#layout;
    // It is ready before the bytes are there, so that nobody can change them between their check and their opening.
    const check = await this.#checks?.(first, behind, signal);
    const begin = first * storedSegmentSize;
    const stored = await payload.read(payloadStart + begin, payloadStart + Math.min(behind * storedSegmentSize, length), signal);
    const opened = Array.from({ length: behind - first }, async (_, i) => {
      const bytes = stored.subarray(i * storedSegmentSize, (i + 1) * storedSegmentSize);
      const isLast = first + i === segments - 1;
      check?.(first + i, bytes, isLast);
      return openSegment(this.#cipher, header.suite, first + i, isLast, bytes);
    });
    // If several do not open, the first is named.
    const results = await Promise.allSettled(opened);
    return results.map((result) => {
      if (result.status === "rejected") throw result.reason;
      return result.value;
    });
  }
}

/** The parts of an opened file that `openParts` returns beside it, for trees. */
export interface OpenedParts {
  parts: FileInParts;
  layout: PayloadLayout;
  cipher: SegmentCipher;
  info: HeaderInfo;
  coverage: Coverage | null;
}

/** All that is needed to open segments, once `fileKey` has opened the header. */
export async function openParts(
  parts: FileInParts, fileKey: Uint8Array, context: Uint8Array | undefined, options: HeaderOptions, coverage: Coverage | null = null,
): Promise<OpenedParts> {
  await coverage?.checkKey(parts.header, fileKey);
  await checkContext(parts.header, fileKey, context);
  const cipher = await payloadCipher(parts.header, fileKey, context, options.suites);
  const layout = layoutOf(parts.header, parts.payload.size - parts.payloadStart);
  return { parts, layout, cipher, info: await headerInfo(parts.header, options.suites), coverage };
}

export async function openedFile(opened: OpenedParts, signal?: AbortSignal, check?: SegmentCheck): Promise<OpenedFile> {
  const file = new OpenedFile(opened, check === undefined ? undefined : () => check);
  const { layout } = opened;
  for (const plaintext of await file.openSegments(layout.segments - 1, layout.segments, signal)) wipe(plaintext);
  return file;
}

/** Opens a file with the first of the keys that opens it. */
export async function open(source: SourceLike, keys: readonly Key[], options: OpenOptions = {}): Promise<OpenedFile> {
  const { signal } = optionsGiven(options);
  signal?.throwIfAborted();
  const context = contextBytes(options.context);
  const given = keysGiven(keys);
  const coverage = await acceptStatement(options);
  const parts = await readHeader(source, options);
  coverage?.checkHeader(parts.header);
  const fileKey = await unlock(parts.header, given, signal);
  try {
    return await openedFile(await openParts(parts, fileKey, context, options, coverage), signal);
  } finally {
    wipe(fileKey);
  }
}
