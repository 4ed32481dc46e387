/**
 * How the service worker answers for a plaintext: the range that is asked for (RFC 9110, section 14) and the headers.
 *
 * Every answer is isolated: no guessing of types, no scripts, an origin of its own, not stored, not for other sites.
 */

import { isShownType } from "./media.js";

/** A plaintext that the page offers under a URL. */
export interface Offer {
  /** Null if it is not known before the end. Only what is saved may have that. */
  readonly size: number | null;
  /** Shown as this type, or null: to be saved. */
  readonly type: string | null;
  readonly name: string;
}

export interface Answer {
  readonly status: 200 | 206 | 416;
  readonly headers: Record<string, string>;
  /** The part of the plaintext that is the body. `end` is exclusive. */
  readonly start: number;
  /** Null: to the end. */
  readonly end: number | null;
}

export interface Range { readonly start: number; readonly end: number }

/** The single range of a `Range` header. Null: all is asked for. "unsatisfiable": nothing of it is there. */
export function parseRange(header: string | null, size: number): Range | "unsatisfiable" | null {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? "");
  // Another unit, several ranges or something malformed may be ignored: then all is sent.
  if (match === null) return null;
  const [first, last] = [match[1] as string, match[2] as string];
  if (first === "" && last === "") return null;
  if (first === "") {
    const length = Math.min(Number(last), size);
    return length === 0 ? "unsatisfiable" : { start: size - length, end: size };
  }
  const start = Number(first);
  if (last !== "" && Number(last) < start) return null;
  if (start >= size) return "unsatisfiable";
  return { start, end: last === "" ? size : Math.min(Number(last) + 1, size) };
}

const isolation = {
  "X-Content-Type-Options": "nosniff",
  "Content-Security-Policy": "default-src 'none'; sandbox",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "Cache-Control": "no-store",
};

export function answer({ size, type, name }: Offer, rangeHeader: string | null): Answer {
  if (type !== null && !isShownType(type)) throw new Error(`${type} is not shown.`);
  if (type === null) {
    const headers: Record<string, string> = {
      ...isolation,
      "Content-Type": "application/octet-stream",
      "Content-Disposition": attachment(name),
    };
    if (size !== null) headers["Content-Length"] = String(size);
    return { status: 200, headers, start: 0, end: size };
  }
  if (size === null) throw new Error("What is shown has a size.");
  const range = parseRange(rangeHeader, size);
  if (range === "unsatisfiable") return { status: 416, headers: { ...isolation, "Content-Range": `bytes */${size}` }, start: 0, end: 0 };
  const { start, end } = range ?? { start: 0, end: size };
  const headers: Record<string, string> = {
    ...isolation,
    "Content-Type": type,
    "Content-Disposition": "inline",
    "Accept-Ranges": "bytes",
    "Content-Length": String(end - start),
  };
  if (range === null) return { status: 200, headers, start, end };
  headers["Content-Range"] = `bytes ${start}-${end - 1}/${size}`;
  return { status: 206, headers, start, end };
}

/** RFC 6266 and RFC 8187: the name in UTF-8, and one in ASCII for what does not know that. */
export function attachment(name: string): string {
  const ascii = name.replace(/[^\x20-\x7e]|["\\%]/g, "_");
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
