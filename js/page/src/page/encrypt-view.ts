/** Encrypting one file, for a passphrase that is made here, a key file or age recipients. */

import { whereToOpen } from "../shared/advice.js";
import { encryptedName, formatBytes, shownName, tooLongFor } from "../shared/format.js";
import { generatePassphrase } from "../shared/passphrase.js";
import type { Secret, SecretKind } from "../shared/protocol.js";
import { announce, byId, facts, focusOn } from "./dom.js";
import { clearError, showError } from "./errors.js";
import { canDrop, chooseWith, dropOn, type ChosenFile } from "./pick.js";
import { withProgress } from "./progress.js";
import { save, saveText } from "./save.js";
import { KeptKey, readKeyFile, readText } from "./secrets.js";
import { failure, Vault } from "./vault.js";

const kinds: readonly SecretKind[] = ["passphrase", "key-file", "age"];

const opensWith: Record<SecretKind, string> = {
  "passphrase": "The passphrase that was shown",
  "key-file": "The key file",
  "age": "The age identity of each recipient",
};

const nextSteps: Record<SecretKind, string> = {
  "passphrase": "Send the encrypted file. Give the passphrase by another way.",
  "key-file": "Send the encrypted file. Give the key file by another way, and keep a copy of it.",
  "age": "Send the encrypted file. The receivers open it with their identities.",
};

export class EncryptView {
  readonly #error = byId("encrypt-error", HTMLElement);
  readonly #progress = byId("encrypt-progress", HTMLElement);
  readonly #facts = byId("encrypt-facts", HTMLElement);
  readonly #keyCard = byId("encrypt-key-card", HTMLElement);
  readonly #resultCard = byId("encrypt-result-card", HTMLElement);
  readonly #forgetRow = byId("encrypt-forget-row", HTMLElement);
  readonly #drop = byId("encrypt-drop", HTMLElement);
  readonly #passphrase = byId("encrypt-passphrase", HTMLOutputElement);
  readonly #copied = byId("encrypt-copied", HTMLElement);
  readonly #kept = byId("encrypt-kept", HTMLInputElement);
  readonly #keyName = byId("encrypt-key-name", HTMLElement);
  readonly #recipients = byId("encrypt-recipients", HTMLTextAreaElement);
  readonly #context = byId("encrypt-context", HTMLInputElement);
  readonly #armor = byId("encrypt-armor", HTMLInputElement);
  readonly #key = new KeptKey();
  #file: File | null = null;
  #vault: Vault | null = null;

  constructor() {
    const onChosen = (chosen: ChosenFile[]): void => this.#choose(chosen);
    chooseWith("encrypt-choose", "encrypt-file", onChosen);
    dropOn(this.#drop, onChosen);
    for (const radio of this.#radios()) radio.addEventListener("change", () => this.#showField());
    byId("encrypt-another", HTMLButtonElement).addEventListener("click", () => {
      this.#makePassphrase();
      announce("Another passphrase was made.");
    });
    byId("encrypt-copy", HTMLButtonElement).addEventListener("click", () => void this.#copy());
    byId("encrypt-make-key", HTMLButtonElement).addEventListener("click", () => void this.#try(() => this.#makeKey()));
    chooseWith("encrypt-choose-key", "encrypt-key", ([chosen]) => void this.#try(async () => {
      if (chosen === undefined) return;
      this.#key.keep(await readKeyFile(chosen.file));
      this.#keyName.textContent = `Chosen: ${shownName(chosen.path)}`;
    }));
    chooseWith("encrypt-choose-recipients", "encrypt-recipients-file", ([chosen]) => void this.#try(async () => {
      if (chosen !== undefined) this.#recipients.value = await readText(chosen.file);
    }));
    byId("encrypt-form", HTMLFormElement).addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#try(() => this.#encrypt());
    });
    byId("encrypt-forget", HTMLButtonElement).addEventListener("click", () => {
      this.forget();
      focusOn(byId("encrypt-title", HTMLElement));
    });
    this.#showField();
    this.#compact(false);
  }

  forget(): void {
    this.#forgetSecrets();
    this.#vault?.close();
    this.#vault = null;
    this.#file = null;
    clearError(this.#error);
    clearError(byId("encrypt-file-error", HTMLElement));
    this.#progress.replaceChildren();
    this.#facts.hidden = this.#keyCard.hidden = this.#resultCard.hidden = this.#forgetRow.hidden = true;
    this.#compact(false);
  }

  #forgetSecrets(): void {
    this.#passphrase.value = "";
    this.#copied.textContent = "";
    this.#kept.checked = this.#armor.checked = false;
    this.#recipients.value = this.#context.value = "";
    this.#key.forget();
    this.#keyName.textContent = "None yet.";
    byId("encrypt-more", HTMLDetailsElement).open = false;
  }

  #compact(compact: boolean): void {
    this.#drop.classList.toggle("compact", compact);
    byId("encrypt-drop-hint", HTMLElement).textContent = compact ? "Encrypt another file instead:"
      : canDrop() ? "Drop a file here, or choose it." : "Choose the file.";
    byId("encrypt-choose", HTMLElement).classList.toggle("primary", !compact);
  }

  #choose(chosen: readonly ChosenFile[]): void {
    this.forget();
    const [first] = chosen;
    if (first === undefined || chosen.length > 1) {
      showError(byId("encrypt-file-error", HTMLElement), failure("one-file"));
      return;
    }
    this.#file = first.file;
    this.#vault = new Vault();
    const most = tooLongFor(first.file.name, false);
    facts(this.#facts, [
      ["File", shownName(first.file.name)],
      ["Size", formatBytes(first.file.size)],
      ...(most === null ? [] : [["Name", `Longer than the ${most} bytes that leave room for the suffix. A shorter one is offered.`] as const]),
    ]);
    this.#makePassphrase();
    this.#compact(true);
    this.#facts.hidden = this.#keyCard.hidden = this.#forgetRow.hidden = false;
    focusOn(byId("encrypt-key-title", HTMLElement));
  }

  async #try(work: () => Promise<void>): Promise<void> {
    clearError(this.#error);
    try {
      await work();
    } catch (error) {
      if (this.#file !== null) showError(this.#error, error);
    }
  }

  #radios(): HTMLInputElement[] {
    return Array.from(document.querySelectorAll<HTMLInputElement>("input[name=encrypt-kind]"));
  }

  get #kind(): SecretKind {
    return this.#radios().find(({ checked }) => checked)?.value as SecretKind;
  }

  #showField(): void {
    for (const kind of kinds) byId(`encrypt-${kind}-field`, HTMLElement).hidden = kind !== this.#kind;
  }

  #makePassphrase(): void {
    this.#passphrase.value = generatePassphrase();
    this.#kept.checked = false;
    this.#copied.textContent = "";
  }

  async #copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(this.#passphrase.value);
      this.#copied.textContent = "Copied. It stays in the clipboard until you copy something else.";
    } catch {
      this.#copied.textContent = "The browser does not allow copying. Select the text and copy it yourself.";
    }
    announce(this.#copied.textContent);
  }

  async #makeKey(): Promise<void> {
    const text = await this.#vault?.call("generateKeyFile", {});
    if (text === undefined || !await saveText("polyseal.key", text)) return;
    this.#key.keep(new TextEncoder().encode(text));
    this.#keyName.textContent = "A new key file was saved as polyseal.key, or as you have named it.";
    announce(this.#keyName.textContent);
  }

  async #secret(vault: Vault): Promise<Secret> {
    switch (this.#kind) {
      case "passphrase":
        if (!this.#kept.checked) throw failure("passphrase-not-kept");
        return { kind: "passphrase", text: this.#passphrase.value };
      case "key-file": {
        const bytes = this.#key.copy();
        if (bytes === null) throw failure("no-recipient-yet");
        return { kind: "key-file", bytes };
      }
      case "age": {
        const text = this.#recipients.value;
        if (text.trim() === "") throw failure("no-recipient-yet");
        // Before a place for the file is chosen.
        await vault.call("checkAgeRecipients", { text });
        return { kind: "age", text };
      }
    }
  }

  async #encrypt(): Promise<void> {
    const file = this.#file, vault = this.#vault;
    if (file === null || vault === null || this.#progress.hasChildNodes()) return;
    const secret = await this.#secret(vault);
    const armor = this.#armor.checked, context = this.#context.value;
    const submit = byId("encrypt-submit", HTMLButtonElement);
    submit.disabled = true;
    try {
      let size = 0;
      const name = await save(encryptedName(file.name, armor), (to) => withProgress(this.#progress, "Encrypting", async ({ signal, progress }) => {
        const transfer = secret.kind === "key-file" ? [secret.bytes.buffer] : [];
        const made = await vault.call("encrypt", { file, choices: { secret, context, armor }, to }, { signal, progress, transfer });
        size = made.size;
        return made.blob;
      }));
      if (name === null || this.#file !== file) return;
      facts(byId("encrypt-result-facts", HTMLElement), [
        ["File", shownName(name)],
        ["Size", formatBytes(size)],
        ["Opens with", opensWith[secret.kind] + (context === "" ? "" : ", and the context")],
      ]);
      byId("encrypt-result-next", HTMLElement).textContent =
        `${nextSteps[secret.kind]} ${whereToOpen(location)}`;
      this.#forgetSecrets();
      vault.close();
      this.#vault = this.#file = null;
      this.#keyCard.hidden = true;
      this.#resultCard.hidden = false;
      focusOn(byId("encrypt-result-title", HTMLElement));
      announce("The file was encrypted.");
    } finally {
      submit.disabled = false;
    }
  }
}
