/**
 * Whatever is replaced beside `index.html`, no secret is taken: each file of the build by a hostile one, from the first
 * visit on and later, on reloads and where a service worker of somebody else answers.
 *
 * A hostile script listens to all that is typed and sent to it. The server notes what it is told.
 */

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { after, before, test } from "node:test";
import { choose, directory, errorIn, launch, openWithKeyFile, pressOpen, random, saveOpened, seal, started, tool, toolWithPassphrase, file } from "./harness.mjs";

const dist = fileURLToPath(new URL("../../dist/", import.meta.url));
const types = { html: "text/html", js: "text/javascript", css: "text/css", svg: "image/svg+xml", wasm: "application/wasm" };
const typeOf = (name) => types[name.split(".").at(-1)] ?? "text/plain";
const secret = "correct horse battery";

const hostile = {
  js: `const leak = (what) => fetch(self.origin + "/leak?" + encodeURIComponent(typeof what === "string" ? what : JSON.stringify(what) ?? ""), { mode: "no-cors" }).catch(() => undefined);
    leak("it ran");
    if (!self.document && self.postMessage) self.postMessage({ kind: "started" });
    self.addEventListener("message", ({ data }) => leak(data));
    self.addEventListener("input", ({ target }) => leak(target.value));
    self.addEventListener("fetch", (event) => event.respondWith(new Response("<script src=/leak?page></script>", { headers: { "Content-Type": "text/html" } })));
    if (self.document) for (const view of document.querySelectorAll("[hidden]")) view.hidden = false;`,
  css: "[hidden] { display: block !important } #open-passphrase, body { background: url(/leak?style) }",
  svg: '<svg xmlns="http://www.w3.org/2000/svg" onload="fetch(\'/leak?picture\')"><script>fetch("/leak?picture")</script></svg>',
  wasm: "\0asm\x01\0\0\0",
  html: "<script src=/leak?html></script>",
};

/** A hostile file of the same kind and length, to replace a genuine one. */
function hostileFor(name) {
  const genuine = readFileSync(join(dist, name));
  const other = Buffer.alloc(genuine.length, " ");
  other.set(Buffer.from(hostile[name.split(".").at(-1)] ?? "x").subarray(0, genuine.length));
  return other;
}

let browser;
before(async () => {
  browser = await launch();
  tool(["keygen", "-o", "pinned.key"]);
  for (const [name, suite] of [["portable", ["--suite", "aes-256-gcm"]], ["default", []]]) {
    file(`${name}.txt`, "plaintext");
    toolWithPassphrase("encrypt", secret, [...suite, "-f", "-o", `${name}.polyseal`, `${name}.txt`]);
  }
});
after(() => browser.close());

/** Serves the build. `answer(name, count)` gives other contents of a file at its `count`th request, or undefined. */
async function hostileServer(t, answer, headers = {}) {
  const leaks = [], counts = {};
  const server = http.createServer((request, response) => {
    const { pathname, search } = new URL(request.url, "http://localhost");
    if (pathname === "/leak") {
      leaks.push(decodeURIComponent(search));
      response.writeHead(204).end();
      return;
    }
    const name = pathname === "/" ? "index.html" : pathname.slice(1);
    counts[name] = (counts[name] ?? 0) + 1;
    const other = answer(name, counts[name]);
    if (other === undefined && !readdirSync(dist).includes(name)) return void response.writeHead(404).end();
    response.writeHead(200, { "Content-Type": typeOf(name), "Cache-Control": "no-store", ...(name === "index.html" ? headers : {}) })
      .end(other ?? readFileSync(join(dist, name)));
  });
  await new Promise((resolve) => server.listen(0, "localhost", resolve));
  t.after(() => new Promise((resolve) => { server.closeAllConnections(); server.close(resolve); }));
  return { origin: `http://localhost:${server.address().port}`, leaks };
}

/** Tries to enter a passphrase and to open a file with it. Says whether there was a form, or what stood in its place. */
async function tryToOpen(page, name = "portable.polyseal") {
  await page.waitForTimeout(700);
  await page.waitForFunction(() => document.querySelector("#unusable:not([hidden])") === null
    || /did not arrive|has not started/.test(document.querySelector("#unusable").textContent));
  if (await page.locator("#open-choose:visible").count() === 0) {
    assert.equal(await page.locator("input:visible, textarea:visible, button:visible").count(), 0, "nothing can be entered");
    return page.locator("#unusable").innerText();
  }
  await choose(page, join(directory, name));
  await page.fill("#open-passphrase", secret);
  await pressOpen(page);
  await page.waitForTimeout(300);
  return "form";
}

async function withContext(run) {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    return await run(page, context);
  } finally {
    await context.close();
  }
}

const needed = /^(app|style|worker)-/;

for (const name of readdirSync(dist).filter((one) => one !== "index.html")) {
  test(`${name.replace(/-[0-9a-f]{12}/, "")} is replaced: the form does not appear, or all goes well without it`, async (t) => {
    for (const from of needed.test(name) || name.startsWith("core-") ? [1, 2] : [1]) {
      const server = await hostileServer(t, (asked, count) => (asked === name && count >= from ? hostileFor(name) : undefined));
      await withContext(async (page, context) => {
        // The first visit, a reload, and a reload past all caches. The genuine file comes first where `from` is 2.
        const session = await context.newCDPSession(page);
        for (const visit of [1, 2, 3]) {
          if (visit === 1) await page.goto(server.origin);
          else if (visit === 2) await page.reload();
          else await session.send("Page.reload", { ignoreCache: true });
          const found = await tryToOpen(page, name.startsWith("core-") ? "default.polyseal" : "portable.polyseal");
          if (needed.test(name) && visit >= from) assert.match(found, /did not arrive|has not started/, `visit ${visit}`);
          else assert.equal(found, "form", `visit ${visit}`);
          if (name.startsWith("core-") && visit >= from) assert.equal((await errorIn(page, "#open-key-error")).code, "suite-failed");
        }
        assert.deepEqual(await page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length), 0);
      });
      assert.deepEqual(server.leaks, [], `from request ${from} on`);
    }
  });
}

test("what is missing, endless or elsewhere is no part of the page", async (t) => {
  const worker = readdirSync(dist).find((name) => name.startsWith("worker-"));
  const genuine = readFileSync(join(dist, worker));
  for (const other of ["", genuine.subarray(0, -1), Buffer.concat([genuine, Buffer.from(hostile.js)]), Buffer.alloc(5e7, 32)]) {
    const server = await hostileServer(t, (name) => (name === worker ? other : undefined));
    await withContext(async (page) => {
      await page.goto(server.origin);
      assert.match(await tryToOpen(page), /did not arrive/);
    });
    assert.deepEqual(server.leaks, []);
  }
});

test("a header that preloads another script or style in the place of a pinned one changes nothing", async (t) => {
  const [app, style] = ["app", "style"].map((stem) => readdirSync(dist).find((name) => name.startsWith(`${stem}-`)));
  const headers = { Link: [`</${app}>; rel=modulepreload`, `</${app}>; rel=preload; as=script`, `</${style}>; rel=preload; as=style`, "</other.js>; rel=modulepreload", "</other.css>; rel=stylesheet"].join(", ") };
  const server = await hostileServer(t, (name, count) => {
    if (name === "other.js" || name === "other.css") return hostile[name.slice(6)];
    return (name === app || name === style) && count === 1 ? hostileFor(name) : undefined;
  }, headers);
  await withContext(async (page) => {
    await page.goto(server.origin);
    await tryToOpen(page);
  });
  assert.deepEqual(server.leaks, []);
});

test("where a policy allows no worker from memory, the form does not appear", async (t) => {
  const server = await hostileServer(t, () => undefined, { "Content-Security-Policy": "worker-src 'none'" });
  await withContext(async (page) => {
    await page.goto(server.origin);
    assert.match(await tryToOpen(page), /did not arrive/);
  });
});

test("the page runs no script but its own and its worker, and nobody can make it start another", async (t) => {
  const server = await hostileServer(t, (name) => (name === "other.js" ? hostile.js : undefined));
  await withContext(async (page) => {
    await page.goto(server.origin);
    assert.equal(await tryToOpen(page), "form");
    const tried = await page.evaluate(async () => {
      const outcome = async (work) => { try { await work(); return "ran"; } catch (error) { return error.name; } };
      const fromWorker = (make) => new Promise((resolve, reject) => {
        const worker = make();
        worker.onerror = () => reject(new DOMException("refused", "SecurityError"));
        setTimeout(resolve, 500);
      });
      return [
        await outcome(() => fromWorker(() => new Worker("other.js"))),
        await outcome(() => fromWorker(() => new Worker(URL.createObjectURL(new Blob(["1"]))))),
        await outcome(() => navigator.serviceWorker.register("other.js")),
        await outcome(() => { document.createElement("script").src = "other.js"; }),
      ];
    });
    assert.ok(tried.every((name) => name !== "ran"), String(tried));
    const inWorker = await page.workers()[0].evaluate(() => { try { importScripts("/other.js"); return "ran"; } catch (error) { return error.name; } });
    assert.notEqual(inWorker, "ran");
  });
  assert.deepEqual(server.leaks, []);
});

test("a service worker that answers for the page's files can replace none of them", async (t) => {
  const worker = readdirSync(dist).find((name) => name.startsWith("worker-"));
  const server = await hostileServer(t, (name) => {
    if (name === "install.html") return "<script>navigator.serviceWorker.register('rogue.js')</script>";
    // It lets index.html through. An attacker who controls that controls all, and no page can do anything about it.
    if (name === "rogue.js") return `self.addEventListener("install", () => self.skipWaiting()); self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
      self.addEventListener("fetch", (event) => { if (event.request.url.endsWith("/${worker}")) event.respondWith(new Response(${JSON.stringify(hostileFor(worker).toString())}, { headers: { "Content-Type": "text/javascript" } })); });`;
    return undefined;
  });
  await withContext(async (page) => {
    await page.goto(`${server.origin}/install.html`);
    await page.waitForFunction(() => navigator.serviceWorker.controller);
    await page.goto(server.origin);
    assert.match(await tryToOpen(page), /did not arrive/);
  });
  assert.deepEqual(server.leaks, []);
});

test("in a private window, and with storage and service workers refused, all of it works", async (t) => {
  const contents = random(200000);
  const path = seal("private.bin", contents, ["-k", "pinned.key"], [], []);
  const server = await hostileServer(t, () => undefined);
  for (const options of [{}, { serviceWorkers: "block" }]) {
    const context = await browser.newContext({ acceptDownloads: true, ...options });
    await context.addInitScript(() => { delete window.showSaveFilePicker; });
    const page = await context.newPage();
    await page.goto(server.origin);
    await started(page);
    await openWithKeyFile(page, path, join(directory, "pinned.key"));
    assert.ok((await saveOpened(page, "download")).bytes.equals(contents));
    await context.close();
  }
});
