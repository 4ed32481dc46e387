/**
 * HKDF and HMAC with SHA-256 over WebCrypto, Argon2id, and age's scrypt.
 *
 * HKDF is composed of HMAC where the key is at hand as bytes: Node refuses more than 1024 bytes of `info`, and a context
 * has up to 65535 (sections 5 and 6). A user's key is a non-extractable CryptoKey instead; its `info` is short.
 */

import { argon2id as argon2idInWebAssembly, scrypt as scryptInWebAssembly } from "hash-wasm";
import { argon2idAsync as argon2idInJavaScript } from "@noble/hashes/argon2.js";
import { scryptAsync as scryptInJavaScript } from "@noble/hashes/scrypt.js";
import { concat, owned, wipe, type Bytes } from "./bytes.js";

async function hmacKey(key: Uint8Array, hash: string): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", owned(key), { name: "HMAC", hash }, false, ["sign", "verify"]);
}

export async function hmac(key: Uint8Array, message: Uint8Array, hash = "SHA-256"): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.sign("HMAC", await hmacKey(key, hash), owned(message)));
}

/** Whether `mac` is the HMAC-SHA-256 of the message, compared in constant time by WebCrypto. */
export async function verifyHmac(key: Uint8Array, message: Uint8Array, mac: Uint8Array): Promise<boolean> {
  return crypto.subtle.verify("HMAC", await hmacKey(key, "SHA-256"), owned(mac), owned(message));
}

/** HKDF-SHA-256 of RFC 5869. */
export async function hkdf(key: Uint8Array, salt: Uint8Array, info: Uint8Array, length: number): Promise<Bytes> {
  const extracted = await hmac(salt, key);
  const output = new Uint8Array(length);
  let block: Bytes = new Uint8Array(0);
  for (let offset = 0, counter = 1; offset < length; offset += block.length, counter++) {
    const next = await hmac(extracted, concat(block, info, Uint8Array.of(counter)));
    wipe(block);
    block = next;
    output.set(block.subarray(0, length - offset), offset);
  }
  wipe(extracted, block);
  return output;
}

export async function importHkdfKey(key: Uint8Array): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", owned(key), "HKDF", false, ["deriveBits"]);
}

/** HKDF-SHA-256 under a key that WebCrypto keeps. `info` has at most 1024 bytes. */
export async function hkdfOfKey(key: CryptoKey, salt: Uint8Array, info: Uint8Array, length: number): Promise<Bytes> {
  const algorithm = { name: "HKDF", hash: "SHA-256", salt: owned(salt), info: owned(info) };
  return new Uint8Array(await crypto.subtle.deriveBits(algorithm, key, length * 8));
}

export interface Argon2idCost {
  /** m, in KiB. */
  memory: number;
  /** t. */
  passes: number;
  /** p. */
  lanes: number;
}

/**
 * Argon2id of RFC 9106 with 32 bytes of output. hash-wasm is about five times as fast as @noble/hashes, which stands in
 * where a content security policy forbids WebAssembly.
 */
export async function argon2id(password: Uint8Array, salt: Uint8Array, cost: Argon2idCost): Promise<Uint8Array> {
  const { memory, passes, lanes } = cost;
  if (await webAssemblyWorks()) {
    return argon2idInWebAssembly({
      password, salt, iterations: passes, parallelism: lanes, memorySize: memory, hashLength: 32, outputType: "binary",
    });
  }
  return argon2idInJavaScript(password, salt, { m: memory, t: passes, p: lanes, dkLen: 32 });
}

/** scrypt of RFC 7914 as age has it: r = 8, p = 1, 32 bytes of output, and N = 2^`logN`, which takes N KiB of memory. */
export async function scrypt(password: Uint8Array, salt: Uint8Array, logN: number): Promise<Uint8Array> {
  const [n, r, p, length] = [2 ** logN, 8, 1, 32];
  if (await webAssemblyWorks()) {
    return scryptInWebAssembly({ password, salt, costFactor: n, blockSize: r, parallelism: p, hashLength: length, outputType: "binary" });
  }
  return scryptInJavaScript(password, salt, { N: n, r, p, dkLen: length, maxmem: n * 1024 + 65536 });
}

/** Whether the smallest module can be compiled. A content security policy may forbid it. */
async function webAssemblyWorks(): Promise<boolean> {
  try {
    await WebAssembly.compile(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0));
    return true;
  } catch {
    return false;
  }
}
