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

/**
 * The modules in their package, from where the development server of Vite 5 to 7 puts this file: it moves that to
 * `node_modules/.vite/deps`, and nothing of what is beside it. A bundler that copies files does not look at these.
 */
const inPackage = {
  relaxed: "./../../@polyseal/core/dist/polyseal-relaxed-simd.wasm",
  simd128: "./../../@polyseal/core/dist/polyseal-simd128.wasm",
};
const here = import.meta.url;

/** The module that fits this engine, beside this file. */
export function moduleUrl(): URL {
  const isRelaxed = WebAssembly.validate(relaxed);
  if (here.includes("/node_modules/.vite/deps/")) return new URL(isRelaxed ? inPackage.relaxed : inPackage.simd128, here);
  return isRelaxed ? new URL("./polyseal-relaxed-simd.wasm", import.meta.url) : new URL("./polyseal-simd128.wasm", import.meta.url);
}

const isUrl = (value: unknown): value is URL => Object.prototype.toString.call(value) === "[object URL]";

/** All suites. `source` is the module's bytes or address, by default what `moduleUrl` says. */
export async function load(source: BufferSource | URL = moduleUrl()): Promise<Suites> {
  return instantiate(isUrl(source) ? checked(await bytesOf(source), source) : source);
}

/** A server that has no such file may answer with a page, and status 200. */
function checked(bytes: BufferSource, url: URL): BufferSource {
  const start = new Uint8Array(ArrayBuffer.isView(bytes) ? bytes.buffer : bytes, ArrayBuffer.isView(bytes) ? bytes.byteOffset : 0);
  if (["\0", "a", "s", "m"].every((character, i) => start[i] === character.charCodeAt(0))) return bytes;
  throw new Error(`@polyseal/core: ${url.origin === "null" ? url.protocol : url.origin}${url.pathname} is no WebAssembly module. Let the bundler copy it; with Vite, optimizeDeps: { exclude: ["@polyseal/core"] }`);
}

/** For the option `suites` of `polyseal`: what that lacks. The module is loaded when it is first needed. */
export const suites: Suites = onUse(load);
