/** The keys that open a file, and its recipients (section 3). */

import { generateIdentity, unwrapperOf, wrapperOf, type AgeUnwrapper, type AgeWrapper } from "./age.js";
import { wipe, type Bytes } from "./bytes.js";
import { invalidArgument, PolysealError } from "./errors.js";
import { asBytes, hasMethods, kindOf, listGiven, textGiven, textOrBytes, type BytesLike } from "./given.js";
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

/** A key that opens files. */
export type Key = KeyFile | Passphrase | AgeIdentity;

/** A recipient of files. */
export type Recipient = KeyFile | Passphrase | AgeRecipient;

/** The key of a key file: its 32 bytes, or an HKDF key of WebCrypto with the use `deriveBits`. `parseKeyFile` reads files. */
export function keyFile(key: BytesLike | CryptoKey): KeyFile {
  const bytes = asBytes(key);
  if (bytes === undefined) {
    if (!isCryptoKey(key)) throw invalidArgument(`The key of a key file is given as 32 bytes (Uint8Array) or as a CryptoKey, and not as ${kindOf(key)}. parseKeyFile reads key files.`);
    if (key.algorithm.name !== "HKDF" || !key.usages.includes("deriveBits")) throw invalidArgument("The key is no HKDF key that may derive bits.");
    return { type: "key-file", key: Promise.resolve(key) };
  }
  if (bytes.length !== keyLength) throw invalidArgument("The key of a key file has 32 bytes.");
  const copy: Bytes = new Uint8Array(bytes);
  const imported = importHkdfKey(copy).finally(() => wipe(copy));
  // The user of the key gets the error. Without this line it would also count as unhandled until then.
  imported.catch(() => undefined);
  return { type: "key-file", key: imported };
}

const isCryptoKey = (value: unknown): value is CryptoKey =>
  typeof value === "object" && value !== null && typeof (value as CryptoKey).algorithm?.name === "string" && Array.isArray((value as CryptoKey).usages);

/** A passphrase as it was typed, without the end of the line, or its bytes. Nothing is normalised. */
export function passphrase(secret: string | BytesLike): Passphrase {
  const bytes = textOrBytes(secret, "The passphrase");
  if (bytes.length < 1 || bytes.length > 4096) throw new PolysealError("bad-passphrase", "A passphrase has 1 to 4096 bytes.");
  return { type: "passphrase", bytes };
}

export const ageIdentity = (text: string): AgeIdentity => ({ type: "age-identity", unwrapper: unwrapperOf(textGiven(text, "An age identity").trim()) });

export const ageRecipient = (text: string): AgeRecipient => ({ type: "age-recipient", wrapper: wrapperOf(textGiven(text, "An age recipient").trim()) });

const linesOf = (text: string): string[] =>
  text.split("\n").map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("#"));

/** The identities of an identity file: one on a line, and comments that begin with `#`. At least one. */
export function parseAgeIdentities(text: string): AgeIdentity[] {
  const identities = linesOf(textGiven(text, "An identity file")).map(ageIdentity);
  if (identities.length === 0) throw new PolysealError("bad-identity", "There is no age identity in this file.");
  return identities;
}

/** The recipients of a recipients file: one on a line, and comments that begin with `#`. At least one. */
export function parseAgeRecipients(text: string): AgeRecipient[] {
  const recipients = linesOf(textGiven(text, "A file of recipients")).map(ageRecipient);
  if (recipients.length === 0) throw new PolysealError("bad-recipient", "There is no age recipient in this file.");
  return recipients;
}

export async function generateAgeIdentity(kind: "x25519" | "hybrid" = "x25519"): Promise<{ identity: string; recipient: string }> {
  if (kind !== "x25519" && kind !== "hybrid") throw invalidArgument("An age identity is of the kind x25519 or hybrid.");
  return generateIdentity(kind);
}

const makers = "keyFile, passphrase, ageIdentity or ageRecipient";

/** Whether a key or a recipient is complete, by its type. It may be the caller's own object. */
const isComplete: Record<string, (value: never) => boolean> = {
  "key-file": ({ key }: KeyFile) => isCryptoKey(key) || hasMethods(key, "then"),
  "passphrase": ({ bytes }: Passphrase) => asBytes(bytes) !== undefined && bytes.length >= 1 && bytes.length <= 4096,
  "age-identity": ({ unwrapper }: AgeIdentity) => hasMethods(unwrapper, "unwrap"),
  "age-recipient": ({ wrapper }: AgeRecipient) => hasMethods(wrapper, "wrap") && Array.isArray(wrapper.labels) && wrapper.labels.every((label) => typeof label === "string"),
};

function checkAll<T extends Key | Recipient>(list: readonly T[], what: string, foreign: string, advice: string): readonly T[] {
  return listGiven(list, what, "[key]").map((one) => {
    const type: unknown = typeof one === "object" && one !== null ? one.type : undefined;
    if (type === foreign) throw invalidArgument(advice);
    if (typeof type !== "string" || !Object.hasOwn(isComplete, type) || isComplete[type]?.(one as never) !== true) {
      throw invalidArgument(`${what} are made by ${makers}. One of these is ${type === undefined ? kindOf(one) : "none of those"}.`);
    }
    return one.type === "passphrase" ? { ...one, bytes: asBytes(one.bytes) as Uint8Array } : one;
  });
}

/** Keys of a caller, to open with. */
export const keysGiven = (keys: readonly Key[]): readonly Key[] =>
  checkAll(keys, "Keys", "age-recipient", "A recipient of age does not open files: give the identity that belongs to it.");

/** Recipients of a caller, to encrypt for. */
export const recipientsGiven = (recipients: readonly Recipient[]): readonly Recipient[] =>
  checkAll(recipients, "Recipients", "age-identity", "An identity of age is for opening: encrypt for the recipient that belongs to it.");
