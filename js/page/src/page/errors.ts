/** Shows errors where they belong, and moves the focus there. */

import type { Failure } from "../shared/protocol.js";
import { focusOn, make } from "./dom.js";
import { explain, type Circumstances } from "./explain.js";
import { PageError } from "./vault.js";

export const failureFrom = (error: unknown): Failure =>
  error instanceof PageError ? error.failure : { code: "internal", message: error instanceof Error ? error.message : String(error) };

export function showError(place: HTMLElement, error: unknown, circumstances: Circumstances = {}): void {
  const failure = failureFrom(error);
  const { what, meaning, action } = explain(failure, circumstances);
  const notice = make("div", { class: "notice error", role: "alert", "data-code": failure.code },
    make("h3", {}, what), make("p", {}, meaning), make("p", {}, action));
  place.replaceChildren(notice);
  focusOn(notice);
}

export const clearError = (place: HTMLElement): void => place.replaceChildren();
