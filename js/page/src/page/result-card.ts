/** An opened file: its facts, and saving, showing and verifying it. */

import { formatBytes, shownName } from "../shared/format.js";
import type { OpenedFacts } from "../shared/protocol.js";
import { announce, byId, facts, focusOn, make } from "./dom.js";
import { clearError, showError } from "./errors.js";
import { preview, previewText, type Preview } from "./preview.js";
import { withProgress } from "./progress.js";
import { choosesWhereToSave, save } from "./save.js";
import type { Vault } from "./vault.js";

interface Shown {
  vault: Vault;
  opened: OpenedFacts;
  name: string;
}

function signatureText(signature: OpenedFacts["signature"]): string {
  if (signature === null) return "None";
  if (signature === "unvouched") return "There is one, and nobody vouches for it: you gave no signers that you trust.";
  return `Signed by ${shownName(signature.principal)}, key ${signature.fingerprint}`;
}

export class ResultCard {
  readonly #card = byId("open-result-card", HTMLElement);
  readonly #title = byId("open-result-title", HTMLElement);
  readonly #progress = byId("open-result-progress", HTMLElement);
  readonly #error = byId("open-result-error", HTMLElement);
  readonly #done = byId("open-result-done", HTMLElement);
  readonly #previewPlace = byId("open-preview-place", HTMLElement);
  readonly #buttons = ["open-save", "open-preview", "open-verify"].map((id) => byId(id, HTMLButtonElement));
  #shown: Shown | null = null;
  #preview: Preview | null = null;

  constructor() {
    const [saveButton, previewButton, verifyButton] = this.#buttons as [HTMLButtonElement, HTMLButtonElement, HTMLButtonElement];
    saveButton.addEventListener("click", () => void this.#run((shown) => this.#save(shown)));
    verifyButton.addEventListener("click", () => void this.#run((shown) => this.#verify(shown)));
    previewButton.addEventListener("click", () => void this.#run((shown) => this.#show(shown)));
    byId("open-preview-close", HTMLButtonElement).addEventListener("click", () => {
      this.#closePreview();
      previewButton.focus();
    });
  }

  /** `verified` says that all of the file has been opened, as a file of a tree has. */
  show(vault: Vault, opened: OpenedFacts, name: string, verified: boolean): void {
    this.hide();
    this.#shown = { vault, opened, name };
    facts(byId("open-result-facts", HTMLElement), [
      ["Name", shownName(name)],
      ["Size", formatBytes(opened.size)],
      ["Kind", opened.media?.label ?? (opened.size === 0 ? "Empty" : "Not a kind that is shown here")],
      ["Signature", signatureText(opened.signature)],
      ["Checked", verified ? "All of it, and that it is the file of this name" : "The key fits. The contents are checked while you save."],
    ]);
    byId("open-preview", HTMLButtonElement).hidden = opened.media === null;
    byId("open-verify", HTMLButtonElement).hidden = verified;
    byId("open-save-hint", HTMLElement).textContent = choosesWhereToSave()
      ? "You choose where. The file appears there when all of it has been verified."
      : "When all of it has been verified, it goes to your browser's downloads. Until then the browser keeps it in memory or in its temporary files.";
    this.#card.hidden = false;
    focusOn(this.#title);
    announce(`Opened ${shownName(name)}.`);
  }

  hide(): void {
    this.#closePreview();
    this.#shown = null;
    this.#card.hidden = true;
    this.#done.hidden = true;
    clearError(this.#error);
    this.#progress.replaceChildren();
  }

  async #run(work: (shown: Shown) => Promise<void>): Promise<void> {
    const shown = this.#shown;
    if (shown === null) return;
    clearError(this.#error);
    this.#done.hidden = true;
    for (const element of this.#buttons) element.disabled = true;
    try {
      await work(shown);
    } catch (error) {
      if (this.#shown === shown) this.#fail(shown, error);
    } finally {
      for (const element of this.#buttons) element.disabled = false;
    }
  }

  #fail({ opened }: Shown, error: unknown): void {
    const { size, segmentSize, suite } = opened;
    showError(this.#error, error, { size, segmentSize, suite });
  }

  #say(title: string, text: string): void {
    this.#done.replaceChildren(make("h3", {}, title), make("p", {}, text));
    this.#done.hidden = false;
    focusOn(this.#done);
    announce(title);
  }

  async #verify({ vault, opened }: Shown): Promise<void> {
    await withProgress(this.#progress, "Verifying", ({ signal, progress }) => vault.call("verify", { file: opened.file }, { signal, progress }));
    this.#say("The file is whole.", "All of it opens with this key. Nothing was saved.");
  }

  async #save(shown: Shown): Promise<void> {
    const { vault, opened, name } = shown;
    const saved = await save(name, (to) => withProgress(this.#progress, "Saving", ({ signal, progress }) =>
      vault.call("save", { file: opened.file, to }, { signal, progress })));
    if (saved === null) return;
    this.#say("Saved.", choosesWhereToSave()
      ? `All of ${shownName(saved)} was verified and written. It is not encrypted any more.`
      : `All of ${shownName(saved)} was verified and given to your browser's downloads. It is not encrypted any more.`);
  }

  async #show(shown: Shown): Promise<void> {
    const { vault, opened, name } = shown;
    if (opened.media === null) return;
    this.#closePreview();
    if (opened.media.kind === "text") {
      const text = await withProgress(this.#progress, "Opening", ({ signal, progress }) => vault.call("showText", { file: opened.file }, { signal, progress }));
      if (this.#shown !== shown) return;
      this.#previewPlace.hidden = false;
      this.#preview = previewText(text, shownName(name), byId("open-preview-media", HTMLElement));
      focusOn(byId("open-preview-title", HTMLElement));
      return;
    }
    const contents = await withProgress(this.#progress, "Opening", ({ signal, progress }) => vault.call("show", { file: opened.file }, { signal, progress }));
    if (this.#shown !== shown) return;
    this.#previewPlace.hidden = false;
    this.#preview = preview(contents, opened.media, name, byId("open-preview-media", HTMLElement), (error) => {
      this.#closePreview();
      this.#fail(shown, error);
    });
    focusOn(byId("open-preview-title", HTMLElement));
  }

  #closePreview(): void {
    this.#preview?.close();
    this.#preview = null;
    this.#previewPlace.hidden = true;
  }
}
