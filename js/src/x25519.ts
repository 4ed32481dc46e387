/**
 * X25519 of RFC 7748. WebCrypto computes shared secrets where it has X25519, and keeps the private key; @noble/curves does
 * elsewhere, and computes public keys, which WebCrypto does not derive from a private key.
 *
 * An engine may have half of it: Bun before 1.3 imports keys and computes nothing with them. So what WebCrypto has is found
 * out once, by a known answer.
 */

import { x25519 as curve } from "@noble/curves/ed25519.js";
import { concat, equalInConstantTime, owned, wipe } from "./bytes.js";

/** The bytes of PKCS #8 before the 32 of an X25519 private key: the one form in which WebCrypto imports it. */
const pkcs8Prefix = Uint8Array.of(0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x6e, 4, 0x22, 4, 0x20);

export interface PrivateKey {
  readonly publicKey: Uint8Array;
  /** The shared secret, or null if the point is of low order, so that the secret would be zero. */
  agree(point: Uint8Array): Promise<Uint8Array | null>;
}

export const publicKeyOf = (scalar: Uint8Array): Uint8Array => curve.getPublicKey(scalar);

/** A private key of 32 bytes, which are copied only if WebCrypto has no X25519. */
export async function importPrivateKey(scalar: Uint8Array): Promise<PrivateKey> {
  return await isInWebCrypto() ? privateKeyInWebCrypto(scalar) : privateKeyInJavaScript(scalar);
}

let found: Promise<boolean> | undefined;

const isInWebCrypto = (): Promise<boolean> => found ??= computesInWebCrypto();

/** Whether WebCrypto computes what the other implementation does, of a key and a point that are no secrets. */
async function computesInWebCrypto(): Promise<boolean> {
  const scalar = new Uint8Array(32).fill(0x42), point = publicKeyOf(new Uint8Array(32).fill(0x24));
  try {
    const shared = await (await privateKeyInWebCrypto(scalar)).agree(point);
    return shared !== null && equalInConstantTime(shared, curve.getSharedSecret(scalar, point));
  } catch {
    return false;
  }
}

async function privateKeyInWebCrypto(scalar: Uint8Array): Promise<PrivateKey> {
  const publicKey = publicKeyOf(scalar);
  const encoded = concat(pkcs8Prefix, scalar);
  try {
    const key = await crypto.subtle.importKey("pkcs8", encoded, "X25519", false, ["deriveBits"]);
    return { publicKey, agree: (point) => agreeInWebCrypto(key, point) };
  } finally {
    wipe(encoded);
  }
}

async function agreeInWebCrypto(key: CryptoKey, point: Uint8Array): Promise<Uint8Array | null> {
  const peer = await crypto.subtle.importKey("raw", owned(point), "X25519", false, []);
  try {
    const shared = new Uint8Array(await crypto.subtle.deriveBits({ name: "X25519", public: peer }, key, 256));
    return equalInConstantTime(shared, new Uint8Array(32)) ? null : shared;
  } catch (error) {
    // WebCrypto itself refuses a secret of zeros.
    if ((error as Error | null)?.name === "OperationError") return null;
    throw error;
  }
}

/** Exported for the tests, which run where WebCrypto has X25519. */
export function privateKeyInJavaScript(scalar: Uint8Array): PrivateKey {
  const copy = new Uint8Array(scalar);
  return {
    publicKey: publicKeyOf(copy),
    async agree(point) {
      try {
        return curve.getSharedSecret(copy, point);
      } catch {
        return null;
      }
    },
  };
}
