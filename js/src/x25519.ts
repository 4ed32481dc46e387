/**
 * X25519 of RFC 7748. WebCrypto computes shared secrets where it has X25519, and keeps the private key; @noble/curves does
 * elsewhere, and computes public keys, which WebCrypto does not derive from a private key.
 */

import { x25519 as curve } from "@noble/curves/ed25519.js";
import { concat, equalInConstantTime, owned, wipe } from "./bytes.js";

/** What PKCS #8 has before the 32 bytes of an X25519 private key: the one form in which WebCrypto imports it. */
const pkcs8Prefix = Uint8Array.of(0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x6e, 4, 0x22, 4, 0x20);

export interface PrivateKey {
  readonly publicKey: Uint8Array;
  /** The shared secret, or null if the point is of low order, so that the secret would be zero. */
  agree(point: Uint8Array): Promise<Uint8Array | null>;
}

export const publicKeyOf = (scalar: Uint8Array): Uint8Array => curve.getPublicKey(scalar);

/** A private key of 32 bytes, which are copied only if WebCrypto has no X25519. */
export async function importPrivateKey(scalar: Uint8Array): Promise<PrivateKey> {
  const publicKey = publicKeyOf(scalar);
  const encoded = concat(pkcs8Prefix, scalar);
  try {
    const key = await crypto.subtle.importKey("pkcs8", encoded, "X25519", false, ["deriveBits"]);
    return { publicKey, agree: (point) => agreeInWebCrypto(key, point) };
  } catch {
    return privateKeyInJavaScript(scalar);
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
    if (error instanceof DOMException && error.name === "OperationError") return null;
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
