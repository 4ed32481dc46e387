/** How fast segments of 64 KiB are opened: `node js/core/bench.mjs [SUITE…]`, in MB/s, the best of five rounds. */

import { load } from "./dist/index.js";

const lengths = { "aegis-128l": [16, 16], "aegis-256x2": [32, 32], "aes-256-gcm": [32, 12], "flex-civ-public": [32, 24], "omd-sha512": [64, 32] };
const asked = process.argv.slice(2);
const suites = await load();
for (const [name, [key, nonce]] of Object.entries(lengths)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  const cipher = await suites[name](new Uint8Array(key));
  const sealed = await cipher.seal(new Uint8Array(nonce), new Uint8Array(65536));
  let best = Infinity;
  for (let round = 0; round < 5; round++) {
    const start = performance.now();
    for (let i = 0; i < 400; i++) await cipher.open(new Uint8Array(nonce), sealed);
    best = Math.min(best, performance.now() - start);
  }
  console.log(`${name.padEnd(16)} ${Math.round((400 * 65.536) / best)} MB/s`);
}
