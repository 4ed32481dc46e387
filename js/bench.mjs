/**
 * The speed of encrypting, opening and reading: `node bench.mjs [MiB] [suite]`, 512 MiB by default. With POLYSEAL_TOOL,
 * the tool does the same with one thread. Figures are in MB/s of plaintext, from files in the system's cache.
 */

import { spawnSync } from "node:child_process";
import { createReadStream, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { open as openFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { encrypt, decryptStream, keyFile, open } from "./dist/index.js";
import { fileSource } from "./dist/node.js";

const size = Number(process.argv[2] ?? 512) * 1048576;
const suite = process.argv[3] ?? "aes-256-gcm";
const directory = mkdtempSync(join(tmpdir(), "polyseal-bench-"));
const at = (name) => join(directory, name);

function report(name, milliseconds, cpuMilliseconds) {
  const rate = (time) => `${(size / 1000 / time).toFixed(0).padStart(6)} MB/s`;
  console.log(name.padEnd(34), rate(milliseconds), cpuMilliseconds === undefined ? "" : `${rate(cpuMilliseconds)} of CPU time`);
}

async function measure(name, work) {
  const [begin, cpu] = [performance.now(), process.cpuUsage()];
  await work();
  const milliseconds = performance.now() - begin;
  const { user, system } = process.cpuUsage(cpu);
  report(name, milliseconds, (user + system) / 1000);
}

const drain = async (stream) => { for await (const chunk of stream) void chunk; };

function zeros() {
  const chunk = new Uint8Array(1048576);
  let left = size / chunk.length;
  return new ReadableStream({ pull: (controller) => (left-- > 0 ? controller.enqueue(chunk) : controller.close()) });
}

try {
  const key = keyFile(crypto.getRandomValues(new Uint8Array(32)));
  await drain(encrypt(new Uint8Array(8388608), [key], { suite }));
  await measure("encrypt, from and to memory", () => drain(encrypt(zeros(), [key], { suite })));
  await measure("encrypt to a file", async () => {
    const file = await openFile(at("file"), "w");
    for await (const chunk of encrypt(zeros(), [key], { suite })) await file.write(chunk);
    await file.close();
  });
  const source = await fileSource(at("file"));
  await measure("open and stream a file", async () => drain((await open(source, [key])).stream()));
  await measure("decryptStream of a file", async () => {
    const file = Readable.toWeb(createReadStream(at("file"), { highWaterMark: 1048576 }));
    await drain((await decryptStream(file, [key])).stream);
  });
  const opened = await open(source, [key]);
  const parts = 2000;
  const begin = performance.now();
  for (let i = 0; i < parts; i++) {
    const start = Math.floor(Math.random() * (size - 4096));
    await opened.read(start, start + 4096);
  }
  console.log(`${"read 4096 bytes anywhere".padEnd(34)} ${((performance.now() - begin) / parts).toFixed(2).padStart(6)} ms`);
  await source.close();

  const tool = process.env.POLYSEAL_TOOL;
  if (tool !== undefined) {
    writeFileSync(at("plain"), "");
    const run = (name, args) => {
      const start = performance.now();
      const { status } = spawnSync(tool, args, { cwd: directory, stdio: ["ignore", "ignore", "inherit"] });
      if (status !== 0) throw new Error(`the tool ended with ${status}`);
      report(name, performance.now() - start);
    };
    spawnSync("truncate", ["-s", String(size), at("plain")]);
    spawnSync(tool, ["keygen", "-o", at("k.key")], { stdio: "ignore" });
    run("the tool, one thread: encrypt", ["encrypt", "--threads", "1", "-k", "k.key", "--suite", suite, "-o", "tool", "plain"]);
    run("the tool, one thread: verify", ["verify", "--threads", "1", "-k", "k.key", "tool"]);
  }
} finally {
  rmSync(directory, { recursive: true });
}
