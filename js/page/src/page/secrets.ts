/** Keys on their way from the form to the worker. What can be overwritten here is overwritten. */

import { failure } from "./vault.js";

const maximumKeyFile = 16384;
const maximumText = 1048576;

/** The bytes of a key file. A file that is too long to be one is not read. */
export async function readKeyFile(file: File): Promise<Uint8Array<ArrayBuffer>> {
  if (file.size > maximumKeyFile) throw failure("bad-key-file");
  return new Uint8Array(await read(file));
}

export async function readText(file: File): Promise<string> {
  if (file.size > maximumText) throw failure("bad-identity");
  return new TextDecoder().decode(await read(file));
}

async function read(file: File): Promise<ArrayBuffer> {
  try {
    return await file.arrayBuffer();
  } catch (error) {
    throw failure("source-failed", String(error));
  }
}

/** The bytes of a key file that was chosen, until they are forgotten. */
export class KeptKey {
  #bytes: Uint8Array<ArrayBuffer> | null = null;

  keep(bytes: Uint8Array<ArrayBuffer>): void {
    this.forget();
    this.#bytes = bytes;
  }

  /** A copy, for the worker. */
  copy(): Uint8Array<ArrayBuffer> | null {
    return this.#bytes?.slice() ?? null;
  }

  forget(): void {
    this.#bytes?.fill(0);
    this.#bytes = null;
  }
}
