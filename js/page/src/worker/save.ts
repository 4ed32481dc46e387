/** The ways of a stream to a file. In each, a file appears only if the stream ends without an error. */

import { discard } from "./discard.js";
import { pieces } from "./pieces.js";

const pieceLength = 1048576;

type Report = (bytes: number) => void;

/** Opens all, and gives out nothing. */
export async function readThrough(stream: ReadableStream<Uint8Array>, report: Report): Promise<void> {
  for await (const chunk of stream) {
    report(chunk.length);
    discard(chunk);
  }
}

/** To a file that the user chose. The browser gives it its contents when it is closed, all at once. */
export async function saveToHandle(stream: ReadableStream<Uint8Array>, handle: FileSystemFileHandle, report: Report): Promise<void> {
  const writable = await handle.createWritable();
  try {
    for await (const piece of pieces(stream, pieceLength)) {
      await writable.write(piece);
      report(piece.length);
      discard(piece);
    }
  } catch (error) {
    await writable.abort().catch(() => undefined);
    throw error;
  }
  await writable.close();
}
