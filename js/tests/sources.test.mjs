/** Every kind of source, and servers that lie. */

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { mkdtemp, open as openFile, rm, truncate, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { inspect } from "node:util";
import vm from "node:vm";
import * as polyseal from "../dist/index.js";
import { fileHandleSource, fileSource } from "../dist/node.js";
import { collect } from "./kit.mjs";

const key = polyseal.keyFile(crypto.getRandomValues(new Uint8Array(32)));
const plaintext = crypto.getRandomValues(new Uint8Array(50000));
const file = await collect(polyseal.encrypt(plaintext, [key], { segmentSize: 4096 }));

let server;
let address;
let requests = [];
/** How the server answers: it gets the request, the range that was asked for, and what sends an answer. */
let behave = (request, range, send) => send(answerTo(range));

function answerTo([start, end], bytes = file) {
  const last = Math.min(end, bytes.length - 1);
  return {
    status: 206, body: bytes.subarray(start, last + 1),
    headers: { "Content-Range": `bytes ${start}-${last}/${bytes.length}`, ETag: '"one"', "Last-Modified": "Thu, 01 Jan 2026 00:00:00 GMT" },
  };
}

before(async () => {
  server = createServer((request, response) => {
    const match = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "");
    const range = match === null ? [0, file.length - 1] : [Number(match[1]), Number(match[2])];
    requests.push({ range, ifMatch: request.headers["if-match"], authorization: request.headers.authorization });
    behave(request, range, ({ status, headers, body }) => response.writeHead(status, headers).end(body), response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${server.address().port}/file.polyseal`;
});

after(() => {
  server.closeAllConnections();
  server.close();
});

async function withServer(how, work) {
  behave = how;
  requests = [];
  try {
    return await work(new URL(`${address}?secret=signature`));
  } finally {
    behave = (request, range, send) => send(answerTo(range));
  }
}

test("redirects are followed within what the caller trusts", async () => {
  const answer = async (headers) => {
    const [start, end] = /^bytes=(\d+)-(\d+)$/.exec(headers.get("range")).slice(1).map(Number);
    const { status, headers: answered, body } = answerTo([start, end]);
    return new Response(body, { status, headers: answered });
  };
  /** A chain of addresses, of which each redirects to the next. */
  const opened = async (chain, headers) => {
    const asked = [];
    const fetch = async (url, init) => {
      assert.equal(init.redirect, "manual");
      asked.push(String(url));
      const next = chain[chain.indexOf(String(url)) + 1];
      return next === undefined ? answer(init.headers) : new Response(null, { status: 302, headers: { location: next } });
    };
    const source = await polyseal.httpSource(chain[0], { fetch, ...(headers === undefined ? {} : { headers }) }).catch(({ code, message }) => ({ code, message }));
    return { asked, size: source.size, code: source.code };
  };
  const secret = { "Private-Token": "T" };
  assert.equal((await opened(["https://a.test/x", "https://b.test/x"])).size, file.length);
  assert.equal((await opened(["http://a.test/x", "http://b.test/x", "https://c.test/x"])).size, file.length);
  assert.equal((await opened(["https://a.test/x", "https://a.test/y"], secret)).size, file.length);
  for (const [chain, headers] of [
    [["https://a.test/x", "http://a.test/x"]], [["https://a.test/x", "http://b.test/x", "https://c.test/x"]],
    [["http://a.test/x", "https://b.test/x", "http://b.test/x"]], [["https://a.test/x", "https://b.test/x"], secret],
  ]) {
    const { asked, code } = await opened(chain, headers);
    assert.equal(code, "source-failed");
    assert.deepEqual(asked, chain.slice(0, chain.indexOf(chain.find((url, i) => i > 0 && (url.startsWith("http:") || headers !== undefined) && chain[i - 1].startsWith("https:")))));
  }
  assert.equal((await opened(Array.from({ length: 20 }, (_, i) => `https://a.test/${i}`))).code, "source-failed");
});

/** Each form in which headers can be given: the same header in all. */
const headerForms = {
  object: { Authorization: "Bearer T" },
  pairs: [["Authorization", "Bearer T"]],
  Map: new Map([["Authorization", "Bearer T"]]),
  Headers: new Headers({ Authorization: "Bearer T" }),
  "Headers of another kind": { get: () => "Bearer T", *[Symbol.iterator]() { yield ["authorization", "Bearer T"]; } },
  "Headers that cannot be iterated": { forEach: (take) => take("Bearer T", "authorization") },
  "an object of another realm": vm.runInNewContext('({ Authorization: "Bearer T" })'),
  "pairs of another realm": vm.runInNewContext('[["Authorization", "Bearer T"]]'),
  "what can be iterated once": (function* () { yield ["Authorization", "Bearer T"]; })(),
};

test("headers of the caller are sent to their server and to no other, in whatever form they are given", async (t) => {
  for (const [form, headers] of Object.entries(headerForms)) {
    const seen = [];
    const other = createServer((request, response) => { seen.push(request.headers.authorization); response.writeHead(404).end(); });
    await new Promise((resolve) => other.listen(0, "127.0.0.1", resolve));
    t.after(() => { other.closeAllConnections(); other.close(); });
    const elsewhere = `http://127.0.0.1:${other.address().port}/`;
    let moved = false;
    await withServer((request, range, send) => (moved ? send({ status: 302, headers: { Location: elsewhere }, body: "" }) : send(answerTo(range))), async (url) => {
      const source = await polyseal.httpSource(url, { headers });
      moved = true;
      await assert.rejects(source.read(9000, 9100), { code: "source-failed" }, form);
      assert.deepEqual(requests.map(({ authorization }) => authorization), ["Bearer T", "Bearer T"], form);
    });
    assert.deepEqual(seen, [], form);
    // In a page, where a browser would follow.
    globalThis.location = new URL("https://page.test/");
    try {
      let followed;
      const fetch = async (url, init) => { followed = init.redirect; throw new TypeError("refused"); };
      await assert.rejects(polyseal.httpSource("https://a.test/x", { fetch, headers: form === "what can be iterated once" ? [["a", "b"]] : headers }), { code: "source-failed" });
      assert.equal(followed, "error", form);
    } finally {
      delete globalThis.location;
    }
  }
});

test("a fetch of the caller that has followed a redirect with the headers by itself gets nothing accepted", async () => {
  const fetch = async () => Object.defineProperty(new Response(file.subarray(0, 4096), { status: 206, headers: answerTo([0, 4095]).headers }), "url", { value: "https://b.test/x" });
  await assert.rejects(polyseal.httpSource("https://a.test/x", { fetch, headers: { A: "b" } }), { code: "source-failed" });
});

test("headers that cannot be sent are refused without being shown", async () => {
  for (const headers of [
    { Authorization: "a\nsecret" }, { "secret name": "x" }, { Authorization: 1234 }, { Authorization: null }, { Authorization: ["secret"] }, [["Authorization"]], ["secret"], [["a", "b", "secret"]],
    "Authorization: secret", 1234, null, [null], [[1, 2]], { Authorization: "s\u{100}cret" }, new Map([["Authorization", 1]]),
  ]) {
    await assert.rejects(polyseal.httpSource("https://a.test/x", { headers, fetch: () => assert.fail("nothing is asked for") }), (error) => {
      assert.equal(error.code, "invalid-argument");
      assert.doesNotMatch(inspect(error), /secret(?!\.test)|s\u{100}cret|1234/u, String(headers));
      return true;
    });
  }
});

test("an address with a user or a password is refused at once, and so is a redirect to one", async () => {
  let asked = 0;
  const count = async () => { asked++; throw new TypeError("refused"); };
  for (const address of ["http://me:hunter2@127.0.0.1:9/f", "http://me@127.0.0.1:9/", "https://:hunter2@a.test/", "http://me:hunter2@", "http://me:hunter2@[::1/f", "hunter2", "file:///hunter2"]) {
    for (const url of [address, ...(URL.canParse(address) ? [new URL(address)] : [])]) {
      for (const work of [() => polyseal.httpSource(url, { fetch: count }), ...(typeof url === "string" ? [] : [() => polyseal.open(url, [key])])]) {
        await assert.rejects(work(), (error) => {
          assert.equal(error.code, String(address).startsWith("file:") ? "source-failed" : "invalid-argument");
          assert.doesNotMatch(inspect(error, { depth: 9, showHidden: true }), /hunter2/);
          return true;
        });
      }
    }
  }
  assert.equal(asked, 0);
  for (const Location of ["http://me:hunter2@127.0.0.1:9/f", "//me:hunter2@127.0.0.1/", "http://[::1/hunter2"]) {
    await withServer((request, range, send) => send({ status: 302, headers: { Location }, body: "" }), (url) =>
      assert.rejects(polyseal.open(url, [key]), (error) => {
        assert.equal(error.code, "source-failed");
        assert.match(error.message, /a user or a password|no address/);
        assert.doesNotMatch(inspect(error, { depth: 9, showHidden: true }), /hunter2|signature/);
        return true;
      }));
  }
});

test("no error shows the query of an address, in its causes neither", async () => {
  const thrown = [new TypeError("request to https://a.test/x?secret=signature failed"), Object.assign(new Error("x"), { code: "ENOTFOUND", url: "https://a.test/x?secret=signature" }),
    new Error("fetch failed", { cause: Object.assign(new Error("?secret=signature"), { code: "CERT_HAS_EXPIRED" }) }), "secret=signature", null];
  for (const error of thrown) {
    const failing = new ReadableStream({ pull() { throw error; } });
    for (const fetch of [async () => { throw error; }, async () => new Response(failing, { status: 206, headers: answerTo([0, 4095]).headers })]) {
      await assert.rejects(polyseal.httpSource("https://a.test/x?secret=signature", { fetch }), (shown) => {
        assert.equal(shown.code, "source-failed");
        assert.doesNotMatch(inspect(shown, { depth: 9, showHidden: true }).replace(shown.stack, shown.message), /secret|signature/);
        return true;
      });
    }
  }
  await assert.rejects(polyseal.httpSource("https://a.test/x", { fetch: async () => { throw thrown[2]; } }), /cannot be reached \(CERT_HAS_EXPIRED\)/);
});

test("a page leaves redirects to the browser: with headers it follows none, and it sees where they ended", async () => {
  const asked = [];
  const at = (address) => async (url, { headers, redirect }) => {
    asked.push(redirect);
    const [start, end] = /^bytes=(\d+)-(\d+)$/.exec(headers.get("range")).slice(1).map(Number);
    const { status, headers: answered, body } = answerTo([start, end]);
    return Object.defineProperty(new Response(body, { status, headers: answered }), "url", { value: address });
  };
  globalThis.location = new URL("https://page.test/");
  try {
    await polyseal.httpSource("https://a.test/x", { fetch: at("https://b.test/x") });
    await polyseal.httpSource("https://a.test/x", { fetch: at("https://a.test/x"), headers: { "Private-Token": "T" } });
    await assert.rejects(polyseal.httpSource("https://a.test/x", { fetch: at("http://b.test/x") }), { code: "source-failed" });
  } finally {
    delete globalThis.location;
  }
  assert.deepEqual(asked, ["follow", "error", "follow"]);
});

async function refused(how, code, message) {
  await withServer(how, (url) => assert.rejects(
    async () => (await polyseal.open(url, [key])).read(),
    (error) => {
      assert.equal(error.name, "PolysealError", error.stack);
      assert.equal(error.code, code);
      assert.match(error.message, message);
      assert.doesNotMatch(error.message, /secret|signature/);
      return true;
    }));
}

/** Lies only from the second request on, when the header has been read. */
const later = (how) => {
  let count = 0;
  return (request, range, send, response) => (count++ === 0 ? send(answerTo(range)) : how(request, range, send, response));
};

test("parts of every kind of source", async () => {
  const directory = await mkdtemp(join(tmpdir(), "polyseal-"));
  const path = join(directory, "file.polyseal");
  await writeFile(path, file);
  const handle = await openFile(path);
  const byName = await fileSource(path);
  const sources = {
    bytes: file,
    "bytes within others": new Uint8Array([1, 2, 3, ...file, 4]).subarray(3, 3 + file.length),
    "shared memory": (() => { const shared = new Uint8Array(new SharedArrayBuffer(file.length)); shared.set(file); return shared; })(),
    blob: new Blob([file]),
    file: new File([file], "file.polyseal"),
    url: new URL(address),
    "http with a header": await polyseal.httpSource(address, { headers: { Authorization: "Bearer x" } }),
    handle: await fileHandleSource(handle),
    name: byName,
    own: { size: file.length, read: async (start, end) => file.slice(start, end) },
  };
  for (const [name, source] of Object.entries(sources)) {
    const opened = await polyseal.open(source, [key]);
    assert.equal(opened.size, plaintext.length, name);
    assert.equal(opened.suite, "aes-256-gcm");
    for (const [start, end] of [[0, 10], [4090, 4100], [0, 50000], [49999, 70000], [50000, 50001], [60000, 70000], [20, 20]]) {
      assert.deepEqual(await opened.read(start, end), plaintext.slice(start, end), `${name}: ${start} to ${end}`);
    }
    assert.deepEqual(await collect(opened.stream({ start: 5000 })), plaintext.slice(5000), name);
    await assert.rejects(opened.read(2, 1), { code: "invalid-argument" });
    await assert.rejects(opened.read(-1, 1), { code: "invalid-argument" });
    await assert.rejects(opened.read(0.5, 1), { code: "invalid-argument" });
  }
  assert.ok(requests.some(({ authorization }) => authorization === "Bearer x"));
  await byName.close();
  await handle.close();
  await rm(directory, { recursive: true });
});

test("a part is all that a server is asked for, and it is asked for the version that was seen", async () => {
  await withServer(behave, async (url) => {
    const opened = await polyseal.open(url, [key]);
    await opened.read(9000, 9001);
    const [begin, last, part] = requests;
    assert.deepEqual(begin.range, [0, 4095]);
    assert.equal(begin.ifMatch, undefined);
    assert.deepEqual(last.range, [4096 + 12 * 4112, file.length - 1]);
    assert.deepEqual(part.range, [4096 + 2 * 4112, 4096 + 3 * 4112 - 1]);
    assert.equal(part.ifMatch, '"one"');
    assert.equal(requests.length, 3);
  });
});

test("a server that does not know ranges", () => refused(
  (request, range, send) => send({ status: 200, headers: {}, body: file }), "no-ranges", /does not send parts/));

test("a server that stops to know them", () => refused(
  later((request, range, send) => send({ status: 200, headers: {}, body: file })), "no-ranges", /does not send parts/));

test("another range than was asked for", () => refused(
  later((request, [start, end], send) => send(answerTo([start + 1, end + 1]))), "source-failed", /another part/));

test("the right range is named, and the body is shorter", () => refused(
  later((request, range, send) => { const answer = answerTo(range); send({ ...answer, body: answer.body.subarray(1) }); }), "source-failed", /less than/));

test("the right range is named, and the body is longer", () => refused(
  later((request, range, send) => { const answer = answerTo(range); send({ ...answer, body: Buffer.concat([answer.body, Buffer.alloc(1)]) }); }), "source-failed", /more than/));

test("a body without an end takes no more than was asked for", async () => {
  let closed;
  const ended = new Promise((resolve) => { closed = resolve; });
  await refused(later((request, range, send, response) => {
    const { status, headers } = answerTo(range);
    response.writeHead(status, headers);
    const timer = setInterval(() => response.write(Buffer.alloc(65536)), 1);
    response.on("close", () => { clearInterval(timer); closed(); });
  }), "source-failed", /more than/);
  await ended;
});

test("no range is named", () => refused(
  (request, range, send) => { const answer = answerTo(range); delete answer.headers["Content-Range"]; send(answer); }, "source-failed", /Content-Range/));

test("a total that is not known", () => refused(
  (request, [start, end], send) => { const answer = answerTo([start, end]); answer.headers["Content-Range"] = `bytes ${start}-${end}/*`; send(answer); },
  "source-failed", /Content-Range/));

test("a total that no file has", () => refused(
  (request, [start, end], send) => { const answer = answerTo([start, end]); answer.headers["Content-Range"] = `bytes ${start}-${end}/9999999999999999`; send(answer); },
  "source-failed", /length/));

test("another ETag", () => refused(
  later((request, range, send) => { const answer = answerTo(range); answer.headers.ETag = '"two"'; send(answer); }), "source-changed", /changed/));

/** Answers with these two headers at first, and with two others later. Null: without it. */
const versions = (first, then) => {
  const answer = ([ETag, date]) => (request, range, send) => {
    const { headers, ...rest } = answerTo(range);
    send({ ...rest, headers: { "Content-Range": headers["Content-Range"], ...(ETag === null ? {} : { ETag }), ...(date === null ? {} : { "Last-Modified": date }) } });
  };
  const [begin, end] = [answer(first), answer(then)];
  let count = 0;
  return (request, range, send) => (count++ === 0 ? begin : end)(request, range, send);
};
const [thursday, friday] = ["Thu, 01 Jan 2026 00:00:00 GMT", "Fri, 02 Jan 2026 00:00:00 GMT"];

test("a tag tells versions apart alone, and a date only where there is none", async () => {
  for (const [first, then] of [
    [['"one"', thursday], ['"one"', friday]], [['"one"', thursday], ['"one"', null]], [['W/"one"', thursday], ['"one"', friday]], [[null, thursday], [null, thursday]],
    [[null, thursday], ['"one"', thursday]], [['""', thursday], ['""', thursday]], [[null, null], [null, null]], [["one", thursday], ['"one"', friday]],
  ]) {
    await withServer(versions(first, then), async (url) => assert.deepEqual(await (await polyseal.open(url, [key])).read(), plaintext, JSON.stringify([first, then])));
  }
  for (const [first, then] of [
    [['"one"', thursday], ['"two"', thursday]], [['W/"one"', thursday], ['W/"two"', thursday]], [[null, thursday], [null, friday]], [[null, thursday], [null, null]],
    [['"one"', thursday], [null, friday]], [[null, thursday], ['"one"', friday]], [['""', thursday], ['""', friday]],
  ]) await refused(versions(first, then), "source-changed", /changed/);
});

test("another length", () => refused(
  later((request, range, send) => send(answerTo(range, file.subarray(0, file.length - 1)))), "source-changed", /changed/));

test("a condition that fails", () => refused(
  later((request, range, send) => send({ status: 412, headers: {}, body: "" })), "source-changed", /changed/));

test("a range that is gone", () => refused(
  later((request, range, send) => send({ status: 416, headers: { "Content-Range": "bytes */10" }, body: "" })), "source-changed", /changed/));

test("a weak ETag is compared and not sent", async () => {
  const weak = (etag) => (request, range, send) => { const answer = answerTo(range); answer.headers.ETag = etag; send(answer); };
  await withServer(weak('W/"one"'), async (url) => {
    assert.equal((await (await polyseal.open(url, [key])).read()).length, plaintext.length);
    assert.ok(requests.length > 2 && requests.every(({ ifMatch }) => ifMatch === undefined));
  });
  await refused(later(weak('W/"two"')), "source-changed", /changed/);
});

test("an empty resource is a file that ends within its header", () => withServer(
  (request, range, send) => send({ status: 416, headers: { "Content-Range": "bytes */0" }, body: "" }),
  (url) => assert.rejects(polyseal.open(url, [key]), { code: "not-a-polyseal-file" })));

test("other answers", async () => {
  await refused((request, range, send) => send({ status: 404, headers: {}, body: "" }), "source-failed", /404/);
  await refused((request, range, send) => { const answer = answerTo(range); answer.headers["Content-Encoding"] = "br"; send({ ...answer, body: "" }); }, "source-failed", /compresses|broke/);
  await refused((request) => request.socket.destroy(), "source-failed", /cannot be reached/);
  await refused(later((request, range) => request.socket.destroy()), "source-failed", /cannot be reached|broke/);
  await assert.rejects(polyseal.open(new URL("file:///etc/hostname"), [key]), { code: "source-failed" });
});

test("an altered byte from a server", () => refused(
  (request, range, send) => { const bad = file.slice(); bad[4096 + 4112 + 5] ^= 1; send(answerTo(range, bad)); }, "corrupt-segment", /segment 1 /));

test("an abort ends a request", async () => {
  const controller = new AbortController();
  await withServer(later(() => controller.abort(new Error("enough"))), async (url) => {
    await assert.rejects(polyseal.open(url, [key], { signal: controller.signal }), { message: "enough" });
  });
});

test("files that change", async () => {
  const directory = await mkdtemp(join(tmpdir(), "polyseal-"));
  const path = join(directory, "file.polyseal");
  await writeFile(path, file);
  const source = await fileSource(path);
  const opened = await polyseal.open(source, [key]);
  await utimes(path, 1, 1);
  await assert.rejects(opened.read(), { code: "source-changed" });
  await truncate(path, 5000);
  await assert.rejects(opened.read(), { code: "source-changed" });
  await source.close();
  await assert.rejects(fileSource(directory), { code: "source-failed" });
  await rm(directory, { recursive: true });
});

test("a source that answers with another length", async () => {
  for (const change of [(bytes) => bytes.subarray(1), (bytes) => new Uint8Array([...bytes, 0])]) {
    await assert.rejects(polyseal.open({ size: file.length, read: async (start, end) => change(file.slice(start, end)) }, [key]), { code: "source-changed" });
  }
  await assert.rejects(polyseal.open({ size: Infinity, read: async () => file }, [key]), { code: "source-failed" });
  await assert.rejects(polyseal.open({ size: -1, read: async () => file }, [key]), { code: "source-failed" });
});

test("a payload with more segments than its suite allows", async () => {
  const size = 2 ** 53 - 1;
  const huge = { size, read: async (start, end) => (end <= file.length ? file.slice(start, end) : new Uint8Array(end - start)) };
  await assert.rejects(polyseal.open(huge, [key]), { code: "payload-too-long" });
});
