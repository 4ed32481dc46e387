/** Opening a header with keys: sections 4 and 5, and section 5 of the manifest. */

import { RejectedStanza } from "./age.js";
import { ascii, concat, equalInConstantTime, u16, u32, u64, wipe, type Bytes } from "./bytes.js";
import { coreSuites, unsupportedSuite } from "./core.js";
import { badHeader, invalidArgument, PolysealError } from "./errors.js";
import { bytesGiven, textOrBytes, type BytesLike } from "./given.js";
import { webCryptoSuites } from "./gcm.js";
import { version, type Header, type Stanza } from "./header.js";
import { argon2id, hkdf, hkdfOfKey, verifyHmac } from "./kdf.js";
import type { Key } from "./keys.js";
import { suiteField, type SegmentCipher, type SuiteImplementation, type Suites } from "./suites.js";
import { xaesSuites } from "./xaes.js";

type Wrapping = Exclude<Stanza, { type: "unknown" }>;

/** How a wrapping key is at hand: a user's key stays in WebCrypto. */
export type WrappingKey = CryptoKey | Uint8Array;

export interface StanzaKeys {
  id: Uint8Array;
  pad: Uint8Array;
  macKey: Uint8Array;
}

export async function stanzaKeys(wrappingKey: WrappingKey, salt: Uint8Array, type: number): Promise<StanzaKeys> {
  const info = concat(ascii("polyseal-file/1 stanza"), u16(type));
  const derive = wrappingKey instanceof Uint8Array ? hkdf(wrappingKey, salt, info, 72) : hkdfOfKey(wrappingKey, salt, info, 72);
  const derived = await derive;
  return { id: derived.subarray(0, 8), pad: derived.subarray(8, 40), macKey: derived.subarray(40) };
}

export function xor(a: Uint8Array, b: Uint8Array): Bytes {
  return Uint8Array.from(a, (byte, i) => byte ^ (b[i] as number));
}

export async function headerMacKey(fileKey: Uint8Array, fileSalt: Uint8Array): Promise<Bytes> {
  return hkdf(fileKey, fileSalt, ascii("polyseal-file/1 header"), 32);
}

interface Attempt {
  idWasRight: boolean;
  fileKey: Bytes | null;
}

async function tryWrappingKey(header: Header, stanza: Wrapping, wrappingKey: WrappingKey): Promise<Attempt> {
  const { id, pad, macKey } = await stanzaKeys(wrappingKey, stanza.salt, stanza.number);
  try {
    if (!equalInConstantTime(id, stanza.id)) return { idWasRight: false, fileKey: null };
    if (!await verifyHmac(macKey, concat(header.boundFields, stanza.authenticated), stanza.tag)) return { idWasRight: true, fileKey: null };
    const fileKey = xor(stanza.wrappedFileKey, pad);
    const key = await headerMacKey(fileKey, header.fileSalt);
    const authentic = await verifyHmac(key, header.bytes.subarray(0, -32), header.mac);
    wipe(key);
    if (authentic) return { idWasRight: true, fileKey };
    wipe(fileKey);
    return { idWasRight: true, fileKey: null };
  } finally {
    wipe(id, pad, macKey);
  }
}

/** The wrapping keys that one of the user's keys gives for a stanza. */
async function* wrappingKeys(stanza: Wrapping, key: Key, rejected: () => void): AsyncGenerator<WrappingKey> {
  if (stanza.type === "key-file" && key.type === "key-file") yield await key.key;
  if (stanza.type === "passphrase" && key.type === "passphrase") yield await argon2id(key.bytes, stanza.salt, stanza.cost);
  if (stanza.type === "age" && key.type === "age-identity") {
    // As age does: an identity is done with the recipient stanzas at the first that it opens or rejects.
    for (const recipient of stanza.age.recipients) {
      let unwrapped: Uint8Array | null;
      try {
        unwrapped = await key.unwrapper.unwrap(recipient);
      } catch (error) {
        if (error instanceof RejectedStanza) return rejected();
        throw error;
      }
      if (unwrapped !== null) return yield bytesGiven(unwrapped, "What a recipient stanza wraps");
    }
  }
}

/** The file key of a header whose MAC is right. The caller wipes it. */
export async function unlock(header: Header, keys: readonly Key[], signal?: AbortSignal): Promise<Bytes> {
  let idWasRight = false;
  let ageRejected = false;
  for (const stanza of header.stanzas) {
    if (stanza.type === "unknown") continue;
    for (const key of keys) {
      for await (const wrappingKey of wrappingKeys(stanza, key, () => { ageRejected = true; })) {
        signal?.throwIfAborted();
        const attempt = await tryWrappingKey(header, stanza, wrappingKey);
        if (wrappingKey instanceof Uint8Array) wipe(wrappingKey);
        if (attempt.fileKey !== null) return attempt.fileKey;
        idWasRight ||= attempt.idWasRight;
      }
    }
  }
  if (idWasRight) throw new PolysealError("header-not-authentic", "The header is not authentic: it has been damaged or altered.");
  if (ageRejected) throw badHeader("it has a recipient that age does not accept");
  throw new PolysealError("no-matching-key", noMatchingKeyMessage(header, keys));
}

function noMatchingKeyMessage(header: Header, keys: readonly Key[]): string {
  const passphraseOnly = header.stanzas[0]?.type === "passphrase";
  if (passphraseOnly && keys.some(({ type }) => type === "passphrase")) return "The passphrase is wrong.";
  if (passphraseOnly) return "This file opens with a passphrase, and none was given.";
  return keys.length === 0 ? "No key was given." : "This file is for other keys than those that were given.";
}

/** A context as bytes. Undefined: none. */
export function contextBytes(context: string | BytesLike | undefined): Bytes | undefined {
  if (context === undefined) return undefined;
  const bytes = textOrBytes(context, "The context");
  if (bytes.length < 1 || bytes.length > 65535) throw invalidArgument("A context has 1 to 65535 bytes.");
  return bytes;
}

export async function contextTag(fileKey: Uint8Array, fileSalt: Uint8Array, context: Uint8Array): Promise<Bytes> {
  return hkdf(fileKey, fileSalt, concat(ascii("polyseal-file/1 context"), context), 32);
}

export async function checkContext(header: Header, fileKey: Uint8Array, context: Uint8Array | undefined): Promise<void> {
  if (context === undefined) {
    if (header.hasContext) throw new PolysealError("context-missing", "This file is bound to a context, and none was given.");
    return;
  }
  if (!header.hasContext) throw new PolysealError("context-unexpected", "A context was given, and this file has none.");
  if (!equalInConstantTime(await contextTag(fileKey, header.fileSalt, context), header.contextTag)) {
    throw new PolysealError("context-differs", "This file is bound to another context.");
  }
}

/** The suites that need nothing but this package. */
export const builtInSuiteNames: readonly string[] = [...Object.keys(webCryptoSuites), ...Object.keys(xaesSuites)];

/** The implementation of a suite: the caller's, one of this library, or one of `@polyseal/core`. */
async function implementationOf(name: string, suites: Suites | undefined): Promise<SuiteImplementation | undefined> {
  const here = [suites, webCryptoSuites, xaesSuites].find((some) => some !== undefined && Object.hasOwn(some, name));
  if (here !== undefined) return here[name];
  const core = await coreSuites();
  return Object.hasOwn(core, name) ? core[name] : undefined;
}

/** Whether files of the suite can be opened. */
export const isSupported = (name: string, suites: Suites | undefined): Promise<boolean> =>
  implementationOf(name, suites).then((implementation) => implementation !== undefined, () => false);

/** The cipher under the payload key of section 6. */
export async function payloadCipher(
  header: Pick<Header, "segmentSize" | "payloadOffset" | "suite" | "fileSalt">, fileKey: Uint8Array,
  context: Uint8Array | undefined, suites: Suites | undefined,
): Promise<SegmentCipher> {
  const { suite, segmentSize, payloadOffset, fileSalt } = header;
  const implementation = await implementationOf(suite.name, suites);
  if (implementation === undefined) throw unsupportedSuite(suite.name);
  const info = concat(
    ascii("polyseal-file/1 payload"), u16(version), u32(segmentSize), u64(payloadOffset), suiteField(suite), context ?? new Uint8Array(0));
  const key = await hkdf(fileKey, fileSalt, info, suite.keyLength);
  try {
    return await implementation(key);
  } catch (cause) {
    if (cause instanceof PolysealError) throw cause;
    throw new PolysealError("suite-failed", `What computes ${suite.name} could not be loaded or run.`, { cause });
  } finally {
    wipe(key);
  }
}
