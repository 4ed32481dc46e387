/**
 * The suites that are built on WebCrypto's AES-GCM (section 2): `aes-256-gcm`, the portable profile, `aes-128-gcm`,
 * `h-aes-256-gcm`, `h-kc-aes-256-gcm`, `hkdf-committed-aes-256-gcm`, `padding-fix-aes-256-gcm` and `ctx-aes-256-gcm`.
 *
 * Keys that are not used for AES-GCM alone are HMAC or HKDF keys of WebCrypto. None can be extracted.
 */

import { ascii, concat, equalInConstantTime, owned, wipe, type Bytes } from "./bytes.js";
import type { SegmentCipher, SuiteImplementation, Suites } from "./suites.js";

export async function gcmKey(key: Uint8Array): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", owned(key), "AES-GCM", false, ["encrypt", "decrypt"]);
}

async function hmacKey(key: Uint8Array): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", owned(key), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
}

async function sign(key: CryptoKey, message: Uint8Array): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, owned(message)));
}

async function gcmSeal(key: CryptoKey, nonce: Uint8Array, plaintext: Uint8Array): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.encrypt({ name: "AES-GCM", iv: owned(nonce) }, key, owned(plaintext)));
}

async function gcmOpen(key: CryptoKey, nonce: Uint8Array, sealed: Uint8Array): Promise<Bytes | null> {
  try {
    return new Uint8Array(await crypto.subtle.decrypt({ name: "AES-GCM", iv: owned(nonce) }, key, owned(sealed)));
  } catch (error) {
    if (error instanceof DOMException && error.name === "OperationError") return null;
    throw error;
  }
}

const gcm: SuiteImplementation = async (key) => {
  const imported = await gcmKey(key);
  return {
    seal: (nonce, plaintext) => gcmSeal(imported, nonce, plaintext),
    open: (nonce, sealed) => gcmOpen(imported, nonce, sealed),
  };
};

const paddingFix: SuiteImplementation = async (key) => {
  const imported = await gcmKey(key);
  const padding = 32;
  return {
    async seal(nonce, plaintext) {
      const padded = concat(new Uint8Array(padding), plaintext);
      const sealed = await gcmSeal(imported, nonce, padded);
      wipe(padded);
      return concat(sealed.subarray(padding), sealed.subarray(0, padding));
    },
    async open(nonce, sealed) {
      const end = sealed.length - padding;
      const padded = await gcmOpen(imported, nonce, concat(sealed.subarray(end), sealed.subarray(0, end)));
      if (padded === null || !equalInConstantTime(padded.subarray(0, padding), new Uint8Array(padding))) return null;
      return padded.slice(padding);
    },
  };
};

/** A cipher whose segments have a key of their own each, and a commitment behind the tag if there is one. */
interface DerivedKeys {
  gcmKey: CryptoKey;
  gcmNonce: Uint8Array;
  commitment: Uint8Array;
}

export function withDerivedKeys(derive: (nonce: Uint8Array) => Promise<DerivedKeys>): SegmentCipher {
  return {
    async seal(nonce, plaintext) {
      const { gcmKey, gcmNonce, commitment } = await derive(nonce);
      return concat(await gcmSeal(gcmKey, gcmNonce, plaintext), commitment);
    },
    async open(nonce, sealed) {
      const { gcmKey, gcmNonce, commitment } = await derive(nonce);
      const end = sealed.length - commitment.length;
      const committed = equalInConstantTime(sealed.subarray(end), commitment);
      const plaintext = await gcmOpen(gcmKey, gcmNonce, sealed.subarray(0, end));
      if (plaintext === null || committed) return plaintext;
      wipe(plaintext);
      return null;
    },
  };
}

const hAes = (commits: boolean): SuiteImplementation => async (key) => {
  const imported = await hmacKey(key);
  return withDerivedKeys(async (nonce) => {
    const derived = await sign(imported, concat(Uint8Array.of(0, 1, 0x58, 0), nonce.subarray(0, 12)));
    const segmentKey = await gcmKey(derived);
    wipe(derived);
    const commitment = commits
      ? await sign(imported, concat(ascii("XCMT"), nonce, Uint8Array.of(0, 1, 0, 1)))
      : new Uint8Array(0);
    return { gcmKey: segmentKey, gcmNonce: nonce.subarray(12), commitment };
  });
};

const hkdfCommitted: SuiteImplementation = async (key) => {
  const imported = await crypto.subtle.importKey("raw", owned(key), "HKDF", false, ["deriveBits"]);
  const derive = async (nonce: Uint8Array, info: Bytes) => new Uint8Array(
    await crypto.subtle.deriveBits({ name: "HKDF", hash: "SHA-512", salt: owned(nonce), info }, imported, 256));
  return withDerivedKeys(async (nonce) => {
    const derived = await derive(nonce, concat(Uint8Array.of(4, 0x78), ascii("DERIVEKEY")));
    const segmentKey = await gcmKey(derived);
    wipe(derived);
    return { gcmKey: segmentKey, gcmNonce: new Uint8Array(12), commitment: await derive(nonce, ascii("COMMITKEY")) };
  });
};

/**
 * CTX replaces GCM's tag T by HMAC(K, N ‖ T), so a reader computes T itself. WebCrypto gives no ciphertext without
 * checking a tag; but GCM's ciphertext is its plaintext under a key stream, and sealing the ciphertext gives the
 * plaintext. Sealing that once more gives T.
 */
const ctx: SuiteImplementation = async (key) => {
  const [imported, mac] = await Promise.all([gcmKey(key), hmacKey(key)]);
  const sealWithTag = async (nonce: Uint8Array, plaintext: Uint8Array) => {
    const sealed = await gcmSeal(imported, nonce, plaintext);
    const ciphertext = sealed.subarray(0, plaintext.length);
    return { ciphertext, tag: await sign(mac, concat(nonce, sealed.subarray(plaintext.length))) };
  };
  return {
    async seal(nonce, plaintext) {
      const { ciphertext, tag } = await sealWithTag(nonce, plaintext);
      return concat(ciphertext, tag);
    },
    async open(nonce, sealed) {
      const end = sealed.length - 32;
      const plaintext = (await gcmSeal(imported, nonce, sealed.subarray(0, end))).slice(0, end);
      const { tag } = await sealWithTag(nonce, plaintext);
      if (equalInConstantTime(tag, sealed.subarray(end))) return plaintext;
      wipe(plaintext);
      return null;
    },
  };
};

/** The suites that this library computes. */
export const webCryptoSuites: Suites = {
  "aes-256-gcm": gcm,
  "aes-128-gcm": gcm,
  "h-aes-256-gcm": hAes(false),
  "h-kc-aes-256-gcm": hAes(true),
  "hkdf-committed-aes-256-gcm": hkdfCommitted,
  "padding-fix-aes-256-gcm": paddingFix,
  "ctx-aes-256-gcm": ctx,
};
