import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { test } from "node:test";

const dist = fileURLToPath(new URL("../dist/", import.meta.url));
const read = (name) => readFileSync(dist + name);
const html = read("index.html").toString();
const csp = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html)[1];

test("every file has the hash that is printed", () => {
  const sums = read("SHA256SUMS").toString().trim().split("\n").map((line) => line.split("  "));
  for (const [hash, name] of sums) assert.equal(createHash("sha256").update(read(name)).digest("hex"), hash, name);
  assert.deepEqual(sums.map(([, name]) => name), readdirSync(dist).filter((name) => name !== "SHA256SUMS").sort());
});

test("the same sources give the same bytes", () => {
  const before = read("SHA256SUMS").toString();
  const printed = execFileSync(process.execPath, [fileURLToPath(new URL("../build.mjs", import.meta.url)), "--portable"]).toString();
  assert.equal(read("SHA256SUMS").toString(), before);
  assert.ok(printed.startsWith(before));
  assert.match(printed, /Serve that folder over https.*python3 -m http\.server --bind 127\.0\.0\.1 -d .*\/dist, and open http:\/\/127\.0\.0\.1:8000\n$/s);
});

const base64Of = (name) => `sha256-${createHash("sha256").update(read(name)).digest("base64")}`;
const [app, style, worker] = ["app", "style", "worker"].map((stem) => readdirSync(dist).find((name) => name.startsWith(`${stem}-`)));

test("all that the page loads is pinned by it: its script, its style, and nothing else but a picture", () => {
  const loading = [...html.matchAll(/<(script|link|img|iframe|object|embed|video|audio|source|base|meta http-equiv="refresh")\b[^>]*>/gi)]
    .map(([tag, name]) => ({ name, address: /(?:src|href)="([^"]*)"/.exec(tag)?.[1], hash: /integrity="([^"]*)"/.exec(tag)?.[1], type: /type="([^"]*)"/.exec(tag)?.[1] }));
  assert.deepEqual(loading, [
    { name: "link", address: "icon.svg", hash: undefined, type: "image/svg+xml" },
    { name: "link", address: style, hash: base64Of(style), type: undefined },
    // A module is not here: one that was preloaded without a hash would be taken.
    { name: "script", address: app, hash: base64Of(app), type: undefined },
    { name: "img", address: "icon.svg", hash: undefined, type: undefined },
  ]);
  assert.doesNotMatch(read(style).toString(), /url\(|@import|image-set/);
});

test("the page's script pins the worker's, with its length, and the worker's the module", () => {
  const pins = [...read(app).toString().matchAll(/\{name:"([^"]+)",length:(\d+(?:e\d+)?),integrity:"([^"]+)"\}/g)].map(([, ...pin]) => pin);
  assert.deepEqual(pins, [[worker, String(read(worker).length), base64Of(worker)]]);
  assert.deepEqual(readdirSync(dist).filter((name) => /\.(js|wasm|css|html)$/.test(name)).sort(), [app, "index.html", style, worker].sort());
});

test("no script imports another, or starts one by an address", () => {
  for (const name of [app, worker]) {
    const text = read(name).toString();
    assert.doesNotMatch(text, /\bimport\s*[({"'*]|\bimport\.meta|\bexport\s*[{*]|importScripts|serviceWorker|SharedWorker|\beval\(|new Function|modulepreload/, name);
    assert.equal(text.match(/new Worker\(/g)?.length ?? 0, name === app ? 1 : 0, name);
  }
});

test("the policy allows nothing but the page's own files, and workers only from memory", () => {
  const directives = Object.fromEntries(csp.split("; ").map((one) => [one.split(" ")[0], one.split(" ").slice(1).join(" ")]));
  assert.deepEqual(directives, {
    "default-src": "'none'", "script-src": "'self' 'wasm-unsafe-eval'", "worker-src": "blob:", "connect-src": "'self'", "style-src": "'self'", "img-src": "'self' blob:",
    "media-src": "blob:", "frame-src": "blob:", "form-action": "'none'", "base-uri": "'none'", "require-trusted-types-for": "'script'", "trusted-types": "polyseal",
  });
  assert.equal(read("_headers").toString().match(/Content-Security-Policy: (.*)\n/)[1], `${csp}; frame-ancestors 'none'`);
});

test("the page refers to no other place, and has nothing inline", () => {
  for (const name of readdirSync(dist)) {
    if (["_headers", "SHA256SUMS"].includes(name)) continue;
    const text = read(name).toString();
    const places = [...text.matchAll(/https?:\/\/[^\s"'`<>)]+/g)].map(([place]) => place);
    assert.deepEqual(places.filter((place) => !["http://www.w3.org/2000/svg"].includes(place)), [], name);
  }
  assert.doesNotMatch(html, /<script(?![^>]*src=)|<style|\sstyle=|\son[a-z]+=|javascript:/i);
});

test("nothing is stored: no storage and no cookie is named", () => {
  for (const name of readdirSync(dist).filter((one) => one.endsWith(".js"))) {
    assert.doesNotMatch(read(name).toString(), /localStorage|sessionStorage|indexedDB|document\.cookie|getDirectory\b/, name);
    assert.doesNotMatch(read(name).toString(), /innerHTML|outerHTML|insertAdjacentHTML|document\.write/, name);
  }
});
