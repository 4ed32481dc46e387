/** Reads a stream of chunks of any length in pieces of a wanted length. */

import type { Bytes } from "./bytes.js";
import { bytesGiven } from "./given.js";

export class ByteReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  #chunk: Uint8Array = new Uint8Array(0);
  #ended = false;

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#reader = stream.getReader();
  }

  /** Whether nothing follows. Waits until that is known. */
  async atEnd(): Promise<boolean> {
    while (!this.#ended && this.#chunk.length === 0) {
      const next = await this.#reader.read();
      if (next.done) this.#ended = true;
      else this.#chunk = bytesGiven(next.value, "What a stream gives");
    }
    return this.#chunk.length === 0;
  }

  /** The next `length` bytes, or what there is until the end, in memory of their own. */
  async read(length: number): Promise<Bytes> {
    const bytes = new Uint8Array(length);
    let offset = 0;
    while (offset < length && !await this.atEnd()) {
      const part = this.#chunk.subarray(0, length - offset);
      bytes.set(part, offset);
      offset += part.length;
      this.#chunk = this.#chunk.subarray(part.length);
    }
    return offset === length ? bytes : bytes.slice(0, offset);
  }

  /** The first byte of what follows, which is not taken. Undefined at the end. */
  async peek(): Promise<number | undefined> {
    return await this.atEnd() ? undefined : this.#chunk[0];
  }

  /** All that follows, as a stream. */
  rest(): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        if (await this.atEnd()) return controller.close();
        controller.enqueue(this.#chunk);
        this.#chunk = new Uint8Array(0);
      },
      cancel: (reason) => this.close(reason),
    }, { highWaterMark: 0 });
  }

  /** Nothing more will be read. */
  async close(reason?: unknown): Promise<void> {
    await this.#reader.cancel(reason).catch(() => undefined);
  }
}
