/** The form for the key of a file that is to be opened. */

import type { Secret, SecretKind } from "../shared/protocol.js";
import { byId } from "./dom.js";
import { chooseWith } from "./pick.js";
import { KeptKey, readKeyFile, readText } from "./secrets.js";
import { failure } from "./vault.js";

const kinds: readonly SecretKind[] = ["passphrase", "key-file", "age"];

export class KeyForm {
  readonly #passphrase = byId("open-passphrase", HTMLInputElement);
  readonly #identity = byId("open-identity", HTMLTextAreaElement);
  readonly #context = byId("open-context", HTMLInputElement);
  readonly #reveal = byId("open-reveal", HTMLButtonElement);
  readonly #keyName = byId("open-key-name", HTMLElement);
  readonly #identityName = byId("open-identity-name", HTMLElement);
  readonly #key = new KeptKey();
  /** Characters that were typed while the file was looked at, before there was a field for them. Null: it is not. */
  #early: string | null = null;

  constructor(onError: (error: unknown) => void) {
    for (const radio of this.#radios()) radio.addEventListener("change", () => this.#showField());
    this.#reveal.addEventListener("click", () => this.#setRevealed(this.#passphrase.type === "password"));
    // A character that is typed beside every field is one of the passphrase: the field gets the focus, and with it the character.
    addEventListener("keydown", ({ key, ctrlKey, metaKey, altKey, target }) => {
      if (ctrlKey || metaKey || altKey || Array.from(key).length !== 1 || key === " " || isEntered(target)) return;
      if (this.#passphrase.getClientRects().length > 0) this.#passphrase.focus();
      else if (this.#early !== null) this.#early += key;
    });
    chooseWith("open-choose-key", "open-key", async ([chosen]) => {
      try {
        if (chosen === undefined) return;
        this.#key.keep(await readKeyFile(chosen.file));
        this.#keyName.textContent = chosen.path;
      } catch (error) {
        onError(error);
      }
    });
    chooseWith("open-choose-identity", "open-identity-file", async ([chosen]) => {
      try {
        if (chosen === undefined) return;
        this.#identity.value = await readText(chosen.file);
        this.#identityName.textContent = chosen.path;
      } catch (error) {
        onError(error);
      }
    });
  }

  /** Offers what opens the file. */
  offer(possible: readonly SecretKind[], hasContext: boolean): void {
    // Kinds that are not known here cannot be offered. The error then says that no key fits.
    const offered = possible.length === 0 ? kinds : possible;
    for (const radio of this.#radios()) {
      const label = radio.parentElement as HTMLElement;
      label.hidden = !offered.includes(radio.value as SecretKind);
    }
    if (!offered.includes(this.kind)) for (const radio of this.#radios()) radio.checked = radio.value === offered[0];
    byId("open-kinds", HTMLFieldSetElement).hidden = offered.length === 1;
    byId("open-context-field", HTMLElement).hidden = !hasContext;
    this.#showField();
  }

  /** A file is being looked at. */
  expect(): void {
    this.#early = "";
  }

  /** Puts the cursor into the field of the passphrase, if that is what is asked for. */
  focusPassphrase(select = false): boolean {
    const early = this.#early ?? "";
    this.#early = null;
    if (this.kind !== "passphrase") return false;
    this.#passphrase.value += early;
    this.#passphrase.focus({ preventScroll: select });
    if (select) this.#passphrase.select();
    return true;
  }

  get kind(): SecretKind {
    return (this.#radios().find(({ checked }) => checked)?.value ?? "passphrase") as SecretKind;
  }

  get context(): string {
    return byId("open-context-field", HTMLElement).hidden ? "" : this.#context.value;
  }

  /** The secret that was entered. */
  secret(): Secret {
    switch (this.kind) {
      case "passphrase": {
        const text = this.#passphrase.value;
        if (text === "") throw failure("no-key-yet");
        return { kind: "passphrase", text };
      }
      case "key-file": {
        const bytes = this.#key.copy();
        if (bytes === null) throw failure("no-key-yet");
        return { kind: "key-file", bytes };
      }
      case "age": {
        const text = this.#identity.value;
        if (text.trim() === "") throw failure("no-key-yet");
        return { kind: "age", text };
      }
    }
  }

  forget(): void {
    this.#passphrase.value = this.#identity.value = this.#context.value = "";
    this.#early = null;
    this.#key.forget();
    this.#keyName.textContent = "None chosen yet.";
    this.#identityName.textContent = "";
    this.#setRevealed(false);
  }

  #setRevealed(revealed: boolean): void {
    this.#passphrase.type = revealed ? "text" : "password";
    this.#reveal.textContent = revealed ? "Hide" : "Show";
    this.#reveal.setAttribute("aria-pressed", String(revealed));
  }

  #radios(): HTMLInputElement[] {
    return Array.from(document.querySelectorAll<HTMLInputElement>("input[name=open-kind]"));
  }

  #showField(): void {
    for (const kind of kinds) byId(`open-${kind}-field`, HTMLElement).hidden = kind !== this.kind;
  }
}

/** Whether an element takes what is typed. */
const isEntered = (target: EventTarget | null): boolean =>
  target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement && ["text", "password"].includes(target.type);
