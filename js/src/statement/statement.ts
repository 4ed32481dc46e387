/**
 * Statements about encrypted files (docs/spec/statement.md): a file that an allowed signer has signed opens as it was
 * signed, and nothing of a segment is given out before that segment was compared.
 *
 * Limits: a signature is an endorsement. Who can open a file can leave out its statement, and sign another one.
 */

import { blake3 } from "@noble/hashes/blake3.js";
import { ascii, asciiText, concat, equalInConstantTime, isZero, type Bytes } from "../bytes.js";
import { invalidArgument, PolysealError } from "../errors.js";
import { optionsGiven, textGiven } from "../given.js";
import { isSegmentSize, type Header } from "../header.js";
import { readHeader, type HeaderOptions } from "../inspect.js";
import { hkdf } from "../kdf.js";
import { payloadLeaf, payloadNode, rootOf, treeHash } from "../manifest.js";
import { toSource, type Source, type SourceLike } from "../source.js";
import { suiteNamed, type Suite } from "../suites.js";
import { acceptedName, parseSigners } from "./signers.js";
import { parseSshSignature, sshFingerprint, verifiesSsh } from "./ssh-signature.js";

/** The signatures that a file must have. */
export interface SignedOptions {
  /** A list of allowed signers, as ssh-keygen reads it. Only a file that one of them has signed is opened. */
  signers?: string | undefined;
  /** Only by the signer of this name. */
  by?: string | undefined;
  /** The statement about the file, which is kept beside it as `….sig`. It is nothing without `signers`. */
  statement?: SourceLike | undefined;
}

/** The signer whose signature was accepted. */
export interface Signer {
  /** The names that the list has for the key, or the one that was asked for. */
  readonly principal: string;
  /** The fingerprint of the key, as `SHA256:…`. */
  readonly fingerprint: string;
  /** When the file was signed, as the signer says: in seconds since 1970. */
  readonly time: bigint;
}

/** Looks at a segment as it stands in the file, before it is opened. */
export type SegmentCheck = (segment: number, stored: Uint8Array, isLast: boolean) => void;

interface Statement {
  readonly fileSalt: Uint8Array;
  readonly suite: Suite;
  readonly segmentSize: number;
  readonly payloadLength: bigint;
  readonly payloadRoot: Uint8Array;
  readonly contextTag: Uint8Array;
  readonly isBoundToHeader: boolean;
  readonly bound: Uint8Array;
  readonly time: bigint;
}

const namespace = "polyseal";
const begin = "-----BEGIN SSH SIGNATURE-----\n";
const end = "-----END SSH SIGNATURE-----\n";
/** A text and its signatures have no more bytes. */
const maximumLength = 65536;
/** The leaves of a group, which have one path. */
const groupLength = 32;
/** The groups that are kept. */
const maximumGroups = 64;
/** The bytes of segments that are compared at once, if no key is there. */
const batchLength = 1048576;

const damaged = (): PolysealError => new PolysealError("bad-statement", "The statement about the file is damaged.");

const badSignature = (): PolysealError => new PolysealError("bad-signature", "The statement about the file has no signature that can be read.");

const badHashes = (): PolysealError => new PolysealError("bad-hashes", "The statement does not have the hashes of what was signed.");

const otherFile = (): PolysealError => new PolysealError("other-file", "The statement is about another file.");

const notAsSigned = (segment: number): PolysealError =>
  new PolysealError("not-as-signed", `Segment ${segment} is not the one that was signed.`, { segment });

/** The file as it was signed, or null if nobody asked for a signature. `now` is in milliseconds since 1970. */
export async function acceptStatement(options: SignedOptions & { signal?: AbortSignal | undefined }, now = Date.now()): Promise<Coverage | null> {
  const { signers, by, statement: stored, signal } = options;
  if (signers === undefined) {
    if (by !== undefined || stored !== undefined) throw invalidArgument('A statement says nothing without the option "signers", which says whose signature counts.');
    return null;
  }
  const lines = parseSigners(textGiven(signers, "A list of signers"));
  if (by !== undefined) textGiven(by, "The name of a signer");
  if (stored === undefined) throw new PolysealError("no-statement", "The file has no statement that somebody has signed.");
  const source = await toSource(stored, signal);
  const start = new Uint8Array(await source.read(0, Math.min(maximumLength, source.size), signal));
  const { text, signatures, length } = split(asciiText(start));
  const statement = parseText(text);
  const parsed = signatures.map(parseSshSignature);
  for (const signature of parsed) if (signature === null) throw badSignature();
  for (const signature of parsed) {
    if (signature === null) continue;
    const principal = acceptedName(lines, signature.key, namespace, by, now);
    // Only a key that is in the list is computed with.
    if (principal === null || !await verifiesSsh(signature, namespace, start.subarray(0, text.length))) continue;
    const signer = { principal, fingerprint: await sshFingerprint(signature.key), time: statement.time };
    return new Coverage(statement, signer, source, length);
  }
  throw new PolysealError("not-accepted", "No signature of the file is one of an allowed signer.");
}

/** The text, the signatures without their first and last lines, and the length of both. */
function split(start: string): { text: string; signatures: string[]; length: number } {
  let length = start.indexOf(begin);
  if (length < 0) throw badSignature();
  const text = start.slice(0, length);
  const signatures: string[] = [];
  while (start.startsWith(begin, length)) {
    const at = length + begin.length;
    const behind = start.indexOf(end, at);
    if (behind < 0) throw badSignature();
    signatures.push(start.slice(at, behind));
    length = behind + end.length;
  }
  return { text, signatures, length };
}

const [hashForm, numberForm] = ["([0-9a-f]{64})", "(0|[1-9][0-9]*)"];

/** The one spelling of version 1. */
const textForm = new RegExp([
  "^polyseal-statement 1", `file-salt ${hashForm}`, "suite ([^\n]+)", `segment-bytes ${numberForm}`, `payload-bytes ${numberForm}`, `payload-root ${hashForm}`,
  `context-tag ${hashForm}`, `(holder|header) ${hashForm}`, `time ${numberForm}`, "$",
].join("\n"));

const unhex = (digits: string): Bytes => Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16));

function parseText(text: string): Statement {
  const version = /^polyseal-statement ([0-9]+)\n/.exec(text)?.[1] ?? "1";
  if (version !== "1") throw new PolysealError("unsupported-statement-version", "The statement about the file has a version that is not known here.");
  const fields = textForm.exec(text)?.slice(1);
  if (fields === undefined) throw damaged();
  const [fileSalt, suiteName, segmentBytes, payloadBytes, payloadRoot, contextTag, binding, bound, time] = fields as [string, string, string, string, string, string, string, string, string];
  const suite = suiteNamed(suiteName);
  const segmentSize = Number(segmentBytes);
  if (suite === undefined || !isSegmentSize(segmentSize) || [payloadBytes, time].some((digits) => BigInt(digits) >= 2n ** 64n)) throw damaged();
  return {
    fileSalt: unhex(fileSalt), suite, segmentSize, payloadLength: BigInt(payloadBytes), payloadRoot: unhex(payloadRoot), contextTag: unhex(contextTag),
    isBoundToHeader: binding === "header", bound: unhex(bound), time: BigInt(time),
  };
}

/** A file as an allowed signer has signed it. */
export class Coverage {
  readonly signer: Signer;
  readonly #statement: Statement;
  readonly #source: Source;
  /** Where the hashes begin. */
  readonly #offset: number;
  /** A whole segment as it stands in the file. */
  readonly #stored: number;
  readonly #segments: number;
  readonly #groups = new Map<number, Uint8Array>();

  constructor(statement: Statement, signer: Signer, source: Source, offset: number) {
    this.signer = signer;
    this.#statement = statement;
    this.#source = source;
    this.#offset = offset;
    this.#stored = statement.segmentSize + statement.suite.tagLength;
    const stored = BigInt(this.#stored);
    this.#segments = Math.max(1, Number((statement.payloadLength + stored - 1n) / stored));
    const length = this.#segments === 1 ? 0 : 32 * (this.#segments + this.#groupCount * this.#levels);
    if (source.size - offset !== length) throw badHashes();
  }

  get #groupCount(): number {
    return Math.ceil(this.#segments / groupLength);
  }

  /** The levels above the groups: so many hashes are behind the leaves of each. */
  get #levels(): number {
    let levels = 0;
    while (2 ** levels < this.#groupCount) levels++;
    return levels;
  }

  checkHeader(header: Header): void {
    const { fileSalt, suite, segmentSize, contextTag, isBoundToHeader, bound } = this.#statement;
    const isSame = equalInConstantTime(fileSalt, header.fileSalt) && suite === header.suite && segmentSize === header.segmentSize
      && equalInConstantTime(contextTag, header.contextTag);
    if (!isSame || (isBoundToHeader && !equalInConstantTime(bound, blake3(header.bytes, { context: ascii("polyseal-statement/1 header") })))) throw otherFile();
  }

  /** The same of a header that has opened with this file key. */
  async checkKey(header: Header, fileKey: Uint8Array): Promise<void> {
    if (this.#statement.isBoundToHeader) return;
    const holder = await hkdf(fileKey, header.fileSalt, concat(ascii("polyseal-statement/1 holder"), header.boundFields), 32);
    if (!equalInConstantTime(holder, this.#statement.bound)) throw otherFile();
  }

  /** The check of the segments from `first` to before `behind`, whose hashes are read now. */
  async check(first: number, behind: number, signal?: AbortSignal): Promise<SegmentCheck> {
    const groups = new Map<number, Uint8Array>();
    if (this.#segments > 1) {
      for (let group = Math.floor(first / groupLength); group * groupLength < Math.min(behind, this.#segments); group++) groups.set(group, await this.#group(group, signal));
    }
    return (segment, stored, isLast) => {
      const isIt = segment < this.#segments && isLast === (segment === this.#segments - 1)
        && (!isLast || BigInt(segment * this.#stored + stored.length) === this.#statement.payloadLength);
      if (!isIt || !this.#isLeaf(segment, payloadLeaf(stored), groups.get(Math.floor(segment / groupLength)))) throw notAsSigned(segment);
    };
  }

  #isLeaf(segment: number, leaf: Uint8Array, group: Uint8Array | undefined): boolean {
    if (this.#segments === 1) return equalInConstantTime(rootOf(leaf, 1), this.#statement.payloadRoot);
    const at = 32 * (segment % groupLength);
    return group !== undefined && equalInConstantTime(leaf, group.subarray(at, at + 32));
  }

  /** The leaves of a group, which give the payload root. */
  async #group(group: number, signal: AbortSignal | undefined): Promise<Uint8Array> {
    const known = this.#groups.get(group);
    if (known !== undefined) return known;
    const leaves = 32 * Math.min(groupLength, this.#segments - group * groupLength);
    const start = this.#offset + group * 32 * (groupLength + this.#levels);
    // In memory of their own: nobody can change them when they have been compared.
    const hashes = new Uint8Array(await this.#source.read(start, start + leaves + 32 * this.#levels, signal));
    let path = hashes.subarray(leaves);
    let hash = treeHash(hashes.subarray(0, leaves));
    for (let at = group, width = this.#groupCount; width > 1; at = Math.floor(at / 2), width = Math.ceil(width / 2)) {
      // The last of an odd number has no sibling.
      if (at % 2 === 0 && at + 1 === width) continue;
      const sibling = path.subarray(0, 32);
      hash = at % 2 === 0 ? payloadNode(hash, sibling) : payloadNode(sibling, hash);
      path = path.subarray(32);
    }
    if (!equalInConstantTime(rootOf(hash, this.#segments), this.#statement.payloadRoot) || !isZero(path)) throw badHashes();
    if (this.#groups.size >= maximumGroups) this.#groups.delete(this.#groups.keys().next().value as number);
    this.#groups.set(group, hashes.subarray(0, leaves));
    return hashes.subarray(0, leaves);
  }

  /** Compares all of a payload. */
  async compare(payload: Source, payloadStart: number, signal: AbortSignal | undefined): Promise<void> {
    const perBatch = Math.max(1, Math.floor(batchLength / this.#stored));
    const length = payload.size - payloadStart;
    const segments = Math.max(1, Math.ceil(length / this.#stored));
    for (let first = 0; first < segments; first += perBatch) {
      const behind = Math.min(first + perBatch, segments);
      const check = await this.check(first, behind, signal);
      const begin = first * this.#stored;
      const stored = await payload.read(payloadStart + begin, payloadStart + Math.min(behind * this.#stored, length), signal);
      for (let i = first; i < behind; i++) check(i, stored.subarray(i * this.#stored - begin, (i + 1) * this.#stored - begin), i === segments - 1);
    }
  }
}

export interface VerifyOptions extends SignedOptions, Pick<HeaderOptions, "header" | "armor" | "signal"> {
  signers: string;
}

/**
 * Compares a stored file with its statement. No key is needed: whether the file opens, and to what, is not known then, nor
 * who can open it if the statement is bound to its key.
 */
export async function verifySigned(source: SourceLike, options: VerifyOptions): Promise<Signer> {
  const { signal } = optionsGiven(options);
  const coverage = await acceptStatement(options);
  if (coverage === null) throw invalidArgument('The option "signers" says whose signature counts, and is missing.');
  const { header, payload, payloadStart } = await readHeader(source, options);
  coverage.checkHeader(header);
  await coverage.compare(payload, payloadStart, signal);
  return coverage.signer;
}

/** Refuses signers where nothing is signed: a caller would take for signed what is not. */
export function withoutSigners(options: object, what: string): void {
  if ((options as SignedOptions).signers !== undefined) throw invalidArgument(`${what} has no statement, so that it does not open with signers.`);
}
