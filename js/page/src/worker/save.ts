/** The ways of a stream to a file. In each, a file appears only if the stream ends without an error. */

import { discard } from "./discard.js";
import { PageFailure } from "./failure.js";
import { pieces } from "./pieces.js";

const pieceLength = 1048576;
/** So long that browsers that keep long Blobs on the disk do so with each piece. */
const blobLength = 33554432;

type Report = (bytes: number) => void;

/** Opens all, and gives out nothing. */
export async function readThrough(stream: ReadableStream<Uint8Array>, report: Report): Promise<void> {
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    report(value.length);
    discard(value);
  }
}

/** Opens all, and gives out at most the first `length` bytes. */
export async function readStart(stream: ReadableStream<Uint8Array>, length: number, report: Report): Promise<Uint8Array> {
  const start = new Uint8Array(length);
  let filled = 0;
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return start.subarray(0, filled);
    const part = value.subarray(0, length - filled);
    start.set(part, filled);
    filled += part.length;
    report(value.length);
    discard(value);
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

/** To a Blob, which is there only when all of the stream is. The browser keeps it in memory, or in a file of its own. */
export async function collectBlob(stream: ReadableStream<Uint8Array>, type: string, report: Report): Promise<Blob> {
  const parts: Blob[] = [];
  for await (const piece of pieces(stream, blobLength, report)) {
    parts.push(await new Response(piece).blob());
    discard(piece);
  }
  const blob = new Blob(parts, { type });
  try {
    // A browser without the room for it says so when it is read.
    await blob.slice(-1).arrayBuffer();
  } catch {
    throw new PageFailure({ code: "disk-full", message: "" });
  }
  return blob;
}
