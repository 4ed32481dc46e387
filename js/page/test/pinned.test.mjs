/** A script of the page fetches the file that the build has named, or nothing. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { shared } from "./shared.mjs";

const { fetchPinned } = await shared("pinned");
const contents = new TextEncoder().encode("postMessage(1)");
const pin = { name: "worker.js", length: contents.length, integrity: `sha256-${createHash("sha256").update(contents).digest("base64")}` };

/** Fetches from a server that answers with `chunks`, and says how many of them were taken. */
async function fetched(chunks, { pinned = pin, status = 200 } = {}) {
  const asked = [];
  let taken = 0;
  const real = globalThis.fetch;
  globalThis.fetch = async (url, options) => {
    asked.push([String(url), options.redirect]);
    return new Response(new ReadableStream({
      pull(controller) {
        const chunk = chunks(taken++);
        if (chunk === null) controller.close();
        else controller.enqueue(chunk);
      },
    }, { highWaterMark: 0 }), { status });
  };
  try {
    return { bytes: await fetchPinned(pinned, "https://a.test/page/#open"), asked, taken };
  } catch (error) {
    return { error, asked, taken };
  }
}

const once = (...parts) => (number) => parts[number] ?? null;

test("the right bytes are taken, in any pieces, from beside the page", async () => {
  for (const at of [0, 1, 7, contents.length]) {
    const { bytes, asked } = await fetched(once(contents.subarray(0, at), contents.subarray(at)));
    assert.deepEqual(bytes, contents);
    assert.deepEqual(asked, [["https://a.test/page/worker.js", "error"]]);
  }
});

test("other bytes, fewer, more, and another answer are refused", async () => {
  const other = contents.slice();
  other[3] ^= 1;
  for (const chunks of [[other], [contents.subarray(1)], [contents, Uint8Array.of(32)], [new Uint8Array(0)], []]) {
    assert.match((await fetched(once(...chunks))).error.message, /worker\.js is not the file that belongs to this page/);
  }
  assert.match((await fetched(once(contents), { status: 404 })).error.message, /status 404/);
  const anotherHash = { ...pin, integrity: `sha256-${createHash("sha256").update("x").digest("base64")}` };
  assert.ok((await fetched(once(contents), { pinned: anotherHash })).error);
});

test("an answer without an end is read no further than the file is long", async () => {
  const { error, taken } = await fetched(() => new Uint8Array(10));
  assert.ok(error);
  assert.equal(taken, 2);
});
