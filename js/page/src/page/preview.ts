/**
 * Shows a plaintext in the page: all of it has opened, and is in a Blob of the type that it was found to be.
 *
 * A PDF has a frame without the attribute `sandbox`, because Chromium shows no PDF in such a frame. The frame can be
 * nothing but a PDF: the Blob says so, and browsers do not guess there. The browser's viewer isolates what is in it.
 */

import { isShownType, type Media, type MediaKind } from "../shared/media.js";
import { make } from "./dom.js";
import { failure } from "./vault.js";

export interface Preview {
  close(): void;
}

/** `onError` is called once, and the preview is closed then. */
export function preview(contents: Blob, media: Media, name: string, place: HTMLElement, onError: (error: unknown) => void): Preview {
  if (!isShownType(contents.type)) throw new Error(`${contents.type} is not shown.`);
  const url = URL.createObjectURL(contents);
  const element = elementFor(media, name);
  let open = true;
  const close = (): void => {
    if (!open) return;
    open = false;
    element.removeAttribute("src");
    if (element instanceof HTMLMediaElement) element.load();
    element.remove();
    URL.revokeObjectURL(url);
  };
  element.addEventListener("error", () => {
    if (!open) return;
    close();
    onError(failure("not-shown"));
  });
  element.setAttribute("src", url);
  place.replaceChildren(element);
  return { close };
}

/** Shows text as text: nothing in it is taken for a part of the page. */
export function previewText({ text, cut }: { text: string; cut: boolean }, name: string, place: HTMLElement): Preview {
  const element = make("pre", { tabindex: "0", role: "region", "aria-label": `Text: ${name}` });
  element.textContent = text;
  place.replaceChildren(element, ...(cut ? [make("p", { class: "hint" }, "This is the beginning, 1 MB. The rest is in the file that you save.")] : []));
  return { close: () => place.replaceChildren() };
}

function elementFor({ kind, label }: Media, name: string): HTMLElement {
  switch (kind as Exclude<MediaKind, "text">) {
    case "video": return make("video", { controls: "", playsinline: "", preload: "metadata", "aria-label": name });
    case "audio": return make("audio", { controls: "", preload: "metadata", "aria-label": name });
    case "image": return make("img", { alt: `${label}: ${name}` });
    case "pdf": return make("iframe", { title: `${label}: ${name}`, referrerpolicy: "no-referrer" });
  }
}
