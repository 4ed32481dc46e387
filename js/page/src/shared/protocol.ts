/**
 * The messages between the page, its worker (which has the keys) and the service worker (which has none).
 *
 * The service worker asks the page for a plaintext and sends a port along. The page hands that to the worker, and from
 * then on the two speak directly: PlaintextReply first, then for each "pull" a PlaintextChunk.
 */

import type { Media } from "./media.js";
import type { Answer } from "./plaintext-response.js";

export type Secret =
  | { kind: "passphrase"; text: string }
  | { kind: "key-file"; bytes: Uint8Array<ArrayBuffer> }
  /** Identities to open, recipients to encrypt. */
  | { kind: "age"; text: string };

export type SecretKind = Secret["kind"];

export interface HeaderFacts {
  suite: string;
  suiteSupported: boolean;
  segmentSize: number;
  tagLength: number;
  hasContext: boolean;
  recipients: number;
  kinds: SecretKind[];
  /** What age's recipient stanzas are for, such as X25519. */
  ageTypes: string[];
}

export interface OpenedFacts {
  /** The number of the opened file in the worker. */
  file: number;
  size: number;
  suite: string;
  segmentSize: number;
  media: Media | null;
}

export interface EntryFacts {
  type: "file" | "directory" | "link";
  name: string;
  size: number;
  target: string;
  present: boolean;
}

export interface TreeFacts {
  entries: EntryFacts[];
  unexpected: string[];
  missing: number;
}

export interface EncryptChoices {
  secret: Secret;
  context: string;
  armor: boolean;
}

/** Where the output goes: to a file that the user chose, or to the service worker under a token. */
export type Destination = { handle: FileSystemFileHandle } | { token: string; name: string };

/** What the page asks of the worker, with the results. */
export interface Operations {
  inspect: { request: { file: File; header: File | null }; result: HeaderFacts };
  open: { request: { file: File; header: File | null; secret: Secret; context: string }; result: OpenedFacts };
  openTree: { request: { files: Map<string, File>; secret: Secret; context: string }; result: TreeFacts };
  openEntry: { request: { entry: number }; result: OpenedFacts };
  /** Opens all of a file and gives out nothing. */
  verify: { request: { file: number }; result: null };
  save: { request: { file: number; to: Destination }; result: null };
  encrypt: { request: { file: File; choices: EncryptChoices; to: Destination }; result: { size: number } };
  /** Makes a file available to the service worker until it is withdrawn. */
  offer: { request: { file: number; token: string; type: string; name: string }; result: null };
  withdraw: { request: { token: string }; result: null };
  generateKeyFile: { request: Record<string, never>; result: string };
  checkAgeRecipients: { request: { text: string }; result: number };
}

export type Operation = keyof Operations;

export interface Failure {
  /** A code of the library, or one of this page. */
  code: string;
  message: string;
  segment?: number;
  /** Whether that is the last one. */
  isLast?: boolean;
}

export type ToWorker =
  | { kind: "request"; id: number; operation: Operation; request: unknown }
  | { kind: "cancel"; id: number }
  | { kind: "plaintext"; token: string; range: string | null };

export type FromWorker =
  | { kind: "result"; id: number; result: unknown }
  | { kind: "failure"; id: number; failure: Failure }
  | { kind: "progress"; id: number; done: number; total: number }
  /** A plaintext that was offered could not be given. */
  | { kind: "offer-failed"; token: string; failure: Failure };

/** The service worker to the page. A port comes with it. */
export interface PlaintextRequest { kind: "plaintext"; token: string; range: string | null }

/** The page to the service worker. */
export type ToServiceWorker =
  /** Asks for the client's id, through the port that comes along. */
  | { kind: "hello" }
  /** Asks to be controlled, as a page that was loaded past the service worker is not. */
  | { kind: "claim" }
  /** Keeps the service worker running while something is transferred. */
  | { kind: "stay" };

export type PlaintextReply = Pick<Answer, "status" | "headers"> | null;
export type PlaintextChunk = { chunk: Uint8Array<ArrayBuffer> } | { end: true } | { failed: true };
export type PlaintextPull = "pull" | "cancel";
