/** Files of the tool, opened and saved by the page: both ways of saving, every kind of key, and what is refused. */

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import {
  altered, choose, directory, enterKeyFile, errorIn, file, launch, nothingSaved, openWithKeyFile, pressOpen, random, saveOpened, savedFiles, seal, serve,
  tool, toolWithPassphrase, withPage,
} from "./harness.mjs";

let browser, server;
const key = join(directory, "a.key"), otherKey = join(directory, "b.key");
const segment = 65536, headerLength = 4096, tagLength = 16;
const startOf = (number) => headerLength + number * (segment + tagLength);

before(async () => {
  [browser, server] = [await launch(), await serve()];
  tool(["keygen", "-o", key]);
  tool(["keygen", "-o", otherKey]);
});
after(async () => {
  await browser.close();
  await server.close();
});

for (const way of ["handle", "download"]) {
  describe(`saving by ${way}`, () => {
    for (const length of [0, 1, segment, segment + 1, 5 * segment + 777]) {
      test(`${length} bytes of the tool, with a key file`, async () => {
        const contents = random(length);
        const path = seal(`data-${length}.bin`, contents, ["-k", key]);
        await withPage(browser, server, { way }, async (page) => {
          await openWithKeyFile(page, path, key);
          const saved = await saveOpened(page, way);
          assert.equal(saved.name, `data-${length}.bin`);
          assert.ok(saved.bytes.equals(contents));
        });
      });
    }

    test("an altered segment: no file appears, and the page says which part", async () => {
      // A piece of 1 MiB is written before it.
      const contents = random(40 * segment);
      const path = altered(seal("altered.bin", contents, ["-k", key]), startOf(20) + 100);
      await withPage(browser, server, { way }, async (page) => {
        let downloads = 0;
        page.on("download", () => downloads++);
        await openWithKeyFile(page, path, key);
        await page.click("#open-save");
        const { code, text } = await errorIn(page, "#open-result-error");
        assert.equal(code, "corrupt-segment");
        assert.match(text, /part 21 of 40 \(bytes 1,310,720 to 1,376,255 of the contents\)/);
        assert.match(text, /Nothing of the file is saved or shown/);
        await nothingSaved(page);
        assert.equal(downloads, 0);
      });
    });
  });
}

test("a passphrase of the tool, typed; a wrong one first", async () => {
  file("letter.txt", "meet at noon");
  toolWithPassphrase("encrypt", "correct horse", ["--suite", "aes-256-gcm", "-o", "letter.txt.polyseal", "letter.txt"]);
  await withPage(browser, server, {}, async (page) => {
    await choose(page, join(directory, "letter.txt.polyseal"));
    assert.equal(await page.locator("#open-kinds:visible").count(), 0, "only one kind of key is possible");
    await page.click("#open-submit");
    assert.equal((await errorIn(page, "#open-key-error")).code, "no-key-yet");
    await page.fill("#open-passphrase", "wrong horse");
    await pressOpen(page);
    const { code, text } = await errorIn(page, "#open-key-error");
    assert.equal(code, "no-matching-key");
    assert.match(text, /passphrase does not open this file/);
    await page.fill("#open-passphrase", "correct horse");
    await page.press("#open-passphrase", "Enter");
    await page.waitForSelector("#open-result-card:visible");
    assert.equal(await page.inputValue("#open-passphrase"), "", "the field is emptied");
    assert.equal((await saveOpened(page, "handle")).bytes.toString(), "meet at noon");
  });
});

test("stopping the computation of a passphrase, and trying again", async () => {
  await withPage(browser, server, {}, async (page) => {
    await choose(page, join(directory, "letter.txt.polyseal"));
    await page.fill("#open-passphrase", "correct horse");
    // So that there is time to stop it: the worker is kept busy before it gets the request.
    await page.workers()[0].evaluate(() => { setTimeout(() => { for (const end = Date.now() + 3000; Date.now() < end;); }, 0); });
    await page.click("#open-submit");
    await page.click("#open-key-progress button");
    assert.equal((await errorIn(page, "#open-key-error")).code, "cancelled");
    await pressOpen(page);
    await page.waitForSelector("#open-result-card:visible");
  });
});

test("age identities, typed and as a file; a wrong one first", async () => {
  const recipients = {};
  for (const [name, type] of [["alice", "x25519"], ["bob", "hybrid"], ["carol", "x25519"]]) {
    recipients[name] = tool(["keygen", "-t", type, "-o", `${name}.identity`]).toString().trim();
  }
  for (const name of ["alice", "bob"]) {
    const contents = random(1000);
    const path = seal(`for-${name}.bin`, contents, ["-r", recipients[name]]);
    const identity = readFileSync(join(directory, `${name}.identity`), "utf8").match(/AGE-SECRET-KEY-.*/)[0];
    for (const typed of [true, false]) {
      await withPage(browser, server, {}, async (page) => {
        await choose(page, path);
        await page.setInputFiles("#open-identity-file", join(directory, "carol.identity"));
        await page.waitForFunction(() => document.querySelector("#open-identity").value !== "");
        await pressOpen(page);
        assert.equal((await errorIn(page, "#open-key-error")).code, "no-matching-key");
        if (typed) await page.fill("#open-identity", identity);
        else {
          await page.setInputFiles("#open-identity-file", join(directory, `${name}.identity`));
          await page.waitForFunction((text) => document.querySelector("#open-identity").value.includes(text), identity);
        }
        await pressOpen(page);
        assert.ok((await saveOpened(page, "handle")).bytes.equals(contents));
        assert.equal(await page.inputValue("#open-identity"), "");
      });
    }
  }
});

test("a file for a key file and an age identity opens with either", async () => {
  const recipient = tool(["keygen", "-t", "x25519", "-o", "either.identity"]).toString().trim();
  const path = seal("either.txt", "either", ["-k", key, "-r", recipient]);
  await withPage(browser, server, {}, async (page) => {
    await openWithKeyFile(page, path, key);
    await page.click("#open-forget");
    await choose(page, path);
    await page.check("input[name=open-kind][value=age]");
    await page.setInputFiles("#open-identity-file", join(directory, "either.identity"));
    await page.waitForFunction(() => document.querySelector("#open-identity").value !== "");
    await pressOpen(page);
    assert.equal((await saveOpened(page, "handle")).bytes.toString(), "either");
  });
});

test("a wrong key file, and what is no key file", async () => {
  const path = seal("keyed.txt", "keyed", ["-k", key]);
  await withPage(browser, server, {}, async (page) => {
    await choose(page, path);
    await page.click("#open-submit");
    assert.equal((await errorIn(page, "#open-key-error")).code, "no-key-yet");
    await enterKeyFile(page, otherKey);
    await pressOpen(page);
    assert.equal((await errorIn(page, "#open-key-error")).code, "no-matching-key");
    await enterKeyFile(page, file("no.key", "this is a password, not a key\n"));
    await pressOpen(page);
    assert.equal((await errorIn(page, "#open-key-error")).code, "bad-key-file");
    await page.setInputFiles("#open-key", file("huge.key", Buffer.alloc(20000, 35)));
    assert.equal((await errorIn(page, "#open-key-error")).code, "bad-key-file");
    await enterKeyFile(page, key);
    await pressOpen(page);
    await page.waitForSelector("#open-result-card:visible");
  });
});

test("a context: asked for when there is one, missing, wrong and right", async () => {
  const bound = seal("bound.txt", "bound", ["-k", key], ["--context", "backup of 3 May"]);
  const free = seal("free.txt", "free", ["-k", key]);
  await withPage(browser, server, {}, async (page) => {
    await choose(page, free);
    assert.equal(await page.locator("#open-context-field:visible").count(), 0);
    await choose(page, bound);
    assert.equal(await page.locator("#open-context-field:visible").count(), 1);
    for (const [context, expected] of [["", "context-missing"], ["backup of 4 May", "context-differs"]]) {
      await enterKeyFile(page, key);
      await page.fill("#open-context", context);
      await pressOpen(page);
      assert.equal((await errorIn(page, "#open-key-error")).code, expected);
    }
    await page.fill("#open-context", "backup of 3 May");
    await pressOpen(page);
    assert.equal((await saveOpened(page, "handle")).bytes.toString(), "bound");
  });
});

test("files that are cut, extended or no files of Polyseal", async () => {
  const path = seal("whole.bin", random(5 * segment), ["-k", key]);
  const bytes = readFileSync(path);
  const cases = [
    ["cut-in-header", bytes.subarray(0, 100), "truncated-header", "file"],
    ["cut-at-header", bytes.subarray(0, headerLength), "truncated-payload", "key"],
    ["cut-at-segment", bytes.subarray(0, startOf(4)), "corrupt-segment", "key"],
    ["cut-in-segment", bytes.subarray(0, startOf(4) + 1000), "corrupt-segment", "key"],
    ["cut-in-tag", bytes.subarray(0, startOf(4) + 7), "truncated-payload", "key"],
    ["longer", Buffer.concat([bytes, Buffer.alloc(100)]), "corrupt-segment", "key"],
    ["text", Buffer.from("hello"), "not-a-polyseal-file", "file"],
    ["empty", Buffer.alloc(0), "not-a-polyseal-file", "file"],
    ["header-altered", (() => { const copy = Buffer.from(bytes); copy[headerLength - 1] ^= 1; return copy; })(), "header-not-authentic", "key"],
    ["spare-altered", (() => { const copy = Buffer.from(bytes); copy[headerLength - 40] ^= 1; return copy; })(), "bad-header", "file"],
  ];
  await withPage(browser, server, {}, async (page) => {
    for (const [name, contents, expected, place] of cases) {
      await choose(page, file(`${name}.polyseal`, contents));
      if (place === "key") {
        await enterKeyFile(page, key);
        await pressOpen(page);
      }
      const { code } = await errorIn(page, `#open-${place}-error`);
      assert.ok(code === expected || name === "empty" && code === "truncated-header", `${name}: ${code}`);
      assert.equal(await page.locator("#open-result-card:visible").count(), 0, name);
    }
    await nothingSaved(page);
  });
});

for (const suite of [null, "flex-och", "omd-sha512", "ctx-aegis-128l", "dndk-gcm:kc=1"]) {
  test(`what no browser has: ${suite ?? "the tool's default"}`, async () => {
    const contents = random(3 * segment + 5);
    const path = seal("other-suite.bin", contents, ["-k", key], [], suite === null ? [] : ["--suite", suite]);
    const short = file("other-suite-altered.bin.polyseal", readFileSync(path).subarray(0, -1));
    const damaged = altered(path, headerLength + segment + 1000);
    await withPage(browser, server, { way: "download" }, async (page) => {
      await openWithKeyFile(page, path, key);
      assert.ok((await saveOpened(page, "download")).bytes.equals(contents));
      await choose(page, short);
      await enterKeyFile(page, key);
      await page.click("#open-submit");
      assert.match((await errorIn(page, "#open-key-error")).text, /at its end, part 4\./);
      await page.click("#open-forget");
      await openWithKeyFile(page, damaged, key);
      await page.click("#open-save");
      const { code, text } = await errorIn(page, "#open-result-error");
      assert.equal(code, "corrupt-segment");
      assert.match(text, /at part 2 of 4/);
    });
  });
}

test("another module than the page's own is not run, and the portable profile needs none", async (t) => {
  const own = await serve({ replaced: /^\/core-/ });
  t.after(() => own.close());
  const path = seal("needs-module.txt", "text", ["-k", key], [], []);
  const portable = seal("needs-none.txt", "text", ["-k", key]);
  await withPage(browser, own, {}, async (page) => {
    await choose(page, path);
    await enterKeyFile(page, key);
    await pressOpen(page);
    assert.equal((await errorIn(page, "#open-key-error")).code, "suite-failed");
    await page.click("#open-forget");
    await openWithKeyFile(page, portable, key);
    assert.equal((await saveOpened(page, "handle")).bytes.toString(), "text");
  });
});

test("armour of the tool, and armour that is damaged", async () => {
  const contents = random(200000);
  file("mail.bin", contents);
  tool(["encrypt", "--suite", "aes-256-gcm", "--armor", "-k", key, "-o", "mail.bin.asc", "mail.bin"]);
  const text = readFileSync(join(directory, "mail.bin.asc"), "utf8");
  await withPage(browser, server, {}, async (page) => {
    await openWithKeyFile(page, join(directory, "mail.bin.asc"), key);
    const saved = await saveOpened(page, "handle");
    assert.equal(saved.name, "mail.bin");
    assert.ok(saved.bytes.equals(contents));
    await choose(page, file("cut.asc", text.slice(0, 10000)));
    assert.equal((await errorIn(page, "#open-file-error")).code, "bad-armor");
  });
});

test("a header in a file of its own, chosen after and before the payload", async () => {
  const contents = random(3 * segment + 5);
  file("notes.bin", contents);
  tool(["encrypt", "--suite", "aes-256-gcm", "-k", key, "--header", "notes.header", "-o", "notes.payload", "notes.bin"]);
  const [header, payload] = ["notes.header", "notes.payload"].map((name) => join(directory, name));
  for (const order of ["after", "before"]) {
    await withPage(browser, server, {}, async (page) => {
      if (order === "before") {
        await page.click("#open-more summary");
        await page.setInputFiles("#open-header", header);
        await choose(page, payload);
      } else {
        await choose(page, payload);
        assert.match((await errorIn(page, "#open-file-error")).code, /^(not-a-polyseal-file|bad-armor)$/);
        await page.click("#open-more summary");
        await page.setInputFiles("#open-header", header);
        await page.waitForSelector("#open-key-card:visible");
      }
      await enterKeyFile(page, key);
      await pressOpen(page);
      assert.ok((await saveOpened(page, "handle")).bytes.equals(contents));
    });
  }
});

for (const way of ["handle", "download"]) {
  test(`stopping while it is saved leaves no file: ${way}`, async () => {
    const path = seal("long.bin", Buffer.alloc(200 * 1048576), ["-k", key]);
    await withPage(browser, server, { way }, async (page) => {
      await openWithKeyFile(page, path, key);
      let downloads = 0;
      page.on("download", () => downloads++);
      await page.click("#open-save");
      await page.waitForFunction(() => document.querySelector("#open-result-progress progress")?.value > 0.05);
      await page.click("#open-result-progress button");
      assert.equal((await errorIn(page, "#open-result-error")).code, "cancelled");
      await nothingSaved(page);
      assert.equal(downloads, 0);
      // It can be done again.
      await page.click("#open-verify");
      await page.waitForSelector("#open-result-done:visible");
      assert.match(await page.textContent("#open-result-done"), /whole/);
    });
  });
}

test("progress has bytes, a rate and the time left", async () => {
  await withPage(browser, server, {}, async (page) => {
    await openWithKeyFile(page, join(directory, "long.bin.polyseal"), key);
    const texts = new Set();
    await page.exposeFunction("progressText", (text) => { texts.add(text); });
    await page.evaluate(() => new MutationObserver(() => {
      const text = document.querySelector("#open-result-progress .numbers")?.textContent;
      if (text) window.progressText(text);
    }).observe(document.querySelector("#open-result-progress"), { subtree: true, childList: true, characterData: true }));
    await page.click("#open-verify");
    await page.waitForSelector("#open-result-done:visible", { timeout: 60000 });
    const all = [...texts].join("\n");
    assert.match(all, /\d MB of 210 MB/);
    assert.match(all, /at [\d.]+ [MG]B a second\./);
    assert.match(all, /About \d+ seconds? left\./);
  });
});

test("closing forgets: fields are empty, the worker is gone, and nothing is stored", async () => {
  const path = seal("secret.txt", "secret", ["-k", key], ["--context", "purpose"]);
  await withPage(browser, server, {}, async (page) => {
    await choose(page, path);
    await enterKeyFile(page, key);
    await page.fill("#open-context", "purpose");
    assert.equal(page.workers().length, 1);
    await page.click("#open-forget");
    assert.equal(await page.inputValue("#open-context"), "");
    await page.waitForFunction(() => document.querySelector("#open-key-name").textContent === "None chosen yet.");
    for (let tries = 0; page.workers().length > 0 && tries < 100; tries++) await page.waitForTimeout(20);
    assert.equal(page.workers().length, 0);
    assert.equal(await page.evaluate(() => document.activeElement.id), "open-title");
    const stored = await page.evaluate(async () => ({
      local: localStorage.length, session: sessionStorage.length, cookies: document.cookie, databases: await indexedDB.databases(),
      cached: (await Promise.all((await caches.keys()).map(async (name) => (await (await caches.open(name)).keys()).map(({ url }) => new URL(url).pathname)))).flat(),
    }));
    assert.deepEqual([stored.local, stored.session, stored.cookies, stored.databases], [0, 0, "", []]);
    assert.ok(stored.cached.every((name) => /^\/((app|worker)-[0-9a-f]+\.js|style-[0-9a-f]+\.css|index\.html|icon\.svg|core-[0-9a-f]+\.wasm)$/.test(name)), stored.cached.join());
    assert.deepEqual(await savedFiles(page), {});
  });
});

test("several files without a manifest are opened one by one, with one key", async () => {
  const paths = ["one", "two"].map((name) => seal(`${name}.txt`, name, ["-k", key]));
  await withPage(browser, server, {}, async (page) => {
    await choose(page, paths);
    assert.deepEqual(await page.locator("#open-list .name").allTextContents(), ["one.txt.polyseal75 bytes".replace("75 bytes", "4.12 KB"), "two.txt.polyseal4.12 KB"]);
    await page.click("#open-list button >> nth=0");
    await page.waitForSelector("#open-key-card:visible");
    await enterKeyFile(page, key);
    await pressOpen(page);
    await page.click("#open-list button >> nth=1");
    await page.waitForSelector("#open-key-card:visible");
    await pressOpen(page);
    const saved = await saveOpened(page, "handle");
    assert.deepEqual([saved.name, saved.bytes.toString()], ["two.txt", "two"]);
  });
});

test("a file is dropped", async () => {
  const path = seal("dropped.txt", "dropped", ["-k", key]);
  await withPage(browser, server, {}, async (page) => {
    const transfer = await page.evaluateHandle((text) => {
      const data = new DataTransfer();
      data.items.add(new File([Uint8Array.from(atob(text), (character) => character.charCodeAt(0))], "dropped.txt.polyseal"));
      return data;
    }, readFileSync(path).toString("base64"));
    await page.dispatchEvent("#open-drop", "drop", { dataTransfer: transfer });
    await page.waitForSelector("#open-key-card:visible");
    await enterKeyFile(page, key);
    await pressOpen(page);
    assert.equal((await saveOpened(page, "handle")).bytes.toString(), "dropped");
  });
});

test("a file that changes on the disk after it was chosen is refused", async () => {
  const path = seal("changing.bin", random(40 * segment), ["-k", key]);
  await withPage(browser, server, {}, async (page) => {
    await openWithKeyFile(page, path, key);
    writeFileSync(path, random(40 * segment + headerLength));
    await page.click("#open-save");
    assert.equal((await errorIn(page, "#open-result-error")).code, "source-failed");
    await nothingSaved(page);
  });
});

test("files of age: an identity and a passphrase, saved; altered, cut and with too much work", async () => {
  const contents = random(3 * segment + 5);
  file("age.bin", contents);
  const identity = tool(["keygen", "-t", "x25519", "-o", "-"]).toString();
  const recipient = identity.match(/age1[a-z0-9]+/)[0], secret = identity.match(/AGE-SECRET-KEY-.*/)[0];
  tool(["encrypt", "--format", "age", "-r", recipient, "-o", "age.bin.age", "age.bin"]);
  tool(["encrypt", "--format", "age", "--armor", "-r", recipient, "-o", "age.bin.age.asc", "age.bin"]);
  toolWithPassphrase("encrypt", "correct horse", ["--format", "age", "-o", "secret.bin.age", "age.bin"]);
  const bytes = readFileSync(join(directory, "age.bin.age"));
  for (const [name, kind, text] of [["age.bin.age", "identity", secret], ["age.bin.age.asc", "identity", secret], ["secret.bin.age", "passphrase", "correct horse"]]) {
    for (const way of ["handle", "download"]) {
      await withPage(browser, server, { way }, async (page) => {
        await choose(page, join(directory, name));
        assert.equal(await page.locator("#open-kinds:visible").count(), 0);
        await page.fill(`#open-${kind}`, kind === "identity" ? readFileSync(key, "utf8").slice(0, 5) : "wrong");
        await pressOpen(page);
        assert.equal((await errorIn(page, "#open-key-error")).code, kind === "identity" ? "bad-identity" : "no-matching-key");
        await page.fill(`#open-${kind}`, text);
        await page.click("#open-submit");
        await page.waitForSelector("#open-result-card:visible", { timeout: 60000 });
        const saved = await saveOpened(page, way);
        assert.deepEqual([saved.name, saved.bytes.equals(contents)], [name.replace(/\.age.*/, ""), true]);
      });
    }
  }
  const payload = bytes.length - contents.length - 4 * tagLength;
  const damaged = Buffer.from(bytes);
  damaged[payload + segment + tagLength + 5] ^= 1;
  await withPage(browser, server, {}, async (page) => {
    for (const [name, file_, expected] of [["cut", bytes.subarray(0, -1), "corrupt-segment"], ["no-end", bytes.subarray(0, payload + 2 * (segment + tagLength)), "corrupt-segment"]]) {
      await choose(page, file(`${name}.age`, file_));
      await page.fill("#open-identity", secret);
      await pressOpen(page);
      const { code, text } = await errorIn(page, "#open-key-error");
      assert.equal(code, expected, name);
      assert.match(text, /^The file is incomplete or altered\./);
    }
    await choose(page, file("damaged.age", damaged));
    await page.fill("#open-identity", secret);
    await pressOpen(page);
    await page.click("#open-save");
    assert.match((await errorIn(page, "#open-result-error")).text, /^The file has been altered\..*part 2 of 4/);
    await nothingSaved(page);
    const work = readFileSync(join(directory, "secret.bin.age"), "latin1").replace(/(-> scrypt \S+) \d+/, "$1 22");
    await choose(page, file("work.age", Buffer.from(work, "latin1")));
    await page.fill("#open-passphrase", "correct horse");
    await pressOpen(page);
    assert.equal((await errorIn(page, "#open-key-error")).code, "too-much-work");
  });
});

test("the cursor is in the field of the passphrase, and no character is lost", async () => {
  file("letter.txt", "meet at noon");
  toolWithPassphrase("encrypt", "correct horse", ["--suite", "aes-256-gcm", "-f", "-o", "letter.txt.polyseal", "letter.txt"]);
  await withPage(browser, server, {}, async (page) => {
    await choose(page, join(directory, "letter.txt.polyseal"));
    assert.equal(await page.evaluate(() => document.activeElement.id), "open-passphrase");
    await page.keyboard.type("cor");
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.type("rect");
    assert.equal(await page.inputValue("#open-passphrase"), "correct");
    // After a wrong one, the next is typed over it.
    await page.keyboard.press("Enter");
    await errorIn(page, "#open-key-error");
    await page.keyboard.type("correct horse");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#open-result-card:visible");
    // While the file is looked at.
    await page.evaluate(() => {
      document.querySelector("#open-files").addEventListener("change", () => {
        for (const key of "ab") document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
      }, { once: true });
    });
    await choose(page, join(directory, "letter.txt.polyseal"));
    assert.equal(await page.inputValue("#open-passphrase"), "ab");
  });
});

test("on a phone nothing is said of dropping and folders", async () => {
  await withPage(browser, server, { hasTouch: true, isMobile: true, viewport: { width: 390, height: 800 } }, async (page) => {
    assert.equal(await page.evaluate(() => matchMedia("(pointer: coarse)").matches), true);
    assert.equal(await page.locator("#open-choose-folder:visible").count(), 0);
    for (const view of ["open", "encrypt"]) {
      await page.click(`#nav-${view}`);
      assert.doesNotMatch(await page.locator(`#view-${view}`).innerText(), /drop|folder/i);
    }
  });
  await withPage(browser, server, {}, async (page) => {
    assert.match(await page.locator("#view-open").innerText(), /Drop the encrypted file or folder here.*Choose a folder/s);
  });
});
