/**
 * The suites of the package `@polyseal/core`, where a program runs that has it installed: Node, Deno and Bun.
 *
 * The name is put together here, so that a bundler leaves the import alone: it must not fail where the package is
 * absent. So a bundle for browsers never has the package by this way, and `suites` is given to it as an option. Where
 * `globalThis.process` is defined as undefined, a bundler leaves the import out.
 */

import { PolysealError } from "./errors.js";
import type { Suites } from "./suites.js";

declare const globalThis: { process?: { versions?: { node?: unknown } } };

const name = ["@polyseal", "core"].join("/");

let loaded: Suites | undefined;

/** None, if the package is not there. It is looked for again the next time, because it may have been installed. */
export async function coreSuites(): Promise<Suites> {
  if (typeof globalThis.process?.versions?.node !== "string") return {};
  if (loaded !== undefined) return loaded;
  try {
    const { suites } = await import(/* webpackIgnore: true */ /* @vite-ignore */ name) as { suites: Suites };
    return loaded = suites;
  } catch (cause) {
    if (isAbsent(cause)) return {};
    throw new PolysealError("suite-failed", `The package ${name} is installed, and could not be loaded.`, { cause });
  }
}

/** Engines say it differently. If something else is missing, it is that which stands between the quotes. */
const isAbsent = (error: unknown): boolean => new RegExp(`["'\`]${name}["'\`]`).test(String((error as Error).message));

/** The error where nothing computes a suite, with what to do about it. */
export function unsupportedSuite(suite: string): PolysealError {
  const give = typeof globalThis.process?.versions?.node === "string" ? "" : ', and give its suites as the option "suites"';
  return new PolysealError("unsupported-suite", `The suite ${suite} needs the package ${name}: npm install ${name}${give}.`);
}
