/**
 * Every suite of section 2 of the file format, computed by the Rust library as WebAssembly.
 *
 *     import { open } from "polyseal";
 *     import { load } from "@polyseal/core";
 *
 *     const file = await open(source, keys, { suites: await load() });
 *
 * It needs WebAssembly with vectors (simd128), which all current browsers and Node 20 have; where there are relaxed
 * vectors, it uses them. A page with a Content-Security-Policy needs `script-src 'wasm-unsafe-eval'`.
 *
 * Limits: segments are computed on the caller's thread. The code has no branch and no index that depends on a secret,
 * but what an engine's compiler makes of it is not promised.
 */

import { suiteNames, type SegmentCipher, type SuiteImplementation, type Suites } from "polyseal";

interface Exports {
  memory: WebAssembly.Memory;
  polyseal_room(bytes: number): number;
  polyseal_new_key(suiteBytes: number): number;
  polyseal_forget_key(key: number): number;
  polyseal_nonce_bytes(key: number): number;
  polyseal_tag_bytes(key: number): number;
  polyseal_seal(key: number): number;
  polyseal_open(key: number): number;
  polyseal_selftest(): number;
}

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

async function bytesOf(url: URL): Promise<BufferSource> {
  if (url.protocol === "file:") {
    const { readFile } = await import("node:fs/promises");
    return readFile(url);
  }
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url.href}: ${response.status} ${response.statusText}`);
  return response.arrayBuffer();
}

/** One instance of the module: its keys, and the buffer that bytes go through. */
class Module {
  readonly #exports: Exports;
  readonly #forgotten: FinalizationRegistry<number>;

  constructor(exports: Exports) {
    this.#exports = exports;
    this.#forgotten = new FinalizationRegistry((key) => exports.polyseal_forget_key(key));
  }

  selftest(): void {
    if (this.#exports.polyseal_selftest() !== 0) throw new Error("@polyseal/core: an answer of the self-test is wrong");
  }

  /** The buffer with these parts in it. It holds until the next call. */
  #fill(parts: readonly Uint8Array[], room = 0): Uint8Array {
    const length = parts.reduce((sum, part) => sum + part.length, room);
    const start = this.#exports.polyseal_room(length);
    // After the call, which may have moved the memory.
    const buffer = new Uint8Array(this.#exports.memory.buffer, start, length);
    let at = 0;
    for (const part of parts) {
      buffer.set(part, at);
      at += part.length;
    }
    return buffer;
  }

  cipher(suite: string, payloadKey: Uint8Array): SegmentCipher {
    const exports = this.#exports;
    const name = new TextEncoder().encode(suite);
    this.#fill([name, payloadKey]);
    const key = exports.polyseal_new_key(name.length);
    if (key < 0) throw new Error(`@polyseal/core: ${suite} takes no key of ${payloadKey.length} bytes`);
    const nonceLength = exports.polyseal_nonce_bytes(key);
    const tagLength = exports.polyseal_tag_bytes(key);
    /** The buffer has no field for it: a part of the text would be taken for the rest of a short one. */
    const expectLength = (nonce: Uint8Array): void => {
      if (nonce.length !== nonceLength) throw new Error(`@polyseal/core: ${suite} takes a nonce of ${nonceLength} bytes`);
    };
    const cipher: SegmentCipher = {
      seal: async (nonce, plaintext) => {
        expectLength(nonce);
        const buffer = this.#fill([nonce, plaintext], tagLength);
        if (exports.polyseal_seal(key) !== 0) throw new Error(`@polyseal/core: ${suite} takes no such plaintext`);
        return buffer.slice(nonce.length);
      },
      open: async (nonce, sealed) => {
        expectLength(nonce);
        const buffer = this.#fill([nonce, sealed]);
        if (exports.polyseal_open(key) !== 0) return null;
        const plaintext = buffer.slice(nonce.length, buffer.length - tagLength);
        exports.polyseal_room(0);
        return plaintext;
      },
    };
    this.#forgotten.register(cipher, key);
    return cipher;
  }
}

/**
 * All suites, for the option `suites` of `polyseal`. `source` is the module's bytes or address, by default what
 * `moduleUrl` says. Runs the module's self-test, which takes some milliseconds.
 */
export async function load(source: BufferSource | URL = moduleUrl()): Promise<Suites> {
  const bytes = source instanceof URL ? await bytesOf(source) : source;
  const { instance } = await WebAssembly.instantiate(bytes, {});
  const module = new Module(instance.exports as unknown as Exports);
  module.selftest();
  const of = (name: string): SuiteImplementation => async (key) => module.cipher(name, key);
  return Object.fromEntries(suiteNames.map((name) => [name, of(name)]));
}
