// wasm-run.mjs PROGRAM.wasm [ARGUMENT…]: runs a WASI program as Cargo's runner; its exit code is
// the program's. Of the file system it sees this repository, under its own name, because that is
// where tests look for their vectors.
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { WASI } from 'node:wasi';

const [program, ...args] = process.argv.slice(2);
const repository = dirname(dirname(fileURLToPath(import.meta.url)));

const wasi = new WASI({
  version: 'preview1',
  args: [program, ...args],
  env: process.env,
  preopens: { [repository]: repository },
  returnOnExit: true,
});
const module = await WebAssembly.compile(await readFile(program));
const instance = await WebAssembly.instantiate(module, {
  wasi_snapshot_preview1: wasi.wasiImport,
});
// A trap, which is how a panic ends that no test catches, is thrown and ends Node with a failure.
process.exitCode = wasi.start(instance);
