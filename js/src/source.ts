/** Where encrypted bytes come from, if any part of them can be read. */

import { invalidArgument, PolysealError } from "./errors.js";
import { asBytes, bytesGiven, hasMethods, isAsyncIterable, isBlob, isReadableStream, isResponse, isUrl, kindOf } from "./given.js";
import { httpSource } from "./source-http.js";

export interface Source {
  /** The length in bytes. It does not change. */
  readonly size: number;
  /** Exactly the bytes from `start` to before `end`, which are within the size. */
  read(start: number, end: number, signal?: AbortSignal): Promise<Uint8Array>;
}

export type SourceLike = Blob | Uint8Array | ArrayBuffer | URL | Source;

export async function toSource(source: SourceLike, signal?: AbortSignal): Promise<Source> {
  const bytes = asBytes(source);
  if (bytes !== undefined) return bytesSource(bytes);
  if (isUrl(source)) return httpSource(source, signal === undefined ? {} : { signal });
  if (hasMethods(source, "read") && typeof (source as Source).size === "number") return checkedSource(source as Source);
  if (isBlob(source)) return blobSource(source);
  throw invalidArgument(noSource(source));
}

function noSource(value: unknown): string {
  const wanted = "A file is given as bytes (Uint8Array or ArrayBuffer), a Blob, a URL object, or { size, read }";
  if (isResponse(value)) return `${wanted}. A Response goes to decryptStream, or give what its blob() has.`;
  if (isReadableStream(value) || isAsyncIterable(value)) return `${wanted}. What comes as a stream goes to decryptStream.`;
  if (typeof value === "string") return `${wanted}, and not as text. The name of a file goes to fileSource, of "polyseal/node"; an address is a URL object: new URL("https:…").`;
  return `${wanted}, and not as ${kindOf(value)}.`;
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
  if (!Number.isSafeInteger(source.size) || source.size < 0) throw new PolysealError("source-failed", "The size of a source is a whole number of bytes, and this one has another.");
  return {
    size: source.size,
    async read(start, end, signal) {
      const bytes = bytesGiven(await source.read(start, end, signal), "What a source has read");
      if (bytes.length !== end - start) {
        throw new PolysealError("source-changed", "The file became shorter while it was read.");
      }
      return bytes;
    },
  };
}
