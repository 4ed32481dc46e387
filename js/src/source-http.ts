/**
 * A file on a web server that answers requests for ranges of bytes (RFC 9110, section 14).
 *
 * A server is not trusted. Each answer must be status 206 with the range that was asked for, the same total length, and
 * the same ETag or date as the first one; and it is read no further than that range. Messages show no query of a URL
 * and no password in it, which may be secrets.
 *
 * In a page, a server of another origin must let scripts see Content-Range, and should let them see ETag
 * (Access-Control-Expose-Headers).
 */

import { PolysealError } from "./errors.js";
import type { Source } from "./source.js";

export interface HttpOptions {
  /** In place of the global `fetch`. */
  fetch?: typeof fetch;
  /** Sent with every request, such as Authorization. */
  headers?: Record<string, string>;
  /** For the first request only. Later ones have the signal of their read. */
  signal?: AbortSignal | undefined;
}

interface Answer {
  bytes: Uint8Array;
  total: number;
  version: Version;
}

/** What tells one version of a resource from another. Null: the server does not say, or a page may not see it. */
interface Version {
  etag: string | null;
  lastModified: string | null;
}

const firstRange = 4096;
const maximumRedirects = 10;

const sourceFailed = (message: string, cause?: unknown): PolysealError => new PolysealError("source-failed", message, { cause });

export async function httpSource(url: string | URL, options: HttpOptions = {}): Promise<Source> {
  const address = new URL(url);
  if (address.protocol !== "https:" && address.protocol !== "http:") throw sourceFailed("Only addresses with https: or http: can be read.");
  const ranges = new Ranges(address, options);
  const first = await ranges.get(0, firstRange, null, options.signal);
  return {
    size: first.total,
    async read(start, end, signal) {
      if (end <= start) return new Uint8Array(0);
      if (end <= first.bytes.length) return first.bytes.slice(start, end);
      return (await ranges.get(start, end, first, signal)).bytes;
    },
  };
}

class Ranges {
  readonly #url: URL;
  readonly #name: string;
  readonly #fetch: typeof fetch;
  readonly #headers: Record<string, string>;

  constructor(url: URL, options: HttpOptions) {
    this.#url = url;
    this.#name = `${url.origin}${url.pathname}`;
    this.#fetch = options.fetch ?? ((input, init) => fetch(input, init));
    this.#headers = options.headers ?? {};
  }

  /** The bytes from `start` to before `end`, or to the end of the resource in the first request, which has no `first`. */
  async get(start: number, end: number, first: Answer | null, signal?: AbortSignal): Promise<Answer> {
    const response = await this.#request(start, end, first, signal);
    try {
      return await this.#check(response, start, end, first);
    } catch (error) {
      // The body of a refused answer is not waited for.
      await response.body?.cancel().catch(() => undefined);
      signal?.throwIfAborted();
      throw error;
    }
  }

  async #request(start: number, end: number, first: Answer | null, signal?: AbortSignal): Promise<Response> {
    const headers = new Headers(this.#headers);
    headers.set("Range", `bytes=${start}-${end - 1}`);
    const etag = first?.version.etag;
    // A weak ETag never satisfies If-Match. To another origin, If-Match would need the server's permission in advance,
    // and is not needed: the ETag of each answer is compared.
    if (etag?.startsWith('"') === true && sameOrigin(this.#url)) headers.set("If-Match", etag);
    try {
      return await this.#follow({ headers, ...(signal === undefined ? {} : { signal }), cache: "no-store" });
    } catch (cause) {
      signal?.throwIfAborted();
      if (cause instanceof PolysealError) throw cause;
      throw sourceFailed(`${this.#name} cannot be reached.`, cause);
    }
  }

  /**
   * Follows redirects: never from https to http, and to no other origin with the caller's headers, which may be secrets.
   * A page does not see them before they are followed, so with headers it follows none.
   */
  async #follow(init: RequestInit): Promise<Response> {
    const hasSecrets = Object.keys(this.#headers).length > 0;
    if (pageOrigin() !== undefined) return this.#fetch(this.#url, { ...init, redirect: hasSecrets ? "error" : "follow" });
    let url = this.#url;
    for (let redirects = 0; redirects <= maximumRedirects; redirects++) {
      const response = await this.#fetch(url, { ...init, redirect: "manual" });
      const location = response.headers.get("location");
      if (![301, 302, 303, 307, 308].includes(response.status) || location === null) return response;
      await response.body?.cancel().catch(() => undefined);
      const next = new URL(location, url);
      if (next.protocol !== "https:" && next.protocol !== url.protocol) throw sourceFailed(`${this.#name} redirects to an address without TLS.`);
      if (hasSecrets && next.origin !== url.origin) throw sourceFailed(`${this.#name} redirects to another server, which must not get the headers for this one.`);
      url = next;
    }
    throw sourceFailed(`${this.#name} redirects too often.`);
  }

  async #check(response: Response, start: number, end: number, first: Answer | null): Promise<Answer> {
    if (this.#url.protocol === "https:" && response.url.startsWith("http:")) throw sourceFailed(`${this.#name} redirects to an address without TLS.`);
    if (response.status === 412) throw this.#changed();
    if (response.status === 200) throw new PolysealError("no-ranges", `${this.#name}: the server does not send parts of a file. Download the file first.`);
    if (response.status === 416 && first !== null) throw this.#changed();
    if (response.status === 416) return { bytes: new Uint8Array(0), total: this.#emptyTotal(response), version: versionOf(response) };
    if (response.status !== 206) throw sourceFailed(`${this.#name}: the server answers with status ${response.status}.`);
    if (!["", "identity"].includes(response.headers.get("content-encoding") ?? "")) throw sourceFailed(`${this.#name}: the server compresses the file.`);

    const range = /^bytes (\d{1,16})-(\d{1,16})\/(\d{1,16})$/.exec(response.headers.get("content-range") ?? "");
    if (range === null) throw sourceFailed(`${this.#name}: the server does not say which part of the file it sends (Content-Range), or does not let this page see it.`);
    const [from, last, total] = range.slice(1).map(Number) as [number, number, number];
    if (!Number.isSafeInteger(total)) throw sourceFailed(`${this.#name}: the server names a length that no file has.`);
    const version = versionOf(response);
    if (first !== null && (total !== first.total || version.etag !== first.version.etag || version.lastModified !== first.version.lastModified)) throw this.#changed();
    const expectedEnd = first === null ? Math.min(end, total) : end;
    if (from !== start || last !== expectedEnd - 1) throw sourceFailed(`${this.#name}: the server sends another part of the file than it was asked for.`);
    return { bytes: await this.#body(response, expectedEnd - start), total, version };
  }

  #emptyTotal(response: Response): number {
    if (response.headers.get("content-range") === "bytes */0") return 0;
    throw sourceFailed(`${this.#name}: the server refuses to send the beginning of the file.`);
  }

  async #body(response: Response, length: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(length);
    let offset = 0;
    const reader = response.body?.getReader();
    try {
      for (;;) {
        const next = await reader?.read();
        if (next === undefined || next.done) break;
        if (offset + next.value.length > length) throw sourceFailed(`${this.#name}: the server sends more than it was asked for.`);
        bytes.set(next.value, offset);
        offset += next.value.length;
      }
    } catch (cause) {
      throw cause instanceof PolysealError ? cause : sourceFailed(`${this.#name}: the connection broke.`, cause);
    } finally {
      reader?.releaseLock();
    }
    if (offset < length) throw sourceFailed(`${this.#name}: the server sends less than it was asked for.`);
    return bytes;
  }

  #changed(): PolysealError {
    return new PolysealError("source-changed", `${this.#name} changed while it was read.`);
  }
}

const versionOf = ({ headers }: Response): Version => ({ etag: headers.get("etag"), lastModified: headers.get("last-modified") });

/** Outside of a page there are no origins. */
const pageOrigin = (): string | undefined => (globalThis as { location?: { origin?: string } }).location?.origin;

/** Whether no other origin is involved. */
const sameOrigin = (url: URL): boolean => [undefined, url.origin].includes(pageOrigin());
