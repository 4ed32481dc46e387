/** The modules of src/shared, for Node. */

import { build } from "esbuild";
import { fileURLToPath } from "node:url";

export async function shared(name) {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`../src/shared/${name}.ts`, import.meta.url))], bundle: true, write: false, format: "esm", target: "es2022",
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}
