/**
 * AEGIS of RFC 10032, slow and not in constant time, FOR THESE TESTS ONLY: most of the conformance kit uses it, and it
 * shows how a suite is given to the library.
 */

const sbox = new Uint8Array(256);
for (let p = 1, q = 1, first = true; first || p !== 1; first = false) {
  p = (p ^ (p << 1) ^ (p & 0x80 ? 0x11b : 0)) & 255;
  q ^= q << 1; q ^= q << 2; q ^= q << 4; q &= 255;
  if (q & 0x80) q ^= 9;
  const rotated = (n) => ((q << n) | (q >> (8 - n))) & 255;
  sbox[p] = q ^ rotated(1) ^ rotated(2) ^ rotated(3) ^ rotated(4) ^ 0x63;
}
sbox[0] = 0x63;

const tables = [0, 1, 2, 3].map((shift) => Int32Array.from(sbox, (s) => {
  const double = ((s << 1) ^ (s & 0x80 ? 0x11b : 0)) & 255;
  const column = double | (s << 8) | (s << 16) | ((double ^ s) << 24);
  return shift === 0 ? column : (column << (8 * shift)) | (column >>> (32 - 8 * shift));
}));

function aesRound(input, key) {
  const [t0, t1, t2, t3] = tables;
  const output = new Int32Array(4);
  for (let i = 0; i < 4; i++) {
    output[i] = key[i] ^ t0[input[i] & 255] ^ t1[(input[(i + 1) & 3] >>> 8) & 255]
      ^ t2[(input[(i + 2) & 3] >>> 16) & 255] ^ t3[input[(i + 3) & 3] >>> 24];
  }
  return output;
}

const xor = (first, ...others) => others.reduce((a, b) => a.map((word, i) => word ^ b[i]), first);
const and = (a, b) => a.map((word, i) => word & b[i]);
const block = (bytes) => new Int32Array(bytes.slice(0, 16).buffer);
const bytesOf = (words) => new Uint8Array(words.slice().buffer);
const unhex = (text) => Uint8Array.from(text.match(/../g), (digits) => parseInt(digits, 16));
const c0 = block(unhex("000101020305080d1522375990e97962"));
const c1 = block(unhex("db3d18556dc22ff12011314273b528dd"));

function lengths(messageLength) {
  const bytes = new Uint8Array(16);
  new DataView(bytes.buffer).setBigUint64(8, BigInt(messageLength) * 8n, true);
  return block(bytes);
}

/** One AEGIS-256 of several side by side, which take a block each. */
const aegis256 = {
  blocks: 1,
  init(key, nonce) {
    const [k0, k1, n0, n1] = [block(key), block(key.slice(16)), block(nonce), block(nonce.slice(16))];
    const state = [xor(k0, n0), xor(k1, n1), c1, c0, xor(k0, c0), xor(k1, c1)];
    const rounds = [k0, k1, xor(k0, n0), xor(k1, n1)];
    return { state, rounds: [...rounds, ...rounds, ...rounds, ...rounds].map((message) => [message]), separated: [3, 5] };
  },
  update: (s, [m]) => s.map((word, i) => aesRound(s[(i + 5) % 6], i === 0 ? xor(word, m) : word)),
  stream: (s) => [xor(s[1], s[4], s[5], and(s[2], s[3]))],
  last: (s, u) => [xor(s[3], u)],
  tag16: (s) => [xor(...s)],
  tag32: (s) => [xor(s[0], s[1], s[2]), xor(s[3], s[4], s[5])],
};

const aegis128 = {
  blocks: 2,
  init(key, nonce) {
    const [k, n] = [block(key), block(nonce)];
    const state = [xor(k, n), c1, c0, c1, xor(k, n), xor(k, c0), xor(k, c1), xor(k, c0)];
    return { state, rounds: Array(10).fill([n, k]), separated: [3, 7] };
  },
  update: (s, [m0, m1]) => s.map((word, i) => aesRound(s[(i + 7) % 8], i === 0 ? xor(word, m0) : i === 4 ? xor(word, m1) : word)),
  stream: (s) => [xor(s[6], s[1], and(s[2], s[3])), xor(s[2], s[5], and(s[6], s[7]))],
  last: (s, u) => [xor(s[2], u), xor(s[2], u)],
  tag16: (s) => [xor(...s.slice(0, 7))],
  tag32: (s) => [xor(s[0], s[1], s[2], s[3]), xor(s[4], s[5], s[6], s[7])],
};

/** The other text and the tag of both lengths. */
function crypt({ init, update, stream, last, tag16, tag32, blocks }, degree, key, nonce, text, sealing) {
  let { state, rounds, separated } = init(key, nonce);
  let states = Array(degree).fill(state);
  for (const round of rounds) {
    if (degree > 1) {
      states = states.map((lane, i) => lane.map((word, j) => (separated.includes(j) ? xor(word, Int32Array.of(i | ((degree - 1) << 8), 0, 0, 0)) : word)));
    }
    states = states.map((lane) => update(lane, round));
  }
  const rate = 16 * blocks * degree;
  const output = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += rate) {
    const padded = new Uint8Array(rate);
    padded.set(text.subarray(at, at + rate));
    const keyStream = states.map(stream);
    const plaintext = new Uint8Array(rate);
    for (let half = 0; half < blocks; half++) {
      for (let lane = 0; lane < degree; lane++) {
        const offset = 16 * (half * degree + lane);
        const mixed = bytesOf(xor(block(padded.subarray(offset, offset + 16)), keyStream[lane][half]));
        if (at + offset < text.length) output.set(mixed.subarray(0, text.length - at - offset), at + offset);
        plaintext.set(sealing ? padded.subarray(offset, offset + 16) : mixed, offset);
      }
    }
    plaintext.fill(0, Math.min(rate, text.length - at));
    states = states.map((lane, i) => update(lane, Array.from({ length: blocks }, (_, half) => block(plaintext.subarray(16 * (half * degree + i), 16 * (half * degree + i) + 16)))));
  }
  const message = states.map((lane) => last(lane, lengths(text.length)));
  for (let i = 0; i < 7; i++) states = states.map((lane, j) => update(lane, message[j]));
  const combine = (tag) => {
    const perLane = states.map(tag);
    return Uint8Array.from(perLane[0].flatMap((_, i) => [...bytesOf(xor(...perLane.map((words) => words[i])))]));
  };
  return { output, tag: { 16: combine(tag16), 32: combine(tag32) } };
}

async function hmac(key, ...message) {
  const imported = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, new Uint8Array(await new Blob(message).arrayBuffer())));
}

function suite(kind, degree, tagLength, ctx) {
  return async (givenKey) => {
    const key = givenKey.slice();
    const tagOf = async (nonce, tag) => (ctx ? hmac(key, nonce, tag[16]) : tag[tagLength]);
    return {
      async seal(nonce, plaintext) {
        const { output, tag } = crypt(kind, degree, key, nonce, plaintext, true);
        const sealed = new Uint8Array(output.length + tagLength);
        sealed.set(output);
        sealed.set(await tagOf(nonce, tag), output.length);
        return sealed;
      },
      async open(nonce, sealed) {
        const end = sealed.length - tagLength;
        const { output, tag } = crypt(kind, degree, key, nonce, sealed.subarray(0, end), false);
        const expected = await tagOf(nonce, tag);
        return expected.every((byte, i) => byte === sealed[end + i]) ? output : null;
      },
    };
  };
}

export const aegisSuites = {};
for (const [name, kind, degree] of [
  ["aegis-128l", aegis128, 1], ["aegis-128x2", aegis128, 2], ["aegis-128x4", aegis128, 4],
  ["aegis-256", aegis256, 1], ["aegis-256x2", aegis256, 2], ["aegis-256x4", aegis256, 4],
]) {
  aegisSuites[name] = suite(kind, degree, 16, false);
  aegisSuites[`${name}:tag=32`] = suite(kind, degree, 32, false);
  aegisSuites[`ctx-${name}`] = suite(kind, degree, 32, true);
}
