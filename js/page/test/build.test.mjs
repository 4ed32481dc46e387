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
});

test("the page's script and style have their hashes beside them, and those are right", () => {
  const tags = [...html.matchAll(/(?:src|href)="((?:app|style)-[^"]+)" integrity="sha256-([^"]+)"/g)];
  assert.equal(tags.length, 2);
  for (const [, name, hash] of tags) assert.equal(createHash("sha256").update(read(name)).digest("base64"), hash, name);
});

test("the service worker pins every other file", () => {
  const script = read("service-worker.js").toString();
  for (const name of readdirSync(dist)) {
    if (["service-worker.js", "SHA256SUMS", "_headers"].includes(name)) continue;
    assert.ok(script.includes(`sha256-${createHash("sha256").update(read(name)).digest("base64")}`), name);
  }
});

test("the policy allows nothing but the page's own files", () => {
  const directives = Object.fromEntries(csp.split("; ").map((one) => [one.split(" ")[0], one.split(" ").slice(1).join(" ")]));
  assert.equal(directives["default-src"], "'none'");
  assert.equal(directives["require-trusted-types-for"], "'script'");
  for (const name of ["form-action", "base-uri"]) assert.equal(directives[name], "'none'");
  for (const [name, value] of Object.entries(directives)) {
    if (name.endsWith("-src") && name !== "default-src") assert.equal(value, "'self'", name);
  }
  const headers = read("_headers").toString();
  assert.match(headers, /\n\/index\.html\n {2}Content-Security-Policy: .*frame-ancestors 'none'/);
  assert.equal(headers.match(/wasm-unsafe-eval/g).length, 1);
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
    assert.doesNotMatch(read(name).toString(), /localStorage|sessionStorage|indexedDB|document\.cookie|getDirectory/, name);
    assert.doesNotMatch(read(name).toString(), /innerHTML|outerHTML|insertAdjacentHTML|document\.write/, name);
  }
});
