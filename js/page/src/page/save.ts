/**
 * Saving. With the File System Access API the user chooses the file, and it gets its contents at the end. Elsewhere all
 * of it is collected in a Blob, which the browser keeps, and that goes to the browser's downloads.
 */

import { safeName } from "../shared/format.js";
import type { Destination } from "../shared/protocol.js";
import { make } from "./dom.js";
import { failure } from "./vault.js";

/** How long a browser may take to begin a download. */
const downloadMilliseconds = 60000;

interface SavePickerWindow {
  showSaveFilePicker?: (options: { suggestedName: string }) => Promise<FileSystemFileHandle>;
}

const picker = (): SavePickerWindow["showSaveFilePicker"] => (window as SavePickerWindow).showSaveFilePicker;

export const choosesWhereToSave = (): boolean => picker() !== undefined;

/** Where to save, as the user chose. Null: they chose nothing. To be called at once when a button is pressed. */
async function pickFile(name: string): Promise<FileSystemFileHandle | null> {
  try {
    return await picker()?.call(window, { suggestedName: safeName(name) }) ?? null;
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") return null;
    throw failure("write-refused", String(error));
  }
}

interface FolderPickerWindow {
  showDirectoryPicker?: (options: { mode: "readwrite" }) => Promise<FileSystemDirectoryHandle>;
}

/** Whether a folder can be chosen, to save many files in. */
export const canSaveFolder = (): boolean => (window as FolderPickerWindow).showDirectoryPicker !== undefined;

/** A folder to save in, as the user chose. Null: they chose none. To be called at once when a button is pressed. */
export async function pickFolder(): Promise<FileSystemDirectoryHandle | null> {
  try {
    return await (window as FolderPickerWindow).showDirectoryPicker?.call(window, { mode: "readwrite" }) ?? null;
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") return null;
    throw failure("write-refused", String(error));
  }
}

/** The picker has made an empty file already. It goes, unless somebody has written to it. */
async function removeEmpty(handle: FileSystemFileHandle & { remove?: () => Promise<void> }): Promise<void> {
  try {
    if ((await handle.getFile()).size === 0) await handle.remove?.();
  } catch {
    // It is gone, or may not be removed.
  }
}

function download(contents: Blob, name: string): void {
  const url = URL.createObjectURL(contents);
  make("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), downloadMilliseconds);
}

/** Returns the name of the file, or null if the user chose none. `write` gives the Blob, if that is the destination. */
export async function save(name: string, write: (to: Destination) => Promise<Blob | null>): Promise<string | null> {
  if (choosesWhereToSave()) {
    const handle = await pickFile(name);
    if (handle === null) return null;
    try {
      await write({ handle });
    } catch (error) {
      await removeEmpty(handle);
      throw error;
    }
    return handle.name;
  }
  const contents = await write("blob");
  if (contents === null) throw new Error("There is nothing to save.");
  download(contents, safeName(name));
  return safeName(name);
}

/** Saves a short text. Returns false if the user chose no file. */
export async function saveText(name: string, text: string): Promise<boolean> {
  if (choosesWhereToSave()) {
    const handle = await pickFile(name);
    if (handle === null) return false;
    const writable = await handle.createWritable();
    await writable.write(text);
    await writable.close();
    return true;
  }
  download(new Blob([text], { type: "application/octet-stream" }), name);
  return true;
}
