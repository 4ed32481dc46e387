/** Files of the page, opened by the tool and by the page: every kind of recipient, and both ways of saving. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import {
  choose, directory, errorIn, file, launch, nothingSaved, pressOpen, random, savedBytes, savedFiles, saveOpened, serve, sha256, tool,
  toolWithPassphrase, withPage,
} from "./harness.mjs";

let browser, server;
before(async () => { [browser, server] = [await launch(), await serve()]; });
after(async () => {
  await browser.close();
  await server.close();
});

const start = async (page, path) => {
  await page.setInputFiles("#encrypt-file", path);
  await page.waitForSelector("#encrypt-key-card:visible");
};
const takeKind = (page, kind) => page.check(`input[name=encrypt-kind][value=${kind}]`);

/** Presses the button, and returns the encrypted file that was saved, as a file on the disk. */
async function encrypted(page, way) {
  if (way === "download") {
    const started = page.waitForEvent("download");
    await page.click("#encrypt-submit");
    const download = await started;
    const bytes = readFileSync(await download.path());
    await page.waitForSelector("#encrypt-result-card:visible", { timeout: 60000 });
    return file(download.suggestedFilename(), bytes);
  }
  await page.click("#encrypt-submit");
  await page.waitForSelector("#encrypt-result-card:visible", { timeout: 60000 });
  const name = Object.keys(await savedFiles(page)).find((one) => one.includes(".polyseal") && one !== "polyseal.key");
  return file(name, await savedBytes(page, name));
}

for (const way of ["handle", "download"]) {
  for (const length of [0, 65536, 300001]) {
    test(`${length} bytes with a passphrase that the page makes, by ${way}: the tool and the page open it`, async () => {
      const contents = random(length);
      const path = file(`p-${way}-${length}.bin`, contents);
      await withPage(browser, server, { way, hash: "#encrypt" }, async (page) => {
        await start(page, path);
        const first = await page.textContent("#encrypt-passphrase");
        assert.match(first, /^([bdfghjklmnprstvz][aiou]){2}[bdfghjklmnprstvz](-([bdfghjklmnprstvz][aiou]){2}[bdfghjklmnprstvz]){6}$/);
        await page.click("#encrypt-another");
        const passphrase = await page.textContent("#encrypt-passphrase");
        assert.notEqual(passphrase, first);
        await page.click("#encrypt-submit");
        assert.equal((await errorIn(page, "#encrypt-error")).code, "passphrase-not-kept");
        await page.check("#encrypt-kept");
        const output = await encrypted(page, way);
        assert.equal(await page.textContent("#encrypt-passphrase"), "", "it is shown only once");
        assert.ok(toolWithPassphrase("decrypt", passphrase, [output]).equals(contents));
        if (way === "handle") {
          await page.evaluate(async (name) => (await navigator.storage.getDirectory()).removeEntry(name), `p-${way}-${length}.bin.polyseal`);
        }
        await page.click("#nav-open");
        await choose(page, output);
        await page.fill("#open-passphrase", passphrase);
        await pressOpen(page);
        assert.ok((await saveOpened(page, way)).bytes.equals(contents));
      });
    });
  }

  test(`a new key file, saved by ${way}, and one of the tool`, async () => {
    const contents = random(100000);
    const path = file(`k-${way}.bin`, contents);
    await withPage(browser, server, { way, hash: "#encrypt" }, async (page) => {
      await start(page, path);
      await takeKind(page, "key-file");
      await page.click("#encrypt-submit");
      assert.equal((await errorIn(page, "#encrypt-error")).code, "no-recipient-yet");
      let keyBytes;
      if (way === "download") {
        const started = page.waitForEvent("download");
        await page.click("#encrypt-make-key");
        keyBytes = readFileSync(await (await started).path());
      } else {
        await page.click("#encrypt-make-key");
        await page.waitForFunction(() => document.querySelector("#encrypt-key-name").textContent.startsWith("A new"));
        keyBytes = await savedBytes(page, "polyseal.key");
      }
      const key = file(`k-${way}.key`, keyBytes);
      const output = await encrypted(page, way);
      assert.ok(tool(["decrypt", "-k", key, output]).equals(contents));

      tool(["keygen", "-o", `tool-${way}.key`]);
      await start(page, path);
      await takeKind(page, "key-file");
      await page.setInputFiles("#encrypt-key", join(directory, `tool-${way}.key`));
      await page.waitForFunction(() => document.querySelector("#encrypt-key-name").textContent.startsWith("Chosen"));
      const second = await encrypted(page, way);
      assert.ok(tool(["decrypt", "-k", `tool-${way}.key`, second]).equals(contents));
    });
  });
}

test("age recipients of both kinds, several at once, and what is none", async () => {
  const [a, b, pq] = [["a", "x25519"], ["b", "x25519"], ["pq", "hybrid"]].map(([name, type]) => tool(["keygen", "-t", type, "-o", `${name}.identity`]).toString().trim());
  const contents = random(70000);
  const path = file("age.bin", contents);
  await withPage(browser, server, { hash: "#encrypt" }, async (page) => {
    await start(page, path);
    await takeKind(page, "age");
    for (const [text, code] of [["", "no-recipient-yet"], ["age1nonsense", "bad-recipient"], [a.slice(0, -1), "bad-recipient"], [`${a}\n${pq}`, "invalid-recipients"]]) {
      await page.fill("#encrypt-recipients", text);
      await page.click("#encrypt-submit");
      assert.equal((await errorIn(page, "#encrypt-error")).code, code, text);
      await nothingSaved(page);
    }
    await page.fill("#encrypt-recipients", `# friends\n${a}\n\n${b}\n`);
    const output = await encrypted(page, "handle");
    for (const name of ["a", "b"]) assert.ok(tool(["decrypt", "-i", `${name}.identity`, output]).equals(contents));
    await start(page, path);
    await takeKind(page, "age");
    await page.setInputFiles("#encrypt-recipients-file", file("pq.recipient", pq));
    await page.waitForFunction(() => document.querySelector("#encrypt-recipients").value !== "");
    assert.ok(tool(["decrypt", "-i", "pq.identity", await encrypted(page, "handle")]).equals(contents));
  });
});

test("a context and armour", async () => {
  tool(["keygen", "-o", "c.key"]);
  const contents = random(123456);
  const path = file("c.bin", contents);
  await withPage(browser, server, { hash: "#encrypt" }, async (page) => {
    await start(page, path);
    await takeKind(page, "key-file");
    await page.setInputFiles("#encrypt-key", join(directory, "c.key"));
    await page.click("#encrypt-more summary");
    await page.fill("#encrypt-context", "für Mai");
    await page.check("#encrypt-armor");
    await page.waitForFunction(() => document.querySelector("#encrypt-key-name").textContent.startsWith("Chosen"));
    const output = await encrypted(page, "handle");
    assert.match(output, /c\.bin\.polyseal\.asc$/);
    assert.match(readFileSync(output, "latin1"), /^-----BEGIN POLYSEAL FILE-----\n/);
    assert.throws(() => tool(["decrypt", "-k", "c.key", output]));
    assert.ok(tool(["decrypt", "-k", "c.key", "--context", "für Mai", output]).equals(contents));
    assert.match(await page.textContent("#encrypt-result-facts"), /and the context/);
  });
});

test("two files of the same contents and key have nothing in common", async () => {
  tool(["keygen", "-o", "d.key"]);
  const path = file("d.bin", Buffer.alloc(200000));
  const hashes = new Set();
  await withPage(browser, server, { hash: "#encrypt" }, async (page) => {
    for (let i = 0; i < 2; i++) {
      await start(page, path);
      await takeKind(page, "key-file");
      await page.setInputFiles("#encrypt-key", join(directory, "d.key"));
      await page.waitForFunction(() => document.querySelector("#encrypt-key-name").textContent.startsWith("Chosen"));
      const bytes = readFileSync(await encrypted(page, "handle"));
      for (let at = 4096; at < bytes.length; at += 65552) hashes.add(sha256(bytes.subarray(at, at + 65536)));
    }
  });
  assert.equal(hashes.size, 8);
});

for (const way of ["handle", "download"]) {
  test(`stopping leaves no file: ${way}`, async () => {
    const path = file("big.bin", Buffer.alloc(300 * 1048576));
    await withPage(browser, server, { way, hash: "#encrypt" }, async (page) => {
      await start(page, path);
      await page.check("#encrypt-kept");
      let downloads = 0;
      page.on("download", () => downloads++);
      await page.click("#encrypt-submit");
      await page.waitForFunction(() => document.querySelector("#encrypt-progress progress")?.value > 0.05, undefined, { timeout: 60000 });
      await page.click("#encrypt-progress button");
      assert.equal((await errorIn(page, "#encrypt-error")).code, "cancelled");
      await nothingSaved(page);
      assert.equal(downloads, 0);
      assert.notEqual(await page.textContent("#encrypt-passphrase"), "", "the choices are kept for another try");
    });
  });
}

test("several files are refused, and starting again forgets", async () => {
  await withPage(browser, server, { hash: "#encrypt" }, async (page) => {
    const paths = ["m1", "m2"].map((name) => file(name, name));
    await page.evaluate(() => { document.querySelector("#encrypt-file").multiple = true; });
    await page.setInputFiles("#encrypt-file", paths);
    assert.equal((await errorIn(page, "#encrypt-file-error")).code, "one-file");
    await start(page, paths[0]);
    await page.click("#encrypt-more summary");
    await page.fill("#encrypt-context", "x");
    await page.click("#encrypt-forget");
    assert.equal(await page.textContent("#encrypt-passphrase"), "");
    assert.equal(await page.locator("#encrypt-key-card:visible").count(), 0);
    for (let tries = 0; page.workers().length > 0 && tries < 100; tries++) await page.waitForTimeout(20);
    assert.equal(page.workers().length, 0);
  });
});
