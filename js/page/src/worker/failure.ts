/** Errors of the library and of the platform, as messages to the page. */

import { PolysealError } from "polyseal";
import type { Failure } from "../shared/protocol.js";

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
  if (error instanceof PolysealError) {
    return { code: error.code, message: error.message, ...(error.segment === undefined ? {} : { segment: error.segment }) };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { code: (error instanceof Error && platformCodes[error.name]) || "internal", message };
}
