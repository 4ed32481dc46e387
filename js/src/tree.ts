/**
 * Reading an encrypted tree (docs/spec/manifest.md, sections 7 and 8).
 *
 * A file is given out only after all of it has been read and found to belong to its entry. Later reads are compared
 * with the verified segments, so that a source that changes meanwhile is refused.
 *
 * Limits: the manifest is kept in memory: at most 256 MiB, and 2^20 entries, of which each takes some 700 bytes. So are
 * 32 bytes for each segment of an opened file.
 */

import { ascii, byteText, concat, equalInConstantTime, hex, isZero, utf8Text, wipe, type Bytes } from "./bytes.js";
import { invalidArgument, PolysealError, type ErrorCode } from "./errors.js";
import { hasMethods, isIterable, kindOf, optionsGiven, type BytesLike } from "./given.js";
import { readHeader, type HeaderOptions } from "./inspect.js";
import { keysGiven, type Key } from "./keys.js";
import {
  keyCommitment, parseManifest, payloadLeaf, payloadRoot, type FileEntry, type Manifest, type ManifestIdentity, type ManifestOptions, type ManifestVersion,
  type TreeEntry,
} from "./manifest.js";
import { openedFile, openParts, type OpenedFile, type OpenedParts } from "./open.js";
import { toSource, type Source, type SourceLike } from "./source.js";
import { withoutSigners } from "./statement/statement.js";
import { contextBytes, unlock } from "./unlock.js";

type Found = SourceLike | undefined | null;

/** The files of an encrypted tree: by their names there, or a function that finds them. `path` is the name as bytes. */
export type TreeFiles = ReadonlyMap<string, SourceLike> | ((name: string, path: Uint8Array) => Found | Promise<Found>);

export interface TreeOptions extends ManifestOptions, Omit<HeaderOptions, "header" | "armor"> {
  /** The context of the files. */
  context?: string | BytesLike | undefined;
}

/** A file of a tree, and the entry that it belongs to: that of the manifest before, if an update did not come that far. */
export type TreeFile = OpenedFile & { readonly entry: FileEntry };

export const manifestName = ".polyseal-manifest.polyseal";
const suffix = ".polyseal";
const updateFolder = ".polyseal-update/";
const signedFolder = ".polyseal-signed/";
const comingManifest = `${updateFolder}manifest${suffix}`;
const maximumManifestLength = 268435456;

/** A manifest that was encrypted, and what its successor names it by. */
type OpenedManifest = Manifest & { readonly identity: ManifestIdentity };

/** A name under which the file of an entry may be. */
interface Place {
  readonly path: Uint8Array;
  readonly entry: FileEntry;
}

const isContents = ({ state }: TreeEntry): boolean => state !== "deleted";

const isFile = (entry: TreeEntry): entry is FileEntry => entry.type === "file";

const encryptedPath = ({ path }: TreeEntry): Uint8Array => concat(path, ascii(suffix));

const updatePath = ({ fileSalt }: FileEntry): string => `${updateFolder}${hex(fileSalt)}${suffix}`;

export class Tree {
  /** The version of the manifest. Version 1 does not bind contents. */
  readonly version: ManifestVersion;
  /** Grows by one with each manifest of the tree. 0 before version 3. */
  readonly number: bigint;
  /** The contents of the tree, and what could not be taken. Files that were deleted are not among them. */
  readonly entries: readonly TreeEntry[];
  /** Whether an update of the tree was interrupted, or is under way. The entries are then those of the coming manifest. */
  readonly interrupted: boolean;
  readonly #manifests: readonly Manifest[];
  readonly #before = new Map<string, FileEntry>();
  readonly #files: TreeFiles;
  readonly #keys: readonly Key[];
  readonly #context: Bytes | undefined;
  readonly #options: TreeOptions;

  /** Use {@link openTree}. */
  constructor(own: Manifest, coming: Manifest | null, files: TreeFiles, keys: readonly Key[], context: Bytes | undefined, options: TreeOptions) {
    const { version, number, entries } = coming ?? own;
    this.version = version;
    this.number = number;
    this.entries = entries.filter(isContents);
    this.interrupted = coming !== null;
    this.#manifests = coming === null ? [own] : [coming, own];
    if (coming !== null) for (const entry of own.entries) if (isFile(entry) && isContents(entry)) this.#before.set(byteText(entry.path), entry);
    this.#files = files;
    this.#keys = keys;
    this.#context = context;
    this.#options = options;
  }

  /** The entries of what could not be taken when the tree was made. */
  get failed(): readonly TreeEntry[] {
    return this.entries.filter(({ state }) => state === "failed");
  }

  /** Whether all could be taken, and no update was interrupted. It says nothing about the files: see `compare` and `open`. */
  get complete(): boolean {
    return !this.interrupted && this.failed.length === 0;
  }

  /** A file of the tree, by its entry or its path. All of it is read and verified first. */
  async open(path: string | TreeEntry, options: { signal?: AbortSignal | undefined } = {}): Promise<TreeFile> {
    const { signal } = optionsGiven(options);
    const entry = typeof path === "string" ? this.entries.find(({ name }) => name === path) : path;
    if (entry === undefined || !this.entries.includes(entry)) throw new PolysealError("no-such-entry", "The tree has no file of this name.");
    if (!isFile(entry)) throw invalidArgument("This entry of the tree is not a file.");
    let failure: unknown;
    for (const place of this.#placesOf(entry)) {
      try {
        return await this.#openAt(place, signal);
      } catch (error) {
        signal?.throwIfAborted();
        // That the file is elsewhere, or is of the other manifest, says less than what is wrong with it.
        if (failure === undefined || (hasCode(failure, "missing-file", "does-not-belong") && !hasCode(error, "missing-file"))) failure = error;
      }
    }
    throw failure;
  }

  /** All but the first are of an interrupted update. */
  #placesOf(entry: FileEntry): Place[] {
    const places = [{ path: encryptedPath(entry), entry }];
    if (!this.interrupted) return places;
    places.push({ path: ascii(updatePath(entry)), entry });
    const before = this.#before.get(byteText(entry.path));
    if (before !== undefined) places.push({ path: encryptedPath(before), entry: before });
    return places;
  }

  async #openAt({ path, entry }: Place, signal: AbortSignal | undefined): Promise<TreeFile> {
    const found = await find(this.#files, path, signal);
    if (found === undefined) throw new PolysealError("missing-file", `The tree lacks a file: ${new TextDecoder().decode(path)}.`);
    const options = signal === undefined ? this.#options : { ...this.#options, signal };
    return Object.assign(await openEntry(entry, found, this.#keys, this.#context, options), { entry });
  }

  /**
   * Which files the tree lacks, and which are there without an entry, going by the names of all files in the encrypted
   * tree. Unexpected files are no part of the tree.
   */
  compare(names: Iterable<string>): { missing: string[]; unexpected: string[] } {
    if (!isIterable(names)) throw invalidArgument(`Names are given as a list or a Set, and not as ${kindOf(names)}.`);
    const present = new Set(names);
    const known = new Set([manifestName]);
    for (const { entries } of this.#manifests) for (const entry of entries) if (isFile(entry) && entry.name !== null) known.add(`${entry.name}${suffix}`);
    const isThere = (entry: FileEntry): boolean => present.has(`${entry.name}${suffix}`) || (this.interrupted && present.has(updatePath(entry)));
    const missing = this.entries.filter((entry) => isFile(entry) && entry.name !== null && !isThere(entry)).map(({ name }) => `${name}${suffix}`);
    return {
      missing: present.has(manifestName) ? missing : [manifestName, ...missing],
      unexpected: [...present].filter((name) => !known.has(name) && ![updateFolder, signedFolder].some((folder) => name.startsWith(folder))),
    };
  }
}

const hasCode = (error: unknown, ...codes: ErrorCode[]): boolean => error instanceof PolysealError && codes.includes(error.code);

/** Whether an error says that there is no such file: of Node, of a folder of the browser, or of a server. */
function saysMissing(error: unknown): boolean {
  const { code, name, status } = (error ?? {}) as { code?: unknown; name?: unknown; status?: unknown };
  return code === "ENOENT" || name === "NotFoundError" || (hasCode(error, "source-failed") && (status === 404 || status === 410));
}

/** The file of that name, or undefined if there is none. */
async function find(files: TreeFiles, path: Uint8Array, signal: AbortSignal | undefined): Promise<Source | undefined> {
  const name = utf8Text(path);
  try {
    const found = typeof files === "function" ? await files(name ?? new TextDecoder().decode(path), path) : name === null ? undefined : files.get(name);
    return found === undefined || found === null ? undefined : await toSource(found, signal);
  } catch (error) {
    if (saysMissing(error)) return undefined;
    throw error;
  }
}

/** Opens the manifest of an encrypted tree, and with it the tree. */
export async function openTree(files: TreeFiles, keys: readonly Key[], options: TreeOptions = {}): Promise<Tree> {
  withoutSigners(optionsGiven(options), "A tree");
  const context = contextBytes(options.context);
  if (typeof files !== "function" && !hasMethods(files, "get")) throw invalidArgument(`The files of a tree are given as a Map or a function, and not as ${kindOf(files)}.`);
  const given = keysGiven(keys);
  const found = await find(files, ascii(manifestName), options.signal);
  if (found === undefined) throw new PolysealError("no-manifest", `This is not an encrypted tree, or it lacks its manifest, ${manifestName}.`);
  const own = await openManifest(found, given, context, options);
  return new Tree(own, await findComing(own, files, given, context, options), files, given, context, options);
}

/** Errors that leave it open whether there is a coming manifest. Others say that what is there is none. */
const leaveOpen: readonly ErrorCode[] = ["source-failed", "source-changed", "no-ranges", "unsupported-suite", "suite-failed", "invalid-argument"];

/** The coming manifest of an interrupted update (section 8): one that follows the tree's own. */
async function findComing(own: OpenedManifest, files: TreeFiles, keys: readonly Key[], context: Bytes | undefined, options: TreeOptions): Promise<Manifest | null> {
  try {
    const found = await find(files, ascii(comingManifest), options.signal);
    if (found === undefined) return null;
    const coming = await openManifest(found, keys, context, options);
    return follows(coming, own) ? coming : null;
  } catch (error) {
    options.signal?.throwIfAborted();
    // A store that lists nothing to this reader answers so for what is not there.
    if (hasCode(error, "source-failed") && (error as PolysealError).status === 403) return null;
    if (!(error instanceof PolysealError) || leaveOpen.includes(error.code)) throw error;
    return null;
  }
}

function follows({ number, previous }: Manifest, { number: ownNumber, identity }: OpenedManifest): boolean {
  if (previous === null) return false;
  if (!equalInConstantTime(previous.fileSalt, identity.fileSalt) || !equalInConstantTime(previous.payloadRoot, identity.payloadRoot)) return false;
  // The writer could not open the tree's manifest.
  if (isZero(previous.keyCommitment)) return true;
  return number === ownNumber + 1n && equalInConstantTime(previous.keyCommitment, identity.keyCommitment);
}

async function openManifest(source: Source, keys: readonly Key[], context: Bytes | undefined, options: TreeOptions): Promise<OpenedManifest> {
  const parts = await readHeader(source, { ...options, armor: false });
  if (parts.payload.size > maximumManifestLength) throw new PolysealError("bad-manifest", "The manifest of the tree is too long.");
  const fileKey = await unlock(parts.header, keys, options.signal);
  try {
    const files = context === undefined ? [] : [ascii(":"), context];
    // Version 1 has the context of the files.
    const contexts: [ManifestVersion, Bytes | undefined][] = [
      [3, concat(ascii("polyseal-manifest/3"), ...files)], [2, concat(ascii("polyseal-manifest/2"), ...files)], [1, context],
    ];
    let opened: OpenedParts | undefined;
    let version: ManifestVersion | undefined;
    let failure: unknown;
    for (const [candidate, expected] of contexts) {
      try {
        opened = await openParts(parts, fileKey, expected, options);
        version = candidate;
        break;
      } catch (error) {
        if (!hasCode(error, "context-missing", "context-differs", "context-unexpected")) throw error;
        failure ??= error;
      }
    }
    if (opened === undefined) throw failure;
    const leaves = new Uint8Array(32 * opened.layout.segments);
    const collecting = await openedFile(opened, options.signal, (segment, stored) => leaves.set(payloadLeaf(stored), 32 * segment));
    const manifest = parseManifest(await collecting.read(0, undefined, options), options);
    if (manifest.version !== version) throw new PolysealError("bad-manifest", "The manifest of the tree has the context of another version, or of a file.");
    const { fileSalt, bytes } = parts.header;
    return { ...manifest, identity: { fileSalt, keyCommitment: await keyCommitment(fileKey, fileSalt, bytes), payloadRoot: payloadRoot(leaves, 3) } };
  } finally {
    wipe(fileKey);
  }
}

function doesNotBelong(what: string): PolysealError {
  return new PolysealError("does-not-belong", `This file is not the one that the manifest of the tree lists: ${what}.`);
}

/** Opens all of a file, and keeps nothing of it. */
async function readThrough(stream: ReadableStream<Bytes>): Promise<void> {
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    wipe(value);
  }
}

/** @internal The three points of section 7. */
export async function openEntry(
  entry: FileEntry, source: SourceLike, keys: readonly Key[], context: Bytes | undefined, options: Omit<HeaderOptions, "header">,
): Promise<OpenedFile> {
  const { signal } = options;
  const parts = await readHeader(source, { ...options, armor: false });
  if (!equalInConstantTime(parts.header.fileSalt, entry.fileSalt)) throw doesNotBelong("it has another salt");
  const fileKey = await unlock(parts.header, keys, signal);
  try {
    const opened = await openParts(parts, fileKey, context, options);
    if (BigInt(opened.layout.size) !== entry.size) throw doesNotBelong("it has another length");
    const { segments } = opened.layout;
    if (entry.bound !== null) {
      const commitment = await keyCommitment(fileKey, entry.fileSalt, parts.header.bytes);
      if (!equalInConstantTime(commitment, entry.bound.keyCommitment)) throw doesNotBelong("it has another key");
    }
    const leaves = new Uint8Array(32 * segments);
    const collecting = await openedFile(opened, signal, (segment, stored) => leaves.set(payloadLeaf(stored), 32 * segment));
    await readThrough(collecting.stream(signal === undefined ? {} : { signal }));
    if (entry.bound !== null && !equalInConstantTime(payloadRoot(leaves, entry.bound.version), entry.bound.payloadRoot)) throw doesNotBelong("it has other contents");
    return await openedFile(opened, signal, (segment, stored) => {
      if (!equalInConstantTime(payloadLeaf(stored), leaves.subarray(32 * segment, 32 * segment + 32))) {
        throw new PolysealError("source-changed", "The file changed after it was verified.");
      }
    });
  } finally {
    wipe(fileKey);
  }
}
