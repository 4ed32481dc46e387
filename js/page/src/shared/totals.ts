/** The total of verifying or saving all files of a folder, for people. */

import { formatBytes, formatCount } from "./format.js";
import type { EntryOutcome } from "./protocol.js";

/** A number of things. */
export const counted = (number: number, noun: string): string => `${formatCount(number)} ${noun}${number === 1 ? "" : "s"}`;

const sizeOf = (outcomes: readonly EntryOutcome[]): string => formatBytes(outcomes.reduce((sum, { size }) => sum + size, 0));

/** Whether all is well, and one sentence about it. `done` is said of each file: whole, or saved. */
export function totalOf(outcomes: readonly EntryOutcome[], done: string): { all: boolean; sentence: string } {
  const good = outcomes.filter(({ failure }) => failure === null);
  const bad = outcomes.length - good.length;
  if (bad === 0) return { all: true, sentence: `${counted(outcomes.length, "file")}, ${sizeOf(outcomes)}: ${outcomes.length === 1 ? "" : "all "}${done}.` };
  const rest = good.length === 0 ? "" : ` ${counted(good.length, "other")}, ${sizeOf(good)}: ${done}.`;
  return { all: false, sentence: `${formatCount(bad)} of ${counted(outcomes.length, "file")} ${bad === 1 ? "is" : "are"} not ${done}.${rest}` };
}

/** A name for the folder that gets the files of an encrypted folder. */
export function folderName(encrypted: string, safe: (name: string) => string): string {
  const name = encrypted.replace(/\.(sealed|polyseal|encrypted)$/i, "");
  return name === "" ? "opened" : safe(name);
}
