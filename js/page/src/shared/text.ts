/**
 * Plain text that may be shown. It goes into the page as text, so nothing in it can run; still, only contents whose name
 * says that they are text are taken for it, and only if they are UTF-8 without control characters.
 */

import type { Media } from "./media.js";

export const textMedia: Media = { type: "text/plain", kind: "text", label: "Text" };

/** How many bytes of a text are shown. The rest is in the file that is saved. */
export const shownTextLength = 1048576;

const textName = /\.(txt|text|md|markdown|csv|tsv|json|log)$/i;

/** The bytes as text, or null if they are not plain text. `cut`: more follows, so the last character may be incomplete. */
export function decodeText(bytes: Uint8Array, cut: boolean): string | null {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: cut });
  } catch {
    return null;
  }
  // Tabs, line ends and form feeds are part of plain text, and others are not. What turns the direction of text around
  // makes it look like another.
  return /[\0-\x08\x0b\x0e-\x1f\x7f\u202a-\u202e\u2066-\u2069]/.test(text) ? null : text;
}

/** The kind of a plaintext of that name that begins with `start`: text, or null. */
export const sniffText = (name: string, start: Uint8Array, cut: boolean): Media | null =>
  textName.test(name) && start.length > 0 && decodeText(start, cut) !== null ? textMedia : null;
