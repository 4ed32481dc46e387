/**
 * Builds the page into dist/: one folder of static files. The same sources give the same bytes.
 *
 * `node build.mjs` prints the SHA-256 of every file, and writes them to dist/SHA256SUMS. It takes the module of
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

const policy = (more) => ({
  "default-src": "'none'",
  "script-src": "'self'",
  "worker-src": "'self'",
  "connect-src": "'self'",
  "style-src": "'self'",
  "img-src": "'self'",
  "media-src": "'self'",
  "frame-src": "'self'",
  "form-action": "'none'",
  "base-uri": "'none'",
  "require-trusted-types-for": "'script'",
  "trusted-types": "polyseal",
  ...more,
});
const textOf = (directives) => Object.entries(directives).map(([name, value]) => `${name} ${value}`).join("; ");

/** `frame-ancestors` counts in a header only. Only the worker compiles WebAssembly, for Argon2id and for suites. */
const metaPolicy = textOf(policy({}));
const pagePolicy = textOf(policy({ "frame-ancestors": "'none'" }));
const workerPolicy = textOf({
  "default-src": "'none'", "script-src": "'self' 'wasm-unsafe-eval'", ...(portable ? {} : { "connect-src": "'self'" }), "require-trusted-types-for": "'script'", "trusted-types": "'none'",
});

const commonHeaders = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
};
const types = { html: "text/html; charset=utf-8", js: "text/javascript; charset=utf-8", css: "text/css; charset=utf-8", svg: "image/svg+xml", wasm: "application/wasm" };

const headersOf = (name) => ({
  "Content-Type": types[name.split(".").at(-1)],
  "Content-Security-Policy": name.startsWith("worker-") ? workerPolicy : pagePolicy,
  ...commonHeaders,
});

const sha = (algorithm, bytes, encoding) => createHash(algorithm).update(bytes).digest(encoding);
const integrity = (bytes) => `sha256-${sha("sha256", bytes, "base64")}`;
const named = (stem, ending, bytes) => `${stem}-${sha("sha256", bytes, "hex").slice(0, 12)}.${ending}`;

async function bundle(entry, { format = "iife", define = {}, tsconfig = "tsconfig.json" } = {}) {
  const result = await build({
    entryPoints: [join(here, "src", entry)], bundle: true, write: false, minify: true, format, target: "es2022", platform: "browser",
    legalComments: "none", charset: "utf8", tsconfig: join(here, tsconfig), absWorkingDir: here, logLevel: "warning",
    define: Object.fromEntries(Object.entries(define).map(([name, value]) => [name, JSON.stringify(value)])),
  });
  return Buffer.from(result.outputFiles[0].contents);
}

const { version } = JSON.parse(await readFile(join(here, "package.json"), "utf8"));

const files = {};
let core = null;
if (!portable) {
  const module = await readFile(join(here, "../core/dist/polyseal-simd128.wasm"));
  core = { name: named("core", "wasm", module), integrity: integrity(module) };
  files[core.name] = module;
}

const worker = await bundle("worker/worker.ts", { define: { CORE: core } });
const workerName = named("worker", "js", worker);
files[workerName] = worker;

const style = await readFile(join(here, "static/style.css"));
const styleName = named("style", "css", style);
files[styleName] = style;
files["icon.svg"] = await readFile(join(here, "static/icon.svg"));
const template = await readFile(join(here, "static/index.html"), "utf8");

// What is shown as the build stands for all sources. The files that name it cannot have their own hash in it, so they are
// bundled with a placeholder first.
const placeholder = "@@BUILD@@";
const app = await bundle("page/main.ts", { format: "esm", define: { WORKER: workerName, BUILD: placeholder } });
const serviceWorker = (pinned, version) =>
  bundle("service-worker/service-worker.ts", { define: { FILES: pinned, VERSION: version }, tsconfig: "tsconfig.service-worker.json" });
const sources = [version, worker, style, files["icon.svg"], template, app, await serviceWorker({}, placeholder), JSON.stringify([pagePolicy, workerPolicy, commonHeaders, types])];
const buildName = sources.reduce((hash, source) => hash.update(sha("sha256", source)), createHash("sha256")).digest("hex").slice(0, 16);
const appFinal = Buffer.from(app.toString().replace(placeholder, buildName));
const appName = named("app", "js", appFinal);
files[appName] = appFinal;

files["index.html"] = Buffer.from(Object.entries({
  CSP: metaPolicy, VERSION: version, STYLE: styleName, STYLE_INTEGRITY: integrity(style), APP: appName, APP_INTEGRITY: integrity(appFinal),
}).reduce((html, [name, value]) => html.replaceAll(`@${name}@`, value), template));

const pinned = Object.fromEntries(Object.keys(files).sort().map((name) => [name, { integrity: integrity(files[name]), headers: headersOf(name) }]));
files["service-worker.js"] = await serviceWorker(pinned, buildName);

/** For hosts that read a file of this name, and as a template for others. */
const block = (path, headers) => `${path}\n${Object.entries(headers).map(([name, value]) => `  ${name}: ${value}\n`).join("")}`;
files["_headers"] = Buffer.from([
  block("/*", { ...commonHeaders, "Cache-Control": "no-cache" }),
  ...["/", ...Object.keys(files).sort().map((name) => `/${name}`)].map((path) =>
    block(path, { "Content-Security-Policy": path.startsWith("/worker-") ? workerPolicy : pagePolicy })),
].join(""));

const names = Object.keys(files).sort();
files["SHA256SUMS"] = Buffer.from(names.map((name) => `${sha("sha256", files[name], "hex")}  ${name}\n`).join(""));

await rm(out, { recursive: true, force: true });
await mkdir(out, { recursive: true });
for (const [name, bytes] of Object.entries(files)) await writeFile(join(out, name), bytes);

process.stdout.write(files["SHA256SUMS"]);
process.stdout.write(`${sha("sha256", files["SHA256SUMS"], "hex")}  SHA256SUMS\n`);
