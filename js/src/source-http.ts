/**
 * A file on a web server that answers requests for ranges of bytes (RFC 9110, section 14).
 *
 * A server is not trusted. Each answer must be status 206 with the range that was asked for, and of the same version; and
 * it is read no further than that range. The headers of the caller go to no other server.
 *
 * Neither a message nor a cause shows the query of a URL, which may be a signature. Errors of `fetch` and of URLs often
 * have all of it, so that none is kept as a cause: its code is in the message.
 *
 * In a page, a server of another origin must let scripts see Content-Range, and should let them see ETag
 * (Access-Control-Expose-Headers).
 */

import { invalidArgument, PolysealError } from "./errors.js";
import { bytesGiven, isUrl, kindOf, optionsGiven } from "./given.js";
import { headersGiven, isEmpty, type HeadersLike } from "./http-headers.js";
import { ifMatch, isSame, versionOf, type Version } from "./http-version.js";
import type { Source } from "./source.js";

export interface HttpOptions {
  /** In place of the global `fetch`. */
  fetch?: typeof fetch;
  /** Sent with every request to this server, such as Authorization, and to no other. */
  headers?: HeadersLike | undefined;
  /** For the first request only. Later ones have the signal of their read. */
  signal?: AbortSignal | undefined;
}

interface Answer {
  bytes: Uint8Array;
  version: Version;
}

const firstRange = 4096;
const maximumRedirects = 10;

const sourceFailed = (message: string, details: { status?: number } = {}): PolysealError => new PolysealError("source-failed", message, details);

/** The code of a failed request, such as ECONNREFUSED, of the error or of what caused it. Nothing else of it is shown. */
function codeOf(error: unknown): string {
  for (let at = error, depth = 0; typeof at === "object" && at !== null && depth < 4; at = (at as Error).cause, depth++) {
    const { code } = at as { code?: unknown };
    if (typeof code === "string" && /^[A-Z][A-Z0-9_]{2,40}$/.test(code)) return ` (${code})`;
  }
  return "";
}

/** The address of a caller, or of a redirect. `base` is what it may be relative to. */
function addressOf(url: string | URL, base?: URL): URL {
  let address: URL;
  try {
    address = new URL(String(url), base);
  } catch {
    throw base === undefined ? invalidArgument("This is no address of a file on a server.") : sourceFailed(`${base.origin}${base.pathname} redirects to what is no address.`);
  }
  if (address.username !== "" || address.password !== "") {
    const advice = base === undefined ? "Give them in the option headers, as Authorization." : "The server redirects to such an address.";
    throw (base === undefined ? invalidArgument : sourceFailed)(`An address with a user or a password in it is not read. ${advice}`);
  }
  return address;
}

export async function httpSource(url: string | URL, options: HttpOptions = {}): Promise<Source> {
  optionsGiven(options);
  if (typeof url !== "string" && !isUrl(url)) throw invalidArgument(`The address of a file is given as a URL or as text, and not as ${kindOf(url)}.`);
  if (options.fetch !== undefined && typeof options.fetch !== "function") throw invalidArgument('The option "fetch" is a function.');
  const address = addressOf(url);
  if (address.protocol !== "https:" && address.protocol !== "http:") throw sourceFailed("Only addresses with https: or http: can be read.");
  const ranges = new Ranges(address, options);
  const first = await ranges.get(0, firstRange, null, options.signal);
  return {
    size: first.version.total,
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
  readonly #headers: Headers;

  constructor(url: URL, options: HttpOptions) {
    this.#url = url;
    this.#name = `${url.origin}${url.pathname}`;
    this.#fetch = options.fetch ?? ((input, init) => fetch(input, init));
    this.#headers = headersGiven(options.headers);
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
    const etag = first === null ? null : ifMatch(first.version);
    // To another origin, If-Match would need the server's permission in advance, and is not needed: each answer is compared.
    if (etag !== null && sameOrigin(this.#url)) headers.set("If-Match", etag);
    try {
      return await this.#follow({ headers, ...(signal === undefined ? {} : { signal }), cache: "no-store" });
    } catch (cause) {
      signal?.throwIfAborted();
      if (cause instanceof PolysealError) throw cause;
      throw sourceFailed(`${this.#name} cannot be reached${codeOf(cause)}.`);
    }
  }

  /**
   * Follows redirects: never from https to http, and to no other origin with the caller's headers, which may be secrets.
   * A page does not see them before they are followed, so with headers it follows none.
   */
  async #follow(init: RequestInit): Promise<Response> {
    const hasSecrets = !isEmpty(this.#headers);
    if (pageOrigin() !== undefined) return this.#fetch(this.#url, { ...init, redirect: hasSecrets ? "error" : "follow" });
    let url = this.#url;
    for (let redirects = 0; redirects <= maximumRedirects; redirects++) {
      const response = await this.#fetch(url, { ...init, redirect: "manual" });
      const location = response.headers.get("location");
      if (![301, 302, 303, 307, 308].includes(response.status) || location === null) return response;
      await response.body?.cancel().catch(() => undefined);
      const next = addressOf(location, url);
      if (next.protocol !== "https:" && next.protocol !== url.protocol) throw sourceFailed(`${this.#name} redirects to an address without TLS.`);
      if (hasSecrets && next.origin !== url.origin) throw sourceFailed(`${this.#name} redirects to another server, which must not get the headers for this one.`);
      url = next;
    }
    throw sourceFailed(`${this.#name} redirects too often.`);
  }

  async #check(response: Response, start: number, end: number, first: Answer | null): Promise<Answer> {
    // A `fetch` of the caller may have followed redirects by itself.
    if (!isEmpty(this.#headers) && response.url !== "" && addressOf(response.url, this.#url).origin !== this.#url.origin) throw sourceFailed(`${this.#name} redirects to another server, which must not get the headers for this one.`);
    if (this.#url.protocol === "https:" && response.url.startsWith("http:")) throw sourceFailed(`${this.#name} redirects to an address without TLS.`);
    if (response.status === 412) throw this.#changed();
    if (response.status === 200) throw new PolysealError("no-ranges", `${this.#name}: the server does not send parts of a file. Download the file first.`);
    if (response.status === 416 && first !== null) throw this.#changed();
    if (response.status === 416) return { bytes: new Uint8Array(0), version: versionOf(response, this.#emptyTotal(response)) };
    if (response.status !== 206) throw sourceFailed(`${this.#name}: the server answers with status ${response.status}.`, { status: response.status });
    if (!["", "identity"].includes(response.headers.get("content-encoding") ?? "")) throw sourceFailed(`${this.#name}: the server compresses the file.`);

    const range = /^bytes (\d{1,16})-(\d{1,16})\/(\d{1,16})$/.exec(response.headers.get("content-range") ?? "");
    if (range === null) throw sourceFailed(`${this.#name}: the server does not say which part of the file it sends (Content-Range), or does not let this page see it.`);
    const [from, last, total] = range.slice(1).map(Number) as [number, number, number];
    if (!Number.isSafeInteger(total)) throw sourceFailed(`${this.#name}: the server names a length that no file has.`);
    const version = versionOf(response, total);
    if (first !== null && !isSame(first.version, version)) throw this.#changed();
    const expectedEnd = first === null ? Math.min(end, total) : end;
    if (from !== start || last !== expectedEnd - 1) throw sourceFailed(`${this.#name}: the server sends another part of the file than it was asked for.`);
    return { bytes: await this.#body(response, expectedEnd - start), version };
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
        const part = bytesGiven(next.value, "What a server sends");
        if (offset + part.length > length) throw sourceFailed(`${this.#name}: the server sends more than it was asked for.`);
        bytes.set(part, offset);
        offset += part.length;
      }
    } catch (cause) {
      throw cause instanceof PolysealError ? cause : sourceFailed(`${this.#name}: the connection broke${codeOf(cause)}.`);
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

/** Outside of a page there are no origins. */
const pageOrigin = (): string | undefined => (globalThis as { location?: { origin?: string } }).location?.origin;

/** Whether no other origin is involved. */
const sameOrigin = (url: URL): boolean => [undefined, url.origin].includes(pageOrigin());
