/**
 * The worker that has the keys. Each file or tree that is opened, and each encryption, has a worker of its own.
 *
 * Ending the worker frees all of its memory: keys, plaintext, and what Argon2id has computed in.
 */

import {
  encrypt, encryptedSize, generateKeyFile, inspect, keyFile, open, openTree, parseAgeIdentities, parseAgeRecipients,
  parseKeyFile, passphrase, type HeaderInfo, type Key, type OpenedFile, type Recipient, type Tree, type TreeEntry,
} from "polyseal";
import { sniff, sniffedLength } from "../shared/media.js";
import type { Destination, FromWorker, HeaderFacts, OpenedFacts, Operation, Operations, Secret, SecretKind, ToWorker } from "../shared/protocol.js";
import { countingSource } from "./counting.js";
import { failureOf, PageFailure } from "./failure.js";
import { offer, serve, withdraw } from "./offers.js";
import { readThrough, saveToHandle } from "./save.js";
import { suites } from "./suites.js";

const post = (message: FromWorker): void => postMessage(message);

const opened: OpenedFile[] = [];
let tree: Tree | undefined;
const running = new Map<number, AbortController>();

/** What an operation gets beside its request. */
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
    const source = openedFile(file);
    let done = 0;
    await readThrough(source.stream({ signal }), (bytes) => progress(done += bytes, source.size));
    return null;
  },

  async save({ file, to }, run) {
    const source = openedFile(file);
    await deliver(source.stream({ signal: run.signal }), source.size, source.size, to, run);
    return null;
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
    await deliver(counted, null, estimate, to, run);
    return { size };
  },

  async offer({ file, token, type, name }) {
    const source = openedFile(file);
    offer(token, {
      size: source.size, type, name, once: false,
      open: (start, end) => source.stream({ start, end: end ?? source.size }),
      ended(failure) {
        if (failure !== null) post({ kind: "offer-failed", token, failure });
      },
    });
    return null;
  },

  async withdraw({ token }) {
    withdraw(token);
    return null;
  },

  async generateKeyFile() {
    return generateKeyFile();
  },

  async checkAgeRecipients({ text }) {
    return parseAgeRecipients(text).length;
  },
};

let entryRead: (bytes: number) => void = () => undefined;

/** Gives a stream to its destination. `size` is null if it is not known before the end. */
async function deliver(
  stream: ReadableStream<Uint8Array>, size: number | null, expected: number, to: Destination, { signal, progress }: Run,
): Promise<void> {
  let done = 0;
  const report = (bytes: number): void => progress(Math.min(done += bytes, expected), expected);
  if ("handle" in to) return saveToHandle(stream, to.handle, report);
  await new Promise<void>((resolve, reject) => {
    const counted = stream.pipeThrough(new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        report(chunk.length);
        controller.enqueue(chunk);
      },
    }));
    offer(to.token, {
      size, type: null, name: to.name, once: true,
      open: () => counted,
      ended: (failure) => failure === null ? resolve() : reject(new PageFailure(failure)),
    });
    signal.addEventListener("abort", () => {
      withdraw(to.token);
      reject(signal.reason);
    }, { once: true });
  });
}

function openedFile(file: number): OpenedFile {
  const found = opened[file];
  if (found === undefined) throw new Error("There is no such file.");
  return found;
}

async function openedFacts(file: OpenedFile): Promise<OpenedFacts> {
  const start = await file.read(0, sniffedLength);
  const media = sniff(start);
  start.fill(0);
  return { file: opened.push(file) - 1, size: file.size, suite: file.suite, segmentSize: file.segmentSize, media };
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

onmessage = ({ data, ports }: MessageEvent<ToWorker>) => {
  switch (data.kind) {
    case "request": void run(data.id, data.operation, data.request); break;
    case "cancel": running.get(data.id)?.abort(); break;
    case "plaintext": serve(data.token, data.range, ports[0] as MessagePort); break;
  }
};
