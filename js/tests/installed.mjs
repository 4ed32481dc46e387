/** Folders in which the package is installed as npm would, with and without `@polyseal/core` beside it. */

import { cp, mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));

/**
 * Installs `polyseal` in `root`, and as `@polyseal/core` the files of `core`: names and contents, or a folder. The
 * package's files are copied, because Node looks for packages beside where a link leads.
 */
export async function install(root, core) {
  const modules = join(root, "node_modules");
  await mkdir(join(modules, "polyseal"), { recursive: true });
  await writeFile(join(root, "package.json"), '{ "type": "module" }');
  for (const name of ["package.json", "dist"]) await cp(here(name), join(modules, "polyseal", name), { recursive: true });
  for (const name of ["@noble", "@scure", "hash-wasm"]) await symlink(here(`node_modules/${name}`), join(modules, name));
  if (core !== undefined) await installCore(root, core);
  return pathToFileURL(join(modules, "polyseal/dist/index.js")).href;
}

export async function installCore(root, core) {
  const folder = join(root, "node_modules/@polyseal/core");
  await mkdir(folder, { recursive: true });
  if (typeof core === "string") {
    for (const name of (await readdir(core)).filter((one) => ["package.json", "dist"].includes(one))) await cp(join(core, name), join(folder, name), { recursive: true });
  } else {
    for (const [name, contents] of Object.entries(core)) await writeFile(join(folder, name), contents);
  }
}
