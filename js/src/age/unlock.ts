/** The file key of an age file: from the stanza of a passphrase, or those of identities. */

import { openBody, RejectedStanza } from "../age.js";
import { decodeBase64, type RecipientStanza } from "../age-stanzas.js";
import { ascii, concat, wipe } from "../bytes.js";
import { badHeader, PolysealError } from "../errors.js";
import { bytesGiven } from "../given.js";
import { scrypt } from "../kdf.js";
import type { AgeIdentity, Key, Passphrase } from "../keys.js";
import { isAuthentic, type AgeHeader } from "./header.js";

/** The logarithm of the most work that a passphrase may take: 1 GiB. age makes files with 18. */
export const maximumWorkFactor = 20;

/** How often identities are tried on stanzas at most, as a header has room for ten thousand. */
const maximumTries = 32768;
const fileKeyLength = 16;
const saltLength = 16;
const bodyLength = 32;

const noMatch = (what: string): PolysealError => new PolysealError("no-matching-key", what);

/** The file key of a header, which is authentic then. The caller wipes it. */
export async function unlockAge(header: AgeHeader, keys: readonly Key[], signal?: AbortSignal): Promise<Uint8Array> {
  const passphrase = header.recipients.find(({ type }) => type === "scrypt");
  const fileKey = passphrase === undefined
    ? await withIdentities(header.recipients, keys.filter((key) => key.type === "age-identity"), signal)
    : await withPassphrases(passphrase, keys.filter((key) => key.type === "passphrase"), signal);
  if (await isAuthentic(header, fileKey)) return fileKey;
  wipe(fileKey);
  throw new PolysealError("header-not-authentic", "The header is not authentic: it has been damaged or altered.");
}

async function withPassphrases(stanza: RecipientStanza, passphrases: readonly Passphrase[], signal: AbortSignal | undefined): Promise<Uint8Array> {
  const { salt, workFactor } = parseScrypt(stanza);
  if (passphrases.length === 0) throw noMatch("This file opens with a passphrase, and none was given.");
  for (const { bytes } of passphrases) {
    const fileKey = openBody(await scrypt(bytes, concat(ascii("age-encryption.org/v1/scrypt"), salt), workFactor), new Uint8Array(12), stanza.body);
    signal?.throwIfAborted();
    if (fileKey !== null) return fileKey;
  }
  throw noMatch("The passphrase is wrong.");
}

/** A stanza of a passphrase in its one form, whose work is within the limit. */
function parseScrypt({ args, body }: RecipientStanza): { salt: Uint8Array; workFactor: number } {
  const [saltText = "", work = ""] = args;
  const salt = decodeBase64(saltText);
  if (args.length !== 2 || salt?.length !== saltLength || !/^[1-9][0-9]*$/.test(work) || body.length !== bodyLength) {
    throw badHeader("the stanza of its passphrase is malformed");
  }
  const workFactor = Number(work);
  if (workFactor > maximumWorkFactor) {
    throw new PolysealError("too-much-work", `The passphrase of this file takes more than 2^${maximumWorkFactor} units of scrypt: so many are not computed here.`);
  }
  return { salt, workFactor };
}

async function withIdentities(stanzas: readonly RecipientStanza[], identities: readonly AgeIdentity[], signal: AbortSignal | undefined): Promise<Uint8Array> {
  if (stanzas.length * identities.length > maximumTries) {
    throw new PolysealError("too-much-work", "The header has more recipients than these identities are tried on.");
  }
  let rejected = false;
  for (const { unwrapper } of identities) {
    // As age does: an identity is done at the first stanza that it opens or rejects.
    try {
      for (const stanza of stanzas) {
        signal?.throwIfAborted();
        const unwrapped = await unwrapper.unwrap(stanza);
        if (unwrapped === null) continue;
        const fileKey = bytesGiven(unwrapped, "What a recipient stanza wraps");
        if (fileKey.length === fileKeyLength) return fileKey;
        throw new RejectedStanza("a file key has another length");
      }
    } catch (error) {
      if (!(error instanceof RejectedStanza)) throw error;
      rejected = true;
    }
  }
  if (rejected) throw badHeader("it has a recipient that age does not accept");
  throw noMatch(identities.length === 0 ? "No age identity was given." : "This file is for other recipients.");
}
