/**
 * Encrypting what comes as a stream (section 6). Each segment is sealed once, in memory of its own that nobody else
 * can change meanwhile; a new file always has a new file key.
 */

import { armorEncoder } from "./armor.js";
import { ByteReader } from "./byte-reader.js";
import { wipe, type Bytes } from "./bytes.js";
import { invalidArgument } from "./errors.js";
import type { Header } from "./header.js";
import { recipientsGiven, type Recipient } from "./keys.js";
import { payloadLength, payloadTooLong, segmentNonce } from "./payload.js";
import { orderedStream, segmentsInFlight, type Job } from "./pipeline.js";
import { toStream, type ByteInput } from "./streams.js";
import { maximumSegments, type SegmentCipher, type Suites } from "./suites.js";
import { payloadCipher } from "./unlock.js";
import { checkRecipients, headerChoices, makeHeader, type FileOptions, type HeaderChoices } from "./write-header.js";

export type Plaintext = ByteInput;

export interface EncryptOptions extends FileOptions {
  signal?: AbortSignal | undefined;
  /** Whether to write ASCII armour. */
  armor?: boolean | undefined;
  /** Implementations of more suites. */
  suites?: Suites | undefined;
}

/** The encrypted file, for all of the recipients. It is complete only if the stream ends without an error. */
export function encrypt(input: Plaintext, recipients: readonly Recipient[], options: EncryptOptions = {}): ReadableStream<Bytes> {
  const given = recipientsGiven(recipients);
  checkRecipients(given);
  const choices = headerChoices(options);
  const reader = new ByteReader(toStream(input));
  const file = orderedStream(
    fileJobs(reader, given, choices, options.suites), segmentsInFlight(choices.segmentSize), options.signal, () => void reader.close());
  return options.armor === true ? file.pipeThrough(armorEncoder() as ReadableWritablePair<Bytes, Bytes>) : file;
}

/** The same in two parts, for a header that is kept apart (section 13). Without its header nobody can open a payload. */
export async function encryptDetached(
  input: Plaintext, recipients: readonly Recipient[], options: Omit<EncryptOptions, "armor"> = {},
): Promise<{ header: Bytes; payload: ReadableStream<Bytes> }> {
  const given = recipientsGiven(recipients);
  checkRecipients(given);
  const { header, cipher } = await begin(given, headerChoices(options), options.suites);
  const reader = new ByteReader(toStream(input));
  const payload = orderedStream(
    sealJobs(reader, header, cipher), segmentsInFlight(header.segmentSize), options.signal, () => void reader.close());
  return { header: new Uint8Array(header.bytes), payload };
}

/** The length of the file for a plaintext of `size` bytes, unless its recipients need a longer header. */
export function encryptedSize(size: number, options: FileOptions = {}): number {
  const { suite, segmentSize, headerSize } = headerChoices(options);
  if (!Number.isSafeInteger(size) || size < 0) throw invalidArgument("A plaintext has a size of 0 bytes or more.");
  return headerSize + payloadLength(suite, segmentSize, size);
}

async function begin(
  recipients: readonly Recipient[], choices: HeaderChoices, suites: Suites | undefined,
): Promise<{ header: Header; cipher: SegmentCipher }> {
  const { header, fileKey } = await makeHeader(recipients, choices);
  try {
    return { header, cipher: await payloadCipher(header, fileKey, choices.context, suites) };
  } finally {
    wipe(fileKey);
  }
}

async function* fileJobs(
  reader: ByteReader, recipients: readonly Recipient[], choices: HeaderChoices, suites: Suites | undefined,
): AsyncGenerator<Job> {
  const { header, cipher } = await begin(recipients, choices, suites);
  yield async () => [header.bytes];
  yield* sealJobs(reader, header, cipher);
}

async function* sealJobs(reader: ByteReader, { suite, segmentSize }: Header, cipher: SegmentCipher): AsyncGenerator<Job> {
  const maximum = maximumSegments(suite, segmentSize);
  for (let segment = 0, isLast = false; !isLast; segment++) {
    const plaintext = await reader.read(segmentSize);
    isLast = await reader.atEnd();
    if (segment >= maximum) throw payloadTooLong();
    yield async () => {
      const sealed = await cipher.seal(segmentNonce(suite, segment, isLast), plaintext);
      wipe(plaintext);
      return [sealed];
    };
  }
}
