/** Errors of the library and of the platform, as messages to the page. */

import { PolysealError } from "polyseal";
import type { Failure } from "../shared/protocol.js";

/** A failure whose code is one of this page. */
export class PageFailure extends Error {
  constructor(readonly failure: Failure) {
    super(failure.message);
  }
}

const platformCodes: Record<string, string> = {
  AbortError: "cancelled",
  NotReadableError: "source-failed",
  NotFoundError: "source-failed",
  QuotaExceededError: "disk-full",
  NotAllowedError: "write-refused",
  NoModificationAllowedError: "write-refused",
  InvalidStateError: "write-refused",
};

export function failureOf(error: unknown): Failure {
  if (error instanceof PageFailure) return error.failure;
  if (error instanceof PolysealError) {
    const { code, message, segment, isLast, line } = error;
    return { code, message, ...(segment === undefined ? {} : { segment }), ...(isLast === undefined ? {} : { isLast }), ...(line === undefined ? {} : { line }) };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { code: (error instanceof Error && platformCodes[error.name]) || "internal", message };
}
