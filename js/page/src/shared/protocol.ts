/** The messages between the page and its worker, which has the keys. */

import type { FailureReason, Signer } from "polyseal";
import type { Media } from "./media.js";

export type Secret =
  | { kind: "passphrase"; text: string }
  | { kind: "key-file"; bytes: Uint8Array<ArrayBuffer> }
  /** Identities to open, recipients to encrypt. */
  | { kind: "age"; text: string };

export type SecretKind = Secret["kind"];

export interface HeaderFacts {
  format: "polyseal" | "age";
  suite: string;
  suiteSupported: boolean;
  segmentSize: number;
  tagLength: number;
  hasContext: boolean;
  recipients: number;
  kinds: SecretKind[];
  /** The types of age's recipient stanzas, such as X25519. */
  ageTypes: string[];
}

export interface OpenedFacts {
  /** The number of the opened file in the worker. */
  file: number;
  size: number;
  suite: string;
  segmentSize: number;
  media: Media | null;
  /** The signer. `unvouched`: there is a signature, and no list of signers to compare it with. */
  signature: Pick<Signer, "principal" | "fingerprint"> | "unvouched" | null;
}

export interface EntryFacts {
  /** `absent` is something that could not be taken when the tree was made. */
  type: "file" | "directory" | "link" | "absent";
  name: string;
  size: number;
  target: string;
  present: boolean;
  /** Why it could not be taken. What is there of it is of an earlier run. */
  notTaken: FailureReason | null;
}

export interface TreeFacts {
  entries: EntryFacts[];
  unexpected: string[];
  missing: number;
  /** Whether an update of the tree was interrupted. */
  interrupted: boolean;
}

/** The end of verifying or saving one file of a tree. */
export interface EntryOutcome {
  name: string;
  size: number;
  failure: Failure | null;
}

export interface EncryptChoices {
  secret: Secret;
  context: string;
  armor: boolean;
}

/** Where the output goes: to a file that the user chose, or into a Blob, which is the result. */
export type Destination = { handle: FileSystemFileHandle } | "blob";

/** The requests of the page to the worker, with their results. */
export interface Operations {
  inspect: { request: { file: File; header: File | null }; result: HeaderFacts };
  /** `name` is that of the contents. Where there are `signers`, one of them must have signed it. */
  open: { request: { file: File; name: string; header: File | null; secret: Secret; context: string; statement: File | null; signers: string }; result: OpenedFacts };
  openTree: { request: { files: Map<string, File>; secret: Secret; context: string; signers: string }; result: TreeFacts };
  openEntry: { request: { entry: number }; result: OpenedFacts };
  /** Every file of the tree, whatever becomes of the others. */
  verifyAll: { request: Record<string, never>; result: EntryOutcome[] };
  /** The same, into a new folder in the one that the user chose. The result has its name. */
  saveAll: { request: { into: FileSystemDirectoryHandle; name: string }; result: { name: string; outcomes: EntryOutcome[] } };
  /** Opens all of a file and gives out nothing. */
  verify: { request: { file: number }; result: null };
  save: { request: { file: number; to: Destination }; result: Blob | null };
  encrypt: { request: { file: File; choices: EncryptChoices; to: Destination }; result: { size: number; blob: Blob | null } };
  /** All of a file, as what it was found to be. What is not of a type that is shown is refused. */
  show: { request: { file: number }; result: Blob };
  /** The beginning of a text, when all of the file has opened. `cut`: there is more. */
  showText: { request: { file: number }; result: { text: string; cut: boolean } };
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
  /** The line of a list of signers. */
  line?: number;
}

export type ToWorker =
  /** The first message. `page` is the address beside which the page's files are. */
  | { kind: "start"; page: string }
  | { kind: "request"; id: number; operation: Operation; request: unknown }
  | { kind: "cancel"; id: number };

export type FromWorker =
  | { kind: "started" }
  | { kind: "result"; id: number; result: unknown }
  | { kind: "failure"; id: number; failure: Failure }
  | { kind: "progress"; id: number; done: number; total: number };
