/** Where the test vectors are: POLYSEAL_VECTORS, or `vectors` beside this package. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";

export const vectors = process.env.POLYSEAL_VECTORS ?? new URL("../../vectors", import.meta.url).pathname;

export const load = async (name) => new Uint8Array(await readFile(join(vectors, name)));

export const readJson = async (name) => JSON.parse(await readFile(join(vectors, name), "utf8"));
