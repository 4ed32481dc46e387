/** Opening: a file or a folder is chosen, then the key, and then there is something to save or to show. */

import { comingManifestName, findTree, manifestName, pairSignatures, type ChosenTree } from "../shared/chosen.js";
import { formatBytes, plaintextName, safeName, shownName } from "../shared/format.js";
import { folderName } from "../shared/totals.js";
import type { EntryFacts, EntryOutcome, HeaderFacts, SecretKind } from "../shared/protocol.js";
import { button, byId, facts, focusOn, make } from "./dom.js";
import { clearError, failureFrom, showError } from "./errors.js";
import { KeyForm } from "./key-form.js";
import { canChooseFolder, canDrop, chooseWith, dropOn, type ChosenFile } from "./pick.js";
import { withProgress, type Work } from "./progress.js";
import { ResultCard } from "./result-card.js";
import { pickFolder } from "./save.js";
import { SignedForm } from "./signed-form.js";
import { TreeCard } from "./tree-card.js";
import { failure, Vault } from "./vault.js";

type Subject =
  | { kind: "file"; name: string; file: File; facts: HeaderFacts }
  | { kind: "tree"; tree: ChosenTree<File>; facts: HeaderFacts };

const kindNames: Record<SecretKind, string> = { "passphrase": "a passphrase", "key-file": "a key file", "age": "an age identity" };

/** Errors after which the passphrase is entered again. */
const passphraseErrors = ["no-key-yet", "no-matching-key", "bad-passphrase"];

const sentenceStart = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export class OpenView {
  readonly #drop = byId("open-drop", HTMLElement);
  readonly #facts = byId("open-facts", HTMLElement);
  readonly #details = byId("open-details", HTMLDetailsElement);
  readonly #fileError = byId("open-file-error", HTMLElement);
  readonly #headerName = byId("open-header-name", HTMLElement);
  readonly #keyCard = byId("open-key-card", HTMLElement);
  readonly #keyError = byId("open-key-error", HTMLElement);
  readonly #keyProgress = byId("open-key-progress", HTMLElement);
  readonly #listCard = byId("open-list-card", HTMLElement);
  readonly #forgetRow = byId("open-forget-row", HTMLElement);
  readonly #form = new KeyForm((error) => showError(this.#keyError, error));
  readonly #signed = new SignedForm((error) => showError(this.#keyError, error));
  readonly #result = new ResultCard();
  readonly #tree = new TreeCard({
    open: (index, entry) => void this.#openEntry(index, entry),
    verifyAll: () => void this.#verifyAll(),
    saveAll: () => void this.#saveAll(),
  });
  #vault: Vault | null = null;
  #subject: Subject | null = null;
  /** A file whose header could not be read, until its header is chosen. */
  #file: { name: string; file: File } | null = null;
  #header: File | null = null;
  /** Counts what is chosen, so that a slow answer about an earlier choice is dropped. */
  #choice = 0;

  constructor() {
    const onChosen = (chosen: ChosenFile[]): void => void this.#choose(chosen);
    chooseWith("open-choose", "open-files", onChosen);
    chooseWith("open-choose-folder", "open-folder", onChosen);
    dropOn(this.#drop, onChosen);
    chooseWith("open-choose-header", "open-header", ([chosen]) => {
      if (chosen === undefined) return;
      this.#header = chosen.file;
      this.#headerName.textContent = shownName(chosen.path);
      if (this.#file !== null) void this.#chooseFile(this.#file.name, this.#file.file);
    });
    byId("open-form", HTMLFormElement).addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#open();
    });
    byId("open-forget", HTMLButtonElement).addEventListener("click", () => {
      this.forget();
      focusOn(byId("open-title", HTMLElement));
    });
    byId("open-choose-folder", HTMLElement).hidden = !canChooseFolder();
    this.#compact(false);
  }

  /** Ends the worker with the key, empties the fields and drops all that refers to the file. */
  forget(): void {
    this.#clear();
    this.#form.forget();
    this.#signed.forget();
    this.#header = this.#file = null;
    this.#headerName.textContent = "";
    const more = byId("open-more", HTMLDetailsElement);
    more.open = more.hidden = false;
    this.#listCard.hidden = true;
    byId("open-list", HTMLElement).replaceChildren();
    this.#compact(false);
  }

  /** All but what was entered. */
  #clear(): void {
    this.#choice++;
    this.#result.hide();
    this.#tree.hide();
    this.#vault?.close();
    this.#vault = null;
    this.#subject = null;
    this.#facts.hidden = this.#details.hidden = this.#keyCard.hidden = this.#forgetRow.hidden = true;
    clearError(this.#fileError);
    clearError(this.#keyError);
    this.#keyProgress.replaceChildren();
  }

  #compact(compact: boolean): void {
    this.#drop.classList.toggle("compact", compact);
    byId("open-drop-hint", HTMLElement).textContent = compact ? "Open something else:"
      : canDrop() ? "Drop the encrypted file or folder here, or choose it." : "Choose the encrypted file.";
    byId("open-choose", HTMLElement).classList.toggle("primary", !compact);
  }

  async #choose(chosen: ChosenFile[]): Promise<void> {
    const header = this.#header, headerName = this.#headerName.textContent, { signers } = this.#signed;
    const [one] = chosen;
    if (chosen.length === 1 && one !== undefined && this.#file !== null && one.path === `${this.#file.name}.sig`) {
      this.#signed.take(one);
      // An opened file was not compared with it.
      if (this.#keyCard.hidden) await this.#chooseFile(this.#file.name, this.#file.file);
      return;
    }
    this.forget();
    // The next file must be signed as well.
    this.#signed.signers = signers;
    const tree = findTree(chosen);
    // A header apart from its payload is for one file.
    const paired = pairSignatures(chosen);
    byId("open-more", HTMLDetailsElement).hidden = tree !== null || paired.length > 1;
    if (tree !== null) return this.#chooseTree(tree);
    const [first] = paired;
    if (paired.length === 1 && first !== undefined) {
      // The header may have been chosen before its payload.
      this.#header = header;
      this.#headerName.textContent = headerName;
      byId("open-more", HTMLDetailsElement).open = header !== null;
      this.#signed.take(first.signature);
      return this.#chooseFile(first.path, first.file);
    }
    this.#listFiles(paired);
  }

  #listFiles(chosen: ReturnType<typeof pairSignatures<File>>): void {
    const choose = (one: (typeof chosen)[number]): void => {
      this.#signed.take(one.signature);
      void this.#chooseFile(one.path, one.file);
    };
    byId("open-list", HTMLElement).replaceChildren(...chosen.map((one) => make("li", {},
      make("span", { class: "name" }, shownName(one.path), make("span", { class: "note" }, formatBytes(one.file.size))),
      button("Choose", () => choose(one), { "aria-label": `Choose ${shownName(one.path)}` }))));
    this.#listCard.hidden = false;
    this.#compact(true);
    focusOn(byId("open-list-title", HTMLElement));
  }

  async #chooseFile(name: string, file: File): Promise<void> {
    await this.#inspect(async (vault) => {
      this.#file = { name, file };
      const headerFacts = await vault.call("inspect", { file, header: this.#header });
      return { kind: "file", name, file, facts: headerFacts };
    }, [["File", shownName(name)], ["Size", formatBytes(file.size)]]);
  }

  async #chooseTree(tree: ChosenTree<File>): Promise<void> {
    await this.#inspect(async (vault) => {
      const manifest = tree.files.get(manifestName) as File;
      const headerFacts = await vault.call("inspect", { file: manifest, header: null });
      // A manifest always has a context. Whether the user must know one is in the other files.
      let hasContext = false;
      for (const [name, file] of tree.files) {
        if (name === manifestName || name === comingManifestName || !name.endsWith(".polyseal")) continue;
        const about = await vault.call("inspect", { file, header: null }).catch(() => null);
        if (about?.hasContext !== true) continue;
        hasContext = true;
        break;
      }
      return { kind: "tree", tree, facts: { ...headerFacts, hasContext } };
    }, [["Folder", shownName(tree.name) || "Without a name"], ["Files", String(tree.files.size)]]);
  }

  /** Reads a header, and asks for the key. */
  async #inspect(read: (vault: Vault) => Promise<Subject>, about: readonly (readonly [string, string])[]): Promise<void> {
    this.#clear();
    const choice = this.#choice;
    const vault = this.#vault = new Vault();
    this.#form.expect();
    this.#compact(true);
    facts(this.#facts, about);
    this.#facts.hidden = this.#forgetRow.hidden = false;
    try {
      const subject = await read(vault);
      if (choice !== this.#choice) return;
      const { format, suite, suiteSupported, kinds, ageTypes, hasContext } = subject.facts;
      facts(this.#facts, [
        ...about,
        ["Opens with", sentenceStart(kinds.map((kind) => kindNames[kind]).join(", or ") || "something unknown to this page")],
      ]);
      facts(byId("open-details-facts", HTMLElement), [
        ["Format", format === "age" ? "age, version 1" : "Polyseal, version 1"],
        ["Algorithm", suite],
        ...(ageTypes.length === 0 ? [] : [["Recipients", ageTypes.map(shownName).join(", ")] as const]),
        ...(subject.kind === "tree" ? [["List", "A manifest, which every file is compared with"] as const] : []),
      ]);
      this.#details.hidden = this.#details.open = false;
      if (format === "age") byId("open-more", HTMLDetailsElement).hidden = true;
      this.#subject = subject;
      if (!suiteSupported) {
        showError(this.#fileError, failure("unsupported-suite"), { suite });
        return;
      }
      this.#form.offer(kinds, hasContext);
      this.#signed.offer(format === "polyseal" && subject.kind === "file");
      this.#keyCard.hidden = false;
      if (!this.#form.focusPassphrase()) focusOn(byId("open-key-title", HTMLElement));
    } catch (error) {
      if (choice === this.#choice) showError(this.#fileError, error);
    }
  }

  async #open(): Promise<void> {
    const subject = this.#subject;
    if (subject === null || this.#keyProgress.hasChildNodes()) return;
    clearError(this.#keyError);
    this.#result.hide();
    const choice = this.#choice;
    const submit = byId("open-submit", HTMLButtonElement);
    const secretKind = this.#form.kind;
    submit.disabled = true;
    try {
      const secret = this.#form.secret();
      const context = this.#form.context;
      const { statement, signers } = this.#signed;
      const transfer = secret.kind === "key-file" ? [secret.bytes.buffer] : [];
      const vault = this.#vault ??= new Vault();
      await withProgress(this.#keyProgress, secret.kind === "passphrase" ? "Opening. A passphrase takes some seconds." : "Opening", async ({ signal }) => {
        // The worker does not listen while it computes Argon2id, so it is ended.
        signal.addEventListener("abort", () => {
          vault.close();
          if (this.#vault === vault) this.#vault = null;
        }, { once: true });
        if (subject.kind === "tree") {
          const opened = await vault.call("openTree", { files: subject.tree.files, secret, context, signers }, { transfer });
          if (choice !== this.#choice) return;
          this.#afterOpening();
          this.#tree.show(opened);
        } else {
          const name = safeName(plaintextName(subject.name));
          const opened = await vault.call("open", { file: subject.file, name, header: this.#header, secret, context, statement, signers }, { transfer });
          if (choice !== this.#choice) return;
          this.#afterOpening();
          this.#result.show(vault, opened, name, false);
        }
      });
    } catch (error) {
      if (choice !== this.#choice) return;
      showError(this.#keyError, error, { secret: secretKind, suite: subject.facts.suite });
      if (passphraseErrors.includes(failureFrom(error).code)) this.#form.focusPassphrase(true);
    } finally {
      submit.disabled = false;
    }
  }

  /** The worker has the key now, so the form need not keep it; unless it is for several files. */
  #afterOpening(): void {
    if (!this.#listCard.hidden) return;
    this.#form.forget();
    this.#keyCard.hidden = true;
  }

  async #openEntry(index: number, { name }: EntryFacts): Promise<void> {
    await this.#workOnTree(`Checking ${shownName(name)}`, (vault, { signal, progress }) => vault.call("openEntry", { entry: index }, { signal, progress }),
      (opened, vault) => this.#result.show(vault, opened, safeName(name), true));
  }

  async #verifyAll(): Promise<void> {
    await this.#workOnTree("Checking all files", (vault, { signal, progress }) => vault.call("verifyAll", {}, { signal, progress }),
      (outcomes: EntryOutcome[]) => this.#tree.showTotal(outcomes, null));
  }

  async #saveAll(): Promise<void> {
    const subject = this.#subject, choice = this.#choice;
    if (subject?.kind !== "tree") return;
    let into: FileSystemDirectoryHandle | null;
    try {
      into = await pickFolder();
    } catch (error) {
      if (choice === this.#choice) showError(this.#tree.error, error);
      return;
    }
    if (into === null || choice !== this.#choice) return;
    const request = { into, name: folderName(subject.tree.name, safeName) };
    await this.#workOnTree("Saving all files", (vault, { signal, progress }) => vault.call("saveAll", request, { signal, progress }),
      ({ name, outcomes }) => this.#tree.showTotal(outcomes, name), "cancelled-folder");
  }

  async #workOnTree<T>(label: string, work: (vault: Vault, work: Work) => Promise<T>, show: (result: T, vault: Vault) => void, cancelled = "cancelled"): Promise<void> {
    const vault = this.#vault;
    if (vault === null) return;
    this.#result.hide();
    this.#tree.clearResult();
    this.#tree.setDisabled(true);
    const choice = this.#choice;
    try {
      const result = await withProgress(this.#tree.progress, label, (run) => work(vault, run));
      if (choice === this.#choice) show(result, vault);
    } catch (error) {
      if (choice !== this.#choice) return;
      showError(this.#tree.error, failureFrom(error).code === "cancelled" ? failure(cancelled) : error, { suite: undefined });
      if (failureFrom(error).code === "internal") this.#tree.progress.replaceChildren();
    } finally {
      this.#tree.setDisabled(false);
    }
  }
}
