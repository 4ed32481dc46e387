/**
 * age's recipients and identities: X25519 (c2sp.org/age) and the hybrid of ML-KEM-768 and X25519 with HPKE.
 *
 * Not here: plugins, SSH keys, and age's own passphrases, which section 4 excludes; those are in age/unlock.ts. The package age-encryption is not
 * used, because it exports nothing that unwraps recipient stanzas outside an age file.
 */

import { bech32 } from "@scure/base";
import { chacha20poly1305 } from "@noble/ciphers/chacha.js";
import { expand, extract } from "@noble/hashes/hkdf.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { ml_kem768_x25519 as hybrid } from "@noble/post-quantum/hybrid.js";
import { decodeBase64, encodeBase64, type RecipientStanza } from "./age-stanzas.js";
import { ascii, concat, isZero, random, wipe, type Bytes } from "./bytes.js";
import { PolysealError } from "./errors.js";
import { hkdf } from "./kdf.js";
import { importPrivateKey, publicKeyOf } from "./x25519.js";

/** A recipient stanza of a known type that age rejects outright: the header is a bad one if nothing else opens it. */
export class RejectedStanza extends Error {}

/** Something that opens recipient stanzas: built in, or of the caller, such as a plugin or an agent. */
export interface AgeUnwrapper {
  /**
   * The key that the stanza wraps, or null if it is for somebody else. A stanza of the unwrapper's own type that is
   * malformed: an error of class {@link RejectedStanza}.
   */
  unwrap(stanza: RecipientStanza): Promise<Uint8Array | null>;
}

export interface AgeWrapper {
  readonly labels: readonly string[];
  wrap(key: Uint8Array): Promise<RecipientStanza[]>;
}

const x25519Type = "X25519";
const x25519Label = ascii("age-encryption.org/v1/X25519");
const hybridType = "mlkem768x25519";
const hybridLabel = ascii("age-encryption.org/mlkem768x25519");
const hybridKeyLength = 1216;
const hybridShareLength = 1120;
const bodyLength = 32;

/** The key in a recipient stanza of 16 + 16 bytes, or null. */
export function openBody(key: Uint8Array, nonce: Uint8Array, body: Uint8Array): Uint8Array | null {
  try {
    return chacha20poly1305(key, nonce).decrypt(body);
  } catch {
    return null;
  } finally {
    wipe(key);
  }
}

function shareOf({ type, args, body }: RecipientStanza, length: number): Uint8Array {
  const share = args.length === 1 ? decodeBase64(args[0] as string) : null;
  if (share?.length !== length || body.length !== bodyLength) throw new RejectedStanza(`a ${type} stanza is malformed`);
  return share;
}

async function x25519WrappingKey(shared: Uint8Array, share: Uint8Array, recipient: Uint8Array): Promise<Bytes> {
  return hkdf(shared, concat(share, recipient), x25519Label, 32);
}

function x25519Unwrapper(scalar: Uint8Array): AgeUnwrapper {
  const imported = importPrivateKey(scalar).finally(() => wipe(scalar));
  // The user of the key gets the error. Without this line it would also count as unhandled until then.
  imported.catch(() => undefined);
  return {
    async unwrap(stanza) {
      if (stanza.type !== x25519Type) return null;
      const share = shareOf(stanza, 32);
      const privateKey = await imported;
      const shared = await privateKey.agree(share);
      if (shared === null) throw new RejectedStanza("an X25519 share is of low order");
      const key = await x25519WrappingKey(shared, share, privateKey.publicKey);
      wipe(shared);
      return openBody(key, new Uint8Array(12), stanza.body);
    },
  };
}

function x25519Wrapper(recipient: Uint8Array): AgeWrapper {
  return {
    labels: [],
    async wrap(key) {
      const ephemeral = random(32);
      const { publicKey: share, agree } = await importPrivateKey(ephemeral);
      const shared = await agree(recipient);
      wipe(ephemeral);
      if (shared === null) throw badRecipient();
      const wrappingKey = await x25519WrappingKey(shared, share, recipient);
      const body = chacha20poly1305(wrappingKey, new Uint8Array(12)).encrypt(key);
      wipe(shared, wrappingKey);
      return [{ type: x25519Type, args: [encodeBase64(share)], body }];
    },
  };
}

/** HPKE's key schedule in base mode (RFC 9180) with KEM 0x647a, HKDF-SHA-256 and ChaCha20-Poly1305. */
function hpkeKeys(sharedSecret: Uint8Array): { key: Uint8Array; nonce: Uint8Array } {
  const suiteId = concat(ascii("HPKE"), Uint8Array.of(0x64, 0x7a, 0, 1, 0, 3));
  const empty = new Uint8Array(0);
  const labeledExtract = (salt: Uint8Array, label: string, key: Uint8Array) =>
    extract(sha256, concat(ascii("HPKE-v1"), suiteId, ascii(label), key), salt);
  const labeledExpand = (secret: Uint8Array, label: string, info: Uint8Array, length: number) =>
    expand(sha256, secret, concat(Uint8Array.of(length >> 8, length & 255), ascii("HPKE-v1"), suiteId, ascii(label), info), length);
  const context = concat(
    Uint8Array.of(0), labeledExtract(empty, "psk_id_hash", empty), labeledExtract(empty, "info_hash", hybridLabel));
  const secret = labeledExtract(sharedSecret, "secret", empty);
  const keys = { key: labeledExpand(secret, "key", context, 32), nonce: labeledExpand(secret, "base_nonce", context, 12) };
  wipe(secret);
  return keys;
}

function hybridUnwrapper(seed: Uint8Array): AgeUnwrapper {
  return {
    async unwrap(stanza) {
      if (stanza.type !== hybridType) return null;
      const share = shareOf(stanza, hybridShareLength);
      let shared: Uint8Array;
      try {
        shared = hybrid.decapsulate(share, seed);
      } catch {
        throw new RejectedStanza("a hybrid share is not valid");
      }
      const { key, nonce } = hpkeKeys(shared);
      wipe(shared);
      return openBody(key, nonce, stanza.body);
    },
  };
}

function hybridWrapper(recipient: Uint8Array): AgeWrapper {
  return {
    labels: ["postquantum"],
    async wrap(key) {
      const { cipherText: share, sharedSecret } = hybrid.encapsulate(recipient);
      const keys = hpkeKeys(sharedSecret);
      const body = chacha20poly1305(keys.key, keys.nonce).encrypt(key);
      wipe(sharedSecret, keys.key);
      return [{ type: hybridType, args: [encodeBase64(share)], body }];
    },
  };
}

function decodeBech32(text: string): { prefix: string; bytes: Uint8Array } | null {
  try {
    const { prefix, words } = bech32.decode(text as `${string}1${string}`, false);
    return { prefix, bytes: bech32.fromWords(words) };
  } catch {
    return null;
  }
}

const encodeBech32 = (prefix: string, bytes: Uint8Array): string => bech32.encode(prefix, bech32.toWords(bytes), false);

const badIdentity = (what: string): PolysealError => new PolysealError("bad-identity", what);

/** `AGE-SECRET-KEY-1…` or `AGE-SECRET-KEY-PQ-1…`. */
export function unwrapperOf(identity: string): AgeUnwrapper {
  if (/^AGE-PLUGIN-/i.test(identity)) throw badIdentity("Identities of age plugins are not supported here.");
  const decoded = decodeBech32(identity);
  if (decoded !== null && identity === identity.toUpperCase() && decoded.bytes.length === 32) {
    if (decoded.prefix.toUpperCase() === "AGE-SECRET-KEY-") return x25519Unwrapper(decoded.bytes);
    if (decoded.prefix.toUpperCase() === "AGE-SECRET-KEY-PQ-") return hybridUnwrapper(decoded.bytes);
  }
  throw badIdentity("This is not an age identity, which begins with AGE-SECRET-KEY-.");
}

const badRecipient = (): PolysealError =>
  new PolysealError("bad-recipient", "This is not an age recipient of a supported type, which begins with age1 and is complete.");

/** `age1…` or `age1pq1…`. */
export function wrapperOf(recipient: string): AgeWrapper {
  const decoded = decodeBech32(recipient);
  if (decoded !== null && recipient === recipient.toLowerCase()) {
    if (decoded.prefix === "age" && decoded.bytes.length === 32 && !isZero(decoded.bytes)) return x25519Wrapper(decoded.bytes);
    if (decoded.prefix === "age1pq" && decoded.bytes.length === hybridKeyLength) return hybridWrapper(decoded.bytes);
  }
  throw badRecipient();
}

/** A new identity and its recipient. */
export function generateIdentity(kind: "x25519" | "hybrid"): { identity: string; recipient: string } {
  const seed = random(32);
  const generated = kind === "hybrid"
    ? {
        identity: encodeBech32("age-secret-key-pq-", seed).toUpperCase(),
        recipient: encodeBech32("age1pq", hybrid.keygen(seed).publicKey),
      }
    : { identity: encodeBech32("age-secret-key-", seed).toUpperCase(), recipient: encodeBech32("age", publicKeyOf(seed)) };
  wipe(seed);
  return generated;
}
