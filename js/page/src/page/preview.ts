/**
 * Shows a plaintext in the page. Its source is a URL that the service worker answers, range by range, with what the
 * worker opens at that moment. A part that does not open ends the preview.
 *
 * A PDF has a frame without the attribute `sandbox`, because Chromium shows no PDF in such a frame. Its answer has the
 * header `Content-Security-Policy: sandbox` instead, and can be nothing but a PDF (`nosniff`). The browser's viewer
 * isolates what is in it.
 */

import type { Media } from "../shared/media.js";
import type { OpenedFacts } from "../shared/protocol.js";
import { make } from "./dom.js";
import { publish } from "./plaintexts.js";
import { failure, PageError, type Vault } from "./vault.js";

export interface Preview {
  close(): void;
}

/** How long to wait for the reason of an error that the element reports. */
const reasonMilliseconds = 500;

/** `onError` is called once, and the preview is closed then. */
export async function preview(
  vault: Vault, { file, media }: OpenedFacts & { media: Media }, name: string, place: HTMLElement, onError: (error: unknown) => void,
): Promise<Preview> {
  const { token, url, withdraw } = await publish(vault);
  const element = elementFor(media, name);
  let open = true;
  const close = (): void => {
    if (!open) return;
    open = false;
    withdraw();
    vault.onOfferFailed = () => undefined;
    vault.call("withdraw", { token }).catch(() => undefined);
    // Ends the requests of a player.
    element.removeAttribute("src");
    if (element instanceof HTMLMediaElement) element.load();
    element.remove();
  };
  const fail = (error: unknown): void => {
    if (!open) return;
    close();
    onError(error);
  };
  vault.onOfferFailed = (failedToken, reason) => {
    if (failedToken === token) fail(new PageError(reason));
  };
  element.addEventListener("error", () => setTimeout(() => fail(failure("not-shown")), reasonMilliseconds));
  try {
    await vault.call("offer", { file, token, type: media.type, name });
  } catch (error) {
    close();
    throw error;
  }
  element.setAttribute("src", url);
  place.replaceChildren(element);
  return { close };
}

function elementFor({ kind, label }: Media, name: string): HTMLElement {
  switch (kind) {
    case "video": return make("video", { controls: "", playsinline: "", preload: "metadata", "aria-label": name });
    case "audio": return make("audio", { controls: "", preload: "metadata", "aria-label": name });
    case "image": return make("img", { alt: `${label}: ${name}` });
    case "pdf": return make("iframe", { title: `${label}: ${name}`, referrerpolicy: "no-referrer" });
  }
}
