/** Trees of the tool: the list, files one by one, and everything that does not belong. */

import assert from "node:assert/strict";
import { copyFileSync, cpSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { keyFile, parseKeyFile } from "../../../dist/index.js";
import { comingName, manifestName, seal, sealManifest } from "../../../tests/trees.mjs";
import { directory, enterKeyFile, errorIn, launch, pressOpen, random, saveOpened, savedTree, serve, tool, withPage } from "./harness.mjs";

let browser, server;
const key = join(directory, "tree.key");
const one = random(200000), two = random(70000);

before(async () => {
  [browser, server] = [await launch(), await serve()];
  tool(["keygen", "-o", key]);
  const album = join(directory, "album");
  mkdirSync(join(album, "may/empty"), { recursive: true });
  writeFileSync(join(album, "may/one"), one);
  writeFileSync(join(album, "two.bin"), two);
  symlinkSync("may/one", join(album, "link"));
  for (const [name, more] of [["album.sealed", []], ["bound.sealed", ["--context", "holidays"]]]) {
    tool(["encrypt", "-k", key, ...more, "--recursive", "-o", name, "album"]);
  }
});
after(async () => {
  await browser.close();
  await server.close();
});

async function chooseFolder(page, path) {
  await page.setInputFiles("#open-folder", path);
  await page.waitForSelector("#open-key-card:visible, #open-file-error .notice, #open-list-card:visible");
}

async function openTree(page, path) {
  await chooseFolder(page, path);
  await enterKeyFile(page, key);
  await pressOpen(page);
  assert.equal(await page.locator("#open-key-error .notice").count(), 0, await page.textContent("#open-key-error"));
}

const copy = (name, change) => {
  const path = join(directory, name);
  rmSync(path, { recursive: true, force: true });
  cpSync(join(directory, "album.sealed"), path, { recursive: true });
  change(path);
  return path;
};

const openEntry = (page, name) => page.click(`#open-tree button[aria-label="Open ${name}"]`);

test("the manifest as a list, and its files saved one by one", async () => {
  await withPage(browser, server, {}, async (page) => {
    await openTree(page, join(directory, "album.sealed"));
    assert.deepEqual(await page.locator("#open-tree li .name").allTextContents(),
      ["linkLink to may/one", "mayFolder", "may/emptyFolder", "may/one200 KB", "two.bin70.0 KB"]);
    assert.match(await page.textContent("#open-tree-summary"), /^The folder has 2 files with 270 KB\.$/);
    await openEntry(page, "may/one");
    await page.waitForSelector("#open-result-card:visible");
    assert.equal(await page.locator("#open-verify:visible").count(), 0);
    const saved = await saveOpened(page, "handle");
    assert.deepEqual([saved.name, saved.bytes.equals(one)], ["one", true]);
    await openEntry(page, "two.bin");
    await page.waitForFunction(() => document.querySelector("#open-result-facts").textContent.includes("two.bin"));
  });
});

test("a tree with a context asks for it", async () => {
  await withPage(browser, server, {}, async (page) => {
    await chooseFolder(page, join(directory, "bound.sealed"));
    await enterKeyFile(page, key);
    await page.fill("#open-context", "work");
    await pressOpen(page);
    assert.equal((await errorIn(page, "#open-key-error")).code, "context-differs");
    await page.fill("#open-context", "holidays");
    await pressOpen(page);
    await openEntry(page, "two.bin");
    await page.waitForSelector("#open-result-card:visible");
    assert.ok((await saveOpened(page, "handle")).bytes.equals(two));
  });
});

test("a file without a context beside the others does not hide the field for it", async () => {
  const path = join(directory, "decoy.sealed");
  cpSync(join(directory, "bound.sealed"), path, { recursive: true });
  for (const name of ["0.polyseal", "may/0.polyseal", "zz.polyseal"]) tool(["encrypt", "-k", key, "-o", join(path, name), "album/two.bin"]);
  await withPage(browser, server, {}, async (page) => {
    await chooseFolder(page, path);
    await enterKeyFile(page, key);
    await page.fill("#open-context", "holidays");
    await pressOpen(page);
    assert.equal(await page.locator("#open-key-error .notice").count(), 0);
  });
});

test("the wrong key for a tree", async () => {
  tool(["keygen", "-o", "other.key"]);
  await withPage(browser, server, {}, async (page) => {
    await chooseFolder(page, join(directory, "album.sealed"));
    await enterKeyFile(page, join(directory, "other.key"));
    await pressOpen(page);
    assert.equal((await errorIn(page, "#open-key-error")).code, "no-matching-key");
  });
});

test("files that are missing, strange, swapped or altered are said, and not given out", async () => {
  const cases = [
    ["missing", (path) => rmSync(join(path, "two.bin.polyseal"))],
    ["strange", (path) => writeFileSync(join(path, "extra.polyseal"), "x")],
    ["swapped", (path) => {
      renameSync(join(path, "two.bin.polyseal"), join(path, "x"));
      renameSync(join(path, "may/one.polyseal"), join(path, "two.bin.polyseal"));
      renameSync(join(path, "x"), join(path, "may/one.polyseal"));
    }, "does-not-belong"],
    ["altered", (path) => {
      const bytes = readFileSync(join(path, "two.bin.polyseal"));
      bytes[5000] ^= 1;
      writeFileSync(join(path, "two.bin.polyseal"), bytes);
    }, "corrupt-segment"],
    ["replaced", (path) => {
      writeFileSync(join(directory, "replacement"), random(70000));
      tool(["encrypt", "--suite", "aes-256-gcm", "-f", "-k", key, "-o", join(path, "two.bin.polyseal"), "replacement"]);
    }, "does-not-belong"],
  ];
  for (const [name, change, code] of cases) {
    await withPage(browser, server, {}, async (page) => {
      await openTree(page, copy(name, change));
      const summary = await page.textContent("#open-tree-summary");
      if (name === "missing") {
        assert.match(summary, /1 file of them is missing/);
        assert.equal(await page.locator('#open-tree button[aria-label="Open two.bin"]').count(), 0);
      } else if (name === "strange") {
        assert.match(summary, /1 file among those that you chose does not belong to the folder, and is not opened: extra\.polyseal/);
      } else {
        await openEntry(page, "two.bin");
        assert.equal((await errorIn(page, "#open-tree-error")).code, code, name);
        assert.equal(await page.locator("#open-result-card:visible").count(), 0, name);
      }
    });
  }
});

test("a manifest that is altered, or is a file of the tree, is refused", async () => {
  for (const [name, change, code] of [
    ["m-altered", (path) => {
      const bytes = readFileSync(join(path, ".polyseal-manifest.polyseal"));
      bytes[bytes.length - 20] ^= 1;
      writeFileSync(join(path, ".polyseal-manifest.polyseal"), bytes);
    }, "corrupt-segment"],
    ["m-other", (path) => copyFileSync(join(path, "two.bin.polyseal"), join(path, ".polyseal-manifest.polyseal")), /context|manifest/],
  ]) {
    await withPage(browser, server, {}, async (page) => {
      await chooseFolder(page, copy(name, change));
      await enterKeyFile(page, key);
      await pressOpen(page);
      assert.match((await errorIn(page, "#open-key-error")).code, new RegExp(code), name);
    });
  }
});

test("a file that changes after it was verified is not given out", async () => {
  const path = copy("changing", () => undefined);
  await withPage(browser, server, {}, async (page) => {
    await openTree(page, path);
    await openEntry(page, "may/one");
    await page.waitForSelector("#open-result-card:visible");
    writeFileSync(join(path, "may/one.polyseal"), random(300000));
    await page.click("#open-save");
    assert.match((await errorIn(page, "#open-result-error")).code, /^source-/);
  });
});

test("a folder without a manifest is a list of files", async () => {
  const path = copy("no-manifest", (at) => rmSync(join(at, ".polyseal-manifest.polyseal")));
  await withPage(browser, server, {}, async (page) => {
    await chooseFolder(page, path);
    assert.equal(await page.locator("#open-list li").count(), 2);
  });
});

test("verify all and save all: each file in its place, empty folders too, and nothing written over", async () => {
  await withPage(browser, server, {}, async (page) => {
    await openTree(page, join(directory, "album.sealed"));
    await page.click("#open-tree-verify-all");
    await page.waitForSelector("#open-tree-done:visible");
    assert.match(await page.textContent("#open-tree-done"), /^2 files, 270 KB: all whole\.Nothing was saved\.$/);
    assert.deepEqual(await savedTree(page), {});
    for (const folder of ["album", "album (2)"]) {
      await page.click("#open-tree-save-all");
      await page.waitForFunction((text) => document.querySelector("#open-tree-done").textContent.includes(text), `called ${folder}.`);
      assert.match(await page.textContent("#open-tree-done"), /^2 files, 270 KB: all saved\..*Links are not saved/);
      assert.equal(await page.evaluate(() => document.activeElement.id), "open-tree-done");
    }
    const saved = await savedTree(page);
    assert.deepEqual(Object.keys(saved).sort(), ["album", "album (2)"].flatMap((name) => ["", "/may", "/may/empty", "/may/one", "/two.bin"].map((below) => name + below)).sort());
    for (const folder of ["album", "album (2)"]) {
      assert.ok(saved[`${folder}/may/one`].equals(one) && saved[`${folder}/two.bin`].equals(two));
      assert.equal(saved[`${folder}/may/empty`], null);
    }
  });
});

test("save all and verify all with an altered and a missing file: the others are saved, and these are named", async () => {
  const path = copy("not-all", (at) => {
    const bytes = readFileSync(join(at, "may/one.polyseal"));
    bytes[bytes.length - 5] ^= 1;
    writeFileSync(join(at, "may/one.polyseal"), bytes);
  });
  await withPage(browser, server, {}, async (page) => {
    await openTree(page, path);
    for (const [button, done] of [["verify", "whole"], ["save", "saved"]]) {
      await page.click(`#open-tree-${button}-all`);
      await page.waitForFunction((text) => document.querySelector("#open-tree-error").textContent.includes(text), `not ${done}`);
      const { code, text } = await errorIn(page, "#open-tree-error");
      assert.equal(code, "not-all");
      assert.match(text, new RegExp(`^1 of 2 files is not ${done}\\. 1 other, 70\\.0 KB: ${done}\\..*may/one: The file is incomplete or altered\\.$`));
    }
    const saved = await savedTree(page);
    assert.deepEqual(Object.keys(saved).sort(), ["album", "album/may", "album/may/empty", "album/two.bin"].map((name) => name.replace("album", "not-all")).sort());
    assert.ok(saved["not-all/two.bin"].equals(two));
  });
  await withPage(browser, server, {}, async (page) => {
    await openTree(page, copy("none", (at) => rmSync(join(at, "two.bin.polyseal"))));
    await page.click("#open-tree-verify-all");
    assert.match((await errorIn(page, "#open-tree-error")).text, /two\.bin: This file is missing\.$/);
  });
});

/** A folder with these files. */
function folderOf(name, files) {
  const path = join(directory, name);
  for (const [at, { bytes }] of Object.entries(files)) {
    mkdirSync(dirname(join(path, at)), { recursive: true });
    writeFileSync(join(path, at), bytes);
  }
  return path;
}

test("what could not be taken is said with the list, and after all that is there was verified or saved", async () => {
  const own = keyFile(parseKeyFile(readFileSync(key)));
  const [kept, gone] = [await seal(two, own), await seal(one, own)];
  const manifest = await sealManifest(own, [
    { path: "gone", ...gone, state: 3 }, { path: "kept", ...kept, state: 2, reason: 5 }, { path: "secret", type: "d", state: 2, reason: 1 }, { path: "socket", type: "x", state: 2, reason: 4 },
  ]);
  await withPage(browser, server, {}, async (page) => {
    await openTree(page, folderOf("incomplete.sealed", { [manifestName]: manifest, "kept.polyseal": kept, "gone.polyseal": gone }));
    const why = "2 files and 1 folder could not be taken when this was made: kept, secret, socket. The list says why.";
    assert.equal(await page.textContent("#open-tree-summary"), `The folder has 1 file with 70.0 KB. ${why}`);
    assert.deepEqual(await page.locator("#open-tree li .name").allTextContents(), [
      "kept70.0 KB. From an earlier time. It could not be taken again: it changed while it was read.",
      "secretFolder. What is in it could not be listed: permission was denied.", "socketCould not be taken: it is neither a file nor a folder nor a link.",
    ]);
    for (const [button, done] of [["verify", "whole"], ["save", "saved"]]) {
      await page.click(`#open-tree-${button}-all`);
      await page.waitForFunction((text) => document.querySelector("#open-tree-error").textContent.includes(text), `: ${done}.`);
      const { code, text } = await errorIn(page, "#open-tree-error");
      assert.equal(code, "not-complete");
      assert.ok(text.startsWith(`1 file, 70.0 KB: ${done}. But the folder is not complete.`) && text.endsWith(why), text);
      assert.equal(await page.locator("#open-tree-done:visible").count(), 0);
    }
    const saved = await savedTree(page);
    assert.deepEqual(Object.keys(saved).sort(), ["incomplete", "incomplete/kept", "incomplete/secret"]);
    assert.ok(saved["incomplete/kept"].equals(two));
  });
});

test("an interrupted update is said, and each file is as it is now or as it was", async () => {
  const own = keyFile(parseKeyFile(readFileSync(key)));
  const [old, lost, newer, added] = await Promise.all([one, two, two, one].map((bytes) => seal(bytes, own)));
  const previous = await sealManifest(own, [{ path: "changes", ...old }, { path: "lost", ...lost }], { number: 3 });
  const another = await seal(one, own);
  const coming = await sealManifest(own, [{ path: "added", ...added }, { path: "changes", ...newer }, { path: "lost", ...another }], { number: 4, previous });
  const files = {
    [manifestName]: previous, [comingName]: coming, "changes.polyseal": old, "lost.polyseal": lost, [newer.updateName]: newer, [added.updateName]: added,
  };
  await withPage(browser, server, {}, async (page) => {
    await chooseFolder(page, folderOf("interrupted.sealed", files));
    // The coming manifest has a context, and no file has.
    assert.equal(await page.locator("#open-context:visible").count(), 0);
    await enterKeyFile(page, key);
    await pressOpen(page);
    assert.match(await page.textContent("#open-tree-summary"), /^The folder has 3 files with 470 KB\. An update of this folder was interrupted\./);
    await page.click("#open-tree-save-all");
    const { code, text } = await errorIn(page, "#open-tree-error");
    assert.equal(code, "not-complete");
    assert.match(text, /^3 files, 340 KB: all saved\. But the folder is not complete\..*An update of this folder was interrupted/);
    const saved = await savedTree(page);
    for (const [name, contents] of [["added", one], ["changes", two], ["lost", two]]) assert.ok(saved[`interrupted/${name}`].equals(contents), name);
  });
});

test("where no folder can be chosen for saving, it is said which browsers can", async () => {
  await withPage(browser, server, { way: "download" }, async (page) => {
    await openTree(page, join(directory, "album.sealed"));
    assert.equal(await page.locator("#open-tree-save-all:visible").count(), 0);
    assert.match(await page.textContent("#open-tree-save-hint"), /Chrome and Edge on a computer/);
    await page.click("#open-tree-verify-all");
    await page.waitForSelector("#open-tree-done:visible");
  });
});

test("stopping while all is saved leaves no part of a file", async () => {
  const big = join(directory, "big");
  mkdirSync(big);
  for (let i = 0; i < 3; i++) writeFileSync(join(big, `${i}.bin`), Buffer.alloc(100e6));
  tool(["encrypt", "--portable", "-k", key, "--recursive", "-o", "big.sealed", "big"]);
  await withPage(browser, server, {}, async (page) => {
    await openTree(page, join(directory, "big.sealed"));
    await page.click("#open-tree-save-all");
    await page.waitForFunction(() => document.querySelector("#open-tree-progress progress")?.value > 0.05);
    await page.click("#open-tree-progress button");
    assert.equal((await errorIn(page, "#open-tree-error")).code, "cancelled-folder");
    const sizes = await page.evaluate(async () => {
      const found = [];
      const root = await navigator.storage.getDirectory();
      for await (const [, handle] of (await root.getDirectoryHandle("big")).entries()) found.push((await handle.getFile()).size);
      return found;
    });
    assert.ok(sizes.length < 3 && sizes.every((size) => size === 100e6), String(sizes));
  });
});
