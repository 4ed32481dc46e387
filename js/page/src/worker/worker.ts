/**
 * The worker that has the keys. Each file or tree that is opened, and each encryption, has a worker of its own.
 *
 * Ending the worker frees all of its memory: keys, plaintext, and what Argon2id has computed in.
 */

import {
  encrypt, encryptedSize, generateKeyFile, inspect, keyFile, open, openTree, parseAgeIdentities, parseAgeRecipients,
  parseKeyFile, passphrase, type HeaderInfo, type Key, type OpenedFile, type Recipient, type Tree, type TreeEntry,
} from "polyseal";
import { sniff, sniffedLength, type Media } from "../shared/media.js";
import type { Destination, FromWorker, HeaderFacts, OpenedFacts, Operation, Operations, Secret, SecretKind, ToWorker } from "../shared/protocol.js";
import { countingSource } from "./counting.js";
import { failureOf } from "./failure.js";
import { collectBlob, readThrough, saveToHandle } from "./save.js";
import { filesBeside, suites } from "./suites.js";

const post = (message: FromWorker): void => postMessage(message);

const opened: { file: OpenedFile; media: Media | null }[] = [];
let tree: Tree | undefined;
const running = new Map<number, AbortController>();

/** The arguments of an operation beside its request. */
interface Run {
  signal: AbortSignal;
  progress(done: number, total: number): void;
}

const operations: { [O in Operation]: (request: Operations[O]["request"], run: Run) => Promise<Operations[O]["result"]> } = {
  async inspect({ file, header }) {
    return headerFacts(await inspect(header ?? file, { suites }));
  },

  async open({ file, header, secret, context }, { signal }) {
    const options = { signal, suites, ...(context === "" ? {} : { context }), ...(header === null ? {} : { header }) };
    return openedFacts(await open(file, openingKeys(secret), options));
  },

  async openTree({ files, secret, context }, { signal }) {
    const sources = new Map(Array.from(files, ([name, file]) => [name, countingSource(file, (bytes) => entryRead(bytes))]));
    tree = await openTree(sources, openingKeys(secret), { signal, suites, ...(context === "" ? {} : { context }) });
    const { missing, unexpected } = tree.compare(files.keys());
    const absent = new Set(missing);
    return {
      missing: missing.length,
      unexpected,
      entries: tree.entries.map((entry) => ({
        type: entry.type,
        name: nameOf(entry),
        size: entry.type === "file" ? Number(entry.size) : 0,
        target: entry.type === "link" ? new TextDecoder().decode(entry.target) : "",
        present: entry.type !== "file" || (entry.name !== null && !absent.has(`${entry.name}.polyseal`)),
      })),
    };
  },

  async openEntry({ entry }, { signal, progress }) {
    const wanted = tree?.entries[entry];
    if (tree === undefined || wanted?.type !== "file") throw new Error("There is no such entry.");
    let done = 0;
    entryRead = (bytes) => progress(done += bytes, Number(wanted.size));
    try {
      return await openedFacts(await tree.open(wanted, { signal }));
    } finally {
      entryRead = () => undefined;
    }
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
    if (media === null) throw new Error("This file is of no type that is shown.");
    return collectBlob(source.stream({ signal }), media.type, counting(source.size, progress));
  },

  async generateKeyFile() {
    return generateKeyFile();
  },

  async checkAgeRecipients({ text }) {
    return parseAgeRecipients(text).length;
  },
};

let entryRead: (bytes: number) => void = () => undefined;

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

async function openedFacts(file: OpenedFile): Promise<OpenedFacts> {
  const start = await file.read(0, sniffedLength);
  const media = sniff(start);
  start.fill(0);
  return { file: opened.push({ file, media }) - 1, size: file.size, suite: file.suite, segmentSize: file.segmentSize, media };
}

function headerFacts({ suite, suiteSupported, segmentSize, tagLength, hasContext, recipients, stanzas }: HeaderInfo): HeaderFacts {
  const kinds = new Set<SecretKind>();
  const ageTypes = new Set<string>();
  for (const stanza of stanzas) {
    if (stanza.type === "unknown") continue;
    kinds.add(stanza.type);
    if (stanza.type === "age") for (const type of stanza.recipients) ageTypes.add(type);
  }
  return { suite, suiteSupported, segmentSize, tagLength, hasContext, recipients, kinds: [...kinds], ageTypes: [...ageTypes] };
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
