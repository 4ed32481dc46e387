/**
 * The suites of section 2: all that a header may name, and the interface by which one is computed.
 *
 * The portable profile and what follows from WebCrypto's AES-GCM are in `gcm.ts`. Others come from the caller.
 */

import { ascii, asciiText, isZero, type Bytes } from "./bytes.js";
import { badHeader, invalidArgument } from "./errors.js";

export interface Suite {
  /** The textual form in the header, such as `aes-256-gcm` or `aegis-256x2:tag=32`. */
  readonly name: string;
  readonly keyLength: number;
  readonly nonceLength: number;
  /** The length of all that follows the ciphertext of a segment. */
  readonly tagLength: number;
}

/** A payload key in use. */
export interface SegmentCipher {
  /** Ciphertext ‖ tag, in memory of their own. */
  seal(nonce: Uint8Array, plaintext: Uint8Array): Promise<Uint8Array>;
  /**
   * The plaintext, in memory of its own, or null if the segment is not authentic. The tag is compared in constant time.
   * A suite that gives the nonce back compares it with `nonce`, also in constant time.
   */
  open(nonce: Uint8Array, ciphertextAndTag: Uint8Array): Promise<Uint8Array | null>;
}

/** How a suite is computed. `key` is wiped as soon as the promise is settled: keep a CryptoKey, or a copy. */
export type SuiteImplementation = (key: Uint8Array) => Promise<SegmentCipher>;

/** Implementations by the name of their suite, such as those of a WebAssembly package. */
export type Suites = Readonly<Record<string, SuiteImplementation>>;

const table = new Map<string, Suite>();

function define(name: string, keyLength: number, nonceLength: number, tagLength: number): void {
  table.set(name, { name, keyLength, nonceLength, tagLength });
}

for (const [name, length] of [
  ["aegis-128l", 16], ["aegis-128x2", 16], ["aegis-128x4", 16],
  ["aegis-256", 32], ["aegis-256x2", 32], ["aegis-256x4", 32],
] as const) {
  define(name, length, length, 16);
  define(`${name}:tag=32`, length, length, 32);
  define(`ctx-${name}`, length, length, 32);
}
define("aes-128-gcm", 16, 12, 16);
define("aes-256-gcm", 32, 12, 16);
define("xaes-256-gcm", 32, 24, 16);
define("h-aes-256-gcm", 32, 24, 16);
define("kc-xaes-256-gcm", 32, 24, 48);
define("h-kc-aes-256-gcm", 32, 24, 48);
define("dndk-gcm", 32, 24, 16);
define("dndk-gcm:kc=1", 32, 24, 48);
define("hkdf-committed-aes-256-gcm", 32, 32, 48);
define("padding-fix-aes-256-gcm", 32, 12, 48);
define("ctx-aes-256-gcm", 32, 12, 32);
define("flex-och", 32, 32, 64);
define("flex-civ", 32, 32, 64);
define("flex-och-public", 32, 24, 32);
define("flex-civ-public", 32, 24, 32);
define("flex-robust", 32, 24, 32);
define("flex-och-transport", 32, 12, 16);
define("omd-sha256", 32, 31, 32);
define("omd-sha512", 64, 32, 64);
define("omd-blake2b", 64, 32, 64);

/** The names of all suites of section 2. */
export const suiteNames: readonly string[] = [...table.keys()];

export const suiteFieldLength = 64;

/** The suite of a header's field of 64 bytes. */
export function parseSuiteField(field: Uint8Array): Suite {
  const end = field.indexOf(0);
  const name = asciiText(end < 0 ? field : field.subarray(0, end));
  const suite = table.get(name);
  if (suite === undefined || !isZero(field.subarray(name.length))) throw badHeader("it names no suite for files");
  return suite;
}

export function suiteField(suite: Suite): Bytes {
  const field = new Uint8Array(suiteFieldLength);
  field.set(ascii(suite.name));
  return field;
}

/** Undefined, if no suite for files has this name. */
export const suiteNamed = (name: string): Suite | undefined => table.get(name);

export function suiteByName(name: string): Suite {
  const suite = suiteNamed(name);
  if (suite === undefined) throw invalidArgument("This is not a suite for files. suiteNames has those that are.");
  return suite;
}

/** How many segments of `segmentSize` bytes a payload may have at most (section 6). */
export function maximumSegments(suite: Suite, segmentSize: number): number {
  switch (suite.name) {
    case "aes-128-gcm":
    case "aes-256-gcm":
    case "ctx-aes-256-gcm":
      return Math.min(2 ** 48, Math.floor(2 ** 52 / (segmentSize + 16)));
    case "padding-fix-aes-256-gcm":
      return Math.min(2 ** 48, Math.floor(2 ** 52 / (segmentSize + 48)));
    case "dndk-gcm":
    case "dndk-gcm:kc=1":
      return Math.min(2 ** 48, 2 ** 64 / segmentSize);
    default:
      return 2 ** 48;
  }
}
