/**
 * Every suite of section 2 of the file format, computed by the Rust library as WebAssembly.
 *
 *     import { open } from "polyseal";
 *     import { suites } from "@polyseal/core";
 *
 *     const file = await open(source, keys, { suites });
 *
 * It needs WebAssembly with vectors (simd128), which all current browsers and Node 20 have; where there are relaxed
 * vectors, it uses them. A page with a Content-Security-Policy needs `script-src 'wasm-unsafe-eval'`.
 */

import type { Suites } from "polyseal";
import { bytesOf } from "#bytes";
import { instantiate, onUse } from "./module.js";

export { instantiate, onUse };

/** A function of one instruction of relaxed vectors. */
const relaxed = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 15, 1, 13, 0, 65, 1, 253, 15, 65, 2, 253, 15, 253,
  128, 2, 11,
]);

/** The module that fits this engine, beside this file. */
export function moduleUrl(): URL {
  return WebAssembly.validate(relaxed)
    ? new URL("./polyseal-relaxed-simd.wasm", import.meta.url)
    : new URL("./polyseal-simd128.wasm", import.meta.url);
}

/** All suites. `source` is the module's bytes or address, by default what `moduleUrl` says. */
export async function load(source: BufferSource | URL = moduleUrl()): Promise<Suites> {
  return instantiate(source instanceof URL ? await bytesOf(source) : source);
}

/** For the option `suites` of `polyseal`: what that lacks. The module is loaded when it is first needed. */
export const suites: Suites = onUse(load);
