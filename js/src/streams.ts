/** Bytes that come in order. */

import { invalidArgument } from "./errors.js";

/** A stream of the platform, or what is iterated, such as a stream of Node. */
export type ByteStream = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

export function toStream(input: ByteStream): ReadableStream<Uint8Array> {
  if (input instanceof ReadableStream) return input;
  if (typeof input?.[Symbol.asyncIterator] !== "function") throw invalidArgument("This is no stream of bytes.");
  const iterator = input[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const next = await iterator.next();
      if (next.done === true) controller.close();
      else controller.enqueue(next.value);
    },
    async cancel(reason) {
      await iterator.return?.(reason);
    },
  }, { highWaterMark: 0 });
}
