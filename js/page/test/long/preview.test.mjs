/** What is shown in the page: pictures, sound, video and PDF, by ranges; and nothing else. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync, crc32 } from "node:zlib";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { altered, directory, errorIn, file, launch, openWithKeyFile, seal, serve, tool, withPage } from "./harness.mjs";

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

/** 16-bit silence at 8000 Hz. */
function wav(seconds) {
  const header = Buffer.alloc(44);
  header.write("RIFF", 0);
  header.writeUInt32LE(36 + seconds * 16000, 4);
  header.write("WAVEfmt ", 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(8000, 24);
  header.writeUInt32LE(16000, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write("data", 36);
  header.writeUInt32LE(seconds * 16000, 40);
  return Buffer.concat([header, Buffer.alloc(seconds * 16000)]);
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

/** The headers of all answers for plaintexts. */
function watch(page) {
  const answers = [];
  page.on("response", (response) => {
    if (new URL(response.url()).pathname.startsWith("/plaintext/")) answers.push({ status: response.status(), headers: response.headers(), request: response.request().headers() });
  });
  return answers;
}

function checkIsolation(answers) {
  assert.ok(answers.length > 0);
  for (const { headers } of answers) {
    assert.equal(headers["x-content-type-options"], "nosniff");
    assert.equal(headers["content-security-policy"], "default-src 'none'; sandbox");
    assert.equal(headers["cross-origin-resource-policy"], "same-origin");
    assert.equal(headers["cache-control"], "no-store");
  }
}

test("a picture", async () => {
  const path = seal("a.png", png(300, 200), ["-k", key]);
  await withPage(browser, server, {}, async (page) => {
    const answers = watch(page);
    await show(page, path);
    await page.waitForFunction(() => document.querySelector("#open-preview-media img")?.naturalWidth === 300);
    checkIsolation(answers);
    assert.equal(answers[0].headers["content-type"], "image/png");
    const url = await page.getAttribute("#open-preview-media img", "src");
    await page.click("#open-preview-close");
    assert.equal(await page.locator("#open-preview-media *").count(), 0);
    assert.equal(await page.evaluate(async (address) => (await fetch(address)).status, url), 404, "the URL is dead");
    assert.equal(await page.evaluate(() => document.activeElement.id), "open-preview");
  });
});

test("a video is played and sought, by ranges", async () => {
  const path = seal("film.webm", video, ["-k", key]);
  await withPage(browser, server, {}, async (page) => {
    const answers = watch(page);
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
    checkIsolation(answers);
    assert.ok(answers.every(({ status, headers }) => status === 206 && headers["content-type"] === "video/webm" && /^bytes \d+-\d+\/487330$/.test(headers["content-range"])));
  });
});

test("an altered segment stops a video and is said", async () => {
  const path = altered(seal("film.webm", video, ["-k", key]), startOf(4) + 10, "film-altered.webm.polyseal");
  await withPage(browser, server, {}, async (page) => {
    await show(page, path);
    await page.waitForFunction(() => document.querySelector("#open-preview-media video")?.readyState >= 1 || document.querySelector("#open-result-error .notice"));
    await page.evaluate(async () => { const element = document.querySelector("video"); if (element) { element.muted = true; element.playbackRate = 8; await element.play().catch(() => undefined); } });
    const { code, text } = await errorIn(page, "#open-result-error");
    assert.equal(code, "corrupt-segment");
    assert.match(text, /part 5 of 8/);
    assert.match(text, /Nothing of that part is shown/);
    assert.equal(await page.locator("#open-preview-place:visible").count(), 0);
    assert.equal(await page.locator("#open-preview-media *").count(), 0);
  });
});

test("an altered segment stops a picture and is said", async () => {
  const contents = png(400, 400);
  assert.ok(contents.length > 3 * 65536);
  const path = altered(seal("b.png", contents, ["-k", key]), startOf(2) + 10, "b-altered.png.polyseal");
  await withPage(browser, server, {}, async (page) => {
    await show(page, path).catch(() => undefined);
    const { code, text } = await errorIn(page, "#open-result-error");
    assert.equal(code, "corrupt-segment");
    assert.match(text, /part 3 of/);
    assert.equal(await page.locator("#open-preview-media *").count(), 0);
  });
});

test("500 MB of sound are sought without being read: only parts of it are asked for", async () => {
  const seconds = 31250;
  const path = seal("long.wav", wav(seconds), ["-k", key]);
  await withPage(browser, server, {}, async (page) => {
    await openWithKeyFile(page, path, key);
    // Counts what is read from the file.
    await page.workers()[0].evaluate(() => {
      self.bytesRead = 0;
      const read = Blob.prototype.arrayBuffer;
      Blob.prototype.arrayBuffer = function () {
        self.bytesRead += this.size;
        return read.call(this);
      };
    });
    await page.click("#open-preview");
    await page.waitForFunction(() => document.querySelector("#open-preview-media audio")?.readyState >= 1);
    for (const time of [30000, 100, 15000.5]) {
      const at = await page.evaluate((to) => new Promise((resolve) => {
        const element = document.querySelector("audio");
        element.addEventListener("seeked", () => resolve(element.currentTime), { once: true });
        element.currentTime = to;
      }), time);
      assert.ok(Math.abs(at - time) < 0.5);
    }
    await page.waitForTimeout(1000);
    const read = await page.workers()[0].evaluate(() => self.bytesRead);
    assert.ok(read < 100e6, `${read} bytes were read of 500 MB`);
    console.log(`# ${(read / 1e6).toFixed(1)} MB of 500 MB were read for three seeks`);
  });
});

test("a PDF is shown by the browser's viewer, and its answer is isolated", async () => {
  const path = seal("a.pdf", pdf(), ["-k", key]);
  await withPage(browser, server, {}, async (page) => {
    await show(page, path);
    await page.waitForSelector("#open-preview-media iframe");
    await page.waitForTimeout(3000);
    // Chromium hands the answer to its viewer, and does not report all of its headers. So it is asked for once more.
    const headers = await page.evaluate(async (address) => Object.fromEntries((await fetch(address)).headers), await page.getAttribute("#open-preview-media iframe", "src"));
    assert.equal(headers["content-type"], "application/pdf");
    checkIsolation([{ headers }]);
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
      // Neither if somebody asks the worker for it as such a type.
      const refused = await page.workers()[0].evaluate(() => new Promise((resolve) => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = ({ data }) => resolve(data);
        self.onmessage({ data: { kind: "request", id: 999, operation: "offer", request: { file: 0, token: "t", type: "text/html", name: "x" } }, ports: [] });
        setTimeout(() => self.onmessage({ data: { kind: "plaintext", token: "t", range: null }, ports: [port2] }), 50);
      }));
      assert.equal(refused, null, name);
    });
  }
});

test("a picture that is also a page is a picture", async () => {
  const contents = Buffer.concat([png(40, 30), Buffer.from("<script>hacked = 1</script>")]);
  const path = seal("both.html", contents, ["-k", key]);
  await withPage(browser, server, {}, async (page) => {
    await show(page, path);
    await page.waitForFunction(() => document.querySelector("#open-preview-media img")?.naturalWidth === 40);
    // Opened as a document, it is still a picture.
    const url = await page.getAttribute("#open-preview-media img", "src");
    const type = await page.evaluate(async (address) => (await fetch(address)).headers.get("content-type"), url);
    assert.equal(type, "image/png");
  });
});

test("a file that begins like a picture and is none", async () => {
  const path = seal("broken.png", Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(1000, 7)]), ["-k", key]);
  await withPage(browser, server, {}, async (page) => {
    await show(page, path).catch(() => undefined);
    assert.equal((await errorIn(page, "#open-result-error")).code, "not-shown");
  });
});

test("no other page can ask for a plaintext, and a wrong token gets nothing", async () => {
  const path = seal("a.png", png(30, 20), ["-k", key]);
  await withPage(browser, server, { otherOrigins: true }, async (page, context) => {
    await show(page, path);
    const url = new URL(await page.getAttribute("#open-preview-media img", "src"), server.origin);
    const [, , clientId, token] = url.pathname.split("/");
    const statuses = await page.evaluate(async (paths) => Promise.all(paths.map(async (one) => (await fetch(one)).status)), [
      `plaintext/${clientId}/${token}`, `plaintext/${clientId}/${crypto.randomUUID()}`, `plaintext/${crypto.randomUUID()}/${token}`, "plaintext/", "plaintext/x", `plaintext/${clientId}/`,
    ]);
    assert.deepEqual(statuses, [200, 404, 404, 404, 404, 404]);
    const other = await serve();
    const stranger = await context.newPage();
    await stranger.goto(`${other.origin}/icon.svg`);
    const seen = await stranger.evaluate((address) => new Promise((resolve) => {
      const image = document.createElementNS("http://www.w3.org/1999/xhtml", "img");
      image.onload = () => resolve("loaded");
      image.onerror = () => resolve("refused");
      image.src = address;
    }), url.href);
    assert.equal(seen, "refused");
    // A frame is answered to whoever has the address, and cannot be read.
    for (const [address, status] of [[url.href, 200], [`${url.href}0`, 404]]) {
      const framed = context.waitForEvent("response", (response) => response.url() === address);
      const unreadable = await stranger.evaluate((src) => new Promise((resolve) => {
        const frame = document.createElementNS("http://www.w3.org/1999/xhtml", "iframe");
        frame.onload = () => resolve(frame.contentDocument === null);
        frame.src = src;
        document.documentElement.append(frame);
      }), address);
      const response = await framed;
      assert.deepEqual([unreadable, response.status()], [true, status]);
      if (status === 200) assert.match(response.headers()["content-security-policy"], /sandbox/);
    }
    await stranger.close();
    await other.close();
  });
});
