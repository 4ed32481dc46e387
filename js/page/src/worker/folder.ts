/** A new folder in one that the user chose, and files in it. Nothing that is there already is written over. */

import { PageFailure } from "./failure.js";
import { saveToHandle } from "./save.js";

const mostTries = 1000;

const refused = (message: string): PageFailure => new PageFailure({ code: "write-refused", message });

/** Undefined, where there is nothing of that name. A file instead of a folder, or the other way, is something. */
async function found<H>(handle: Promise<H>): Promise<H | "another" | undefined> {
  try {
    return await handle;
  } catch (error) {
    if (error instanceof DOMException && error.name === "NotFoundError") return undefined;
    if (error instanceof DOMException && error.name === "TypeMismatchError") return "another";
    // A name that the browser does not allow.
    throw error instanceof TypeError ? refused(error.message) : error;
  }
}

/** A folder of that name, or with a number behind it. */
export async function newFolder(into: FileSystemDirectoryHandle, name: string): Promise<FileSystemDirectoryHandle> {
  for (let number = 1; number <= mostTries; number++) {
    const tried = number === 1 ? name : `${name} (${number})`;
    if (await found(into.getDirectoryHandle(tried)) === undefined) return into.getDirectoryHandle(tried, { create: true });
  }
  throw refused("There are too many folders of this name.");
}

/** The folder of these names below `folder`. Those that are missing are made. */
export async function folderBelow(folder: FileSystemDirectoryHandle, names: readonly string[]): Promise<FileSystemDirectoryHandle> {
  let at = folder;
  for (const name of names) {
    const next = await found(at.getDirectoryHandle(name, { create: true }));
    if (next === undefined || next === "another") throw refused("A file of this name is there.");
    at = next;
  }
  return at;
}

/** A new file below `folder`. It appears only when all of the stream is there. */
export async function saveBelow(
  folder: FileSystemDirectoryHandle, path: string, stream: () => ReadableStream<Uint8Array>, report: (bytes: number) => void,
): Promise<void> {
  const names = path.split("/");
  const last = names.pop() as string;
  const at = await folderBelow(folder, names);
  // The folder is new. So this is another file of the tree, which the disk takes for the same name.
  if (await found(at.getFileHandle(last)) !== undefined) throw refused("A file of this name is there.");
  const handle = await at.getFileHandle(last, { create: true });
  try {
    await saveToHandle(stream(), handle, report);
  } catch (error) {
    await at.removeEntry(last).catch(() => undefined);
    throw error;
  }
}
