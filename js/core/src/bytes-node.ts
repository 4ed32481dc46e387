/** The bytes at an address, which may be a file's: Node's `fetch` has no files. */

import { readFile } from "node:fs/promises";
import { bytesOf as fetched } from "./bytes-web.js";

export async function bytesOf(url: URL): Promise<BufferSource> {
  return url.protocol === "file:" ? readFile(url) : fetched(url);
}
