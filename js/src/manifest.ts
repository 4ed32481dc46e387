/** The manifest of an encrypted tree (docs/spec/manifest.md, sections 2 to 6, 9 and 10): its plaintext, and what it binds. */

import { blake3 } from "@noble/hashes/blake3.js";
import { ascii, asciiText, byteText, concat, isZero, readI64, readU16, readU32, readU64, u64, utf8Text, type Bytes } from "./bytes.js";
import { PolysealError } from "./errors.js";
import { boundFields } from "./header.js";
import { hkdf } from "./kdf.js";

/** The runs that an entry is of. Before version 3 every entry is `new`. */
export type EntryState =
  /** As the run that made the manifest found it. */
  | "new"
  /** A file that has not changed since the run that encrypted it. */
  | "unchanged"
  /** It could not be taken. What an earlier run has taken of it is kept. */
  | "failed"
  /** It has been deleted since, and is no contents of the tree. */
  | "deleted";

/** Why something could not be taken. */
export type FailureReason = "permission-denied" | "unreadable" | "not-written" | "unsupported-type" | "changed" | "unsuitable-name" | "unknown";

interface EntryFields {
  /** The path in the tree, of any encoding. */
  readonly path: Uint8Array;
  /** The path as text, or null if it is not UTF-8. */
  readonly name: string | null;
  readonly state: EntryState;
  /** Null, unless the state is `failed`. */
  readonly reason: FailureReason | null;
  readonly mode: number;
  readonly seconds: bigint;
  readonly nanoseconds: number;
}

export interface FileEntry extends EntryFields {
  readonly type: "file";
  readonly size: bigint;
  readonly fileSalt: Uint8Array;
  /** The hashes that bind the contents, and the version of the manifest. Null in version 1, which does not bind them. */
  readonly bound: { readonly version: 2 | 3; readonly keyCommitment: Uint8Array; readonly payloadRoot: Uint8Array } | null;
}

export interface DirectoryEntry extends EntryFields {
  readonly type: "directory";
}

export interface LinkEntry extends EntryFields {
  readonly type: "link";
  readonly target: Uint8Array;
  /** Whether the link cannot lead out of the tree. No other link is to be made. */
  readonly staysInTree: boolean;
}

/** Something of which the tree has nothing, because it could not be taken. */
export interface AbsentEntry extends EntryFields {
  readonly type: "absent";
}

export type TreeEntry = FileEntry | DirectoryEntry | LinkEntry | AbsentEntry;

export type ManifestVersion = 1 | 2 | 3;

/** The values that tell an encrypted manifest from all others. */
export interface ManifestIdentity {
  readonly fileSalt: Uint8Array;
  readonly keyCommitment: Uint8Array;
  readonly payloadRoot: Uint8Array;
}

export interface Manifest {
  readonly version: ManifestVersion;
  /** 1 for the first manifest of a tree, then one more than that of the manifest before; 0 before version 3. */
  readonly number: bigint;
  /** The manifest before, if there is one and it is known. */
  readonly previous: ManifestIdentity | null;
  readonly entries: readonly TreeEntry[];
}

const magic = "polyseal-manifest\n";

/** An entry takes hundreds of bytes of memory, and may have 20 in the manifest. */
const maximumEntries = 1048576;

const bad = (what: string): PolysealError => new PolysealError("bad-manifest", `The manifest of the tree is not valid: ${what}.`);

export interface ManifestOptions {
  /** Whether to take version 1, which does not bind contents: anyone who can open a file may have replaced them. */
  allowUnboundContents?: boolean;
}

/** Takes fields of a manifest, one after the other. */
class Fields {
  #offset = 0;

  constructor(readonly bytes: Uint8Array) {}

  take(length: number): Uint8Array {
    const end = this.#offset + length;
    if (end > this.bytes.length) throw bad("it is cut short");
    const taken = this.bytes.slice(this.#offset, end);
    this.#offset = end;
    return taken;
  }

  takeWithLength(): Uint8Array {
    return this.take(readU16(this.take(2), 0));
  }

  get atEnd(): boolean {
    return this.#offset === this.bytes.length;
  }
}

export function parseManifest(bytes: Uint8Array, options: ManifestOptions = {}, maximum = maximumEntries): Manifest {
  if (asciiText(bytes.subarray(0, magic.length)) !== magic) throw bad("it does not begin as it should");
  const fields = new Fields(bytes.subarray(magic.length));
  const version = readU16(fields.take(2), 0);
  if (version !== 1 && version !== 2 && version !== 3) throw new PolysealError("unsupported-manifest-version", "The manifest of the tree has an unknown version.");
  if (version === 1 && options.allowUnboundContents !== true) {
    throw new PolysealError("unbound-manifest", "The manifest of the tree has version 1, which does not bind the contents of files.");
  }
  let number = 0n;
  let previous: ManifestIdentity | null = null;
  if (version === 3) {
    number = readU64(fields.take(8), 0);
    const before = { fileSalt: fields.take(32), keyCommitment: fields.take(32), payloadRoot: fields.take(32) };
    if (number === 0n) throw bad("it has the number 0");
    if (!Object.values(before).every(isZero)) previous = before;
  }
  const entries: TreeEntry[] = [];
  const directories = new Map<string, EntryState>();
  let failed = 0;
  for (;;) {
    const type = asciiText(fields.take(1));
    if (type === "e") break;
    const entry = parseEntry(type, fields, version);
    checkPlace(entry, entries.at(-1)?.path, directories);
    entries.push(entry);
    if (entry.state === "failed") failed++;
    if (entries.length > maximum) throw bad(`it has more than ${maximum} entries, which are too many here`);
  }
  if (readU64(fields.take(8), 0) !== BigInt(entries.length)) throw bad("it has another number of entries than it says");
  if (version === 3 && readU64(fields.take(8), 0) !== BigInt(failed)) throw bad("it has another number of entries that failed than it says");
  if (!fields.atEnd) throw bad("something follows it");
  return { version, number, previous, entries };
}

const types: Record<string, TreeEntry["type"]> = { f: "file", d: "directory", l: "link", x: "absent" };

const states: readonly EntryState[] = ["new", "unchanged", "failed", "deleted"];

const statesOf: Record<TreeEntry["type"], readonly EntryState[]> = {
  file: states, directory: ["new", "failed", "deleted"], link: ["new", "failed"], absent: ["failed"],
};

const reasons: readonly (FailureReason | null)[] = [null, "permission-denied", "unreadable", "not-written", "unsupported-type", "changed", "unsuitable-name"];

function parseEntry(letter: string, fields: Fields, version: ManifestVersion): TreeEntry {
  const type = types[letter];
  if (type === undefined || (type === "absent" && version !== 3)) throw bad("it has an entry of an unknown type");
  const path = fields.takeWithLength();
  const [stateNumber = 0, reasonNumber = 0] = version === 3 ? fields.take(2) : [];
  const mode = readU16(fields.take(2), 0);
  const seconds = readI64(fields.take(8), 0);
  const nanoseconds = readU32(fields.take(4), 0);
  // The lengths come first, so that an entry of another version is told as one.
  const file = type === "file" ? parseFile(fields, version) : null;
  const target = type === "link" ? fields.takeWithLength() : null;
  checkPath(path);
  if (target !== null && (target.length === 0 || target.includes(0))) throw bad("a link has no target, or one that cannot be");
  const state = states[stateNumber];
  if (state === undefined || !statesOf[type].includes(state)) throw bad("an entry has a state that it cannot have");
  if ((state === "failed") !== (reasonNumber !== 0)) throw bad("an entry has a reason that its state cannot have");
  if (mode > (type === "file" || type === "directory" ? 0o777 : 0)) throw bad("an entry has a mode that does not exist");
  if (nanoseconds >= 1e9 || (type === "absent" && (seconds !== 0n || nanoseconds !== 0))) throw bad("an entry has a time that does not exist");
  const reason = reasonNumber < reasons.length ? reasons[reasonNumber] as FailureReason | null : "unknown";
  const common = { path, name: utf8Text(path), state, reason, mode, seconds, nanoseconds };
  if (file !== null) return { ...common, type: "file", ...file };
  if (target !== null) return { ...common, type: "link", target, staysInTree: staysInTree(path, target) };
  return { ...common, type: type as "directory" | "absent" };
}

function parseFile(fields: Fields, version: ManifestVersion): Pick<FileEntry, "size" | "fileSalt" | "bound"> {
  const size = readU64(fields.take(8), 0);
  const fileSalt = fields.take(32);
  const bound = version === 1 ? null : { version, keyCommitment: fields.take(32), payloadRoot: fields.take(32) };
  // The stamp is the writer's.
  if (version === 3) fields.take(16);
  return { size, fileSalt, bound };
}

const slash = 0x2f;

/** A path or target as its names, which are texts of bytes. */
const namesOf = (path: Uint8Array): string[] => byteText(path).split("/");

function checkPath(path: Uint8Array): void {
  if (path.includes(0)) throw bad("a path has a zero byte");
  if (namesOf(path).some((name) => name === "" || name === "." || name === "..")) throw bad("a path has a name that cannot be");
}

/** The rules of section 4 for an entry among the others. */
function checkPlace({ type, path, state }: TreeEntry, previous: Uint8Array | undefined, directories: Map<string, EntryState>): void {
  if (previous !== undefined && comparePaths(previous, path) >= 0) throw bad("its entries are not in order");
  const names = namesOf(path);
  if (names.length > 1) {
    const parent = directories.get(names.slice(0, -1).join("/"));
    if (parent === undefined) throw bad("an entry is in no directory");
    if (parent === "deleted" && state !== "deleted") throw bad("the state of an entry is not that of its deleted directory");
  }
  if (type === "directory") directories.set(names.join("/"), state);
}

/** Name by name, and byte by byte: the slash comes before every byte of a name. */
function comparePaths(a: Uint8Array, b: Uint8Array): number {
  const weight = (byte: number): number => (byte === slash ? 0 : byte);
  for (let i = 0; i < a.length && i < b.length; i++) {
    const difference = weight(a[i] as number) - weight(b[i] as number);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Section 7: `..` only at the beginning of the target, and not more often than there are directories above the link. */
function staysInTree(path: Uint8Array, target: Uint8Array): boolean {
  if (target[0] === slash) return false;
  const names = namesOf(target).filter((name) => name !== "" && name !== ".");
  const ups = names.findIndex((name) => name !== "..");
  const leading = ups < 0 ? names.length : ups;
  return !names.slice(leading).includes("..") && leading <= namesOf(path).length - 1;
}

/** Section 5. `header` begins with the 160 bytes of fixed fields. */
export async function keyCommitment(fileKey: Uint8Array, fileSalt: Uint8Array, header: Uint8Array): Promise<Bytes> {
  return hkdf(fileKey, fileSalt, concat(ascii("polyseal-manifest/2 file key"), boundFields(header)), 32);
}

/** Section 6: of a segment as it stands in the file. */
export const payloadLeaf = (stored: Uint8Array): Uint8Array => blake3(stored, { context: ascii("polyseal-manifest/2 leaf") });

/** Section 6, or 9: of all leaves, one directly after the other. */
export const payloadRoot = (leaves: Uint8Array, version: 2 | 3): Uint8Array =>
  rootOf(version === 2 ? leaves : treeHash(leaves), leaves.length / 32, version);

/** The same of the hash over all leaves, or of them in version 2. */
export const rootOf = (hashed: Uint8Array, leaves: number, version: 2 | 3 = 3): Uint8Array =>
  blake3(concat(hashed, u64(leaves)), { context: ascii(`polyseal-manifest/${version} root`) });

export const payloadNode = (left: Uint8Array, right: Uint8Array): Uint8Array => blake3(concat(left, right), { context: ascii("polyseal-manifest/3 node") });

/** The hash over the leaves in the shape of RFC 6962. */
export function treeHash(leaves: Uint8Array): Uint8Array {
  const count = leaves.length / 32;
  if (count === 1) return leaves;
  let left = 1;
  while (left * 2 < count) left *= 2;
  return payloadNode(treeHash(leaves.subarray(0, 32 * left)), treeHash(leaves.subarray(32 * left)));
}
