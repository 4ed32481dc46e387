/** The page shows pictures, sound, video and PDF, when all of it has opened; and nothing else. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync, crc32 } from "node:zlib";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { altered, choose, directory, errorIn, file, launch, nothingSaved, openWithKeyFile, pressOpen, seal, serve, tool, withPage } from "./harness.mjs";

let browser, server;
const key = join(directory, "preview.key");
const startOf = (number) => 4096 + number * 65552;
/** ffmpeg's testsrc2 in VP8 with a tone in Opus: 30 seconds, with an index. */
const video = readFileSync(fileURLToPath(new URL("../../../../vectors/page/pattern.webm", import.meta.url)));

before(async () => {
  [browser, server] = [await launch(), await serve()];
  tool(["keygen", "-o", key]);
});
after(async () => {
  await browser.close();
  await server.close();
});

/** A picture of noise, so that it does not become small. */
function png(width, height) {
  const chunk = (type, data) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8);
  const rows = Buffer.alloc((1 + 3 * width) * height);
  let state = 1;
  for (let i = 0; i < rows.length; i++) {
    state = Math.imul(state, 1664525) + 1013904223 >>> 0;
    rows[i] = i % (1 + 3 * width) === 0 ? 0 : state >>> 24;
  }
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), chunk("IHDR", header), chunk("IDAT", deflateSync(rows)), chunk("IEND", Buffer.alloc(0))]);
}

function pdf() {
  const stream = "BT /F1 24 Tf 40 90 Td (Hello) Tj ET";
  const objects = ["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`, "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"];
  let text = "%PDF-1.4\n";
  const offsets = objects.map((object, i) => {
    const offset = text.length;
    text += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = text.length;
  text += `xref\n0 6\n0000000000 65535 f \n${offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("")}`;
  return Buffer.from(`${text}trailer << /Size 6 /Root 1 0 R >>\nstartxref\n${table}\n%%EOF\n`);
}

async function show(page, path) {
  await openWithKeyFile(page, path, key);
  await page.click("#open-preview");
  await page.waitForSelector("#open-preview-place:visible");
}

/** The type of what an address of a preview leads to: another element than the page's own would not get it otherwise. */
const blobTypes = (page) => page.evaluate(() => window.blobTypes);

/** Notes what is made available under an address, and what is not any more. */
const watch = (page) => page.evaluate(() => {
  window.blobTypes = [];
  window.live = new Set();
  const { createObjectURL, revokeObjectURL } = URL;
  URL.createObjectURL = (blob) => {
    const url = createObjectURL(blob);
    window.blobTypes.push(blob.type);
    window.live.add(url);
    return url;
  };
  URL.revokeObjectURL = (url) => {
    window.live.delete(url);
    revokeObjectURL(url);
  };
});

test("a picture", async () => {
  const path = seal("a.png", png(300, 200), ["-k", key]);
  await withPage(browser, server, {}, async (page) => {
    await watch(page);
    await show(page, path);
    await page.waitForFunction(() => document.querySelector("#open-preview-media img")?.naturalWidth === 300);
    assert.deepEqual(await blobTypes(page), ["image/png"]);
    await page.click("#open-preview-close");
    assert.equal(await page.locator("#open-preview-media *").count(), 0);
    assert.equal(await page.evaluate(() => window.live.size), 0, "the address is dead");
    assert.equal(await page.evaluate(() => document.activeElement.id), "open-preview");
  });
});

test("a video is played and sought", async () => {
  const path = seal("film.webm", video, ["-k", key]);
  await withPage(browser, server, {}, async (page) => {
    await watch(page);
    await show(page, path);
    await page.waitForFunction(() => document.querySelector("#open-preview-media video")?.readyState >= 2);
    assert.ok(Math.abs(await page.evaluate(() => document.querySelector("video").duration) - 30) < 0.5);
    for (const time of [25, 5, 29, 12.5]) {
      const shown = await page.evaluate((to) => new Promise((resolve) => {
        const element = document.querySelector("video");
        element.addEventListener("seeked", () => {
          const canvas = document.createElement("canvas");
          [canvas.width, canvas.height] = [element.videoWidth, element.videoHeight];
          canvas.getContext("2d").drawImage(element, 0, 0);
          const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
          resolve({ time: element.currentTime, colours: new Set(new Uint32Array(data.buffer)).size });
        }, { once: true });
        element.currentTime = to;
      }), time);
      assert.ok(Math.abs(shown.time - time) < 0.2);
      assert.ok(shown.colours > 20, "a frame is there");
    }
    await page.evaluate(async () => { document.querySelector("video").muted = true; await document.querySelector("video").play(); });
    await page.waitForFunction(() => document.querySelector("video").currentTime > 13.5);
    assert.deepEqual(await blobTypes(page), ["video/webm"]);
  });
});

test("of an altered video or picture nothing is shown, and the part is said", async () => {
  const picture = png(400, 400);
  assert.ok(picture.length > 3 * 65536);
  for (const [name, contents, segment, part] of [["film.webm", video, 4, /part 5 of 8/], ["b.png", picture, 2, /part 3 of/]]) {
    const path = altered(seal(name, contents, ["-k", key]), startOf(segment) + 10, `altered-${name}.polyseal`);
    await withPage(browser, server, {}, async (page) => {
      await openWithKeyFile(page, path, key);
      await watch(page);
      await page.click("#open-preview");
      const { code, text } = await errorIn(page, "#open-result-error");
      assert.equal(code, "corrupt-segment");
      assert.match(text, part);
      assert.equal(await page.locator("#open-preview-place:visible").count(), 0);
      assert.deepEqual(await blobTypes(page), []);
    });
  }
});

test("stopping while all of it is opened shows nothing", async () => {
  const path = seal("long.webm", Buffer.concat([video, Buffer.alloc(300e6)]), ["-k", key]);
  await withPage(browser, server, {}, async (page) => {
    await openWithKeyFile(page, path, key);
    await page.click("#open-preview");
    await page.click("#open-result-progress button");
    assert.equal((await errorIn(page, "#open-result-error")).code, "cancelled");
    assert.equal(await page.locator("#open-preview-place:visible").count(), 0);
  });
});

test("a PDF is shown by the browser's viewer", async () => {
  const path = seal("a.pdf", pdf(), ["-k", key]);
  await withPage(browser, server, {}, async (page) => {
    await show(page, path);
    await page.waitForSelector("#open-preview-media iframe");
    await page.waitForTimeout(3000);
    // The viewer draws a white page on a dark ground; a frame that shows nothing is of one colour.
    const picture = await page.locator("#open-preview-media iframe").screenshot();
    const colours = await page.evaluate(async (text) => {
      const bitmap = await createImageBitmap(new Blob([Uint8Array.from(atob(text), (character) => character.charCodeAt(0))]));
      const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
      context.drawImage(bitmap, 0, 0);
      return new Set(new Uint32Array(context.getImageData(0, 0, bitmap.width, bitmap.height).data.buffer)).size;
    }, picture.toString("base64"));
    assert.ok(colours > 10, `the frame has ${colours} colours`);
    assert.equal(await page.locator("#open-result-error .notice").count(), 0);
  });
});

test("HTML, SVG and programs are never shown, whatever they are called", async () => {
  for (const [name, contents] of [
    ["page.html", "<!doctype html><script>parent.hacked = true</script>"], ["picture.png", "<html><script>top.hacked = 1</script></html>"],
    ["drawing.svg", '<svg xmlns="http://www.w3.org/2000/svg" onload="hacked=1"/>'], ["drawing.jpg", '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>'],
    ["film.mp4", "MZ\x90\0program"], ["a.pdf", "#!/bin/sh\necho"], ["text.webm", "plain text"],
  ]) {
    const path = seal(name, contents, ["-k", key]);
    await withPage(browser, server, {}, async (page) => {
      await openWithKeyFile(page, path, key);
      assert.equal(await page.locator("#open-preview:visible").count(), 0, name);
      // Neither if somebody asks the worker for it.
      const answer = await page.workers()[0].evaluate(() => new Promise((resolve) => {
        const real = self.postMessage;
        self.postMessage = (message) => { self.postMessage = real; resolve(message.kind); };
        self.onmessage({ data: { kind: "request", id: 999, operation: "show", request: { file: 0, type: "text/html" } } });
      }));
      assert.equal(answer, "failure", name);
    });
  }
});

test("a picture that is also a page is a picture", async () => {
  const contents = Buffer.concat([png(40, 30), Buffer.from("<script>hacked = 1</script>")]);
  const path = seal("both.html", contents, ["-k", key]);
  await withPage(browser, server, {}, async (page) => {
    await watch(page);
    await show(page, path);
    await page.waitForFunction(() => document.querySelector("#open-preview-media img")?.naturalWidth === 40);
    // Opened as a document, it is still a picture.
    assert.deepEqual(await blobTypes(page), ["image/png"]);
  });
});

test("a file that begins like a picture and is none", async () => {
  const path = seal("broken.png", Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(1000, 7)]), ["-k", key]);
  await withPage(browser, server, {}, async (page) => {
    await show(page, path).catch(() => undefined);
    assert.equal((await errorIn(page, "#open-result-error")).code, "not-shown");
  });
});

test("text is shown as text: nothing in it becomes a part of the page, and no address is made of it", async () => {
  const hostile = '<script>hacked = 1</script><img src=x onerror="hacked=1">\n\tgrüße 🦊\n';
  for (const name of ["a.txt", "a.md", "a.csv", "a.json", "a.log"]) {
    const path = seal(name, hostile, ["-k", key]);
    await withPage(browser, server, {}, async (page) => {
      await watch(page);
      await show(page, path);
      assert.equal(await page.locator("#open-preview-media pre").textContent(), hostile);
      assert.equal(await page.locator("#open-preview-media *").count(), 1);
      assert.equal(await page.evaluate(() => window.hacked), undefined);
      assert.deepEqual(await blobTypes(page), []);
      await page.click("#open-preview-close");
      assert.equal(await page.locator("#open-preview-media *").count(), 0);
    });
  }
});

test("of a long text the beginning is shown, when all of it has opened", async () => {
  const text = "é".repeat(600000);
  const path = seal("long.txt", text, ["-k", key]);
  await withPage(browser, server, {}, async (page) => {
    await show(page, path);
    assert.equal(await page.locator("#open-preview-media pre").textContent(), "é".repeat(524288));
    assert.match(await page.locator("#open-preview-media .hint").textContent(), /the beginning.*The rest is in the file that you save/);
  });
  await withPage(browser, server, {}, async (page) => {
    await openWithKeyFile(page, altered(path, startOf(17) + 10, "altered-long.txt.polyseal"), key);
    await page.click("#open-preview");
    assert.equal((await errorIn(page, "#open-result-error")).code, "corrupt-segment");
    assert.equal(await page.locator("#open-preview-media pre").count(), 0);
  });
});

test("text that is not UTF-8 further on is not shown", async () => {
  const path = seal("latin.txt", Buffer.concat([Buffer.alloc(5000, 97), Buffer.of(0xe9, 0x20)]), ["-k", key]);
  await withPage(browser, server, {}, async (page) => {
    await openWithKeyFile(page, path, key);
    await page.click("#open-preview");
    assert.equal((await errorIn(page, "#open-result-error")).code, "not-text");
    await nothingSaved(page);
  });
});

test("text from a file of age", async () => {
  const identity = tool(["keygen", "-t", "hybrid", "-o", "-"]).toString();
  file("note.txt", "a note");
  tool(["encrypt", "--format", "age", "-r", identity.match(/age1pq1[a-z0-9]+/)[0], "-o", "note.txt.age", "note.txt"]);
  await withPage(browser, server, {}, async (page) => {
    await choose(page, join(directory, "note.txt.age"));
    await page.fill("#open-identity", identity.match(/AGE-SECRET-KEY-.*/)[0]);
    await pressOpen(page);
    await page.click("#open-preview");
    assert.equal(await page.locator("#open-preview-media pre").textContent(), "a note");
  });
});
