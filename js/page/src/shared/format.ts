/** Numbers and names for people. */

const units = ["bytes", "KB", "MB", "GB", "TB", "PB"];

/** A number of bytes in powers of 1000, with three digits that count. */
export function formatBytes(bytes: number): string {
  if (bytes === 1) return "1 byte";
  let value = bytes, unit = 0;
  // A value that would be rounded to 1000 is one of the next unit.
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  const digits = unit === 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return `${value.toFixed(digits)} ${units[unit]}`;
}

/** All digits, in groups of three. */
export const formatCount = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ",");

export function formatDuration(seconds: number): string {
  const rounded = Math.max(1, Math.round(seconds));
  const plural = (count: number, unit: string): string => `${count} ${unit}${count === 1 ? "" : "s"}`;
  if (rounded < 60) return plural(rounded, "second");
  if (rounded < 3600) return plural(Math.round(rounded / 60), "minute");
  const minutes = Math.round(rounded / 60);
  const hours = plural(Math.floor(minutes / 60), "hour");
  return minutes % 60 === 0 ? hours : `${hours} ${plural(minutes % 60, "minute")}`;
}

/** The name of what is in an encrypted file. */
export function plaintextName(encryptedName: string): string {
  const name = encryptedName.replace(/(\.(polyseal|age))?\.asc$|\.(polyseal|age)$/i, "");
  return name === "" || name === encryptedName ? `${encryptedName}.decrypted` : name;
}

const suffixOf = (armor: boolean): string => `.polyseal${armor ? ".asc" : ""}`;

/** The name of the encrypted file. A name that is too long for that is shortened. */
export function encryptedName(name: string, armor: boolean): string {
  const most = tooLongFor(name, armor);
  return `${most === null ? name : safeName(name, most)}${suffixOf(armor)}`;
}

/**
 * A name that can be offered for a download: one name, no path, nothing invisible. Characters that turn the direction
 * of text are left out, because they make `exe.txt` of `txt.exe`.
 */
export function safeName(name: string, maximumBytes = maximumNameBytes): string {
  const last = name.slice(Math.max(name.lastIndexOf("/"), name.lastIndexOf("\\")) + 1);
  const visible = last.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, "").replace(/[<>:"|?*]/g, "_");
  const cleaned = withoutEnd(visible.replace(/^\.+/, ""));
  // With the ending, which says what kind of file it is.
  const ending = /\.[^.]{1,20}$/su.exec(cleaned.slice(-64))?.[0] ?? "";
  const stem = cleaned.slice(0, cleaned.length - ending.length);
  const kept = withoutEnd(beginning(stem, maximumBytes - bytesOf(ending)));
  return kept + ending || "file";
}

/** The longest name that file systems have, in UTF-8. */
const maximumNameBytes = 255;

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

/** Without the dots and blanks at its end. An expression that looks for those takes quadratic time. */
function withoutEnd(name: string): string {
  let end = name.length;
  while (end > 0 && (name[end - 1] === "." || name[end - 1] === " ")) end--;
  return name.slice(0, end);
}

/** As many of the first characters as fit, none of which is cut through. */
function beginning(text: string, maximumBytes: number): string {
  let end = 0, bytes = 0;
  for (const character of text) {
    bytes += bytesOf(character);
    if (bytes > maximumBytes) break;
    end += character.length;
  }
  return text.slice(0, end);
}

/** How long a name may be, in bytes, so that its encrypted file has one; null if it is not too long. */
export function tooLongFor(name: string, armor: boolean): number | null {
  const most = maximumNameBytes - suffixOf(armor).length;
  return bytesOf(name) > most ? most : null;
}

/** A name to be shown, in which nothing is invisible. */
export const shownName = (name: string): string => name.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, "\ufffd");

/** The first of these names, in one line. */
export const namesOf = (names: readonly string[], most = 5): string =>
  names.slice(0, most).map(shownName).join(", ") + (names.length > most ? ", …" : "");

/** Which part of a plaintext a segment is. */
export function partOf(segment: number, segmentSize: number, size: number): string {
  const count = Math.max(1, Math.ceil(size / segmentSize));
  const start = segment * segmentSize, end = Math.min(start + segmentSize, size);
  const part = `part ${formatCount(segment + 1)} of ${formatCount(count)}`;
  return end > start ? `${part} (bytes ${formatCount(start)} to ${formatCount(end - 1)} of the contents)` : part;
}
