/**
 * The conformance kit, run over any build of the library: in Node and, as it is, in a browser. It has no imports.
 *
 * `load(name)` gives the bytes of a file of the kit. `suites` are implementations beside those of the library. A case
 * whose suite is not computed must be refused for that alone, after its header has opened; such cases are counted.
 */

const unhex = (text) => Uint8Array.from(text.match(/../g) ?? [], (digits) => parseInt(digits, 16));
const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const same = (a, b) => a.length === b.length && a.every((byte, i) => byte === b[i]);

/** Bytes that are hexadecimal, and repeated if there is a `times`. */
function bytesOf(value) {
  if (value === null || value === undefined) return undefined;
  const object = typeof value === "string" ? { hex: value } : value;
  const bytes = unhex(object.hex);
  const repeated = new Uint8Array(bytes.length * (object.times ?? 1));
  for (let at = 0; at < repeated.length; at += bytes.length) repeated.set(bytes, at);
  return repeated;
}

function keyOf(polyseal, key) {
  if (key.kind === "key-file") return polyseal.keyFile(unhex(key.hex));
  if (key.kind === "passphrase") return polyseal.passphrase(bytesOf(key));
  if (key.kind === "age") return polyseal.ageIdentity(key.identity);
  throw new Error(`an unknown kind of key: ${key.kind}`);
}

export async function collect(stream) {
  const chunks = [];
  for (const reader = stream.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(chunks).arrayBuffer());
    chunks.push(value);
  }
}

async function outcomeOf(work) {
  try {
    return { outcome: "ok", plaintext: await work() };
  } catch (error) {
    if (error?.name !== "PolysealError") throw error;
    return { outcome: error.code, segment: error.segment };
  }
}

async function sha256(bytes) {
  return hex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

/** The fault of a result, or null. */
async function differs(expected, got, segments) {
  if (got.outcome !== expected.outcome) return `${got.outcome} instead of ${expected.outcome}`;
  if (expected.outcome === "corrupt-segment") return segments.includes(got.segment) ? null : `segment ${got.segment} instead of ${segments}`;
  if (expected.outcome !== "ok") return null;
  if (expected.plaintext !== undefined) return same(got.plaintext, unhex(expected.plaintext)) ? null : "another plaintext";
  if (got.plaintext.length !== expected.plaintextLength) return "a plaintext of another length";
  return await sha256(got.plaintext) === expected.plaintextSha256 ? null : "another plaintext";
}

const ofThePayload = ["ok", "corrupt-segment", "truncated-payload"];

/** A stream of the bytes in pieces of uneven lengths. */
function inPieces(bytes) {
  let at = 0;
  let length = 1;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.subarray(at, at + length));
      at += length;
      length = length * 3 % 7919 + 1;
    },
  });
}

/** Runs `tests`, each by both ways to read, and `parts`. */
export async function runFiles(polyseal, index, load, suites = {}) {
  const counts = { tests: 0, parts: 0, computed: 0, unsupportedSuite: 0, outcomes: {} };
  const failures = [];
  for (const [kind, test] of [...index.tests.map((test) => ["tests", test]), ...index.parts.map((test) => ["parts", test])]) {
    const bytes = await load(test.file);
    const keys = test.keys.map((name) => keyOf(polyseal, index.keys[name]));
    const options = { context: bytesOf(test.context), suites, ...(test.armored === undefined ? {} : { armor: test.armored }) };
    const supported = await isSupported(polyseal, bytes, options);
    const expected = !supported && ofThePayload.includes(test.outcome) ? { outcome: "unsupported-suite" } : test;
    const ways = kind === "parts"
      ? { part: async () => (await polyseal.open(bytes, keys, options)).read(test.start, test.start + test.length) }
      : {
          stream: async () => collect((await polyseal.decryptStream(inPieces(bytes), keys, options)).stream),
          open: async () => (await polyseal.open(bytes, keys, options)).read(),
        };
    for (const [way, work] of Object.entries(ways)) {
      // Reading any part opens the last segment first, so that it is the one that is named if it is corrupt too.
      const named = way === "open" && test.outcome === "corrupt-segment" ? [test.segment, await lastSegment(polyseal, bytes, options)] : [test.segment];
      const got = await outcomeOf(work);
      const wrong = await differs(expected, got, named);
      // Where a length and a segment are both at fault, either may be reported.
      const either = way === "stream" && expected.outcome === "truncated-payload" && got.outcome === "corrupt-segment";
      // In a stream, a suite that is not computed is found before armour that does not end as it should.
      const sooner = way === "stream" && expected.outcome === "bad-armor" && got.outcome === "unsupported-suite";
      if (wrong !== null && !either && !sooner) failures.push(`${test.file} (${kind}, ${way}; ${test.rule}): ${wrong}`);
    }
    counts[kind]++;
    counts[expected.outcome === "unsupported-suite" ? "unsupportedSuite" : "computed"]++;
    counts.outcomes[expected.outcome] = (counts.outcomes[expected.outcome] ?? 0) + 1;
  }
  return { counts, failures };
}

async function isSupported(polyseal, bytes, { suites, armor }) {
  try {
    return (await polyseal.inspect(bytes, { suites, armor })).suiteSupported;
  } catch {
    return true;
  }
}

async function lastSegment(polyseal, bytes, { suites, armor }) {
  const file = armor === true ? polyseal.decodeArmor(bytes) : bytes;
  const { payloadOffset, segmentSize, tagLength } = await polyseal.inspect(file, { suites });
  return Math.ceil((file.length - payloadOffset) / (segmentSize + tagLength)) - 1;
}

export async function runKeyFiles(polyseal, index, load) {
  const failures = [];
  for (const { file, rule, outcome, key } of index.keyFiles) {
    const contents = await load(file);
    const got = await outcomeOf(async () => polyseal.parseKeyFile(contents));
    if ((got.outcome === "ok") !== (outcome === "ok")) failures.push(`${file} (${rule}): ${got.outcome} instead of ${outcome}`);
    else if (outcome === "ok" && hex(got.plaintext) !== key) failures.push(`${file} (${rule}): another key`);
  }
  return { count: index.keyFiles.length, failures };
}
