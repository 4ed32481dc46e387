/** Where encrypted bytes come from, if any part of them can be read. */

import { PolysealError } from "./errors.js";
import { httpSource } from "./source-http.js";

export interface Source {
  /** The length in bytes. It does not change. */
  readonly size: number;
  /** Exactly the bytes from `start` to before `end`, which are within the size. */
  read(start: number, end: number, signal?: AbortSignal): Promise<Uint8Array>;
}

export type SourceLike = Blob | Uint8Array | URL | Source;

export async function toSource(source: SourceLike, signal?: AbortSignal): Promise<Source> {
  if (source instanceof Uint8Array) return bytesSource(source);
  if (source instanceof Blob) return blobSource(source);
  if (source instanceof URL) return httpSource(source, signal === undefined ? {} : { signal });
  return checkedSource(source);
}

function bytesSource(bytes: Uint8Array): Source {
  return { size: bytes.length, read: async (start, end) => bytes.subarray(start, end) };
}

function blobSource(blob: Blob): Source {
  return checkedSource({
    size: blob.size,
    async read(start, end) {
      try {
        return new Uint8Array(await blob.slice(start, end).arrayBuffer());
      } catch (cause) {
        throw new PolysealError("source-failed", "The file cannot be read, or has changed since it was chosen.", { cause });
      }
    },
  });
}

/** A source whose answers have the length that was asked for. */
function checkedSource(source: Source): Source {
  if (!Number.isSafeInteger(source.size) || source.size < 0) throw new PolysealError("source-failed", "The length of the file is not known.");
  return {
    size: source.size,
    async read(start, end, signal) {
      const bytes = await source.read(start, end, signal);
      if (bytes.length !== end - start) {
        throw new PolysealError("source-changed", "The file became shorter while it was read.");
      }
      return bytes;
    },
  };
}
