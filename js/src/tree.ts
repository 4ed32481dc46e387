/**
 * Reading an encrypted tree (docs/spec/manifest.md, section 7).
 *
 * A file is given out only after all of it has been read and found to belong to its entry. Later reads are compared
 * with the verified segments, so that a source that changes meanwhile is refused.
 *
 * Limits: the manifest is kept in memory: at most 256 MiB, and 2^20 entries, of which each takes some 700 bytes. So are
 * 32 bytes for each segment of an opened file.
 */

import { ascii, concat, equalInConstantTime, wipe, type Bytes } from "./bytes.js";
import { invalidArgument, PolysealError } from "./errors.js";
import { hasMethods, isIterable, kindOf, optionsGiven, type BytesLike } from "./given.js";
import { readHeader, type HeaderOptions } from "./inspect.js";
import { keysGiven, type Key } from "./keys.js";
import { keyCommitment, parseManifest, payloadLeaf, payloadRoot, type FileEntry, type Manifest, type ManifestOptions, type TreeEntry } from "./manifest.js";
import { openedFile, openParts, type OpenedFile } from "./open.js";
import type { SourceLike } from "./source.js";
import { contextBytes, unlock } from "./unlock.js";

type Found = SourceLike | undefined | null;

/** The files of an encrypted tree: by their names there, or a function that finds them. `path` is the name as bytes. */
export type TreeFiles = ReadonlyMap<string, SourceLike> | ((name: string, path: Uint8Array) => Found | Promise<Found>);

export interface TreeOptions extends ManifestOptions, Omit<HeaderOptions, "header" | "armor"> {
  /** The context of the files. */
  context?: string | BytesLike | undefined;
}

export const manifestName = ".polyseal-manifest.polyseal";
const suffix = ".polyseal";
const maximumManifestLength = 268435456;
const manifestContext = "polyseal-manifest/2";

export class Tree {
  /** The version of the manifest. Version 1 does not bind contents. */
  readonly version: 1 | 2;
  readonly entries: readonly TreeEntry[];
  readonly #files: TreeFiles;
  readonly #keys: readonly Key[];
  readonly #context: Bytes | undefined;
  readonly #options: TreeOptions;

  /** Use {@link openTree}. */
  constructor(manifest: Manifest, files: TreeFiles, keys: readonly Key[], context: Bytes | undefined, options: TreeOptions) {
    this.version = manifest.version;
    this.entries = manifest.entries;
    this.#files = files;
    this.#keys = keys;
    this.#context = context;
    this.#options = options;
  }

  /** A file of the tree, by its entry or its path. All of it is read and verified first. */
  async open(path: string | TreeEntry, options: { signal?: AbortSignal | undefined } = {}): Promise<OpenedFile> {
    optionsGiven(options);
    const entry = typeof path === "string" ? this.entries.find(({ name }) => name === path) : path;
    if (entry === undefined || !this.entries.includes(entry)) throw new PolysealError("no-such-entry", "The tree has no file of this name.");
    if (entry.type !== "file") throw invalidArgument("This entry of the tree is not a file.");
    const name = entry.name ?? new TextDecoder().decode(entry.path);
    const found = await find(this.#files, `${name}${suffix}`, entry.name === null, concat(entry.path, ascii(suffix)));
    if (found === undefined) throw new PolysealError("missing-file", `The tree lacks a file: ${name}${suffix}.`);
    return openEntry(entry, found, this.#keys, this.#context, { ...this.#options, ...options });
  }

  /**
   * Which files the tree lacks, and which are there without an entry, going by the names of all files in the encrypted
   * tree. Unexpected files are no part of the tree.
   */
  compare(names: Iterable<string>): { missing: string[]; unexpected: string[] } {
    const expected = new Set([manifestName]);
    for (const { type, name } of this.entries) if (type === "file" && name !== null) expected.add(`${name}${suffix}`);
    if (!isIterable(names)) throw invalidArgument(`Names are given as a list or a Set, and not as ${kindOf(names)}.`);
    const present = new Set(names);
    return {
      missing: [...expected].filter((name) => !present.has(name)),
      unexpected: [...present].filter((name) => !expected.has(name)),
    };
  }
}

async function find(files: TreeFiles, name: string, nameIsLossy: boolean, path: Uint8Array): Promise<SourceLike | undefined> {
  if (typeof files === "function") return (await files(name, path)) ?? undefined;
  return nameIsLossy ? undefined : files.get(name);
}

/** Opens the manifest of an encrypted tree, and with it the tree. */
export async function openTree(files: TreeFiles, keys: readonly Key[], options: TreeOptions = {}): Promise<Tree> {
  const context = contextBytes(optionsGiven(options).context);
  if (typeof files !== "function" && !hasMethods(files, "get")) throw invalidArgument(`The files of a tree are given as a Map or a function, and not as ${kindOf(files)}.`);
  const given = keysGiven(keys);
  const found = await find(files, manifestName, false, ascii(manifestName));
  if (found === undefined) throw new PolysealError("no-manifest", `This is not an encrypted tree, or it lacks its manifest, ${manifestName}.`);
  const parts = await readHeader(found, { ...options, armor: false });
  if (parts.payload.size > maximumManifestLength) throw new PolysealError("bad-manifest", "The manifest of the tree is too long.");
  const fileKey = await unlock(parts.header, given, options.signal);
  let plaintext: Bytes;
  let ofVersion2: boolean;
  try {
    const own = ascii(manifestContext);
    const expected = context === undefined ? own : concat(own, ascii(":"), context);
    // Version 1 has the context of the files. It is told from version 2 by its context, and then by what it says.
    const opened = await openParts(parts, fileKey, expected, options).then(
      (of) => ({ of, second: true }),
      async (error: unknown) => {
        const of = isOfContext(error) ? await openParts(parts, fileKey, context, options).catch(() => null) : null;
        if (of === null) throw error;
        return { of, second: false };
      });
    ofVersion2 = opened.second;
    plaintext = await (await openedFile(opened.of, options.signal)).read(0, undefined, options);
  } finally {
    wipe(fileKey);
  }
  const manifest = parseManifest(plaintext, options);
  if ((manifest.version === 2) !== ofVersion2) throw new PolysealError("bad-manifest", "The manifest of the tree has the context of another version, or of a file.");
  return new Tree(manifest, files, given, context, options);
}

function isOfContext(error: unknown): boolean {
  return error instanceof PolysealError && ["context-missing", "context-differs", "context-unexpected"].includes(error.code);
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
    if (entry.bound !== null && !equalInConstantTime(payloadRoot(leaves), entry.bound.payloadRoot)) throw doesNotBelong("it has other contents");
    return await openedFile(opened, signal, (segment, stored) => {
      if (!equalInConstantTime(payloadLeaf(stored), leaves.subarray(32 * segment, 32 * segment + 32))) {
        throw new PolysealError("source-changed", "The file changed after it was verified.");
      }
    });
  } finally {
    wipe(fileKey);
  }
}
