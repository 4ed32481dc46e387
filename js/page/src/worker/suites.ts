/** The suites that no browser has, by WebAssembly. The module is fetched when a file needs it. */

import { instantiate, onUse } from "@polyseal/core/module";
import type { Suites } from "polyseal";

/** From the build: the module's file and its hash, as in SRI; null in a portable page. */
declare const CORE: { name: string; integrity: string } | null;

const core = CORE;

export const suites: Suites = core === null ? {} : onUse(async () => {
  const response = await fetch(new URL(core.name, location.href), { integrity: core.integrity, credentials: "omit" });
  if (!response.ok) throw new Error(`${core.name}: ${response.status} ${response.statusText}`);
  return instantiate(await response.arrayBuffer());
});
