/** The form for who must have signed a file: its signature, and the keys that the user vouches for. */

import { byId } from "./dom.js";
import { chooseWith, type ChosenFile } from "./pick.js";
import { readText } from "./secrets.js";

export class SignedForm {
  readonly #details = byId("open-signed", HTMLDetailsElement);
  readonly #name = byId("open-statement-name", HTMLElement);
  readonly #signers = byId("open-signers", HTMLTextAreaElement);
  #statement: File | null = null;

  constructor(onError: (error: unknown) => void) {
    chooseWith("open-choose-statement", "open-statement", ([chosen]) => this.take(chosen ?? null));
    chooseWith("open-choose-signers", "open-signers-file", async ([chosen]) => {
      try {
        if (chosen !== undefined) this.signers = await readText(chosen.file);
      } catch (error) {
        onError(error);
      }
    });
  }

  /** Takes the signature of a file, or none. */
  take(chosen: ChosenFile | null): void {
    this.#statement = chosen?.file ?? null;
    this.#name.textContent = chosen?.path ?? "None chosen yet.";
    if (chosen !== null) this.#details.open = true;
  }

  /** Shows the form where a file can be signed, and where somebody must have signed it. */
  offer(canBeSigned: boolean): void {
    this.#details.hidden = !canBeSigned && this.signers === "";
  }

  get statement(): File | null {
    return this.#statement;
  }

  /** The list of signers, or nothing if the user gave none. */
  get signers(): string {
    return this.#signers.value.trim() === "" ? "" : this.#signers.value;
  }

  set signers(list: string) {
    this.#signers.value = list;
    this.#details.open = this.#statement !== null || list !== "";
  }

  forget(): void {
    this.take(null);
    this.signers = "";
  }
}
