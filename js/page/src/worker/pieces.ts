/** A stream in pieces of a handy length, so that fewer messages and writes are needed. */

import { discard } from "./discard.js";

/**
 * Pieces of `length` bytes, each in memory of its own; the last one may be short. Bytes that were copied are
 * overwritten, and told to `copied`.
 */
export async function* pieces(
  stream: ReadableStream<Uint8Array>, length: number, copied: (bytes: number) => void = () => undefined,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const reader = stream.getReader();
  let piece = new Uint8Array(0), filled = 0;
  /** The filled buffer. It belongs to the caller from then on, who may give its memory away. */
  const take = (): Uint8Array<ArrayBuffer> => {
    const taken = piece.subarray(0, filled);
    [piece, filled] = [new Uint8Array(0), 0];
    return taken;
  };
  let ended = false;
  try {
    for (;;) {
      const next = await reader.read();
      if (next.done) break;
      for (let offset = 0; offset < next.value.length;) {
        if (piece.length === 0) piece = new Uint8Array(length);
        const part = next.value.subarray(offset, offset + length - filled);
        piece.set(part, filled);
        filled += part.length;
        offset += part.length;
        if (filled === length) yield take();
      }
      copied(next.value.length);
      discard(next.value);
    }
    ended = true;
    if (filled > 0) yield take();
  } finally {
    piece.fill(0);
    if (!ended) await reader.cancel().catch(() => undefined);
  }
}
