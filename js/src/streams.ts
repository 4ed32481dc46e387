/** Bytes that come in order. */

import { invalidArgument, PolysealError } from "./errors.js";
import { asBytes, isAsyncIterable, isBlob, isReadableStream, isResponse, kindOf } from "./given.js";

/** A stream of the platform, or what is iterated, such as a stream of Node. */
export type ByteStream = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

/** All that can be read from its beginning to its end. */
export type ByteInput = ByteStream | Blob | Uint8Array | ArrayBuffer | Response;

export function toStream(input: ByteInput): ReadableStream<Uint8Array> {
  const bytes = asBytes(input);
  if (bytes !== undefined) return streamOf(bytes);
  if (isBlob(input)) return input.stream();
  if (isResponse(input)) return bodyOf(input);
  if (isReadableStream(input)) return unlocked(input);
  if (isAsyncIterable(input)) return iterated(input as AsyncIterable<Uint8Array>);
  throw invalidArgument(typeof input === "string" ? "Text is not taken for bytes: encode it, by new TextEncoder().encode(text)."
    : `What is read is given as bytes (Uint8Array or ArrayBuffer), a Blob, a Response or a stream, and not as ${kindOf(input)}.`);
}

function unlocked(stream: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  if (stream.locked) throw invalidArgument("This stream has a reader already.");
  return stream;
}

function bodyOf(response: Response): ReadableStream<Uint8Array> {
  if (!response.ok) throw new PolysealError("source-failed", `The server answers with status ${response.status}.`);
  return response.body === null ? streamOf(new Uint8Array(0)) : toStream(response.body);
}

function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
}

function iterated(input: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
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
