/**
 * Files of the page that a script fetches: the script has their length and hash from the build, and takes nothing else.
 *
 * The bytes that were hashed are the bytes that are used. `fetch` has an option for hashes; but it waits for the end of
 * an answer, however long that is, and here an answer is read no further than it may go.
 */

export interface Pinned {
  readonly name: string;
  readonly length: number;
  /** As in Subresource Integrity: `sha256-…`. */
  readonly integrity: string;
}

/** The contents of the file, which lies beside `page`. Anything else is an error. */
export async function fetchPinned({ name, length, integrity }: Pinned, page: string): Promise<Uint8Array<ArrayBuffer>> {
  const response = await fetch(new URL(name, page), { cache: "no-cache", redirect: "error" });
  if (!response.ok || response.body === null) throw new Error(`${name}: the server answers with status ${response.status}.`);
  const contents = await readExactly(response.body, length);
  if (contents === null || await integrityOf(contents) !== integrity) throw new Error(`${name} is not the file that belongs to this page.`);
  return contents;
}

/** Null if there are more bytes, or fewer. */
async function readExactly(stream: ReadableStream<Uint8Array>, length: number): Promise<Uint8Array<ArrayBuffer> | null> {
  const bytes = new Uint8Array(length);
  const reader = stream.getReader();
  for (let at = 0; ;) {
    const next = await reader.read();
    if (next.done) return at === length ? bytes : null;
    if (next.value.length > length - at) {
      await reader.cancel().catch(() => undefined);
      return null;
    }
    bytes.set(next.value, at);
    at += next.value.length;
  }
}

async function integrityOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return `sha256-${btoa(String.fromCharCode(...digest))}`;
}
