/**
 * The conformance kit, and some round trips, in headless Chromium, with the bundle for pages. POLYSEAL_CHROMIUM names the
 * program; otherwise it is looked for in the usual places.
 */

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { after, before, test } from "node:test";
import { build } from "esbuild";
import { chromium } from "playwright-core";
import * as polyseal from "../../dist/index.js";
import { collect } from "../kit.mjs";
import { load, readJson } from "../vectors.mjs";

const executablePath = [process.env.POLYSEAL_CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
  .find((path) => path !== undefined && existsSync(path));
const here = new URL("..", import.meta.url).pathname;
const types = { ".js": "text/javascript", ".mjs": "text/javascript", ".html": "text/html", ".json": "application/json" };

let server;
let origin;
let browser;
let page;
const secret = new Uint8Array(32).fill(7);
const plaintext = crypto.getRandomValues(new Uint8Array(60000));
const encrypted = await collect(polyseal.encrypt(plaintext, [polyseal.keyFile(secret)], { segmentSize: 4096 }));
let policy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'";

before(async () => {
  server = createServer((request, response) => {
    serve(request, response).catch(() => response.writeHead(404).end());
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${server.address().port}`;
  browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
});

after(async () => {
  await browser?.close();
  server.closeAllConnections();
  server.close();
});

async function serve(request, response) {
  const { pathname } = new URL(request.url, origin);
  if (pathname === "/") return response.writeHead(200, { "Content-Type": "text/html", "Content-Security-Policy": policy }).end("<!doctype html>");
  if (pathname === "/ranges") {
    const [start, end] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range).slice(1).map(Number);
    const last = Math.min(end, encrypted.length - 1);
    return response.writeHead(206, { "Content-Range": `bytes ${start}-${last}/${encrypted.length}`, ETag: '"one"' }).end(encrypted.subarray(start, last + 1));
  }
  const body = pathname === "/ssh-signature.js" ? await bundle("../dist/statement/ssh-signature.js") : pathname.startsWith("/vectors/") ? await load(decodeURIComponent(pathname.slice("/vectors/".length)))
    : await readFile(pathname === "/polyseal.js" ? join(here, "../dist/polyseal.browser.js") : join(here, pathname));
  return response.writeHead(200, { "Content-Type": types[extname(pathname)] ?? "application/octet-stream" }).end(body);
}

/** A module of the library that a page is given by itself. */
const bundle = async (path) => (await build({ entryPoints: [join(here, path)], bundle: true, write: false, format: "esm" })).outputFiles[0].text;

async function newPage() {
  page = await browser.newPage();
  await page.goto(origin);
}

test("the conformance kit in a page", { timeout: 600000 }, async (t) => {
  await newPage();
  t.diagnostic(`Chromium ${browser.version()}`);
  const result = await page.evaluate(async () => {
    const polyseal = await import("/polyseal.js");
    const { runFiles, runKeyFiles } = await import("/kit.mjs");
    const { aegisSuites } = await import("/aegis.mjs");
    const index = await (await fetch("/vectors/file-format/index.json")).json();
    const load = async (name) => new Uint8Array(await (await fetch(`/vectors/file-format/${name}`)).arrayBuffer());
    return { alone: await runFiles(polyseal, index, load), withAegis: await runFiles(polyseal, index, load, aegisSuites), keyFiles: await runKeyFiles(polyseal, index, load) };
  });
  const index = await readJson("file-format/index.json");
  for (const { counts, failures } of [result.alone, result.withAegis]) {
    t.diagnostic(JSON.stringify(counts));
    assert.deepEqual(failures, []);
    assert.equal(counts.tests, index.tests.length);
    assert.equal(counts.parts, index.parts.length);
  }
  assert.deepEqual(result.keyFiles, { count: index.keyFiles.length, failures: [] });
});

test("a file, a server's ranges and new files in a page", async () => {
  await newPage();
  const result = await page.evaluate(async ({ secret, encrypted }) => {
    const polyseal = await import("/polyseal.js");
    const { collect } = await import("/kit.mjs");
    const key = polyseal.keyFile(Uint8Array.from(secret));
    const file = new File([Uint8Array.from(encrypted)], "x.polyseal");
    const identity = await polyseal.generateAgeIdentity("hybrid");
    const own = await collect(polyseal.encrypt(new Blob([new Uint8Array(100000)]), [polyseal.ageRecipient(identity.recipient)], { context: "c" }));
    return {
      file: [...await (await polyseal.open(file, [key])).read()],
      url: [...await (await polyseal.open(new URL("/ranges", location.href), [key])).read(5000, 5100)],
      stream: (await collect((await polyseal.decryptStream(file.stream(), [key])).stream)).length,
      own: (await (await polyseal.open(own, [polyseal.ageIdentity(identity.identity)], { context: "c" })).read()).length,
    };
  }, { secret: [...secret], encrypted: [...encrypted] });
  assert.deepEqual(Uint8Array.from(result.file), plaintext);
  assert.deepEqual(Uint8Array.from(result.url), plaintext.slice(5000, 5100));
  assert.equal(result.stream, plaintext.length);
  assert.equal(result.own, 100000);
});

test("signatures of every kind of key in a page", async () => {
  await newPage();
  const failures = await page.evaluate(async () => {
    const { parseSshSignature, sshPublicKey, verifiesSsh } = await import("/ssh-signature.js");
    const { text, tests } = await (await fetch("/vectors/sshsig/index.json")).json();
    const failures = [];
    for (const { comment, key, signature: armored, outcome } of tests) {
      const signature = parseSshSignature(armored.split("-----\n")[1].replace("-----END SSH SIGNATURE", ""));
      const [blob, own] = [sshPublicKey(...key.split(" ")), signature?.key ?? []];
      const isOfKey = own.length === blob.length && own.every((byte, i) => byte === blob[i]);
      const found = signature === null ? "signature" : isOfKey && await verifiesSsh(signature, "polyseal", new TextEncoder().encode(text)) ? "ok" : "not accepted";
      if (found !== outcome) failures.push(`${comment}, ${key.slice(0, 30)}: ${found} instead of ${outcome}`);
    }
    return tests.length < 31 ? ["fewer signatures"] : failures;
  });
  assert.deepEqual(failures, []);
});

for (const [name, allowed] of [["with WebAssembly", true], ["where a policy forbids WebAssembly", false]]) {
  test(`a passphrase ${name}`, async (t) => {
    policy = `default-src 'self'; script-src 'self'${allowed ? " 'wasm-unsafe-eval'" : ""}`;
    await newPage();
    const { milliseconds, compiles } = await page.evaluate(async () => {
      const compiles = await WebAssembly.compile(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0)).then(() => true, () => false);
      const polyseal = await import("/polyseal.js");
      const { collect } = await import("/kit.mjs");
      const secret = polyseal.passphrase("correct horse");
      const file = await collect(polyseal.encrypt(new Uint8Array(10), [secret]));
      const begin = performance.now();
      const { size } = await polyseal.open(file, [secret]);
      return { compiles, milliseconds: size === 10 ? performance.now() - begin : NaN };
    });
    assert.equal(compiles, allowed);
    t.diagnostic(`${milliseconds.toFixed(0)} ms to open`);
    assert.ok(milliseconds > 0);
  });
}
