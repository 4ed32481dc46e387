/** The page itself: policies, accessibility, keyboard, widths. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { axeFaults, choose, directory, file, launch, pressOpen, saveOpened, seal, serve, tool, widthFaults, withPage } from "./harness.mjs";
import { throughAllStates } from "./states.mjs";

let browser, server;
const key = join(directory, "page.key");

before(async () => {
  [browser, server] = [await launch(), await serve()];
  tool(["keygen", "-o", key]);
});
after(async () => {
  await browser.close();
  await server.close();
});

for (const colorScheme of ["light", "dark"]) {
  test(`axe finds nothing in any state, and nothing is wider than the window: ${colorScheme}`, async () => {
    await withPage(browser, server, { colorScheme, reducedMotion: "reduce" }, async (page) => {
      const checked = [];
      await throughAllStates(page, key, async (state) => {
        assert.deepEqual(await axeFaults(page), [], state);
        for (const width of [390, 768, 1600]) assert.deepEqual(await widthFaults(page, width), [], `${state} at ${width}`);
        checked.push(state);
      });
      assert.equal(checked.length, 22);
    });
  });
}

test("everything can be done with the keyboard", async () => {
  const path = seal("keys.txt", "keys", ["-k", key]);
  await withPage(browser, server, {}, async (page) => {
    // So that no dialogue is opened from the beginning on, and not only from the first wait on.
    page.on("filechooser", () => undefined);
    const press = async (keys) => page.keyboard.press(keys);
    const active = () => page.evaluate(() => document.activeElement.id || document.activeElement.textContent);
    const tabTo = async (id) => {
      for (let i = 0; i < 30; i++) {
        if (await active() === id) return;
        await press("Tab");
      }
      assert.fail(`Tab does not come to ${id}`);
    };
    await press("Tab");
    assert.equal(await active(), "Skip to the contents");
    await tabTo("open-choose");
    // The focus is visible.
    assert.notEqual(await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle), "none");
    const [chooser] = await Promise.all([page.waitForEvent("filechooser"), press("Enter")]);
    await chooser.setFiles(path);
    await page.waitForFunction(() => document.activeElement.id === "open-key-title");
    await tabTo("open-choose-key");
    const [keyChooser] = await Promise.all([page.waitForEvent("filechooser"), press("Space")]);
    await keyChooser.setFiles(key);
    await page.waitForFunction(() => document.querySelector("#open-key-name").textContent === "page.key");
    await tabTo("open-submit");
    await press("Enter");
    await page.waitForFunction(() => document.activeElement.id === "open-result-title");
    await tabTo("open-save");
    await press("Enter");
    await page.waitForFunction(() => document.activeElement.id === "open-result-done");
    assert.match(await page.textContent("#announcer"), /^Saved\./);
    await tabTo("open-forget");
    await press("Enter");
    await page.waitForFunction(() => document.activeElement.id === "open-title");
    // Errors get the focus, too.
    const [again] = await Promise.all([page.waitForEvent("filechooser"), page.click("#open-choose")]);
    await again.setFiles(file("no.polyseal", "no"));
    await page.waitForFunction(() => document.activeElement.getAttribute("role") === "alert");
  });
});

test("nothing moves for those who want that", async () => {
  await withPage(browser, server, { reducedMotion: "reduce" }, async (page) => {
    const moving = await page.evaluate(() => [...document.querySelectorAll("*")].filter((element) =>
      [element, "::before", "::after"].some((one) => {
        const style = getComputedStyle(element, typeof one === "string" ? one : null);
        return style.animationName !== "none" || style.transitionDuration.split(", ").some((duration) => parseFloat(duration) > 0);
      })).map(({ tagName }) => tagName));
    assert.deepEqual(moving, []);
  });
});

test("with the documented headers from the server, all of it works from the first time on", async () => {
  const strict = await serve({ withHeaders: true });
  file("strict.txt", "strict");
  await withPage(browser, strict, { way: "download", hash: "#encrypt" }, async (page) => {
    await page.setInputFiles("#encrypt-file", join(directory, "strict.txt"));
    await page.waitForSelector("#encrypt-key-card:visible");
    const passphrase = await page.textContent("#encrypt-passphrase");
    await page.check("#encrypt-kept");
    const started = page.waitForEvent("download");
    await page.click("#encrypt-submit");
    const path = await (await started).path();
    await page.waitForSelector("#encrypt-result-card:visible", { timeout: 60000 });
    const output = file("strict.txt.polyseal", readFileSync(path));
    await page.click("#nav-open");
    await choose(page, output);
    await page.fill("#open-passphrase", passphrase);
    await pressOpen(page);
    assert.equal((await saveOpened(page, "download")).bytes.toString(), "strict");
  });
  await strict.close();
});

async function frameIn(page, { origin } = server) {
  await page.goto(`${server.origin}/SHA256SUMS`);
  await page.evaluate((address) => {
    const frame = document.createElement("iframe");
    frame.src = address;
    document.body.append(frame);
  }, `${origin}/`);
  const frame = await (await page.waitForSelector("iframe")).contentFrame();
  await page.waitForTimeout(1000);
  return frame.evaluate(() => document.body?.innerText ?? "");
}

test("inside another page, it is blocked by its policy", async () => {
  const strict = await serve({ withHeaders: true });
  await withPage(browser, strict, { otherOrigins: true, expected: /^console: Framing .* violates .*frame-ancestors 'none'/ }, async (page) => {
    assert.doesNotMatch(await frameIn(page, strict), /Polyseal/);
  });
  await strict.close();
});

test("inside another page, and without that header, it does not start", async () => {
  await withPage(browser, server, {}, async (page) => {
    const text = await frameIn(page);
    assert.match(text, /This page is shown inside another page/);
    assert.doesNotMatch(text, /Choose a file/);
  });
});

test("keys do not come back with the page", async () => {
  await withPage(browser, server, { hash: "#encrypt" }, async (page) => {
    await page.setInputFiles("#encrypt-file", key);
    await page.waitForSelector("#encrypt-key-card:visible");
    assert.notEqual(await page.textContent("#encrypt-passphrase"), "");
    await page.goto(`${server.origin}/SHA256SUMS`);
    await page.goBack();
    await page.waitForSelector("#view-encrypt:visible");
    assert.equal(await page.textContent("#encrypt-passphrase"), "");
    assert.equal(await page.locator("#encrypt-key-card:visible").count(), 0);
  });
});

test("without JavaScript the page says what it needs", async () => {
  await withPage(browser, server, { javaScriptEnabled: false }, async (page) => {
    assert.match(await page.locator("noscript").innerText(), /needs JavaScript/);
  });
});
