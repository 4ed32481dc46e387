/**
 * Builds the page into dist/: one folder of static files. The same sources give the same bytes.
 *
 * `node build.mjs` prints the SHA-256 of every file, writes them to dist/SHA256SUMS, and says what to do with it. It takes the module of
 * `../core/build`; with `--portable` it takes none, and the page opens only suites that are made of AES-GCM.
 */

import { build } from "esbuild";
import { createHash } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, "dist");
const portable = process.argv.includes("--portable");

/** Why each is there: README.md, "What the policy is for". `frame-ancestors` counts in a header only. */
const metaPolicy = [
  "default-src 'none'", "script-src 'self' 'wasm-unsafe-eval'", "worker-src blob:", "connect-src 'self'", "style-src 'self'", "img-src 'self' blob:",
  "media-src blob:", "frame-src blob:", "form-action 'none'", "base-uri 'none'", "require-trusted-types-for 'script'", "trusted-types polyseal",
].join("; ");

const headers = {
  "Content-Security-Policy": `${metaPolicy}; frame-ancestors 'none'`,
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  "Cache-Control": "no-cache",
};

const sha = (algorithm, bytes, encoding) => createHash(algorithm).update(bytes).digest(encoding);
const integrity = (bytes) => `sha256-${sha("sha256", bytes, "base64")}`;
const named = (stem, ending, bytes) => `${stem}-${sha("sha256", bytes, "hex").slice(0, 12)}.${ending}`;

/** The facts that a script needs of a file that it fetches. */
const pinned = (name, bytes) => ({ name, length: bytes.length, integrity: integrity(bytes) });

/** One classic script without imports: what a module imports, and what a preload puts in a module's place, has no hash. */
async function bundle(entry, define) {
  const result = await build({
    entryPoints: [join(here, "src", entry)], bundle: true, write: false, minify: true, format: "iife", target: "es2022", platform: "browser",
    legalComments: "none", charset: "utf8", tsconfig: join(here, "tsconfig.json"), absWorkingDir: here, logLevel: "warning",
    // A page has no packages: the library's import of one is left out.
    define: { "globalThis.process": "undefined", ...Object.fromEntries(Object.entries(define).map(([name, value]) => [name, JSON.stringify(value)])) },
  });
  return Buffer.from(result.outputFiles[0].contents);
}

const { version } = JSON.parse(await readFile(join(here, "package.json"), "utf8"));

const files = {};
let core = null;
if (!portable) {
  const module = await readFile(join(here, "../core/dist/polyseal-simd128.wasm"));
  core = pinned(named("core", "wasm", module), module);
  files[core.name] = module;
}

const worker = await bundle("worker/worker.ts", { CORE: core });
const workerName = named("worker", "js", worker);
files[workerName] = worker;

const style = await readFile(join(here, "static/style.css"));
const styleName = named("style", "css", style);
files[styleName] = style;
files["icon.svg"] = await readFile(join(here, "static/icon.svg"));
const template = await readFile(join(here, "static/index.html"), "utf8");

// The text that is shown as the build stands for all sources. The script that names it cannot have its own hash in it,
// so it is bundled with a placeholder first.
const placeholder = "@@BUILD@@";
const app = await bundle("page/main.ts", { WORKER: pinned(workerName, worker), BUILD: placeholder });
const sources = [version, worker, style, files["icon.svg"], template, app, JSON.stringify(headers)];
const buildName = sources.reduce((hash, source) => hash.update(sha("sha256", source)), createHash("sha256")).digest("hex").slice(0, 16);
const appFinal = Buffer.from(app.toString().replace(placeholder, buildName));
const appName = named("app", "js", appFinal);
files[appName] = appFinal;

files["index.html"] = Buffer.from(Object.entries({
  CSP: metaPolicy, VERSION: version, STYLE: styleName, STYLE_INTEGRITY: integrity(style), APP: appName, APP_INTEGRITY: integrity(appFinal),
}).reduce((html, [name, value]) => html.replaceAll(`@${name}@`, value), template));

/** For hosts that read a file of this name, and as a template for others. */
files["_headers"] = Buffer.from(`/*\n${Object.entries(headers).map(([name, value]) => `  ${name}: ${value}\n`).join("")}`);

const names = Object.keys(files).sort();
files["SHA256SUMS"] = Buffer.from(names.map((name) => `${sha("sha256", files[name], "hex")}  ${name}\n`).join(""));

await rm(out, { recursive: true, force: true });
await mkdir(out, { recursive: true });
for (const [name, bytes] of Object.entries(files)) await writeFile(join(out, name), bytes);

process.stdout.write(files["SHA256SUMS"]);
process.stdout.write(`${sha("sha256", files["SHA256SUMS"], "hex")}  SHA256SUMS\n`);
process.stdout.write(`
The page is in ${join(here, "dist")}. Serve that folder over https, with the headers of its file _headers; or to
yourself alone: python3 -m http.server --bind 127.0.0.1 -d ${join(here, "dist")}, and open http://127.0.0.1:8000
`);
