/**
 * Signatures as `ssh-keygen -Y sign` makes them (PROTOCOL.sshsig, PROTOCOL.u2f, RFC 4251, RFC 8332). All of it is public,
 * so nothing need take constant time.
 *
 * Limits: Ed25519, ECDSA on P-256, P-384 and P-521, RSA of 2048 to 16384 bits, and security keys with the first two. ECDSA
 * and RSA are WebCrypto's: where it lacks a curve, no signature with it is accepted.
 */

import { ed25519 } from "@noble/curves/ed25519.js";
import { base64, base64nopad, base64urlnopad } from "@scure/base";
import { ascii, asciiText, concat, owned, type Bytes } from "../bytes.js";

const magic = "SSHSIG";
const smallestModulus = 2048;
/** Longer keys cost more than a signature is worth, and ssh-keygen makes none. */
const largestModulus = 16384;

export interface SshSignature {
  readonly key: Uint8Array;
  readonly namespace: string;
  readonly hash: string;
  readonly algorithm: string;
  readonly value: Uint8Array;
  /** Those of a security key. */
  readonly flagsAndCounter: Uint8Array;
}

class Malformed extends Error {}

/** The result of `read`, or null if something is missing or follows. */
function whole<T>(bytes: Uint8Array, read: (fields: Fields) => T): T | null {
  try {
    const fields = new Fields(bytes);
    const result = read(fields);
    return fields.rest().length === 0 ? result : null;
  } catch (error) {
    if (error instanceof Malformed) return null;
    throw error;
  }
}

/** Takes fields of RFC 4251, one after the other. */
class Fields {
  #rest: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#rest = bytes;
  }

  take(length: number): Uint8Array {
    if (length > this.#rest.length) throw new Malformed();
    const taken = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    return taken;
  }

  rest(): Uint8Array {
    return this.take(this.#rest.length);
  }

  number(): number {
    return this.take(4).reduce((number, byte) => number * 256 + byte, 0);
  }

  string(): Uint8Array {
    return this.take(this.number());
  }

  text(): string {
    return asciiText(this.string());
  }

  /** A positive number, which has no more bytes than it needs; without a zero that only says that it is positive. */
  integer(): Uint8Array {
    const bytes = this.string();
    const [first = 0x80, second = 0] = bytes;
    if (first >= 0x80 || (first === 0 && second < 0x80)) throw new Malformed();
    return first === 0 ? bytes.subarray(1) : bytes;
  }
}

const string = (bytes: Uint8Array): Bytes => {
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, bytes.length);
  return concat(length, bytes);
};

/** The bytes of a text in base64, or null if it is none. */
export function base64Bytes(text: string): Uint8Array | null {
  try {
    return base64.decode(text);
  } catch {
    return null;
  }
}

/** The signature whose armour has this text between its first and its last line, or null. */
export function parseSshSignature(body: string): SshSignature | null {
  const bytes = base64Bytes(body.replaceAll("\n", ""));
  if (bytes === null || asciiText(bytes.subarray(0, magic.length)) !== magic) return null;
  return whole(bytes.subarray(magic.length), (fields) => {
    const version = fields.number();
    const [key, namespace, reserved, hash] = [fields.string(), fields.text(), fields.string(), fields.text()];
    const inner = new Fields(fields.string());
    const [algorithm, value] = [inner.text(), inner.string()];
    if (version !== 1 || reserved.length > 0 || !["sha256", "sha512"].includes(hash)) throw new Malformed();
    return { key, namespace, hash, algorithm, value, flagsAndCounter: inner.rest() };
  });
}

const hashNames: Record<string, string> = { sha256: "SHA-256", sha512: "SHA-512" };

const digest = async (hash: string, bytes: Uint8Array): Promise<Bytes> => new Uint8Array(await crypto.subtle.digest(hash, owned(bytes)));

/** Whether the signature is one of `text` in this namespace, by its own key. Of a key that cannot be used here, none is. */
export async function verifiesSsh(signature: SshSignature, namespace: string, text: Uint8Array): Promise<boolean> {
  const key = parseSshKey(signature.key);
  if (key === null || signature.namespace !== namespace) return false;
  const { hash, flagsAndCounter } = signature;
  const hashed = await digest(hashNames[hash] as string, text);
  let signed = concat(ascii(magic), string(ascii(namespace)), string(new Uint8Array(0)), string(ascii(hash)), string(hashed));
  if (key.application !== null) signed = concat(await digest("SHA-256", key.application), flagsAndCounter, await digest("SHA-256", signed));
  if (flagsAndCounter.length !== (key.application === null ? 0 : 5)) return false;
  try {
    return await key.verify(signature, signed);
  } catch {
    // An engine that has no such algorithm, or takes no such key or signature.
    return false;
  }
}

interface SshKey {
  /** A security key's, or null. */
  readonly application: Uint8Array | null;
  verify(signature: SshSignature, signed: Bytes): Promise<boolean>;
}

type KeyReader = (fields: Fields) => SshKey["verify"];

const edwards: KeyReader = (fields) => {
  const point = fields.string();
  if (point.length !== 32) throw new Malformed();
  return async ({ value }, signed) => ed25519.verify(value, signed, point, { zip215: false });
};

const elliptic = (name: string, namedCurve: string, hash: string, bytes: number): KeyReader => (fields) => {
  const [curve, point] = [fields.text(), fields.string()];
  if (curve !== name || point.length !== 1 + 2 * bytes || point[0] !== 4) throw new Malformed();
  return async ({ value }, signed) => {
    const numbers = whole(value, (inner) => [inner.integer(), inner.integer()]);
    if (numbers === null || numbers.some(({ length }) => length > bytes)) return false;
    const joined = concat(...numbers.map((number) => concat(new Uint8Array(bytes - number.length), number)));
    const key = await crypto.subtle.importKey("raw", owned(point), { name: "ECDSA", namedCurve }, false, ["verify"]);
    return crypto.subtle.verify({ name: "ECDSA", hash }, key, joined, signed);
  };
};

const rsa: KeyReader = (fields) => {
  const [exponent, modulus] = [fields.integer(), fields.integer()];
  const bits = modulus.length * 8 - Math.clz32(modulus[0] as number) + 24;
  if (bits < smallestModulus || bits > largestModulus || exponent.length > 4) throw new Malformed();
  return async ({ algorithm, value }, signed) => {
    const hash = hashNames[algorithm.replace("rsa-sha2-", "sha")];
    if (hash === undefined || !algorithm.startsWith("rsa-sha2-")) return false;
    const jwk = { kty: "RSA", n: base64urlnopad.encode(modulus), e: base64urlnopad.encode(exponent) };
    const key = await crypto.subtle.importKey("jwk", jwk, { name: "RSASSA-PKCS1-v1_5", hash }, false, ["verify"]);
    return crypto.subtle.verify("RSASSA-PKCS1-v1_5", key, owned(value), signed);
  };
};

const p256 = elliptic("nistp256", "P-256", "SHA-256", 32);

const kinds = new Map<string, KeyReader>([
  ["ssh-ed25519", edwards],
  ["ecdsa-sha2-nistp256", p256],
  ["ecdsa-sha2-nistp384", elliptic("nistp384", "P-384", "SHA-384", 48)],
  ["ecdsa-sha2-nistp521", elliptic("nistp521", "P-521", "SHA-512", 66)],
  ["ssh-rsa", rsa],
  ["sk-ssh-ed25519@openssh.com", edwards],
  ["sk-ecdsa-sha2-nistp256@openssh.com", p256],
]);

function parseSshKey(blob: Uint8Array): SshKey | null {
  return whole(blob, (fields) => {
    const kind = fields.text();
    const read = kinds.get(kind);
    if (read === undefined) throw new Malformed();
    const verify = read(fields);
    return {
      application: kind.startsWith("sk-") ? fields.string() : null,
      // RSA has other names for its signatures.
      verify: async (signature, signed) => (kind === "ssh-rsa" || signature.algorithm === kind) && verify(signature, signed),
    };
  });
}

/**
 * The bytes of a public key of this kind, in base64, or null if they are none. A key of a kind that is not known here, or
 * of RSA and too short, verifies nothing.
 */
export function sshPublicKey(kind: string, text: string): Uint8Array | null {
  const blob = base64Bytes(text);
  if (blob === null || whole(blob, (fields) => [fields.text(), fields.rest()] as const)?.[0] !== kind) return null;
  return kinds.has(kind) && kind !== "ssh-rsa" && parseSshKey(blob) === null ? null : blob;
}

/** The fingerprint of a public key, as `ssh-keygen -l` shows it. */
export const sshFingerprint = async (key: Uint8Array): Promise<string> => `SHA256:${base64nopad.encode(await digest("SHA-256", key))}`;
