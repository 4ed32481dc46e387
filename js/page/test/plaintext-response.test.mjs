import assert from "node:assert/strict";
import { test } from "node:test";
import { shared } from "./shared.mjs";

const { parseRange, answer, attachment } = await shared("plaintext-response");

test("ranges of RFC 9110", () => {
  for (const [header, size, expected] of [
    [null, 10, null], ["bytes=0-", 10, [0, 10]], ["bytes=0-0", 10, [0, 1]], ["bytes=3-5", 10, [3, 6]], ["bytes=9-", 10, [9, 10]],
    ["bytes=3-99", 10, [3, 10]], ["bytes=-4", 10, [6, 10]], ["bytes=-99", 10, [0, 10]], [" bytes=1-2 ", 10, [1, 3]],
    ["bytes=10-", 10, "unsatisfiable"], ["bytes=99-100", 10, "unsatisfiable"], ["bytes=-0", 10, "unsatisfiable"],
    ["bytes=0-", 0, "unsatisfiable"], ["bytes=-5", 0, "unsatisfiable"],
    ["bytes=5-3", 10, null], ["bytes=-", 10, null], ["bytes=0-1,3-4", 10, null], ["lines=0-1", 10, null], ["bytes=a-b", 10, null], ["bytes=0x1-", 10, null], ["", 10, null],
    ["bytes=2147483648-", 4294967296, [2147483648, 4294967296]],
  ]) {
    const range = parseRange(header, size);
    assert.deepEqual(typeof range === "object" && range !== null ? [range.start, range.end] : range, expected, `${header} of ${size}`);
  }
});

test("a range is never empty, and never outside of the plaintext", () => {
  for (const size of [0, 1, 2, 7]) for (let first = 0; first < 9; first++) for (let last = 0; last < 9; last++) {
    for (const header of [`bytes=${first}-${last}`, `bytes=${first}-`, `bytes=-${last}`]) {
      const range = parseRange(header, size);
      if (range === null || range === "unsatisfiable") continue;
      assert.ok(range.start >= 0 && range.start < range.end && range.end <= size, `${header} of ${size}`);
    }
  }
});

const png = { size: 1000, type: "image/png", name: "a.png" };

test("all of a plaintext, a part, and a part that is not there", () => {
  const whole = answer(png, null);
  assert.deepEqual([whole.status, whole.start, whole.end, whole.headers["Content-Length"], whole.headers["Content-Range"]], [200, 0, 1000, "1000", undefined]);
  const part = answer(png, "bytes=100-199");
  assert.deepEqual([part.status, part.start, part.end, part.headers["Content-Length"], part.headers["Content-Range"]], [206, 100, 200, "100", "bytes 100-199/1000"]);
  const none = answer(png, "bytes=1000-");
  assert.deepEqual([none.status, none.headers["Content-Range"]], [416, "bytes */1000"]);
});

test("every answer is isolated", () => {
  const answers = [answer(png, null), answer(png, "bytes=0-1"), answer(png, "bytes=1000-"), answer({ ...png, type: null }, null), answer({ ...png, type: null, size: null }, "bytes=0-1")];
  for (const { headers } of answers) {
    assert.equal(headers["X-Content-Type-Options"], "nosniff");
    assert.equal(headers["Content-Security-Policy"], "default-src 'none'; sandbox");
    assert.equal(headers["Cross-Origin-Resource-Policy"], "same-origin");
    assert.equal(headers["Cache-Control"], "no-store");
  }
});

test("a type that is not on the list is refused", () => {
  for (const type of ["text/html", "image/svg+xml", "application/octet-stream", ""]) assert.throws(() => answer({ ...png, type }, null), type);
});

test("what is saved is an attachment of no type, and ranges do not count", () => {
  const { status, headers, start, end } = answer({ size: 5, type: null, name: "x" }, "bytes=2-3");
  assert.deepEqual([status, start, end, headers["Content-Type"]], [200, 0, 5, "application/octet-stream"]);
  assert.match(headers["Content-Disposition"], /^attachment; /);
});

test("names of attachments cannot leave their parameter", () => {
  assert.equal(attachment("a.txt"), "attachment; filename=\"a.txt\"; filename*=UTF-8''a.txt");
  assert.equal(attachment("ä\"\\\r\n;%.txt"), "attachment; filename=\"_____;_.txt\"; filename*=UTF-8''%C3%A4%22%5C%0D%0A%3B%25.txt");
  assert.equal(attachment("a'(b)*"), "attachment; filename=\"a'(b)*\"; filename*=UTF-8''a%27%28b%29%2A");
  for (const name of ["\0", "\n", "名前", "\u202e", "\"; x=\""]) assert.match(attachment(name), /^attachment; filename="[\x20-\x21\x23-\x5b\x5d-\x7e]*"; filename\*=UTF-8''[A-Za-z0-9!#$&+.^_`|~%-]*$/);
});
