/** The contents of an encrypted tree as its manifest lists them: opened one by one, or all verified or saved at once. */

import { formatBytes, formatCount, namesOf, shownName } from "../shared/format.js";
import type { EntryFacts, EntryOutcome, TreeFacts } from "../shared/protocol.js";
import { counted, totalOf } from "../shared/totals.js";
import { announce, button, byId, focusOn, make } from "./dom.js";
import { clearError } from "./errors.js";
import { explain, notComplete, notTaken } from "./explain.js";
import { canSaveFolder } from "./save.js";

const atOnce = 200;
const namedFailures = 20;

/** The work of the buttons of the card. */
export interface TreeActions {
  open(index: number, entry: EntryFacts): void;
  verifyAll(): void;
  saveAll(): void;
}

export class TreeCard {
  readonly #card = byId("open-tree-card", HTMLElement);
  readonly #list = byId("open-tree", HTMLElement);
  readonly #more = byId("open-tree-more", HTMLButtonElement);
  readonly progress = byId("open-tree-progress", HTMLElement);
  readonly error = byId("open-tree-error", HTMLElement);
  readonly #done = byId("open-tree-done", HTMLElement);
  readonly #saveAll = byId("open-tree-save-all", HTMLButtonElement);
  readonly #verifyAll = byId("open-tree-verify-all", HTMLButtonElement);
  #entries: readonly EntryFacts[] = [];
  #notComplete: readonly string[] = [];
  #listed = 0;

  constructor(private readonly actions: TreeActions) {
    this.#saveAll.addEventListener("click", () => this.actions.saveAll());
    this.#verifyAll.addEventListener("click", () => this.actions.verifyAll());
    this.#more.addEventListener("click", () => {
      const first = this.#listed;
      this.#listMore();
      (this.#list.children[first] as HTMLElement | undefined)?.querySelector("button")?.focus();
    });
  }

  show(tree: TreeFacts): void {
    this.hide();
    const { entries, unexpected, missing } = tree;
    this.#entries = entries;
    this.#notComplete = notComplete(tree);
    const files = entries.filter(({ type }) => type === "file");
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    const sentences = [`The folder has ${counted(files.length, "file")} with ${formatBytes(bytes)}.`];
    if (missing > 0) sentences.push(`${counted(missing, "file")} of them ${missing === 1 ? "is" : "are"} missing.`);
    if (unexpected.length > 0) {
      const names = namesOf(unexpected);
      sentences.push(`${counted(unexpected.length, "file")} among those that you chose ${unexpected.length === 1 ? "does" : "do"} not belong to the folder, and ${unexpected.length === 1 ? "is" : "are"} not opened: ${names}.`);
    }
    sentences.push(...this.#notComplete);
    byId("open-tree-summary", HTMLElement).textContent = sentences.join(" ");
    this.#saveAll.hidden = !canSaveFolder();
    byId("open-tree-actions", HTMLElement).hidden = files.length === 0;
    byId("open-tree-save-hint", HTMLElement).textContent = files.length === 0 ? "" : canSaveFolder()
      ? "Save all makes a new folder where you choose. Files that are not whole are left out, and named."
      : "This browser saves one file at a time. Chrome and Edge on a computer save all of them at once.";
    this.#listMore();
    this.#card.hidden = false;
    focusOn(byId("open-tree-title", HTMLElement));
  }

  hide(): void {
    this.#card.hidden = true;
    this.#list.replaceChildren();
    this.#entries = [];
    this.#listed = 0;
    this.clearResult();
    this.progress.replaceChildren();
  }

  /** Drops what was said of the last work. */
  clearResult(): void {
    clearError(this.error);
    this.#done.hidden = true;
    this.#done.replaceChildren();
  }

  /** The total of verifying or saving all. `where`: the folder with what was saved. */
  showTotal(outcomes: readonly EntryOutcome[], where: string | null): void {
    const { all, sentence: total } = totalOf(outcomes, where === null ? "whole" : "saved");
    const sentence = this.#notComplete.length === 0 ? total : `${total} But the folder is not complete.`;
    const failed = outcomes.filter(({ failure }) => failure !== null);
    const sentences = where === null ? ["Nothing was saved."] : failed.length === outcomes.length ? [] : [`The folder is called ${shownName(where)}. What is in it is not encrypted any more.`];
    if (where !== null && this.#entries.some(({ type }) => type === "link")) sentences.push("Links are not saved: a browser cannot make them.");
    sentences.push(...this.#notComplete);
    if (!all) sentences.push("Ask the sender for these files again:");
    const text = make("p", {}, sentences.join(" "));
    if (all && this.#notComplete.length === 0) {
      this.#done.replaceChildren(make("h3", {}, sentence), text);
      this.#done.hidden = false;
      focusOn(this.#done);
    } else {
      const list = make("ul", { class: "text" }, ...failed.slice(0, namedFailures).map(({ name, failure }) =>
        make("li", {}, `${shownName(name)}: ${failure === null ? "" : explain(failure).what}`)));
      if (failed.length > namedFailures) list.append(make("li", {}, `and ${formatCount(failed.length - namedFailures)} more`));
      const notice = make("div", { class: "notice error", role: "alert", "data-code": all ? "not-complete" : "not-all" },
        make("h3", {}, sentence), text, ...(all ? [] : [list]));
      this.error.replaceChildren(notice);
      focusOn(notice);
    }
    announce(sentence);
  }

  setDisabled(disabled: boolean): void {
    for (const element of this.#list.querySelectorAll("button")) element.disabled = disabled;
    this.#saveAll.disabled = this.#verifyAll.disabled = disabled;
  }

  #listMore(): void {
    const end = Math.min(this.#listed + atOnce, this.#entries.length);
    for (; this.#listed < end; this.#listed++) this.#list.append(this.#item(this.#listed));
    const left = this.#entries.length - end;
    this.#more.hidden = left === 0;
    this.#more.textContent = `Show ${formatCount(Math.min(left, atOnce))} more`;
  }

  #item(index: number): HTMLLIElement {
    const entry = this.#entries[index] as EntryFacts;
    const name = shownName(entry.name);
    const good = entry.present && entry.notTaken === null;
    const item = make("li", {}, make("span", { class: "name" }, name, make("span", { class: good ? "note" : "note bad" }, note(entry))));
    if (entry.type === "file" && entry.present) {
      item.append(button("Open", () => this.actions.open(index, entry), { "aria-label": `Open ${name}` }));
    }
    return item;
  }
}

function note(entry: EntryFacts): string {
  const { type, size, target, present } = entry;
  const about = type === "directory" ? "Folder" : type === "link" ? `Link to ${shownName(target)}` : type === "file" ? formatBytes(size) : "";
  const wrong = [...(present ? [] : ["This file is missing."]), notTaken(entry)].filter((text) => text !== "").join(" ");
  return [about, wrong].filter((text) => text !== "").join(". ");
}
