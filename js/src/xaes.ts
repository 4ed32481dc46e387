/**
 * `xaes-256-gcm` (c2sp.org/XAES-256-GCM) and `kc-xaes-256-gcm` (section 2).
 *
 * Both derive a key for each segment by CMAC-AES-256. WebCrypto has no CMAC, but the last block of AES-CBC is one, if the
 * subkey is added to the last block of the message.
 */

import { ascii, concat, owned, wipe, type Bytes } from "./bytes.js";
import { gcmKey, withDerivedKeys } from "./gcm.js";
import type { SuiteImplementation, Suites } from "./suites.js";

const block = 16;

async function lastBlockOfCbc(key: CryptoKey, message: Bytes): Promise<Bytes> {
  // After the message comes the block of padding that WebCrypto adds.
  const ciphertext = new Uint8Array(await crypto.subtle.encrypt({ name: "AES-CBC", iv: new Uint8Array(block) }, key, message));
  return ciphertext.slice(message.length - block, message.length);
}

/** CMAC's subkey for messages of whole blocks: AES(0) times x in GF(2^128). */
function subkeyOf(encryptedZero: Uint8Array): Bytes {
  const subkey = new Uint8Array(block);
  for (let i = 0; i < block; i++) subkey[i] = ((encryptedZero[i] as number) << 1) | ((encryptedZero[i + 1] ?? 0) >> 7);
  subkey[block - 1] = (subkey[block - 1] as number) ^ (((encryptedZero[0] as number) >> 7) * 0x87);
  return subkey;
}

const xaes = (commits: boolean): SuiteImplementation => async (key) => {
  const imported = await crypto.subtle.importKey("raw", owned(key), "AES-CBC", false, ["encrypt"]);
  const subkey = subkeyOf(await lastBlockOfCbc(imported, new Uint8Array(block)));
  const cmacOfWholeBlocks = async (...parts: Uint8Array[]): Promise<Bytes> => {
    const message = concat(...parts);
    const last = message.subarray(message.length - block);
    for (let i = 0; i < block; i++) last[i] = (last[i] as number) ^ (subkey[i] as number);
    return lastBlockOfCbc(imported, message);
  };
  const twice = async (of: (counter: number) => Promise<Bytes>): Promise<Bytes> => concat(...await Promise.all([of(1), of(2)]));
  return withDerivedKeys(async (nonce) => {
    const derived = await twice((counter) => cmacOfWholeBlocks(Uint8Array.of(0, counter, 0x58, 0), nonce.subarray(0, 12)));
    const segmentKey = await gcmKey(derived);
    wipe(derived);
    const commitment = commits
      ? await twice((counter) => cmacOfWholeBlocks(ascii("XCMT"), nonce, Uint8Array.of(0, 1, 0, counter)))
      : new Uint8Array(0);
    return { gcmKey: segmentKey, gcmNonce: nonce.subarray(12), commitment };
  });
};

export const xaesSuites: Suites = { "xaes-256-gcm": xaes(false), "kc-xaes-256-gcm": xaes(true) };
