/**
 * The page in Firefox and in WebKit, which is Safari's engine: opening, verifying, saving, showing and encrypting, and that
 * it starts with no other script than its own. What is saved are real downloads, because neither lets a page choose a file.
 */

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { firefox, webkit } from "./drivers.mjs";
import { altered, directory, file, random, seal, serve, tool, toolWithPassphrase } from "./harness.mjs";

const gif = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");
const contents = random(3 * 1048576 + 5);
const key = join(directory, "engine.key");
let server;

before(async () => {
  server = await serve({ withHeaders: true });
  tool(["keygen", "-o", key]);
});
after(() => server.close());

/** Runs in the page, by the driver: `choose` gives files to an input, and the others wait for what they name. */
const helpers = `
  const done = arguments[arguments.length - 1], given = arguments[0];
  const at = (selector) => document.querySelector(selector);
  const visible = (selector) => [...document.querySelectorAll(selector)].find((element) => element.getClientRects().length > 0);
  const until = async (what) => { for (let i = 0; i < 1000; i++) { const found = what(); if (found) return found; await new Promise((resolve) => setTimeout(resolve, 50)); } throw new Error("It does not come: " + what); };
  const choose = (id, name, text) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([Uint8Array.from(atob(text), (character) => character.charCodeAt(0))], name));
    at(id).files = transfer.files;
    at(id).dispatchEvent(new Event("change", { bubbles: true }));
  };
  const openWithKey = async ({ name, sealed, key }) => {
    choose("#open-files", name, sealed);
    await until(() => visible("#open-key-card"));
    const radio = at("input[name=open-kind][value=key-file]");
    if (visible("input[name=open-kind][value=key-file]")) radio.click();
    choose("#open-key", "engine.key", key);
    await until(() => at("#open-key-name").textContent === "engine.key");
    at("#open-submit").click();
    await until(() => visible("#open-result-card, #open-key-error .notice"));
  };
  const work = async () => { await until(() => visible("#main > section")); `;
const inPage = (script) => `${helpers}${script} }; work().then((result) => done({ result }), (error) => done({ error: String(error) }));`;

const base64 = (path) => readFileSync(path).toString("base64");

for (const [engine, launch] of Object.entries({ Firefox: firefox, WebKit: webkit })) {
  test(engine, { timeout: 300000 }, async (t) => {
    const browser = await launch();
    t.after(() => browser.close());
    t.diagnostic(browser.name);
    const run = async (script, given) => {
      const { result, error } = await browser.run(inPage(script), [given]);
      assert.equal(error, undefined);
      return result;
    };
    const downloaded = async (name) => {
      const path = join(browser.downloads, name);
      for (let tries = 0; tries < 300; tries++) {
        if (existsSync(path) && readdirSync(browser.downloads).length === 1 && readFileSync(path).length > 0) return readFileSync(path);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      return assert.fail(`${name} is not downloaded: ${readdirSync(browser.downloads)}`);
    };

    await t.test("a file of the tool's default suite is verified and saved", async () => {
      await browser.navigate(server.origin);
      const path = seal(`${engine}.bin`, contents, ["-k", key], [], []);
      const said = await run(`
        await openWithKey(given);
        if (visible("#open-key-error .notice")) return at("#open-key-error").textContent;
        at("#open-verify").click();
        await until(() => visible("#open-result-done, #open-result-error .notice"));
        const verified = at("#open-result-done").textContent;
        at("#open-save").click();
        await until(() => at("#open-result-done").textContent !== verified || visible("#open-result-error .notice"));
        return [verified, at("#open-result-done").textContent, at("#open-result-error").textContent];`, { name: `${engine}.bin.polyseal`, sealed: base64(path), key: base64(key) });
      assert.match(said[0], /^The file is whole/, String(said));
      assert.match(said[1], /^Saved/, String(said));
      assert.ok((await downloaded(`${engine}.bin`)).equals(contents));
    });

    await t.test("of an altered file nothing is saved", async () => {
      await browser.navigate(`${server.origin}/#open`);
      const path = altered(seal("bad.bin", contents, ["-k", key]), 4096 + 5 * 65552);
      const said = await run(`
        await openWithKey(given);
        at("#open-save").click();
        return (await until(() => visible("#open-result-error .notice"))).dataset.code;`, { name: "bad.bin.polyseal", sealed: base64(path), key: base64(key) });
      assert.equal(said, "corrupt-segment");
      assert.equal(readdirSync(browser.downloads).length, 1);
    });

    await t.test("a picture is shown", async () => {
      const path = seal("a.gif", gif, ["-k", key]);
      const width = await run(`
        await openWithKey(given);
        at("#open-preview").click();
        await until(() => at("#open-preview-media img")?.naturalWidth > 0 || visible("#open-result-error .notice"));
        return at("#open-preview-media img")?.naturalWidth ?? at("#open-result-error").textContent;`, { name: "a.gif.polyseal", sealed: base64(path), key: base64(key) });
      assert.equal(width, 1);
    });

    await t.test("text is shown", async () => {
      const path = seal("a.txt", "<i>grüße</i>\n", ["-k", key]);
      const text = await run(`
        await openWithKey(given);
        at("#open-preview").click();
        await until(() => at("#open-preview-media pre") || visible("#open-result-error .notice"));
        return at("#open-preview-media pre")?.textContent ?? at("#open-result-error").textContent;`, { name: "a.txt.polyseal", sealed: base64(path), key: base64(key) });
      assert.equal(text, "<i>grüße</i>\n");
    });

    await t.test("a file of age is opened", async () => {
      const age = (name) => new URL(`../../../../crates/polyseal-file/tests/age/${name}`, import.meta.url);
      const said = await run(`
        choose("#open-files", "passphrase.age", given.sealed);
        const field = await until(() => visible("#open-passphrase"));
        const focused = document.activeElement === field;
        field.value = "correct horse";
        at("#open-submit").click();
        await until(() => visible("#open-result-card, #open-key-error .notice"));
        return [focused, at("#open-key-error").textContent];`, { sealed: base64(age("passphrase.age")) });
      assert.deepEqual(said, [true, ""]);
    });

    await t.test("a file of a tree is opened", async () => {
      tool(["encrypt", "--suite", "aes-256-gcm", "-f", "-k", key, "--recursive", "-o", `tree-${engine}`, treeOf()]);
      const files = Object.fromEntries([".polyseal-manifest.polyseal", "one.polyseal"].map((name) => [name, base64(join(directory, `tree-${engine}`, name))]));
      const said = await run(`
        const transfer = new DataTransfer();
        for (const [name, text] of Object.entries(given.files)) transfer.items.add(new File([Uint8Array.from(atob(text), (character) => character.charCodeAt(0))], name));
        at("#open-files").files = transfer.files;
        at("#open-files").dispatchEvent(new Event("change", { bubbles: true }));
        await until(() => visible("#open-key-card"));
        choose("#open-key", "engine.key", given.key);
        await until(() => at("#open-key-name").textContent === "engine.key");
        at("#open-submit").click();
        (await until(() => visible("#open-tree button, #open-key-error .notice"))).click();
        await until(() => visible("#open-result-card, #open-tree-error .notice"));
        const facts = at("#open-result-facts").textContent;
        if (visible("#open-tree-save-all")) throw new Error("All can be saved, and no folder chosen.");
        at("#open-tree-verify-all").click();
        await until(() => visible("#open-tree-done, #open-tree-error .notice"));
        return at("#open-tree-done").textContent + facts + at("#open-tree-error").textContent + at("#open-key-error").textContent;`, { files, key: base64(key) });
      assert.match(said, /^1 file, 3 bytes: whole.*that it is the file of this name/);
    });

    await t.test("what is encrypted with a passphrase opens with the tool", async () => {
      await browser.navigate(`${server.origin}/#encrypt`);
      const passphrase = await run(`
        choose("#encrypt-file", given.name, given.text);
        await until(() => visible("#encrypt-key-card"));
        const passphrase = at("#encrypt-passphrase").value;
        at("#encrypt-kept").click();
        at("#encrypt-submit").click();
        await until(() => visible("#encrypt-result-card, #encrypt-error .notice"));
        return at("#encrypt-error").textContent || passphrase;`, { name: `new-${engine}`, text: contents.toString("base64") });
      const name = `new-${engine}.polyseal`;
      for (let tries = 0; tries < 300 && !(existsSync(join(browser.downloads, name)) && readdirSync(browser.downloads).length === 2); tries++) await new Promise((resolve) => setTimeout(resolve, 100));
      const decrypted = join(directory, `again-${engine}`);
      toolWithPassphrase("decrypt", passphrase, ["-o", decrypted, file(name, readFileSync(join(browser.downloads, name)))]);
      assert.ok(readFileSync(decrypted).equals(contents));
    });

    await t.test("another script, style or worker is not run, and no form appears", async () => {
      for (const replaced of [/^\/app-/, /^\/style-/, /^\/worker-/]) {
        const other = await serve({ replaced });
        try {
          await browser.navigate(other.origin);
          const { error } = await browser.run(`const done = arguments[arguments.length - 1]; setTimeout(() => done({ error: [...document.querySelectorAll("#main > section, input, button")].some((element) => element.getClientRects().length > 0) ? "a form" : document.querySelector("#unusable").textContent }), 3000);`, [null]);
          assert.match(error, /did not arrive|has not started/, String(replaced));
        } finally {
          await other.close();
        }
      }
    });
  });
}

/** A folder with a file. */
function treeOf() {
  const path = join(directory, "tree");
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, "one"), "one");
  return path;
}
