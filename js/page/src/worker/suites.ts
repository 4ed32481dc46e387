/** The suites that no browser has, by WebAssembly. The module is fetched when a file needs it. */

import { instantiate, onUse } from "@polyseal/core/module";
import type { Suites } from "polyseal";
import { fetchPinned, type Pinned } from "../shared/pinned.js";

/** From the build; null in a portable page. */
declare const CORE: Pinned | null;

const core = CORE;
let page: string | undefined;

/** Says where the page's files are: a worker that was started from memory has no address of its own. */
export function filesBeside(address: string): void {
  page = address;
}

export const suites: Suites = core === null ? {} : onUse(async () => {
  if (page === undefined) throw new Error("The address of the page is not known yet.");
  return instantiate(await fetchPinned(core, page));
});
