/** Files of Node, as sources. */

import { open as openFile, type FileHandle } from "node:fs/promises";
import { invalidArgument, PolysealError } from "./errors.js";
import { asBytes, hasMethods, isUrl, kindOf } from "./given.js";
import type { Source } from "./source.js";

/** An open file. It must not change meanwhile: its length and time of modification are compared at every read. */
export async function fileHandleSource(handle: FileHandle): Promise<Source> {
  if (!hasMethods(handle, "stat", "read")) throw invalidArgument(`An open file is given as a FileHandle, and not as ${kindOf(handle)}.`);
  const first = await handle.stat({ bigint: true });
  if (!first.isFile()) throw new PolysealError("source-failed", "This is not a regular file. Read it as a stream.");
  return {
    size: Number(first.size),
    async read(start, end) {
      const bytes = new Uint8Array(end - start);
      for (let offset = 0; offset < bytes.length;) {
        const { bytesRead } = await handle.read(bytes, offset, bytes.length - offset, start + offset);
        if (bytesRead === 0) throw changed();
        offset += bytesRead;
      }
      const now = await handle.stat({ bigint: true });
      if (now.size !== first.size || now.mtimeNs !== first.mtimeNs) throw changed();
      return bytes;
    },
  };
}

const changed = (): PolysealError => new PolysealError("source-changed", "The file changed while it was read.");

/** A file by its name. Close it when it is no longer needed, or declare it with `await using`. */
export async function fileSource(path: string | URL): Promise<Source & AsyncDisposable & { close(): Promise<void> }> {
  if (typeof path !== "string" && !isUrl(path) && asBytes(path) === undefined) throw invalidArgument(`The name of a file is given as text or as a URL, and not as ${kindOf(path)}.`);
  if (isUrl(path) && path.protocol !== "file:") throw invalidArgument("This is no address of a file: httpSource reads from servers.");
  const handle = await openFile(path, "r");
  try {
    const close = (): Promise<void> => handle.close();
    return { ...await fileHandleSource(handle), close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await handle.close();
    throw error;
  }
}
