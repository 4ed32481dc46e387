/**
 * The suites from the module's bytes, wherever those come from.
 *
 * Limits: segments are computed on the caller's thread. The code has no branch and no index that depends on a secret,
 * but what an engine's compiler makes of it is not promised.
 */

import { builtInSuiteNames, suiteNames, type SegmentCipher, type SuiteImplementation, type Suites } from "polyseal";

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

const typedArrayName = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag)?.get as () => string | undefined;

/** Whether it is a `Uint8Array` of any realm. */
const isBytes = (value: unknown): boolean => typedArrayName.call(value) === "Uint8Array";
const isBuffer = (value: unknown): boolean => /^\[object (Shared)?ArrayBuffer\]$/.test(Object.prototype.toString.call(value));

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
    // A list of numbers would be taken, too, and a number for that many zeros.
    if (!parts.every(isBytes)) throw new TypeError("@polyseal/core: keys, nonces and texts are given as bytes (Uint8Array)");
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
    // Both functions have it, so that its key is forgotten when neither can be called any more.
    const held = { key: exports.polyseal_new_key(name.length) };
    if (held.key < 0) throw new Error(`@polyseal/core: ${suite} takes no key of ${payloadKey.length} bytes`);
    const nonceLength = exports.polyseal_nonce_bytes(held.key);
    const tagLength = exports.polyseal_tag_bytes(held.key);
    /** The buffer has no field for it: a part of the text would be taken for the rest of a short one. */
    const expectLength = (nonce: Uint8Array): void => {
      if (!isBytes(nonce) || nonce.length !== nonceLength) throw new Error(`@polyseal/core: ${suite} takes a nonce of ${nonceLength} bytes`);
    };
    const cipher: SegmentCipher = {
      seal: async (nonce, plaintext) => {
        expectLength(nonce);
        const buffer = this.#fill([nonce, plaintext], tagLength);
        if (exports.polyseal_seal(held.key) !== 0) throw new Error(`@polyseal/core: ${suite} takes no such plaintext`);
        return buffer.slice(nonce.length);
      },
      open: async (nonce, sealed) => {
        expectLength(nonce);
        const buffer = this.#fill([nonce, sealed]);
        if (exports.polyseal_open(held.key) !== 0) return null;
        const plaintext = buffer.slice(nonce.length, buffer.length - tagLength);
        exports.polyseal_room(0);
        return plaintext;
      },
    };
    this.#forgotten.register(held, held.key);
    return cipher;
  }
}

/** All suites, by the module's bytes. Runs its self-test, which takes some milliseconds. */
export async function instantiate(bytes: BufferSource): Promise<Suites> {
  if (!ArrayBuffer.isView(bytes) && !isBuffer(bytes)) throw new TypeError("@polyseal/core: the module is given as bytes (Uint8Array or ArrayBuffer)");
  const { instance } = await WebAssembly.instantiate(bytes, {});
  const module = new Module(instance.exports as unknown as Exports);
  module.selftest();
  return suitesOf(suiteNames, (name) => async (key) => module.cipher(name, key));
}

/** The suites that `polyseal` lacks. All are loaded when the first one is used. */
export function onUse(load: () => Promise<Suites>): Suites {
  if (typeof load !== "function") throw new TypeError("@polyseal/core: onUse is given a function that gives all suites");
  let loaded: Promise<Suites> | undefined;
  const all = (): Promise<Suites> => loaded ??= load().catch((error: unknown) => {
    loaded = undefined;
    throw error;
  });
  const missing = suiteNames.filter((name) => !builtInSuiteNames.includes(name));
  return suitesOf(missing, (name) => async (key) => ((await all())[name] as SuiteImplementation)(key));
}

function suitesOf(names: readonly string[], implementation: (name: string) => SuiteImplementation): Suites {
  return Object.fromEntries(names.map((name) => [name, implementation(name)]));
}
