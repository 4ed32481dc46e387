/** Where the segments of section 6 stand, and their nonces. */

import { u64, type Bytes } from "./bytes.js";
import { PolysealError } from "./errors.js";
import type { Header } from "./header.js";
import { maximumSegments, type SegmentCipher, type Suite } from "./suites.js";

export const truncatedPayload = (): PolysealError =>
  new PolysealError("truncated-payload", "The file has a length that no file has: it has been cut short or extended.");

export const payloadTooLong = (): PolysealError =>
  new PolysealError("payload-too-long", "The file has more segments than its suite allows.");

export function corruptSegment(segment: number, isLast: boolean): PolysealError {
  const what = isLast ? `segment ${segment}, the last, does not open: the file has been cut short, extended or altered`
    : `segment ${segment} does not open: the file has been altered`;
  return new PolysealError("corrupt-segment", `The file is not authentic: ${what}.`, { segment, isLast });
}

export interface PayloadLayout {
  /** The length of the plaintext. */
  readonly size: number;
  readonly segments: number;
  readonly segmentSize: number;
  /** A whole segment as it stands in the file, with its tag. */
  readonly storedSegmentSize: number;
  readonly length: number;
}

/** The layout of a payload of `length` bytes. A length that no payload has is an error. */
export function layoutOf({ suite, segmentSize }: Pick<Header, "suite" | "segmentSize">, length: number): PayloadLayout {
  const storedSegmentSize = segmentSize + suite.tagLength;
  const segments = Math.ceil(length / storedSegmentSize);
  const last = length - (segments - 1) * storedSegmentSize;
  if (segments === 0 || last < suite.tagLength || (last === suite.tagLength && segments > 1)) throw truncatedPayload();
  if (segments > maximumSegments(suite, segmentSize)) throw payloadTooLong();
  return { size: length - segments * suite.tagLength, segments, segmentSize, storedSegmentSize, length };
}

/** The length of the payload for a plaintext of `size` bytes. */
export function payloadLength(suite: Suite, segmentSize: number, size: number): number {
  return size + suite.tagLength * Math.max(1, Math.ceil(size / segmentSize));
}

export function segmentNonce(suite: Suite, segment: number, isLast: boolean): Bytes {
  const nonce = new Uint8Array(suite.nonceLength);
  nonce.set(u64(segment));
  nonce[8] = isLast ? 1 : 0;
  return nonce;
}

/** The plaintext of a segment, or the error `corrupt-segment`. */
export async function openSegment(
  cipher: SegmentCipher, suite: Suite, segment: number, isLast: boolean, stored: Uint8Array,
): Promise<Bytes> {
  const plaintext = await cipher.open(segmentNonce(suite, segment, isLast), stored);
  if (plaintext === null) throw corruptSegment(segment, isLast);
  return plaintext as Bytes;
}
