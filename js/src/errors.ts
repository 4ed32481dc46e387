/** The one class of errors that this library throws, and its codes. */

export type ErrorCode =
  | "not-a-polyseal-file" | "unsupported-version" | "truncated-header" | "bad-header" | "unsupported-suite" | "suite-failed"
  | "no-matching-key" | "header-not-authentic" | "context-missing" | "context-differs" | "context-unexpected"
  | "truncated-payload" | "payload-too-long" | "corrupt-segment" | "bad-armor"
  | "bad-key-file" | "bad-identity" | "bad-recipient" | "bad-passphrase" | "too-much-work" | "invalid-recipients" | "header-full"
  | "invalid-argument" | "source-failed" | "source-changed" | "no-ranges"
  | "bad-manifest" | "unsupported-manifest-version" | "unbound-manifest" | "no-manifest" | "no-such-entry"
  | "missing-file" | "does-not-belong"
  | "no-statement" | "unsupported-statement-version" | "bad-statement" | "bad-signature" | "bad-hashes" | "bad-signers"
  | "not-accepted" | "other-file" | "not-as-signed";

export class PolysealError extends Error {
  readonly code: ErrorCode;
  /** With `corrupt-segment` and `not-as-signed`: the number of the segment, counted from 0. */
  declare readonly segment?: number;
  /** With `corrupt-segment`: whether it was opened as the last one, so that the file may have been cut short. */
  declare readonly isLast?: boolean;
  /** With `source-failed`: the status of the server's answer, if that is why. */
  declare readonly status?: number;
  /** With `bad-signers`: the number of the line, counted from 1. */
  declare readonly line?: number;

  constructor(code: ErrorCode, message: string, details: { segment?: number; isLast?: boolean; status?: number; line?: number; cause?: unknown } = {}) {
    super(message, "cause" in details ? { cause: details.cause } : undefined);
    this.name = "PolysealError";
    this.code = code;
    if (details.segment !== undefined) this.segment = details.segment;
    if (details.isLast !== undefined) this.isLast = details.isLast;
    if (details.status !== undefined) this.status = details.status;
    if (details.line !== undefined) this.line = details.line;
  }
}

export const badHeader = (what: string): PolysealError => new PolysealError("bad-header", `The header is not valid: ${what}.`);

export const invalidArgument = (what: string): PolysealError => new PolysealError("invalid-argument", what);
