/** A file as a source for the library that tells how much of it has been read. */

import type { Source } from "polyseal";

export function countingSource(file: Blob, count: (bytes: number) => void): Source {
  return {
    size: file.size,
    async read(start, end) {
      const bytes = new Uint8Array(await file.slice(start, end).arrayBuffer());
      count(bytes.length);
      return bytes;
    },
  };
}
