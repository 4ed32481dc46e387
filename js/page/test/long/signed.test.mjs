/** Signatures that the tool makes: against the keys that the user gives, and against no others. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { altered, choose, directory, enterKeyFile, errorIn, file, launch, nothingSaved, pressOpen, random, saveOpened, seal, serve, tool, withPage } from "./harness.mjs";

const fixture = (name) => fileURLToPath(new URL(`../../../../crates/polyseal-file/tests/statements/${name}`, import.meta.url));
const [aliceLine, bobLine] = readFileSync(fixture("allowed_signers"), "utf8").split("\n").slice(1);
const segment = 65536, length = 40 * segment;
const startOf = (number) => 4096 + number * (segment + 16);
const contents = random(length);
const key = join(directory, "a.key");
let browser, server, path;

before(async () => {
  [browser, server] = [await launch(), await serve()];
  tool(["keygen", "-o", key]);
  path = seal("film.bin", contents, ["-k", key], ["--sign", fixture("alice")]);
});
after(async () => {
  await browser.close();
  await server.close();
});

/** Chooses files, gives signers and the key, and opens. */
async function open(page, paths, signers = "") {
  await choose(page, paths);
  if (signers !== "") {
    if (!await page.locator("#open-signers").isVisible()) await page.click("#open-signed summary");
    await page.fill("#open-signers", signers);
  }
  await enterKeyFile(page, key);
  await pressOpen(page);
}

const signature = (page) => page.locator("#open-result-facts div", { hasText: "Signature" }).locator("dd").textContent();

for (const way of ["handle", "download"]) {
  test(`a signed file is opened, and the page says by whom it is signed: saved by ${way}`, async () => {
    await withPage(browser, server, { way }, async (page) => {
      await open(page, [path, `${path}.sig`], `${bobLine}\n# a comment\n${aliceLine}\n`);
      assert.match(await signature(page), /^Signed by alice@example\.org, key SHA256:[A-Za-z0-9+/]{43}$/);
      assert.ok((await saveOpened(page, way)).bytes.equals(contents));
    });
  });
}

test("without signers, nobody vouches for a signature; and a file may have none", async () => {
  await withPage(browser, server, {}, async (page) => {
    await open(page, [path, `${path}.sig`]);
    assert.match(await signature(page), /^There is one, and nobody vouches for it/);
    await open(page, path);
    assert.equal(await signature(page), "None");
    // The signature of a file that is open already: it is opened again.
    await page.setInputFiles("#open-files", `${path}.sig`);
    await page.waitForSelector("#open-key-card:visible");
    assert.equal(await page.locator("#open-result-card").isVisible(), false);
    await page.fill("#open-signers", aliceLine);
    await enterKeyFile(page, key);
    await pressOpen(page);
    assert.match(await signature(page), /^Signed by alice/);
    await page.click("#open-forget");
    // One that is nonsense is no better.
    await choose(page, path);
    await page.setInputFiles("#open-statement", file("nonsense.sig", "nonsense"));
    await enterKeyFile(page, key);
    await pressOpen(page);
    assert.match(await signature(page), /nobody vouches/);
  });
});

test("with signers, a file that none of them has signed is not opened; a list can be chosen, and stays for the next file", async () => {
  await withPage(browser, server, {}, async (page) => {
    await open(page, path, aliceLine);
    assert.equal((await errorIn(page, "#open-key-error")).code, "no-statement");
    // Dropping or choosing the signature alone gives it to the file that is there.
    await page.setInputFiles("#open-files", `${path}.sig`);
    await page.waitForFunction(() => document.querySelector("#open-statement-name").textContent === "film.bin.polyseal.sig");
    await pressOpen(page);
    assert.match(await signature(page), /^Signed by alice/);
    await choose(page, [path, `${path}.sig`]);
    assert.equal(await page.inputValue("#open-signers"), aliceLine);
    await page.setInputFiles("#open-signers-file", file("bob.txt", `${bobLine}\n`));
    await page.waitForFunction((line) => document.querySelector("#open-signers").value === `${line}\n`, bobLine);
    await enterKeyFile(page, key);
    await pressOpen(page);
    assert.equal((await errorIn(page, "#open-key-error")).code, "not-accepted");
    await page.fill("#open-signers", `${aliceLine}\nalice option ssh-ed25519 AAAA`);
    await pressOpen(page);
    const { code, text } = await errorIn(page, "#open-key-error");
    assert.deepEqual([code, /Line 2 of the signers/.test(text)], ["bad-signers", true]);
    await page.click("#open-forget");
    assert.equal(await page.inputValue("#open-signers"), "");
    // A tree has no signature.
    tool(["encrypt", "--suite", "aes-256-gcm", "-f", "-k", key, "--recursive", "-o", "tree.sealed", fixture(".")]);
    await open(page, path, aliceLine);
    await page.setInputFiles("#open-folder", join(directory, "tree.sealed"));
    await page.waitForFunction(() => document.querySelector("#open-facts").textContent.includes("Folder"));
    await page.waitForSelector("#open-key-card:visible");
    await enterKeyFile(page, key);
    await pressOpen(page);
    assert.equal((await errorIn(page, "#open-key-error")).code, "no-statement");
    await nothingSaved(page);
  });
});

test("a file or a signature that was altered: nothing is saved", async () => {
  const statement = readFileSync(`${path}.sig`);
  const text = statement.indexOf("-----BEGIN"), signed = statement.lastIndexOf("-----\n") + 6;
  for (const [paths, code, when] of [
    [[path, altered(`${path}.sig`, text - 2, "time.sig")], "not-accepted", "open"],
    [[path, altered(`${path}.sig`, signed + 5, "hashes.sig")], "bad-hashes", "open"],
    [[path, file("cut.sig", statement.subarray(0, -32))], "bad-hashes", "open"],
    [[altered(path, startOf(20) + 100, "altered.bin"), null], "not-as-signed", "save"],
    [[file("cut.bin", readFileSync(path).subarray(0, startOf(20))), null], "not-as-signed", "open"],
    [[seal("other.bin", contents, ["-k", key]), null], "other-file", "open"],
  ]) {
    await withPage(browser, server, {}, async (page) => {
      const [encrypted, sig] = paths;
      await choose(page, encrypted);
      await page.setInputFiles("#open-statement", sig ?? file(`original-${code}.sig`, statement));
      await page.fill("#open-signers", aliceLine);
      await enterKeyFile(page, key);
      await pressOpen(page);
      if (when === "open") assert.equal((await errorIn(page, "#open-key-error")).code, code);
      else {
        await page.click("#open-save");
        assert.equal((await errorIn(page, "#open-result-error")).code, code);
      }
      await nothingSaved(page);
    });
  }
});
