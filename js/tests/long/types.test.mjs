/** The types of the package, for programs on the oldest TypeScript that they promise, with its own libraries checked. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { test } from "node:test";
import { inDirectory } from "../tool.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

const program = `
import { armorEncoder, decryptStream, encrypt, encryptDetached, httpSource, keyFile, open, openTree, parseKeyFile, passphrase, verifySigned, type Bytes, type Key, type SignedOptions, type Signer, type Suites } from "polyseal";
import { fileSource } from "polyseal/node";
export async function all(bytes: Uint8Array, stream: ReadableStream<Uint8Array>, suites: Suites): Promise<Blob> {
  const keys: Key[] = [keyFile(parseKeyFile(bytes)), passphrase("x")];
  const file = await open(await fileSource("x"), keys, { context: bytes, suites });
  const part: Uint8Array = await file.read(0, 5, { signal: AbortSignal.timeout(1) });
  const signed: SignedOptions = { signers: "a", by: "b", statement: bytes };
  const signer: Signer | null = (await open(bytes, keys, { ...signed, context: "c" })).signer;
  const { time, fingerprint }: Signer = await verifySigned(bytes, { signers: "a", statement: new Blob([signer?.principal ?? ""]) });
  const own: Bytes = await file.read();
  for (const source of [await httpSource("https://a.test/", { headers: new Headers() }), bytes, bytes.buffer as ArrayBuffer]) await open(source, keys);
  const { payload } = await encryptDetached(stream, [keyFile(part)]);
  const { stream: opened } = await decryptStream(payload, keys);
  const tree = await openTree(new Map([["a", part]]), keys);
  await (await tree.open("a")).stream().pipeThrough(armorEncoder()).cancel();
  await crypto.subtle.digest("SHA-256", own);
  // The library's results have memory of their own, which a Blob wants.
  return new Blob([String(time), fingerprint, await new Response(encrypt(opened, [keyFile(own)])).arrayBuffer(), own]);
}
`;

const compilers = { "5.4": "node_modules/typescript-5.4/bin/tsc", "5.9": "page/node_modules/typescript/bin/tsc", newest: "node_modules/typescript/bin/tsc" };

for (const [version, compiler] of Object.entries(compilers)) {
  test(`a program with TypeScript ${version}`, () => inDirectory(async (directory, write) => {
    await mkdir(join(directory, "node_modules/@types"), { recursive: true });
    await symlink(root, join(directory, "node_modules/polyseal"));
    await symlink(join(root, "node_modules/@types/node"), join(directory, "node_modules/@types/node"));
    await symlink(join(root, "node_modules/undici-types"), join(directory, "node_modules/undici-types"));
    await write("package.json", '{ "type": "module" }');
    await write("tsconfig.json", JSON.stringify({
      compilerOptions: {
        target: "ES2022", lib: ["ES2022", "DOM"], module: "NodeNext", moduleResolution: "NodeNext", strict: true, exactOptionalPropertyTypes: true, noEmit: true,
        skipLibCheck: false, types: ["node"], preserveSymlinks: true,
      },
      files: ["program.ts"],
    }));
    await write("program.ts", program);
    await promisify(execFile)(process.execPath, [join(root, compiler), "-p", directory]).catch(({ stdout }) => assert.fail(stdout));
  }));
}
