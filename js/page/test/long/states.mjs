/** Every state in which the page can be seen, for the tests of accessibility and for screenshots. */

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { choose, directory, enterKeyFile, errorIn, file, pressOpen, seal, tool } from "./harness.mjs";

/** An encrypted tree from which a file is missing. */
function tree(key) {
  const path = join(directory, "album");
  mkdirSync(join(path, "a folder with a long name/below"), { recursive: true });
  writeFileSync(join(path, "a folder with a long name/below/a picture with quite a long name, taken on the third of May.jpeg"), "x".repeat(123456));
  for (let i = 0; i < 5; i++) writeFileSync(join(path, `file-${i}.txt`), `${i}`);
  tool(["encrypt", "--suite", "aes-256-gcm", "-f", "-k", key, "--recursive", "-o", "album.sealed", "album"]);
  rmSync(join(directory, "album.sealed/file-3.txt.polyseal"));
  return join(directory, "album.sealed");
}

/** A file of age for the passphrase `correct horse`. */
const ageFile = fileURLToPath(new URL("../../../../crates/polyseal-file/tests/age/passphrase.age", import.meta.url));

/** Brings the page into each of its states, and calls `look` in every one. */
export async function throughAllStates(page, key, look) {
  await look("open-empty");
  await choose(page, file("nothing.polyseal", "nothing"));
  await look("open-error");
  const path = seal("a.wav", Buffer.concat([Buffer.from("RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0data\x80\x3e\0\0", "latin1"), Buffer.alloc(16000)]),
    ["-k", key, "-r", tool(["keygen", "-t", "x25519", "-o", "-"]).toString().match(/age1[a-z0-9]+/)[0]], ["--context", "c"]);
  await choose(page, path);
  await page.click("#open-signed summary");
  await look("open-key");
  await page.check("input[name=open-kind][value=age]");
  await page.click("#open-submit");
  await errorIn(page, "#open-key-error");
  await look("open-key-age-error");
  await enterKeyFile(page, key);
  await page.fill("#open-context", "c");
  await pressOpen(page);
  await look("open-result");
  await page.click("#open-preview");
  await page.waitForFunction(() => document.querySelector("audio")?.readyState >= 1);
  await look("open-preview");
  await page.click("#open-verify");
  await page.waitForSelector("#open-result-done:visible");
  await look("open-verified");
  await choose(page, file("cut.polyseal", readFileSync(path).subarray(0, -100)));
  await enterKeyFile(page, key);
  await page.fill("#open-context", "c");
  await pressOpen(page);
  await look("open-incomplete");
  await choose(page, seal("letter.txt", `Dear reader,\n\n${"The quick brown fox jumps over the lazy dog. ".repeat(20)}\n\n<b>Not bold.</b>\tgrüße 🦊\n`, ["-k", key]));
  await enterKeyFile(page, key);
  await pressOpen(page);
  await page.click("#open-preview");
  await page.waitForSelector("#open-preview-media pre");
  await look("open-text");
  await choose(page, ageFile);
  await look("open-age-passphrase");
  await page.fill("#open-passphrase", "correct horse");
  await pressOpen(page);
  await page.click("#open-details summary");
  await look("open-age-result");
  await page.setInputFiles("#open-files", [path, key]);
  await page.waitForSelector("#open-list-card:visible");
  await look("open-list");
  await page.setInputFiles("#open-folder", tree(key));
  await page.waitForSelector("#open-key-card:visible");
  await enterKeyFile(page, key);
  await pressOpen(page);
  await look("open-tree");
  await page.click("#open-tree-verify-all");
  await page.waitForSelector("#open-tree-error .notice");
  await look("open-tree-not-all");
  await page.click("#open-tree button >> nth=0");
  await page.waitForSelector("#open-result-card:visible");
  await look("open-tree-result");
  tool(["encrypt", "--suite", "aes-256-gcm", "-f", "-k", key, "--recursive", "-o", "album.whole", "album"]);
  await page.setInputFiles("#open-folder", join(directory, "album.whole"));
  await page.waitForSelector("#open-key-card:visible");
  await enterKeyFile(page, key);
  await pressOpen(page);
  await page.click("#open-tree-save-all");
  await page.waitForSelector("#open-tree-done:visible");
  await look("open-tree-saved");
  await page.click("#nav-encrypt");
  await look("encrypt-empty");
  await page.setInputFiles("#encrypt-file", key);
  await page.waitForSelector("#encrypt-key-card:visible");
  await page.click("#encrypt-more summary");
  await look("encrypt-passphrase");
  await page.check("input[name=encrypt-kind][value=key-file]");
  await look("encrypt-key-file");
  await page.check("input[name=encrypt-kind][value=age]");
  await look("encrypt-age");
  await page.check("input[name=encrypt-kind][value=passphrase]");
  await page.check("#encrypt-kept");
  await page.click("#encrypt-submit");
  await page.waitForSelector("#encrypt-result-card:visible", { timeout: 60000 });
  await look("encrypt-result");
  await page.click("#nav-about");
  await look("about");
}
