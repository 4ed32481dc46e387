/**
 * Saving. With the File System Access API the user chooses the file, and it gets its contents at the end. Elsewhere the
 * service worker gives a stream to the browser's downloads.
 */

import { safeName } from "../shared/format.js";
import type { Destination } from "../shared/protocol.js";
import { make } from "./dom.js";
import { publish } from "./plaintexts.js";
import { failure, type Vault } from "./vault.js";

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

/** The picker has made an empty file already. It goes, unless somebody has written to it. */
async function removeEmpty(handle: FileSystemFileHandle & { remove?: () => Promise<void> }): Promise<void> {
  try {
    if ((await handle.getFile()).size === 0) await handle.remove?.();
  } catch {
    // It is gone, or may not be removed.
  }
}

export interface SaveSteps {
  /** Runs before anything is given to the browser's downloads, which cannot take back what they have. */
  verify: (() => Promise<void>) | "nothing to verify";
  /** Writes to the destination. */
  write(to: Destination): Promise<void>;
}

/** Returns the name of the file, or null if the user chose none. */
export async function save(vault: Vault, name: string, { verify, write }: SaveSteps): Promise<string | null> {
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
  if (verify !== "nothing to verify") await verify();
  const { token, url, withdraw } = await publish(vault);
  const frame = make("iframe", { sandbox: "allow-downloads allow-same-origin", title: "Download", hidden: "" });
  try {
    const written = write({ token, name: safeName(name) });
    frame.src = url;
    document.body.append(frame);
    await written;
  } finally {
    withdraw();
    // The browser may still be taking the last bytes.
    setTimeout(() => frame.remove(), 10000);
  }
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
  const url = URL.createObjectURL(new Blob([text], { type: "application/octet-stream" }));
  const link = make("a", { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
  return true;
}
