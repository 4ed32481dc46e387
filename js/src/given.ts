/**
 * Callers' arguments, checked where they come in.
 *
 * A program in JavaScript is stopped by no type: a number, a list or a `String` object in the place of bytes would be
 * taken for zeros, or for other bytes than were meant. Things are told by what they are, and not by `instanceof`, so that
 * those of another realm (a frame, Node's `vm`, jsdom) count. No message shows a value, which may be a secret.
 */

import { utf8, type Bytes } from "./bytes.js";
import { invalidArgument } from "./errors.js";

/** Bytes of a caller. */
export type BytesLike = Uint8Array | ArrayBuffer;

const typedArrayName = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag)?.get as () => string | undefined;
const bufferLength = Object.getOwnPropertyDescriptor(ArrayBuffer.prototype, "byteLength")?.get as () => number;

/** These two look at what the engine itself knows of a value, which nothing else can pretend. */
export const isUint8Array = (value: unknown): value is Uint8Array => typedArrayName.call(value) === "Uint8Array";

export function isArrayBuffer(value: unknown): value is ArrayBuffer {
  try {
    bufferLength.call(value);
    return true;
  } catch {
    return false;
  }
}

/** Whether the value has these methods. */
export const hasMethods = (value: unknown, ...names: string[]): boolean =>
  typeof value === "object" && value !== null && names.every((name) => typeof (value as Record<string, unknown>)[name] === "function");

export const isBlob = (value: unknown): value is Blob => hasMethods(value, "slice", "arrayBuffer", "stream") && typeof (value as Blob).size === "number";

export const isReadableStream = (value: unknown): value is ReadableStream => hasMethods(value, "getReader", "cancel");

export const isResponse = (value: unknown): value is Response => hasMethods(value, "arrayBuffer", "clone") && typeof (value as Response).bodyUsed === "boolean";

export const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === "object" && value !== null && typeof (value as AsyncIterable<unknown>)[Symbol.asyncIterator] === "function";

export const isIterable = (value: unknown): value is Iterable<unknown> =>
  typeof value === "object" && value !== null && typeof (value as Iterable<unknown>)[Symbol.iterator] === "function";

export const isUrl = (value: unknown): value is URL => Object.prototype.toString.call(value) === "[object URL]" && typeof (value as URL).href === "string";

/** The kind of a value, for messages. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "a list";
  if (hasMethods(value, "then")) return "a promise, which has to be awaited";
  const kinds: Record<string, string> = { string: "text", number: "a number", bigint: "a number", boolean: "a truth value", function: "a function", symbol: "a symbol" };
  return kinds[typeof value] ?? "an object of another kind";
}

/** The bytes themselves, which are not copied, as an array of this realm. Undefined: it is no bytes. */
export function asBytes(value: unknown): Uint8Array | undefined {
  if (value instanceof Uint8Array && isUint8Array(value)) return value;
  if (isUint8Array(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  return isArrayBuffer(value) ? new Uint8Array(value) : undefined;
}

export function bytesGiven(value: unknown, what: string): Uint8Array {
  const bytes = asBytes(value);
  if (bytes === undefined) throw invalidArgument(`${what} is given as bytes (Uint8Array), and not as ${kindOf(value)}.`);
  return bytes;
}

export function textGiven(value: unknown, what: string): string {
  if (typeof value !== "string") throw invalidArgument(`${what} is given as text, and not as ${kindOf(value)}.`);
  return value;
}

/** Bytes, or text as UTF-8, in memory of their own. */
export function textOrBytes(value: unknown, what: string): Bytes {
  if (typeof value === "string") return utf8(value, what);
  const bytes = asBytes(value);
  if (bytes === undefined) throw invalidArgument(`${what} is given as text or as bytes (Uint8Array), and not as ${kindOf(value)}.`);
  return new Uint8Array(bytes);
}

export function listGiven<T>(value: readonly T[], what: string, example = "[…]"): readonly T[] {
  if (!Array.isArray(value)) throw invalidArgument(`${what} are given as a list, such as ${example}, and not as ${kindOf(value)}.`);
  return value;
}

const isBoolean = (value: unknown): boolean => typeof value === "boolean";

/** The options whose values are not checked where they are used, and what they may be. */
const optionRules: Record<string, readonly [test: (value: unknown) => boolean, kind: string]> = {
  allowUnboundContents: [isBoolean, "true or false"],
  armor: [isBoolean, "true or false"],
  keep: [isBoolean, "true or false"],
  signal: [(value) => hasMethods(value, "addEventListener", "throwIfAborted"), "an AbortSignal"],
  suites: [(value) => typeof value === "object" && value !== null && Object.values(value).every((suite) => typeof suite === "function"), "an object of functions"],
};

/** Options of any function. What is undefined was not given; null is nothing that an option may be. */
export function optionsGiven<T extends object>(options: T): T {
  if (typeof options !== "object" || options === null || Array.isArray(options)) throw invalidArgument(`Options are given as an object, and not as ${kindOf(options)}.`);
  for (const [name, [test, kind]] of Object.entries(optionRules)) {
    const value = (options as Record<string, unknown>)[name];
    if (value !== undefined && !test(value)) throw invalidArgument(`The option "${name}" is ${kind}, and not ${kindOf(value)}.`);
  }
  return options;
}
