/** Byte arrays: little-endian numbers, comparison in constant time, and text. */

import { invalidArgument } from "./errors.js";

/**
 * Bytes in memory of their own, which is what WebCrypto and streams take. TypeScript has the type of their buffer since
 * 5.7; this is also understood before.
 */
export type Bytes = ReturnType<Uint8ArrayConstructor["of"]>;

/** The same bytes as `Bytes`: copied only if other workers could change them meanwhile. */
export function owned(bytes: Uint8Array): Bytes {
  return bytes.buffer instanceof ArrayBuffer ? (bytes as Bytes) : new Uint8Array(bytes);
}

export function concat(...parts: Uint8Array[]): Bytes {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}

/** Whether two arrays of one length are equal. The time depends on the length alone. */
export function equalInConstantTime(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= (a[i] as number) ^ (b[i] as number);
  return difference === 0;
}

export const isZero = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 0);

export function wipe(...secrets: (Uint8Array | undefined)[]): void {
  for (const secret of secrets) secret?.fill(0);
}

const view = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

export const readU16 = (bytes: Uint8Array, at: number): number => view(bytes).getUint16(at, true);
export const readU32 = (bytes: Uint8Array, at: number): number => view(bytes).getUint32(at, true);
export const readU64 = (bytes: Uint8Array, at: number): bigint => view(bytes).getBigUint64(at, true);
export const readI64 = (bytes: Uint8Array, at: number): bigint => view(bytes).getBigInt64(at, true);

export function u16(value: number): Bytes {
  const bytes = new Uint8Array(2);
  view(bytes).setUint16(0, value, true);
  return bytes;
}

export function u32(value: number): Bytes {
  const bytes = new Uint8Array(4);
  view(bytes).setUint32(0, value, true);
  return bytes;
}

export function u64(value: number | bigint): Bytes {
  const bytes = new Uint8Array(8);
  view(bytes).setBigUint64(0, BigInt(value), true);
  return bytes;
}

export const ascii = (text: string): Bytes => Uint8Array.from(text, (character) => character.charCodeAt(0));

/** ASCII as text. Other bytes become characters that are not ASCII, one for each. */
export const asciiText = (bytes: Uint8Array): string => new TextDecoder("windows-1252").decode(bytes);

/** Each byte as one character, so that two texts are equal, and in order, as their bytes are. */
export function byteText(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

/**
 * UTF-8 of a text that has no half of a surrogate pair. Such a half has no UTF-8: another program could not be given the
 * same bytes, and two texts would become one.
 */
export function utf8(text: string, what: string): Bytes {
  const bytes = new TextEncoder().encode(text);
  if (new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes) !== text) throw invalidArgument(`${what} has a character that is not valid Unicode.`);
  return bytes;
}

/** `bytes` as text, or null if they are not UTF-8. */
const strictDecoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function utf8Text(bytes: Uint8Array): string | null {
  try {
    return strictDecoder.decode(bytes);
  } catch {
    return null;
  }
}

export const random = (length: number): Bytes => crypto.getRandomValues(new Uint8Array(length));

export const hex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
