/**
 * The worker that has the keys. Each file or tree that is opened, and each encryption, has a worker of its own.
 *
 * Ending the worker frees all of its memory: keys, plaintext, and what Argon2id has computed in.
 */

import {
  encrypt, encryptedSize, generateKeyFile, inspect, inspectAge, isAgeFile, keyFile, open, openAge, openTree, parseAgeIdentities, parseAgeRecipients,
  parseKeyFile, passphrase, type AgeHeaderInfo, type FileEntry, type HeaderInfo, type Key, type OpenedFile, type Recipient, type Tree, type TreeEntry,
} from "polyseal";
import { isShownType, sniff, sniffedLength, type Media } from "../shared/media.js";
import { decodeText, shownTextLength, sniffText } from "../shared/text.js";
import type { Destination, EntryOutcome, FromWorker, HeaderFacts, OpenedFacts, Operation, Operations, Secret, SecretKind, ToWorker } from "../shared/protocol.js";
import { countingSource } from "./counting.js";
import { discard } from "./discard.js";
import { failureOf, PageFailure } from "./failure.js";
import { folderBelow, newFolder, saveBelow } from "./folder.js";
import { collectBlob, readStart, readThrough, saveToHandle } from "./save.js";
import { filesBeside, suites } from "./suites.js";

const post = (message: FromWorker): void => postMessage(message);

/** An opened file, of Polyseal or of age. */
type Readable = Pick<OpenedFile, "size" | "segmentSize" | "read" | "stream">;

const ageSuite = "ChaCha20-Poly1305, in age's format";

const opened: { file: Readable; media: Media | null }[] = [];
let tree: Tree | undefined;
const running = new Map<number, AbortController>();

/** The arguments of an operation beside its request. */
interface Run {
  signal: AbortSignal;
  progress(done: number, total: number): void;
}

const operations: { [O in Operation]: (request: Operations[O]["request"], run: Run) => Promise<Operations[O]["result"]> } = {
  async inspect({ file, header }) {
    if (header === null && await isAgeFile(file)) return ageFacts(await inspectAge(file));
    return headerFacts(await inspect(header ?? file, { suites }));
  },

  async open({ file, name, header, secret, context, statement, signers }, { signal }) {
    const signed = signers === "" ? {} : { signers, ...(statement === null ? {} : { statement }) };
    const options = { signal, suites, ...signed, ...(context === "" ? {} : { context }), ...(header === null ? {} : { header }) };
    if (header === null && await isAgeFile(file)) {
      refuseUnsigned(signers);
      return openedFacts(await openAge(file, openingKeys(secret), { signal }), ageSuite, name);
    }
    const source = await open(file, openingKeys(secret), options);
    return openedFacts(source, source.suite, name, source.signer ?? (statement === null ? null : "unvouched"));
  },

  async openTree({ files, secret, context, signers }, { signal }) {
    refuseUnsigned(signers);
    const sources = new Map(Array.from(files, ([name, file]) => [name, countingSource(file, (bytes) => entryRead(bytes))]));
    tree = await openTree(sources, openingKeys(secret), { signal, suites, ...(context === "" ? {} : { context }) });
    const { missing, unexpected } = tree.compare(files.keys());
    const absent = new Set(missing);
    return {
      missing: missing.length,
      unexpected,
      interrupted: tree.interrupted,
      entries: tree.entries.map((entry) => ({
        type: entry.type,
        name: nameOf(entry),
        size: entry.type === "file" ? Number(entry.size) : 0,
        target: entry.type === "link" ? new TextDecoder().decode(entry.target) : "",
        present: entry.type !== "file" || (entry.name !== null && !absent.has(`${entry.name}.polyseal`)),
        notTaken: entry.reason,
      })),
    };
  },

  async openEntry({ entry }, { signal, progress }) {
    const wanted = tree?.entries[entry];
    if (tree === undefined || wanted?.type !== "file") throw new Error("There is no such entry.");
    let done = 0;
    entryRead = (bytes) => progress(done += bytes, Number(wanted.size));
    try {
      const source = await tree.open(wanted, { signal });
      return await openedFacts(source, source.suite, nameOf(wanted));
    } finally {
      entryRead = () => undefined;
    }
  },

  async verifyAll(_, run) {
    return eachFile(run, 1, async () => undefined);
  },

  async saveAll({ into, name }, run) {
    if (tree === undefined) throw new Error("There is no tree.");
    const folder = await newFolder(into, name);
    const outcomes = await eachFile(run, 2, (source, path) => saveBelow(folder, path, () => source.stream({ signal: run.signal }), () => undefined));
    for (const entry of tree.entries) {
      if (entry.type !== "directory") continue;
      try {
        if (entry.name === null) throw new TypeError("The name is not UTF-8.");
        await folderBelow(folder, entry.name.split("/"));
      } catch (error) {
        outcomes.push({ name: nameOf(entry), size: 0, failure: failureOf(error) });
      }
    }
    return { name: folder.name, outcomes };
  },

  async verify({ file }, { signal, progress }) {
    const { file: source } = openedFile(file);
    await readThrough(source.stream({ signal }), counting(source.size, progress));
    return null;
  },

  async save({ file, to }, run) {
    const { file: source } = openedFile(file);
    return deliver(source.stream({ signal: run.signal }), source.size, to, run);
  },

  async encrypt({ file, choices: { secret, context, armor }, to }, run) {
    const options = { armor, ...(context === "" ? {} : { context }) };
    const stream = encrypt(file, encryptionRecipients(secret), { ...options, signal: run.signal });
    // Armour has a line of 65 characters for 48 bytes.
    const estimate = Math.ceil(encryptedSize(file.size, options) * (armor ? 65 / 48 : 1));
    let size = 0;
    const counted = stream.pipeThrough(new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        size += chunk.length;
        controller.enqueue(chunk);
      },
    }));
    const blob = await deliver(counted, estimate, to, run);
    return { size, blob };
  },

  async show({ file }, { signal, progress }) {
    const { file: source, media } = openedFile(file);
    if (media === null || !isShownType(media.type)) throw new Error("This file is of no type that is shown.");
    return collectBlob(source.stream({ signal }), media.type, counting(source.size, progress));
  },

  async showText({ file }, { signal, progress }) {
    const { file: source, media } = openedFile(file);
    if (media?.kind !== "text") throw new Error("This file is no text.");
    const start = await readStart(source.stream({ signal }), Math.min(source.size, shownTextLength), counting(source.size, progress));
    const cut = source.size > start.length;
    const text = decodeText(start, cut);
    discard(start);
    if (text === null) throw new PageFailure({ code: "not-text", message: "" });
    return { text, cut };
  },

  async generateKeyFile() {
    return generateKeyFile();
  },

  async checkAgeRecipients({ text }) {
    return parseAgeRecipients(text).length;
  },
};

let entryRead: (bytes: number) => void = () => undefined;

/** Verifies every file of the tree, and does `work` with it. `passes`: how often all of it is read. */
async function eachFile({ signal, progress }: Run, passes: number, work: (source: Readable, path: string) => Promise<void>): Promise<EntryOutcome[]> {
  if (tree === undefined) throw new Error("There is no tree.");
  const files = tree.entries.filter((entry): entry is FileEntry => entry.type === "file");
  const expected = files.reduce((sum, { size }) => sum + Number(size), 0) * passes;
  const outcomes: EntryOutcome[] = [];
  entryRead = counting(expected, progress);
  try {
    for (const entry of files) {
      signal.throwIfAborted();
      let failure = null;
      let { size } = entry;
      try {
        const file = await tree.open(entry, { signal });
        // An interrupted update may have left an older one.
        size = file.entry.size;
        await work(file, nameOf(entry));
      } catch (error) {
        signal.throwIfAborted();
        failure = failureOf(error);
      }
      outcomes.push({ name: nameOf(entry), size: Number(size), failure });
    }
    return outcomes;
  } finally {
    entryRead = () => undefined;
  }
}

/** Tells how much has been done of what is expected. */
function counting(expected: number, progress: Run["progress"]): (bytes: number) => void {
  let done = 0;
  return (bytes) => progress(Math.min(done += bytes, expected), expected);
}

/** Gives a stream to its destination. The result is the Blob, if that is the destination. */
async function deliver(stream: ReadableStream<Uint8Array>, expected: number, to: Destination, { progress }: Run): Promise<Blob | null> {
  const report = counting(expected, progress);
  if (to === "blob") return collectBlob(stream, "application/octet-stream", report);
  await saveToHandle(stream, to.handle, report);
  return null;
}

function openedFile(file: number): (typeof opened)[number] {
  const found = opened[file];
  if (found === undefined) throw new Error("There is no such file.");
  return found;
}

/** Whoever gives a list of signers gets nothing that none of them has signed. */
function refuseUnsigned(signers: string): void {
  if (signers !== "") throw new PageFailure({ code: "no-statement", message: "" });
}

async function openedFacts(file: Readable, suite: string, name: string, signature: OpenedFacts["signature"] = null): Promise<OpenedFacts> {
  const start = await file.read(0, sniffedLength);
  const media = sniff(start) ?? sniffText(name, start, file.size > start.length);
  start.fill(0);
  return { file: opened.push({ file, media }) - 1, size: file.size, suite, segmentSize: file.segmentSize, media, signature };
}

const ageFacts = ({ recipients }: AgeHeaderInfo): HeaderFacts => ({
  format: "age", suite: ageSuite, suiteSupported: true, segmentSize: 65536, tagLength: 16, hasContext: false, recipients: recipients.length,
  kinds: [recipients.includes("scrypt") ? "passphrase" : "age"], ageTypes: [...new Set(recipients)],
});

function headerFacts({ suite, suiteSupported, segmentSize, tagLength, hasContext, recipients, stanzas }: HeaderInfo): HeaderFacts {
  const kinds = new Set<SecretKind>();
  const ageTypes = new Set<string>();
  for (const stanza of stanzas) {
    if (stanza.type === "unknown") continue;
    kinds.add(stanza.type);
    if (stanza.type === "age") for (const type of stanza.recipients) ageTypes.add(type);
  }
  return { format: "polyseal", suite, suiteSupported, segmentSize, tagLength, hasContext, recipients, kinds: [...kinds], ageTypes: [...ageTypes] };
}

const nameOf = (entry: TreeEntry): string => entry.name ?? new TextDecoder().decode(entry.path);

function keyOfFile(contents: Uint8Array): ReturnType<typeof keyFile> {
  const key = parseKeyFile(contents);
  contents.fill(0);
  try {
    return keyFile(key);
  } finally {
    key.fill(0);
  }
}

function openingKeys(secret: Secret): Key[] {
  switch (secret.kind) {
    case "passphrase": return [passphrase(secret.text)];
    case "key-file": return [keyOfFile(secret.bytes)];
    case "age": return parseAgeIdentities(secret.text);
  }
}

function encryptionRecipients(secret: Secret): Recipient[] {
  switch (secret.kind) {
    case "passphrase": return [passphrase(secret.text)];
    case "key-file": return [keyOfFile(secret.bytes)];
    case "age": return parseAgeRecipients(secret.text);
  }
}

async function run(id: number, operation: Operation, request: unknown): Promise<void> {
  const controller = new AbortController();
  running.set(id, controller);
  let reported = 0;
  const progress = (done: number, total: number): void => {
    const now = performance.now();
    if (now - reported < 100 && done < total) return;
    reported = now;
    post({ kind: "progress", id, done, total });
  };
  try {
    const result = await (operations[operation] as (request: unknown, run: Run) => Promise<unknown>)(request, { signal: controller.signal, progress });
    post({ kind: "result", id, result });
  } catch (error) {
    post({ kind: "failure", id, failure: failureOf(error) });
  } finally {
    running.delete(id);
  }
}

onmessage = ({ data }: MessageEvent<ToWorker>) => {
  switch (data.kind) {
    case "start":
      filesBeside(data.page);
      post({ kind: "started" });
      break;
    case "request": void run(data.id, data.operation, data.request); break;
    case "cancel": running.get(data.id)?.abort(); break;
  }
};
