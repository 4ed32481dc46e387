/** Runs the tool, if POLYSEAL_TOOL or the build beside this package has one. */

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const candidates = [process.env.POLYSEAL_TOOL, ...["release", "debug"].map((kind) => new URL(`../../target/${kind}/polyseal`, import.meta.url).pathname)];

export const tool = candidates.find((path) => path !== undefined && existsSync(path));

/**
 * The tool's standard output. `passphrase` is given in a file, as descriptor 3, because pipes of Node are sockets,
 * which the tool does not open. Any exit code in `codes` is right.
 */
export async function run(args, { passphrase, codes = [0], cwd } = {}) {
  if (tool === undefined) throw new Error("there is no tool: set POLYSEAL_TOOL");
  if (passphrase === undefined) return runWith(args, ["ignore", "pipe", "pipe"], codes, cwd);
  return inDirectory(async (directory, write) => {
    const file = await open(await write("passphrase", `${passphrase}\n`));
    try {
      return await runWith([...args, "--passphrase-fd", "3"], ["ignore", "pipe", "pipe", file.fd], codes, cwd);
    } finally {
      await file.close();
    }
  });
}

async function runWith(args, stdio, codes, cwd) {
  const child = spawn(tool, args, { cwd, stdio });
  const collect = async (stream) => {
    const chunks = [];
    for await (const chunk of stream) chunks.push(chunk);
    return Buffer.concat(chunks);
  };
  const [stdout, stderr, code] = await Promise.all([collect(child.stdout), collect(child.stderr), new Promise((resolve) => child.on("close", resolve))]);
  if (!codes.includes(code)) throw new Error(`polyseal ${args[0]} ended with ${code}: ${stderr}`);
  return stdout;
}

/** Gives `work` a directory of its own, and a function that writes a file there and gives its path. */
export async function inDirectory(work) {
  const directory = await mkdtemp(join(tmpdir(), "polyseal-"));
  try {
    return await work(directory, async (name, contents) => {
      const path = join(directory, name);
      await writeFile(path, contents);
      return path;
    });
  } finally {
    await rm(directory, { recursive: true });
  }
}
