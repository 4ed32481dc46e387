/** Making headers: stanzas (section 4), their MAC (section 5), and new recipients for a payload (section 7). */

import { formatAgeContents, type RecipientStanza } from "./age-stanzas.js";
import { ascii, concat, isZero, random, u16, u32, u64, wipe, type Bytes } from "./bytes.js";
import { invalidArgument, PolysealError } from "./errors.js";
import {
  boundFields, countRecipients, fixedFieldsLength, headerUnit, macLength, magic, maximumHeaderLength, maximumRecipients, maximumSegmentSize,
  minimumSegmentSize, parseHeader, stanzaType, version, type Header, type Stanza,
} from "./header.js";
import { bytesGiven, listGiven, optionsGiven, textGiven, type BytesLike } from "./given.js";
import { readHeader } from "./inspect.js";
import { argon2id, hmac } from "./kdf.js";
import { keysGiven, recipientsGiven, type AgeRecipient, type Key, type Recipient } from "./keys.js";
import type { OpenOptions } from "./open.js";
import type { SourceLike } from "./source.js";
import { suiteByName, suiteField, type Suite } from "./suites.js";
import { checkContext, contextBytes, contextTag, headerMacKey, stanzaKeys, unlock, xor, type WrappingKey } from "./unlock.js";

/** The second recommended option of RFC 9106. */
const cost = { memory: 65536, passes: 3, lanes: 4 };

/** The bytes that a new header leaves free, so that recipients can be added later. */
const spareRoom = 2048;

const invalidRecipients = (what: string): PolysealError => new PolysealError("invalid-recipients", what);

/** The rules for recipients that can be seen before anything is computed. */
export function checkRecipients(recipients: readonly Recipient[], kept: readonly Stanza[] = []): void {
  const all = recipients.length + kept.length;
  if (all === 0) throw invalidRecipients("A file needs at least one recipient.");
  if (recipients.length + countRecipients(kept) > maximumRecipients) throw tooManyRecipients();
  const withPassphrase = recipients.some(({ type }) => type === "passphrase") || kept.some(({ type }) => type === "passphrase");
  if (withPassphrase && all > 1) throw invalidRecipients("A passphrase stands alone: no other recipient can open the same file.");
  const labels = new Set([
    ...recipients.flatMap((recipient) => (recipient.type === "age-recipient" ? [labelsOf(recipient)] : [])),
    ...kept.flatMap((stanza) => (stanza.type === "age" ? [stanza.age.labels.join(" ")] : [])),
  ]);
  if (labels.size > 1) throw invalidRecipients("Post-quantum recipients of age cannot be mixed with others of age, which would make the file less secure.");
}

const labelsOf = ({ wrapper }: AgeRecipient): string => [...new Set(wrapper.labels)].sort().join(" ");

/** A stanza before it wraps a file key and is bound to a header. */
interface Prepared {
  type: number;
  salt: Bytes;
  wrappingKey: WrappingKey;
  contents: Uint8Array;
}

const lengthOf = ({ contents }: Prepared): number => 108 + contents.length;

async function prepareStanzas(recipients: readonly Recipient[]): Promise<Prepared[]> {
  const stanzas: Prepared[] = [];
  const age: AgeRecipient[] = [];
  for (const recipient of recipients) {
    const salt = random(32);
    if (recipient.type === "age-recipient") {
      age.push(recipient);
    } else if (recipient.type === "key-file") {
      stanzas.push({ type: stanzaType.keyFile, salt, wrappingKey: await recipient.key, contents: new Uint8Array(0) });
    } else {
      const contents = concat(u32(cost.memory), u32(cost.passes), u32(cost.lanes));
      stanzas.push({ type: stanzaType.passphrase, salt, wrappingKey: await argon2id(recipient.bytes, salt, cost), contents });
    }
  }
  if (age.length > 0) stanzas.push(await prepareAgeStanza(age));
  return stanzas;
}

/** One age stanza for all of the recipients. */
async function prepareAgeStanza(recipients: readonly AgeRecipient[]): Promise<Prepared> {
  const wrappingKey = random(16);
  const wrapped: RecipientStanza[] = [];
  for (const { wrapper } of recipients) {
    for (const { type, args, body } of listGiven(await wrapper.wrap(wrappingKey), "Recipient stanzas")) {
      const texts = listGiven(args, "The arguments of a recipient stanza").map((text) => textGiven(text, "An argument of a recipient stanza"));
      wrapped.push({ type: textGiven(type, "The type of a recipient stanza"), args: texts, body: bytesGiven(body, "The body of a recipient stanza") });
    }
  }
  if (wrapped.length > maximumRecipients) throw tooManyRecipients();
  const labels = labelsOf(recipients[0] as AgeRecipient).split(" ").filter((label) => label !== "");
  return { type: stanzaType.age, salt: random(32), wrappingKey, contents: formatAgeContents({ labels, recipients: wrapped }) };
}

/** The stanzas, wrapping the file key, in a header whose bound fields are `fields`. Their wrapping keys are wiped. */
async function wrapIn(fields: Uint8Array, fileKey: Uint8Array, prepared: readonly Prepared[]): Promise<Bytes[]> {
  return Promise.all(prepared.map(async ({ type, salt, wrappingKey, contents }) => {
    const { id, pad, macKey } = await stanzaKeys(wrappingKey, salt, type);
    const authenticated = concat(u16(type), u16(104 + contents.length), salt, id, xor(fileKey, pad), contents);
    const tag = await hmac(macKey, concat(fields, authenticated));
    wipe(pad, macKey, wrappingKey instanceof Uint8Array ? wrappingKey : undefined);
    return concat(authenticated, tag);
  }));
}

const tooManyRecipients = (): PolysealError => invalidRecipients("A file has at most 128 recipients.");

const tooManyToFit = (): PolysealError => new PolysealError("header-full", "So many recipients do not fit in the header.");

/** A whole header of `payloadOffset` bytes, which the library itself can read. */
async function assemble(fixedFields: Uint8Array, stanzas: readonly Uint8Array[], payloadOffset: number, fileKey: Uint8Array): Promise<Header> {
  const bytes = new Uint8Array(payloadOffset);
  bytes.set(concat(fixedFields, ...stanzas));
  bytes.set(u16(stanzas.length), 10);
  const macKey = await headerMacKey(fileKey, fixedFields.subarray(32, 64));
  bytes.set(await hmac(macKey, bytes.subarray(0, payloadOffset - macLength)), payloadOffset - macLength);
  wipe(macKey);
  return parseHeader(bytes);
}

export interface HeaderChoices {
  suite: Suite;
  segmentSize: number;
  /** The least length of the header. */
  headerSize: number;
  context: Uint8Array | undefined;
}

export interface FileOptions {
  /** The context that the file is bound to. Without the same one it does not open. */
  context?: string | BytesLike | undefined;
  /** A power of two from 4096 to 16777216. By default 65536. */
  segmentSize?: number | undefined;
  /** By default `aes-256-gcm`, which every reader can open. */
  suite?: string | undefined;
  /** A multiple of 4096 up to 65536 to reserve for the header, so that recipients can be added later. By default 4096. */
  headerSize?: number | undefined;
}

export function headerChoices(options: FileOptions): HeaderChoices {
  const { segmentSize = 65536, headerSize = headerUnit, suite = "aes-256-gcm" } = optionsGiven(options);
  if (!Number.isInteger(segmentSize) || !Number.isInteger(Math.log2(segmentSize)) || segmentSize < minimumSegmentSize || segmentSize > maximumSegmentSize) {
    throw invalidArgument("A segment size is a power of two from 4096 to 16777216.");
  }
  if (!Number.isInteger(headerSize) || headerSize % headerUnit !== 0 || headerSize < headerUnit || headerSize > maximumHeaderLength) {
    throw invalidArgument("The length of a header is a multiple of 4096 from 4096 to 65536.");
  }
  return { suite: suiteByName(suite), segmentSize, headerSize, context: contextBytes(options.context) };
}

/** A header for a new file, and its file key. The caller wipes the key. */
export async function makeHeader(recipients: readonly Recipient[], choices: HeaderChoices): Promise<{ header: Header; fileKey: Bytes }> {
  const { suite, segmentSize, context } = choices;
  const fileKey = random(32);
  const fileSalt = random(32);
  const tag = context === undefined ? new Uint8Array(32) : await contextTag(fileKey, fileSalt, context);
  if (context !== undefined && isZero(tag)) throw new Error("a context tag of zeros");
  const prepared = await prepareStanzas(recipients);
  const payloadOffset = Math.max(choices.headerSize, offsetFor(prepared));
  const fields = concat(
    ascii(magic), u16(version), u16(0), u32(segmentSize), u64(payloadOffset), new Uint8Array(8), fileSalt, suiteField(suite), tag);
  const stanzas = await wrapIn(boundFields(fields), fileKey, prepared);
  return { header: await assemble(fields, stanzas, payloadOffset, fileKey), fileKey };
}

/** The smallest length of a header that leaves the spare room, or the greatest one if that holds the stanzas. */
function offsetFor(stanzas: readonly Prepared[]): number {
  const used = stanzas.reduce((sum, stanza) => sum + lengthOf(stanza), fixedFieldsLength + macLength);
  if (used > maximumHeaderLength) throw tooManyToFit();
  return Math.min(maximumHeaderLength, Math.ceil((used + spareRoom) / headerUnit) * headerUnit);
}

export interface ChangeOptions extends OpenOptions {
  /** Whether those who can open the file now still can. */
  keep?: boolean | undefined;
}

/**
 * Another header for the same payload, as long as the old one, to be put in its place. A context need not be known; one
 * that is given is checked.
 *
 * This does not revoke: anyone who could open the file may have kept its file key, and an old header stays valid.
 */
export async function changeRecipients(
  source: SourceLike, keys: readonly Key[], recipients: readonly Recipient[], options: ChangeOptions = {},
): Promise<Bytes> {
  const [mayOpen, shallOpen] = [keysGiven(keys), recipientsGiven(recipients)];
  const { header, wasArmor } = await readHeader(source, options);
  if (wasArmor) throw invalidArgument("This file is ASCII armour, which a new header would damage. Decode it first.");
  const kept = options.keep === true ? header.stanzas : [];
  checkRecipients(shallOpen, kept);
  const fileKey = await unlock(header, mayOpen, options.signal);
  try {
    if (options.context !== undefined) await checkContext(header, fileKey, contextBytes(options.context));
    const prepared = await prepareStanzas(shallOpen);
    const stanzas = [...kept.map(({ bytes }) => bytes), ...await wrapIn(header.boundFields, fileKey, prepared)];
    const used = stanzas.reduce((sum, { length }) => sum + length, fixedFieldsLength + macLength);
    if (used > header.payloadOffset) throw tooManyToFit();
    const changed = await assemble(header.bytes.subarray(0, fixedFieldsLength), stanzas, header.payloadOffset, fileKey);
    return new Uint8Array(changed.bytes);
  } finally {
    wipe(fileKey);
  }
}
