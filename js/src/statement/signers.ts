/**
 * Lists of signers who are allowed, as `ssh-keygen -Y verify` reads them (ALLOWED SIGNERS in ssh-keygen(1)).
 *
 * Limits: lines with `cert-authority` accept nothing, because certificates are not read; a time ends in `Z`, because the
 * time zone of a list is not known.
 */

import { byteText, equalInConstantTime } from "../bytes.js";
import { PolysealError } from "../errors.js";
import { sshPublicKey } from "./ssh-signature.js";

export interface SignerLine {
  readonly principals: string;
  readonly key: Uint8Array;
  readonly isAuthority: boolean;
  readonly namespaces: string | null;
  /** In milliseconds since 1970. */
  readonly validAfter: number | null;
  readonly validBefore: number | null;
}

/** The lines of a list. One that is not understood is an error: nobody knows here what it forbids. */
export function parseSigners(list: string): SignerLine[] {
  return list.split("\n").flatMap((text, i) => {
    const line = text.trim();
    if (line === "" || line.startsWith("#")) return [];
    const parsed = parseLine(line);
    if (parsed === null) throw new PolysealError("bad-signers", `Line ${i + 1} of the list of signers is not understood.`, { line: i + 1 });
    return [parsed];
  });
}

/** The name for which the list accepts this key, in a namespace and at a time, or null. With `by`, only that name is. */
export function acceptedName(lines: readonly SignerLine[], key: Uint8Array, namespace: string, by: string | undefined, time: number): string | null {
  const line = lines.find((one) => equalInConstantTime(one.key, key)
    && !one.isAuthority
    && (one.namespaces === null || matchesList(one.namespaces, namespace))
    && (one.validAfter === null || time >= one.validAfter)
    && (one.validBefore === null || time < one.validBefore)
    && (by === undefined || matchesList(one.principals, by)));
  return line === undefined ? null : by ?? line.principals;
}

function parseLine(line: string): SignerLine | null {
  const [first, rest] = cutWord(line);
  const principals = unquoted(first);
  if (principals === null) return null;
  const plain = publicKey(rest);
  const [options, behind] = plain === null ? cutWord(rest) : ["", ""];
  const key = plain ?? publicKey(behind);
  if (key === null) return null;
  let isAuthority = false;
  const given = new Map<string, string>();
  for (const option of splitUnquoted(options, ",")) {
    const [name, ...values] = option.split("=");
    const quoted = values.join("=");
    const value = unquoted(quoted);
    const known = (name as string).toLowerCase();
    if (value === null) return null;
    if (option === "") continue;
    if (known === "cert-authority") {
      isAuthority = true;
      continue;
    }
    // None twice, and each value in quotes.
    if (!["namespaces", "valid-after", "valid-before"].includes(known) || given.has(known) || !/^".*"$/s.test(quoted)) return null;
    given.set(known, value);
  }
  const [validAfter, validBefore] = [given.get("valid-after"), given.get("valid-before")].map((text) => (text === undefined ? null : parseTime(text)));
  if (validAfter === undefined || validBefore === undefined) return null;
  return { principals, key, isAuthority, namespaces: given.get("namespaces") ?? null, validAfter, validBefore };
}

/** A key as authorized_keys has it, without options; a comment may follow. */
function publicKey(text: string): Uint8Array | null {
  const [kind, rest] = cutWord(text);
  return kind === "" ? null : sshPublicKey(kind, cutWord(rest)[0]);
}

/** The first word, which may have blanks within quotes, and what follows. */
function cutWord(text: string): [word: string, rest: string] {
  const word = splitUnquoted(text, " \t")[0] as string;
  return [word, text.slice(word.length).replace(/^[ \t]+/, "")];
}

/** The parts between separators that are not within quotes. */
function splitUnquoted(text: string, separators: string): string[] {
  const parts = [""];
  let isQuoted = false;
  for (const character of text) {
    if (character === '"') isQuoted = !isQuoted;
    if (!isQuoted && separators.includes(character)) parts.push("");
    else parts[parts.length - 1] += character;
  }
  return parts;
}

function unquoted(text: string): string | null {
  const inside = text.startsWith('"') ? /^"(.*)"$/s.exec(text)?.[1] ?? '"' : text;
  return inside.includes('"') ? null : inside;
}

/** `YYYYMMDD`, `YYYYMMDDHHMM` or `YYYYMMDDHHMMSS`, and `Z`: in milliseconds since 1970. Undefined if it is no time. */
function parseTime(text: string): number | undefined {
  const fields = /^(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)?)?Z$/.exec(text)?.slice(1).map((digits = "0") => Number(digits));
  if (fields === undefined) return undefined;
  const [year, month, day, hour, minute, second] = fields as [number, number, number, number, number, number];
  const time = new Date(Date.UTC(year, month - 1, day, hour, minute));
  const isTime = year >= 1970 && time.getUTCMonth() === month - 1 && time.getUTCDate() === day && time.getUTCHours() === hour && time.getUTCMinutes() === minute;
  // 60 is a leap second.
  return isTime && second <= 60 ? time.getTime() + second * 1000 : undefined;
}

/** Whether a list of patterns has one for `text`, and none with an exclamation mark that is. */
function matchesList(patterns: string, text: string): boolean {
  const all = patterns.split(",");
  return !all.some((pattern) => pattern.startsWith("!") && matchesPattern(pattern.slice(1), text)) && all.some((pattern) => matchesPattern(pattern, text));
}

const bytesOf = (text: string): string => byteText(new TextEncoder().encode(text));

/** `*` is any bytes, and `?` one. */
function matchesPattern(patternText: string, whole: string): boolean {
  const [pattern, text] = [bytesOf(patternText), bytesOf(whole)];
  let [p, t] = [0, 0];
  // Behind the last star, and the end of what it stands for.
  let [star, from] = [-1, 0];
  while (t < text.length) {
    if (pattern[p] === "*") [star, from] = [++p, t];
    else if (p < pattern.length && (pattern[p] === "?" || pattern[p] === text[t])) [p, t] = [p + 1, t + 1];
    else if (star >= 0) [p, t] = [star, ++from];
    else return false;
  }
  return /^\**$/.test(pattern.slice(p));
}
