/** The suites that no browser has, by WebAssembly. The module is fetched when a file needs it. */

import { instantiate, onUse } from "@polyseal/core/module";
import type { Suites } from "polyseal";
import { PageFailure } from "./failure.js";

/** From the build: the module's file and its hash, as in SRI; null in a portable page. */
declare const CORE: { name: string; integrity: string } | null;

async function load({ name, integrity }: NonNullable<typeof CORE>): Promise<Suites> {
  let bytes: ArrayBuffer;
  try {
    const response = await fetch(new URL(name, location.href), { integrity, credentials: "omit" });
    if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
    bytes = await response.arrayBuffer();
  } catch (error) {
    throw new PageFailure({ code: "no-module", message: `${name}: ${error instanceof Error ? error.message : String(error)}` });
  }
  return instantiate(bytes);
}

const core = CORE;

export const suites: Suites = core === null ? {} : onUse(() => load(core));
