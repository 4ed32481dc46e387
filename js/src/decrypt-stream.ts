/**
 * Decrypting a source that can only be read from its beginning to its end (section 10, the last paragraph). Segments
 * are given out as they open, before the end is known: callers must look whether the stream ends without an error.
 */

import type { ByteReader } from "./byte-reader.js";
import { wipe, type Bytes } from "./bytes.js";
import { optionsGiven } from "./given.js";
import type { Header } from "./header.js";
import { headerInfo, readStreamHeader, type HeaderInfo } from "./inspect.js";
import { keysGiven, type Key } from "./keys.js";
import type { OpenOptions } from "./open.js";
import { openSegment, payloadTooLong, truncatedPayload } from "./payload.js";
import { orderedStream, segmentsInFlight, type Job } from "./pipeline.js";
import { acceptStatement, type Coverage, type Signer } from "./statement/statement.js";
import { toStream, type ByteInput } from "./streams.js";
import { maximumSegments, type SegmentCipher } from "./suites.js";
import { checkContext, contextBytes, payloadCipher, unlock } from "./unlock.js";

export interface DecryptedStream {
  /** The fields of the header. All of it is authentic. */
  header: HeaderInfo;
  suite: string;
  /** The signer, if the option `signers` was given; otherwise null. */
  signer: Signer | null;
  /** The plaintext. If the file was cut short or altered, it ends with an error. */
  stream: ReadableStream<Bytes>;
}

/** Opens the header of a file, and gives its plaintext as a stream. */
export async function decryptStream(
  input: ByteInput, keys: readonly Key[], options: OpenOptions = {},
): Promise<DecryptedStream> {
  const { signal } = optionsGiven(options);
  signal?.throwIfAborted();
  const context = contextBytes(options.context);
  const given = keysGiven(keys);
  const onAbort = (): void => { void reading?.close(signal?.reason); };
  let reading: ByteReader | undefined;
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    const coverage = await acceptStatement(options);
    const { header, reader } = await readStreamHeader(toStream(input), options, (opened) => { reading = opened; });
    coverage?.checkHeader(header);
    const fileKey = await unlock(header, given, signal);
    try {
      await coverage?.checkKey(header, fileKey);
      await checkContext(header, fileKey, context);
      const cipher = await payloadCipher(header, fileKey, context, options.suites);
      const info = await headerInfo(header, options.suites);
      const stream = orderedStream(openJobs(reader, header, cipher, coverage, signal), segmentsInFlight(header.segmentSize), signal, () => void reader.close());
      return { header: info, suite: header.suite.name, signer: coverage?.signer ?? null, stream };
    } finally {
      wipe(fileKey);
    }
  } catch (error) {
    await reading?.close(error);
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener("abort", onAbort);
  }
}

async function* openJobs(
  reader: ByteReader, { suite, segmentSize }: Header, cipher: SegmentCipher, coverage: Coverage | null, signal: AbortSignal | undefined,
): AsyncGenerator<Job> {
  const maximum = maximumSegments(suite, segmentSize);
  for (let segment = 0, isLast = false; !isLast; segment++) {
    const stored = await reader.read(segmentSize + suite.tagLength);
    isLast = await reader.atEnd();
    if (stored.length < suite.tagLength || (stored.length === suite.tagLength && segment > 0)) throw truncatedPayload();
    if (segment >= maximum) throw payloadTooLong();
    yield async () => {
      const check = await coverage?.check(segment, segment + 1, signal);
      check?.(segment, stored, isLast);
      return [await openSegment(cipher, suite, segment, isLast, stored)];
    };
  }
}
