/** Files that the user chooses with a button or drops. */

import type { Chosen } from "../shared/chosen.js";
import { byId } from "./dom.js";

export type ChosenFile = Chosen<File>;

/** Whether the page is used with fingers, as on a phone, where nothing can be dropped and no folder can be chosen. */
const byTouch = (): boolean => matchMedia("(pointer: coarse)").matches;

export const canDrop = (): boolean => !byTouch() && "DataTransferItem" in window;

export const canChooseFolder = (): boolean => !byTouch() && "webkitdirectory" in HTMLInputElement.prototype;

/** Lets a button open the file dialogue of a hidden input. */
export function chooseWith(buttonId: string, inputId: string, onChosen: (chosen: ChosenFile[]) => void): void {
  const input = byId(inputId, HTMLInputElement);
  byId(buttonId, HTMLButtonElement).addEventListener("click", () => input.click());
  input.addEventListener("change", () => {
    const chosen = Array.from(input.files ?? [], (file) => ({ path: file.webkitRelativePath || file.name, file }));
    // So that the same file can be chosen again, and the input keeps no reference to it.
    input.value = "";
    if (chosen.length > 0) onChosen(chosen);
  });
}

const entriesOf = async (directory: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> => {
  const reader = directory.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return all;
    all.push(...some);
  }
};

async function collect(entry: FileSystemEntry, into: ChosenFile[]): Promise<void> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    into.push({ path: entry.fullPath.replace(/^\//, ""), file });
  } else {
    for (const below of await entriesOf(entry as FileSystemDirectoryEntry)) await collect(below, into);
  }
}

/** Lets files and folders be dropped on an element. What is dropped beside it is not opened by the browser either. */
export function dropOn(zone: HTMLElement, onChosen: (chosen: ChosenFile[]) => void): void {
  let depth = 0;
  const mark = (change: number): void => {
    depth = Math.max(0, depth + change);
    zone.classList.toggle("over", depth > 0);
  };
  zone.addEventListener("dragenter", () => mark(1));
  zone.addEventListener("dragleave", () => mark(-1));
  zone.addEventListener("drop", async ({ dataTransfer }) => {
    mark(-depth);
    if (dataTransfer === null) return;
    // The items are gone after the first await.
    const entries = Array.from(dataTransfer.items, (item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
    const plain = Array.from(dataTransfer.files, (file) => ({ path: file.name, file }));
    const chosen: ChosenFile[] = [];
    try {
      for (const entry of entries) await collect(entry, chosen);
    } catch {
      chosen.length = 0;
    }
    const all = chosen.length > 0 ? chosen : plain;
    if (all.length > 0) onChosen(all);
  });
}

export function ignoreOtherDrops(): void {
  for (const type of ["dragover", "drop"]) addEventListener(type, (event) => event.preventDefault());
}
