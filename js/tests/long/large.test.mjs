/** A file of more than 4 GiB goes through, and memory does not grow with it. */

import assert from "node:assert/strict";
import { test } from "node:test";
import * as polyseal from "../../dist/index.js";

const size = 4 * 2 ** 30 + 2 ** 20 + 5;

/** Bytes that depend on their place, in chunks that do not fit the segments. */
function* chunks() {
  const length = 1000003;
  const chunk = new Uint8Array(length);
  for (let at = 0; at < size; at += length) {
    new DataView(chunk.buffer).setBigUint64(0, BigInt(at), true);
    yield chunk.slice(0, Math.min(length, size - at));
  }
}

function streamOf(iterator) {
  return new ReadableStream({
    pull(controller) {
      const { done, value } = iterator.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  }, { highWaterMark: 0 });
}

test("more than 4 GiB", { timeout: 590000 }, async (t) => {
  const key = polyseal.keyFile(crypto.getRandomValues(new Uint8Array(32)));
  const file = polyseal.encrypt(streamOf(chunks()), [key]);
  const { stream } = await polyseal.decryptStream(file, [key]);
  const expected = chunks();
  let wanted = new Uint8Array(0);
  let received = 0;
  let memory = 0;
  for await (let chunk of stream) {
    received += chunk.length;
    while (chunk.length > 0) {
      if (wanted.length === 0) wanted = expected.next().value;
      const length = Math.min(chunk.length, wanted.length);
      assert.equal(Buffer.compare(chunk.subarray(0, length), wanted.subarray(0, length)), 0, `before byte ${received}`);
      chunk = chunk.subarray(length);
      wanted = wanted.subarray(length);
    }
    memory = Math.max(memory, process.memoryUsage.rss());
  }
  assert.equal(received, size);
  t.diagnostic(`${Math.round(memory / 2 ** 20)} MiB of memory at most`);
  assert.ok(memory < 600 * 2 ** 20, `${memory} bytes of memory`);
});
