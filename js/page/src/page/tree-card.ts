/** The contents of an encrypted tree as its manifest lists them. */

import { formatBytes, formatCount, shownName } from "../shared/format.js";
import type { EntryFacts, TreeFacts } from "../shared/protocol.js";
import { button, byId, focusOn, make } from "./dom.js";
import { clearError } from "./errors.js";

const atOnce = 200;

export class TreeCard {
  readonly #card = byId("open-tree-card", HTMLElement);
  readonly #list = byId("open-tree", HTMLElement);
  readonly #more = byId("open-tree-more", HTMLButtonElement);
  readonly progress = byId("open-tree-progress", HTMLElement);
  readonly error = byId("open-tree-error", HTMLElement);
  #entries: readonly EntryFacts[] = [];
  #listed = 0;

  constructor(private readonly onOpen: (index: number, entry: EntryFacts) => void) {
    this.#more.addEventListener("click", () => {
      const first = this.#listed;
      this.#listMore();
      (this.#list.children[first] as HTMLElement | undefined)?.querySelector("button")?.focus();
    });
  }

  show({ entries, unexpected, missing }: TreeFacts): void {
    this.hide();
    this.#entries = entries;
    const files = entries.filter(({ type }) => type === "file");
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    const sentences = [`The manifest lists ${count(files.length, "file")} with ${formatBytes(bytes)}.`];
    if (missing > 0) sentences.push(`${count(missing, "file")} of them ${missing === 1 ? "is" : "are"} missing.`);
    if (unexpected.length > 0) {
      const names = unexpected.slice(0, 5).map(shownName).join(", ");
      sentences.push(`${count(unexpected.length, "file")} among those that you chose ${unexpected.length === 1 ? "is" : "are"} not in the manifest, and not opened: ${names}${unexpected.length > 5 ? ", …" : ""}.`);
    }
    byId("open-tree-summary", HTMLElement).textContent = sentences.join(" ");
    this.#listMore();
    this.#card.hidden = false;
    focusOn(byId("open-tree-title", HTMLElement));
  }

  hide(): void {
    this.#card.hidden = true;
    this.#list.replaceChildren();
    this.#entries = [];
    this.#listed = 0;
    clearError(this.error);
    this.progress.replaceChildren();
  }

  setDisabled(disabled: boolean): void {
    for (const element of this.#list.querySelectorAll("button")) element.disabled = disabled;
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
    const item = make("li", {}, make("span", { class: "name" }, name, make("span", { class: entry.present ? "note" : "note bad" }, note(entry))));
    if (entry.type === "file" && entry.present) {
      item.append(button("Open", () => this.onOpen(index, entry), { "aria-label": `Open ${name}` }));
    }
    return item;
  }
}

function note({ type, size, target, present }: EntryFacts): string {
  if (type === "directory") return "Folder";
  if (type === "link") return `Link to ${shownName(target)}`;
  return present ? formatBytes(size) : `${formatBytes(size)}. This file is missing.`;
}

const count = (number: number, noun: string): string => `${formatCount(number)} ${noun}${number === 1 ? "" : "s"}`;
