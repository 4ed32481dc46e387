/** What opens a file, and what a file is encrypted for (section 3). */

import { generateIdentity, unwrapperOf, wrapperOf, type AgeUnwrapper, type AgeWrapper } from "./age.js";
import { utf8, wipe, type Bytes } from "./bytes.js";
import { invalidArgument, PolysealError } from "./errors.js";
import { importHkdfKey } from "./kdf.js";
import { keyLength } from "./key-file.js";

export interface KeyFile {
  readonly type: "key-file";
  /** The key, which WebCrypto does not give out. */
  readonly key: Promise<CryptoKey>;
}

export interface Passphrase {
  readonly type: "passphrase";
  readonly bytes: Uint8Array;
}

export interface AgeIdentity {
  readonly type: "age-identity";
  readonly unwrapper: AgeUnwrapper;
}

export interface AgeRecipient {
  readonly type: "age-recipient";
  readonly wrapper: AgeWrapper;
}

/** What opens files. */
export type Key = KeyFile | Passphrase | AgeIdentity;

/** What files are encrypted for. */
export type Recipient = KeyFile | Passphrase | AgeRecipient;

/** The key of a key file: its 32 bytes, or an HKDF key of WebCrypto with the use `deriveBits`. `parseKeyFile` reads files. */
export function keyFile(key: Uint8Array | CryptoKey): KeyFile {
  if (!(key instanceof Uint8Array)) {
    if (key.algorithm.name !== "HKDF" || !key.usages.includes("deriveBits")) throw invalidArgument("The key is no HKDF key that may derive bits.");
    return { type: "key-file", key: Promise.resolve(key) };
  }
  if (key.length !== keyLength) throw invalidArgument("The key of a key file has 32 bytes.");
  const copy: Bytes = new Uint8Array(key);
  const imported = importHkdfKey(copy).finally(() => wipe(copy));
  // Whoever uses the key gets the error. Without this line it would also count as unhandled until then.
  imported.catch(() => undefined);
  return { type: "key-file", key: imported };
}

/** A passphrase as it was typed, without the end of the line, or its bytes. Nothing is normalised. */
export function passphrase(secret: string | Uint8Array): Passphrase {
  const bytes = typeof secret === "string" ? utf8(secret, "The passphrase") : new Uint8Array(secret);
  if (bytes.length < 1 || bytes.length > 4096) throw new PolysealError("bad-passphrase", "A passphrase has 1 to 4096 bytes.");
  return { type: "passphrase", bytes };
}

export const ageIdentity = (text: string): AgeIdentity => ({ type: "age-identity", unwrapper: unwrapperOf(text.trim()) });

export const ageRecipient = (text: string): AgeRecipient => ({ type: "age-recipient", wrapper: wrapperOf(text.trim()) });

const linesOf = (text: string): string[] =>
  text.split("\n").map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("#"));

/** The identities of an identity file: one on a line, and comments that begin with `#`. At least one. */
export function parseAgeIdentities(text: string): AgeIdentity[] {
  const identities = linesOf(text).map(ageIdentity);
  if (identities.length === 0) throw new PolysealError("bad-identity", "There is no age identity in this file.");
  return identities;
}

/** The recipients of a recipients file: one on a line, and comments that begin with `#`. At least one. */
export function parseAgeRecipients(text: string): AgeRecipient[] {
  const recipients = linesOf(text).map(ageRecipient);
  if (recipients.length === 0) throw new PolysealError("bad-recipient", "There is no age recipient in this file.");
  return recipients;
}

export async function generateAgeIdentity(kind: "x25519" | "hybrid" = "x25519"): Promise<{ identity: string; recipient: string }> {
  return generateIdentity(kind);
}
