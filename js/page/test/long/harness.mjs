/**
 * Chromium with the page, a server for its files, and the tool as a peer. `site.mjs` looks at other pages by it.
 *
 * Where a test saves a file, it takes one of two ways, and says which:
 * - `handle`: `showSaveFilePicker` is replaced by a function that gives a file of the origin-private file system, because
 *   there is no dialogue without a screen. All that happens with the file afterwards is the page's own code.
 * - `download`: `showSaveFilePicker` is taken away, as in browsers without it.
 */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const dist = fileURLToPath(new URL("../../dist/", import.meta.url));
const types = { html: "text/html", js: "text/javascript", css: "text/css", svg: "image/svg+xml", png: "image/png", wasm: "application/wasm" };

/** A directory for the files of a test file. */
export const directory = mkdtempSync(join(tmpdir(), "polyseal-page-"));
process.on("exit", () => rmSync(directory, { recursive: true, force: true }));

export const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");

export function file(name, bytes) {
  const path = join(directory, name);
  writeFileSync(path, bytes);
  return path;
}

export function tool(args, options = {}) {
  return execFileSync(process.env.POLYSEAL_TOOL, args, { cwd: directory, maxBuffer: 1e9, stdio: ["pipe", "pipe", "pipe", "pipe"], ...options });
}

/** The tool with a passphrase, which it reads from a file. */
export function toolWithPassphrase(command, passphrase, args) {
  const path = file(`.passphrase-${randomBytes(4).toString("hex")}`, `${passphrase}\n`);
  return execFileSync("/bin/sh", ["-c", 'exec "$0" "$@" 3< "$PASSPHRASE_FILE"', process.env.POLYSEAL_TOOL, command, "--passphrase-fd", "3", ...args],
    { cwd: directory, env: { ...process.env, PASSPHRASE_FILE: path } });
}

/** Encrypts, by default with the suite that every reader has. Returns the path of the encrypted file. */
export function seal(name, bytes, keyArguments, more = [], suite = ["--portable"]) {
  file(name, bytes);
  const output = `${name}.polyseal`;
  tool(["encrypt", ...suite, "-f", ...keyArguments, ...more, "-o", output, name]);
  return join(directory, output);
}

/** A copy of a file in which the bits of one byte differ. */
export function altered(path, offset, name = `altered-${basename(path)}`) {
  const bytes = readFileSync(path);
  bytes[offset] ^= 1;
  return file(name, bytes);
}

export const random = (length) => randomBytes(length);

/** Text that says where it is, for files that are compared in pieces. */
export function counted(length) {
  const bytes = Buffer.alloc(length);
  for (let offset = 0; offset + 4 <= length; offset += 4) bytes.writeUInt32LE(offset / 4, offset);
  return bytes;
}

/** The headers that the build documents. */
const documentedHeaders = () => Object.fromEntries(readFileSync(join(dist, "_headers"), "utf8").split("\n").filter((line) => line.startsWith(" "))
  .map((line) => [line.slice(0, line.indexOf(":")).trim(), line.slice(line.indexOf(":") + 1).trim()]));

/** A plain server for static files, by default the page's. `withHeaders`: with the documented headers. `replaced`: paths with other contents. */
export async function serve({ root = dist, withHeaders = false, replaced = /^$/ } = {}) {
  const headers = withHeaders ? documentedHeaders() : {};
  const requests = [];
  const server = http.createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    requests.push(pathname);
    const name = pathname === "/" ? "index.html" : decodeURIComponent(pathname.slice(1));
    if (!readdirSync(root, { recursive: true }).includes(name)) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { "Content-Type": types[name.split(".").at(-1)] ?? "text/plain", ...headers }).end(Buffer.concat([Buffer.from(replaced.test(pathname) ? "/* other */ " : ""), readFileSync(join(root, name))]));
  });
  await new Promise((resolve) => server.listen(0, "localhost", resolve));
  return {
    origin: `http://localhost:${server.address().port}`,
    requests,
    close: () => new Promise((resolve) => { server.closeAllConnections(); server.close(resolve); }),
  };
}

export async function launch(options = {}) {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", headless: true, ignoreDefaultArgs: ["--headless"],
    args: ["--headless=new", "--no-sandbox", "--autoplay-policy=no-user-gesture-required"], ...options,
  });
}

const handleStandIn = () => {
  window.showSaveFilePicker = async ({ suggestedName }) => {
    const root = await navigator.storage.getDirectory();
    const handle = await root.getFileHandle(suggestedName, { create: true });
    // As the real one does.
    const writable = await handle.createWritable();
    await writable.close();
    return handle;
  };
  window.showDirectoryPicker = () => navigator.storage.getDirectory();
};

/**
 * Opens the page in a new context and runs a test with it. Whatever the test does, the page breaks no policy, asks no
 * other origin for anything, and has no uncaught error. `otherOrigins`: the test itself opens a page of another
 * origin. `expected`: problems that the test is about. `ready`: waits until the page can be used.
 */
export async function withPage(browser, server, { way = "handle", hash = "", ready = started, otherOrigins = false, expected = /^$/, ...contextOptions }, run) {
  const context = await browser.newContext({ viewport: { width: 900, height: 900 }, acceptDownloads: true, ...contextOptions });
  const problems = [], foreign = [];
  context.on("request", (request) => {
    const url = new URL(request.url());
    if (!["data:", "blob:", "about:", "chrome:", "chrome-extension:"].includes(url.protocol) && url.origin !== server.origin) foreign.push(request.url());
  });
  await context.exposeBinding("reportViolation", (_, text) => { problems.push(`policy: ${text}`); });
  await context.addInitScript(() => {
    addEventListener("securitypolicyviolation", (event) => window.reportViolation(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`));
  });
  await context.addInitScript(way === "handle" ? handleStandIn : () => { delete window.showSaveFilePicker; delete window.showDirectoryPicker; });
  const page = await context.newPage();
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error" && !/Failed to load resource|net::ERR/.test(message.text())) problems.push(`console: ${message.text()}`);
  });
  try {
    await page.goto(`${server.origin}/${hash}`);
    if (contextOptions.javaScriptEnabled !== false) await ready(page);
    await run(page, context);
    if (!otherOrigins) assert.deepEqual(foreign, [], "requests to another origin");
    assert.deepEqual(problems.filter((problem) => !expected.test(problem)), []);
  } finally {
    await context.close();
  }
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The findings of axe on the page as it is. */
export async function axeFaults(page) {
  await page.evaluate(`if (!window.axe) { ${axe} }`);
  const { violations, passes } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  assert.ok(passes.length > 10);
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join("\n")}`);
}

/** Makes the window so wide, and says which of these elements have something in them that is wider than they are. */
export async function widthFaults(page, width, elements = "html") {
  await page.setViewportSize({ width, height: 900 });
  return page.locator(elements).evaluateAll((all) => all.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
    .map(({ tagName, scrollWidth, clientWidth }) => `${tagName}: ${scrollWidth} > ${clientWidth}`));
}

/** Waits until the page shows a form. It takes nothing before. */
export const started = (page) => page.waitForSelector("#main > section:visible");

/** All below the origin-private file system: the contents of files by their names, and folders, which have null. */
export const savedTree = async (page) => Object.fromEntries(Object.entries(await page.evaluate(async () => {
  const found = {};
  const walk = async (folder, path) => {
    for await (const [name, handle] of folder.entries()) {
      const bytes = handle.kind === "file" ? new Uint8Array(await (await handle.getFile()).arrayBuffer()) : null;
      found[path + name] = bytes === null ? null : btoa(bytes.reduce((text, byte) => text + String.fromCharCode(byte), ""));
      if (handle.kind === "directory") await walk(handle, `${path}${name}/`);
    }
  };
  await walk(await navigator.storage.getDirectory(), "");
  return found;
})).map(([name, text]) => [name, text === null ? null : Buffer.from(text, "base64")]));

/** The files of the origin-private file system: names and sizes. */
export const savedFiles = (page) => page.evaluate(async () => {
  const found = {};
  for await (const [name, handle] of (await navigator.storage.getDirectory()).entries()) found[name] = (await handle.getFile()).size;
  return found;
});

export const savedBytes = async (page, name) => Buffer.from(await page.evaluate(async (wanted) => {
  const handle = await (await navigator.storage.getDirectory()).getFileHandle(wanted);
  const bytes = new Uint8Array(await (await handle.getFile()).arrayBuffer());
  let text = "";
  for (let at = 0; at < bytes.length; at += 32768) text += String.fromCharCode(...bytes.subarray(at, at + 32768));
  return btoa(text);
}, name), "base64");

/** Chooses files for opening, and waits for their header or an error. */
export async function choose(page, paths) {
  await page.setInputFiles("#open-files", paths);
  await page.waitForSelector("#open-key-card:visible, #open-file-error .notice, #open-list-card:visible");
}

export async function enterKeyFile(page, path) {
  const radio = page.locator("input[name=open-kind][value=key-file]");
  if (await radio.isVisible()) await radio.check();
  await page.setInputFiles("#open-key", path);
  await page.waitForFunction((name) => document.querySelector("#open-key-name").textContent === name, basename(path));
}

export const pressOpen = async (page) => {
  await page.click("#open-submit");
  await page.waitForSelector("#open-result-card:visible, #open-tree-card:visible, #open-key-error .notice", { timeout: 60000 });
};

/** Chooses a file, gives the key, and waits until it has opened. */
export async function openWithKeyFile(page, path, keyPath) {
  await choose(page, path);
  await enterKeyFile(page, keyPath);
  await pressOpen(page);
  assert.equal(await page.locator("#open-key-error .notice").count(), 0, await page.locator("#open-key-error").textContent());
}

/** The error that is shown in a place: its code and its text. */
export async function errorIn(page, place) {
  const notice = page.locator(`${place} .notice`);
  await notice.waitFor({ timeout: 60000 });
  assert.equal(await notice.getAttribute("role"), "alert");
  return { code: await notice.getAttribute("data-code"), text: await notice.textContent() };
}

export const nothingSaved = async (page) => assert.deepEqual(await savedFiles(page), {});

/** Saves by the way of the context, and returns what was saved: `{ name, bytes }`. */
export async function saveOpened(page, way) {
  if (way === "handle") {
    await page.click("#open-save");
    await page.waitForSelector("#open-result-done:visible");
    const [name] = Object.keys(await savedFiles(page));
    return { name, bytes: await savedBytes(page, name) };
  }
  const started = page.waitForEvent("download");
  await page.click("#open-save");
  const download = await started;
  const bytes = readFileSync(await download.path());
  await page.waitForSelector("#open-result-done:visible");
  return { name: download.suggestedFilename(), bytes };
}
