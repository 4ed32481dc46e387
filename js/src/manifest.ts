/** The manifest of an encrypted tree (docs/spec/manifest.md, sections 2 to 6 and 9): its plaintext, and what it binds. */

import { blake3 } from "@noble/hashes/blake3.js";
import { ascii, asciiText, concat, readI64, readU16, readU32, readU64, u64, utf8Text, type Bytes } from "./bytes.js";
import { PolysealError } from "./errors.js";
import { boundFields } from "./header.js";
import { hkdf } from "./kdf.js";

interface EntryFields {
  /** The path in the tree, of any encoding. */
  readonly path: Uint8Array;
  /** The path as text, or null if it is not UTF-8. */
  readonly name: string | null;
  readonly mode: number;
  readonly seconds: bigint;
  readonly nanoseconds: number;
}

export interface FileEntry extends EntryFields {
  readonly type: "file";
  readonly size: bigint;
  readonly fileSalt: Uint8Array;
  /** The hashes that bind the contents. Null in version 1, which does not bind them. */
  readonly bound: { readonly keyCommitment: Uint8Array; readonly payloadRoot: Uint8Array } | null;
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

export type TreeEntry = FileEntry | DirectoryEntry | LinkEntry;

export interface Manifest {
  readonly version: 1 | 2;
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
  if (version !== 1 && version !== 2) throw new PolysealError("unsupported-manifest-version", "The manifest of the tree has an unknown version.");
  if (version === 1 && options.allowUnboundContents !== true) {
    throw new PolysealError("unbound-manifest", "The manifest of the tree has version 1, which does not bind the contents of files.");
  }
  const entries: TreeEntry[] = [];
  const types = new Map<string, TreeEntry["type"]>();
  let previous: Uint8Array | undefined;
  for (;;) {
    const type = asciiText(fields.take(1));
    if (type === "e") break;
    const entry = parseEntry(type, fields, version);
    checkPlace(entry, previous, types);
    previous = entry.path;
    entries.push(entry);
    if (entries.length > maximum) throw bad(`it has more than ${maximum} entries, which are too many here`);
  }
  if (readU64(fields.take(8), 0) !== BigInt(entries.length)) throw bad("it has another number of entries than it says");
  if (!fields.atEnd) throw bad("something follows it");
  return { version, entries };
}

function parseEntry(type: string, fields: Fields, version: 1 | 2): TreeEntry {
  if (type !== "f" && type !== "d" && type !== "l") throw bad("it has an entry of an unknown type");
  const path = fields.takeWithLength();
  checkPath(path);
  const mode = readU16(fields.take(2), 0);
  if (mode > (type === "l" ? 0 : 0o777)) throw bad("an entry has a mode that does not exist");
  const seconds = readI64(fields.take(8), 0);
  const nanoseconds = readU32(fields.take(4), 0);
  if (nanoseconds >= 1e9) throw bad("an entry has a time that does not exist");
  const common = { path, name: utf8Text(path), mode, seconds, nanoseconds };
  if (type === "d") return { ...common, type: "directory" };
  if (type === "f") {
    const size = readU64(fields.take(8), 0);
    const fileSalt = fields.take(32);
    const bound = version === 1 ? null : { keyCommitment: fields.take(32), payloadRoot: fields.take(32) };
    return { ...common, type: "file", size, fileSalt, bound };
  }
  const target = fields.takeWithLength();
  if (target.length === 0 || target.includes(0)) throw bad("a link has no target, or one that cannot be");
  return { ...common, type: "link", target, staysInTree: staysInTree(path, target) };
}

const slash = 0x2f;

/** A path or target as its names. Each byte becomes one character, so that names compare as their bytes do. */
function namesOf(path: Uint8Array): string[] {
  let text = "";
  for (const byte of path) text += String.fromCharCode(byte);
  return text.split("/");
}

function checkPath(path: Uint8Array): void {
  if (path.includes(0)) throw bad("a path has a zero byte");
  if (namesOf(path).some((name) => name === "" || name === "." || name === "..")) throw bad("a path has a name that cannot be");
}

/** The rules of section 4 for an entry among the others. */
function checkPlace({ type, path }: TreeEntry, previous: Uint8Array | undefined, types: Map<string, TreeEntry["type"]>): void {
  if (previous !== undefined && comparePaths(previous, path) >= 0) throw bad("its entries are not in order");
  const names = namesOf(path);
  if (names.length > 1 && types.get(names.slice(0, -1).join("/")) !== "directory") throw bad("an entry is in no directory");
  types.set(names.join("/"), type);
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

/** Section 6: of all leaves, one directly after the other. */
export function payloadRoot(leaves: Uint8Array): Uint8Array {
  return blake3(concat(leaves, u64(leaves.length / 32)), { context: ascii("polyseal-manifest/2 root") });
}
