/**
 * Files at the edges of the rules, for a comparison of two readers: both take a file, with the same plaintext, or both
 * refuse it.
 *
 * Most alterations are made before ids, tags and MACs are computed, so that a reader meets them as its first and only
 * reason to refuse. A seed gives the same decisions, but not the same keys and salts.
 */

import { formatAgeContents } from "../dist/age-stanzas.js";
import { wrapperOf } from "../dist/age.js";
import { ascii, concat, random, u16, u32, u64 } from "../dist/bytes.js";
import { argon2id, hmac } from "../dist/kdf.js";
import { segmentNonce } from "../dist/payload.js";
import { suiteNames } from "../dist/suites.js";
import { contextTag, headerMacKey, payloadCipher, stanzaKeys, xor } from "../dist/unlock.js";

export function generator(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const below = (n) => Math.floor(next() * n);
  return { next, below, chance: (p) => next() < p, pick: (list) => list[below(list.length)] };
}

const computed = ["aes-256-gcm", "aes-256-gcm", "aes-128-gcm", "xaes-256-gcm", "kc-xaes-256-gcm", "h-aes-256-gcm", "h-kc-aes-256-gcm",
  "hkdf-committed-aes-256-gcm", "padding-fix-aes-256-gcm", "ctx-aes-256-gcm"];
const noSuites = ["AES-256-GCM", "aes-256-gcm ", " aes-256-gcm", "aes-256-gcm:", "aes-256-gcm:tag=16", "aes-192-gcm", "", "ctx-aes-256-gcm:tag=16",
  "xaes-256-gcm:nonce=24", "aes-256-gcm\0x", "a".repeat(64), "aes-256-gcm\n", "ctx-aegis-256:tag=32", "dndk-gcm:kc=1,kc=1", "flex-och-transport:tag=32"];
const characters = [" ", "\n", "\r", "\t", "=", "-", ">", "A", "/", "+", "_", "\0", "\xe9", "\x7f", "~", "!", "\n\n", "\n-> ", "  "];

/** One alteration of a text: a character put in, taken away or replaced, or a line doubled, dropped or joined. */
function alterText({ below, pick }, text) {
  const at = below(text.length + 1);
  const lines = text.split("\n");
  const line = below(lines.length);
  switch (below(8)) {
    case 0: return text.slice(0, at) + pick(characters) + text.slice(at);
    case 1: return text.slice(0, at) + text.slice(at + 1);
    case 2: return text.slice(0, at) + pick(characters) + text.slice(at + 1);
    case 3: return [...lines.slice(0, line), lines[line], ...lines.slice(line)].join("\n");
    case 4: return [...lines.slice(0, line), ...lines.slice(line + 1)].join("\n");
    case 5: return text.slice(0, at);
    case 6: return text + pick(characters);
    default: return [...lines.slice(0, line), lines[line] + pick(characters), ...lines.slice(line + 1)].join("\n");
  }
}

/** A recipient stanza of age that is not for us, well-formed or nearly. */
function grease({ below, pick }) {
  const type = pick(["grease", "ssh-ed25519", "X25519", "x25519", "mlkem768x25519", "scrypt", "piv-p256", "X"]);
  const share = Buffer.from(random(pick([0, 1, 4, 31, 32, 32, 33]))).toString("base64").replaceAll("=", "");
  return { type, args: Array.from({ length: below(3) }, () => share || "x"), body: random(pick([0, 16, 32, 32, 33, 47, 48, 49, 96, 200])) };
}

async function ageContents(rng, wrappingKey, labels, recipients, altered) {
  const { below, chance, pick } = rng;
  const stanzas = [];
  if (chance(0.3)) stanzas.push(grease(rng));
  for (const recipient of recipients) {
    if (altered && chance(0.1)) stanzas.push(...await wrapperOf(recipient).wrap(random(16)));
    stanzas.push(...await wrapperOf(recipient).wrap(wrappingKey));
  }
  if (chance(0.3)) stanzas.push(grease(rng));
  if (altered && chance(0.5)) {
    const index = below(stanzas.length);
    const { type, args, body } = stanzas[index];
    stanzas[index] = pick([
      () => ({ type, args: [...args, "x"], body }),
      () => ({ type, args: args.slice(1), body }),
      () => ({ type: type.toLowerCase(), args, body }),
      () => ({ type, args: args.map((arg) => arg.slice(1)), body }),
      () => ({ type, args: args.map((arg) => `${arg}A`), body }),
      () => ({ type, args: args.map((arg) => `${arg.slice(0, -1)}${pick(["A", "B", "Q", "="])}`), body }),
      () => ({ type, args: args.map(() => "A".repeat(43)), body }),
      () => ({ type, args, body: body.subarray(1) }),
      () => ({ type, args, body: concat(body, new Uint8Array(1)) }),
      () => ({ type, args, body: Uint8Array.from(body, (byte, i) => (i === 3 ? byte ^ 1 : byte)) }),
    ])();
  }
  const contents = formatAgeContents({ labels, recipients: stanzas });
  if (!altered || chance(0.4)) return contents;
  if (chance(0.3)) {
    // The labels, or their length alone.
    const labelText = pick(["a b", "b a", "a a", "a  b", " a", "a ", "\t", "postquantum", "postquantum postquantum", "\xe9", "a\nb", "A a", "a A", "a ab", "ab a"]);
    const text = contents.subarray(2 + contents[0] + 256 * contents[1]);
    return concat(u16(chance(0.8) ? labelText.length : below(80)), latin1(labelText), text);
  }
  return concat(contents.subarray(0, 2), latin1(alterText(rng, Buffer.from(contents.subarray(2)).toString("latin1"))));
}

const latin1 = (text) => new Uint8Array(Buffer.from(text, "latin1"));

/** A file that is right, or wrong in about one place; `who` has keys that open it. */
export async function makeFile(rng, who) {
  const { below, chance, pick } = rng;
  const wrong = chance(0.7) ? pick(["fields", "stanzas", "stanza", "age", "age", "cost", "mac", "payload", "bytes", "armor", "context"]) : "nothing";
  const is = (place) => wrong === place && chance(0.8);
  const fileKey = random(32);
  const fileSalt = random(32);

  // The fixed fields.
  let segmentSize = pick([4096, 4096, 8192, 65536]);
  let payloadOffset = pick([4096, 4096, 8192]);
  let suite = pick(computed);
  let version = 1;
  const reserved = new Uint8Array(8);
  let countDifference = 0;
  if (wrong === "fields") {
    switch (below(6)) {
      case 0: segmentSize = pick([0, 1, 2048, 4095, 4097, 12288, 6144, 2 ** 25, 2 ** 31, 2 ** 32 - 1]); break;
      case 1: payloadOffset = pick([0, 1, 2048, 4095, 4097, 6144, 12288, 61440, 65536, 69632]); break;
      case 2: suite = pick([...noSuites, ...suiteNames]); break;
      case 3: version = pick([0, 2, 256, 257]); break;
      case 4: reserved[below(8)] = 1 + below(255); break;
      default: countDifference = pick([-1, 1, 2, 127, 128, 65535]); break;
    }
  }
  const context = chance(0.02) || wrong === "context" ? pick([ascii("a"), who.context]) : undefined;
  const tag = context === undefined ? new Uint8Array(32) : await contextTag(fileKey, fileSalt, context);
  if (is("context")) tag[below(32)] ^= 1 << below(8);
  const suiteField = new Uint8Array(64);
  suiteField.set(latin1(suite).subarray(0, 64));
  const fields = concat(ascii("polyseal"), u16(version), u16(0), u32(segmentSize), u64(payloadOffset), reserved, fileSalt, suiteField, tag);
  const bound = concat(fields.subarray(0, 10), fields.subarray(12));

  // The stanzas.
  const sign = async (type, wrappingKey, contents, wrongIn) => {
    const salt = random(32);
    const keys = await stanzaKeys(wrappingKey, salt, type);
    let length = 104 + contents.length;
    let extra = new Uint8Array(0);
    if (wrongIn) {
      switch (below(5)) {
        case 0: keys.id[below(8)] ^= 1 << below(8); break;
        case 1: length = pick([0, 1, 72, 103, length - 1, length + 1, 4000, 65535]); break;
        case 2: extra = random(pick([1, 12])); length += extra.length; break;
        case 3: keys.pad[below(32)] ^= 1 << below(8); break;
        default: keys.macKey[below(32)] ^= 1 << below(8); break;
      }
    }
    const authenticated = concat(u16(type), u16(length & 0xffff), salt, keys.id, xor(fileKey, keys.pad), contents, extra);
    return concat(authenticated, await hmac(keys.macKey, concat(bound, authenticated)));
  };
  const costs = () => (wrong === "cost"
    ? { memory: pick([0, 7, 8, 15, 16, 31, 64, 262145, 2 ** 32 - 1]), passes: pick([0, 1, 1, 1, 11, 2 ** 31]), lanes: pick([0, 1, 1, 2, 4, 17]) }
    : { memory: 32, passes: 1, lanes: pick([1, 2, 4]) });
  const labels = pick([[], [], [], ["a"], ["postquantum"]]);
  const kinds = {
    mine: (wrongIn) => sign(1, who.secret, new Uint8Array(0), wrongIn),
    other: (wrongIn) => sign(1, random(32), new Uint8Array(0), wrongIn),
    age: async (wrongIn) => {
      const wrappingKey = random(pick([16, 16, 16, 16, 16, 16, 16, 15, 17].slice(0, wrongIn ? 9 : 7)));
      const own = pick([[who.recipient], [who.otherRecipient, who.recipient], [who.otherRecipient]]);
      return sign(3, wrappingKey, await ageContents(rng, wrappingKey, is("age") ? pick([[], ["a"], ["b"]]) : labels, own, wrong === "age"), wrongIn);
    },
    passphrase: async (wrongIn) => {
      const { memory, passes, lanes } = costs();
      const possible = lanes >= 1 && lanes <= 16 && passes >= 1 && passes <= 10 && memory >= 8 * lanes && memory <= 262144;
      const salt = random(32);
      const wrappingKey = possible ? await argon2id(who.passphrase, salt, { memory, passes, lanes }) : random(32);
      const keys = await stanzaKeys(wrappingKey, salt, 2);
      if (wrongIn) keys[pick(["id", "pad", "macKey"])][0] ^= 1;
      const contents = concat(u32(memory), u32(passes), u32(lanes), random(wrongIn ? pick([0, 0, 1, 12]) : 0));
      const authenticated = concat(u16(2), u16(104 + contents.length), salt, keys.id, xor(fileKey, keys.pad), contents);
      return concat(authenticated, await hmac(keys.macKey, concat(bound, authenticated)));
    },
    passedOver: async () => {
      const length = pick([0, 1, 50, 104, 300]);
      return concat(u16(pick([0x8000, 0xffff, 0x9abc])), u16(length), random(length));
    },
    noType: async (wrongIn) => sign(pick([0, 4, 5, 0x7fff]), who.secret, random(pick([0, 12, 40])), wrongIn),
  };
  const chosen = wrong === "age" ? [pick(["age", "age", "mine"]), "age"].slice(0, 1 + below(2))
    : wrong === "cost" ? ["passphrase"]
      : wrong === "stanzas" ? Array.from({ length: pick([0, 1, 2, 2, 3]) }, () => pick(Object.keys(kinds)))
        : pick([["mine"], ["mine", "other"], ["other", "mine"], ["age"], ["mine", "age"], ["age", "age"], ["passphrase"], ["passedOver", "mine"], ["other"], ["mine", "passedOver", "age"], ["mine", "mine"]]);
  if (wrong === "age" && !chosen.includes("age")) chosen[0] = "age";
  const wrongStanza = wrong === "stanza" ? below(chosen.length) : -1;
  const stanzas = [];
  for (const [i, kind] of chosen.entries()) stanzas.push(await kinds[kind](i === wrongStanza));

  // The header, as long as it says if that is possible.
  const length = payloadOffset >= 4096 && payloadOffset <= 69632 ? payloadOffset : 4096;
  const all = concat(fields, ...stanzas);
  if (all.length > length - 32) return makeFile(rng, who);
  const header = new Uint8Array(length);
  header.set(all);
  header.set(u16((stanzas.length + countDifference) & 0xffff), 10);
  if (is("stanzas")) header[all.length + below(length - 32 - all.length)] = 1;
  const macKey = await headerMacKey(fileKey, fileSalt);
  header.set(await hmac(macKey, header.subarray(0, length - 32)), length - 32);
  if (is("mac")) header[length - 1 - below(32)] ^= 1 << below(8);

  let file = concat(header, await makePayload(rng, { fileKey, fileSalt, suite, segmentSize, payloadOffset, context }, wrong === "payload"));
  if (wrong === "bytes") {
    switch (below(4)) {
      case 0: for (let i = 0; i <= below(3); i++) file[below(file.length)] = below(256); break;
      case 1: file[below(160)] ^= 1 << below(8); break;
      case 2: file = file.slice(0, pick([0, 1, 7, 8, 9, 10, 11, 100, 160, 4095, 4096, 4097, below(file.length)])); break;
      default: file = concat(file, random(pick([1, 16, 4112]))); break;
    }
  }
  if (wrong === "armor" || (wrong === "nothing" && chance(0.1))) {
    let text = `-----BEGIN POLYSEAL FILE-----\n${Buffer.from(file).toString("base64").replace(/.{64}(?=.)/g, "$&\n")}\n-----END POLYSEAL FILE-----\n`;
    if (chance(0.3)) text = text.replaceAll("\n", "\r\n");
    if (chance(0.2)) text = pick(["\n", " ", "\r\n", "\t\n "]) + text + pick(["\n", " ", "\r\n", "\t\n "]);
    // Mostly near the ends, where the rules are.
    if (wrong === "armor" && chance(0.8)) {
      const [head, tail] = [text.slice(0, 100), text.slice(-100)];
      const middle = text.slice(100, -100);
      text = pick([
        () => alterText(rng, head) + middle + tail, () => head + middle + alterText(rng, tail), () => head + alterText(rng, middle) + tail,
        () => text.replace(/\n(?=[^\n]*\n?$)/, pick(["\r", " \n", "", "\n\n"])), () => pick(["\r", "\ufeff", "\v", "\f", "\0", "x\n", "\xa0"]) + text,
        () => text + pick(["\r", "\ufeff", "\v", "\f", "\0", "x\n", "\xa0", text]),
      ])();
    }
    file = latin1(text);
  }
  return { file: new Uint8Array(file), wrong };
}

async function makePayload(rng, { fileKey, fileSalt, suite, segmentSize, payloadOffset, context }, altered) {
  const { below, chance, pick } = rng;
  if (!computed.includes(suite) || segmentSize < 4096 || segmentSize > 65536) return random(pick([0, 15, 16, 100]));
  const header = { fileSalt, segmentSize, payloadOffset, suite: { name: suite, ...suiteShape(suite) } };
  const cipher = await payloadCipher(header, fileKey, context, undefined);
  const plaintext = random(pick([0, 1, 100, 4095, 4096, 4097, 8192, 9000]));
  const count = Math.max(1, Math.ceil(plaintext.length / segmentSize));
  let segments = await Promise.all(Array.from({ length: count }, async (_, i) => {
    let nonce = segmentNonce(header.suite, i, i === count - 1);
    if (altered && chance(0.1)) nonce[below(nonce.length)] ^= pick([1, 2, 255]);
    return cipher.seal(nonce, plaintext.subarray(i * segmentSize, (i + 1) * segmentSize));
  }));
  if (altered) {
    const at = below(segments.length);
    switch (below(6)) {
      case 0: segments.pop(); break;
      case 1: segments = [...segments.slice(0, at), segments[at], ...segments.slice(at)]; break;
      case 2: segments = segments.reverse(); break;
      case 3: segments.push(await cipher.seal(segmentNonce(header.suite, count, true), new Uint8Array(pick([0, 1])))); break;
      case 4: segments[at] = segments[at].subarray(pick([0, 1, 16])); break;
      default: segments[at][below(segments[at].length)] ^= 1 << below(8); break;
    }
  }
  return concat(...segments);
}

function suiteShape(name) {
  const [keyLength, nonceLength, tagLength] = {
    "aes-128-gcm": [16, 12, 16], "aes-256-gcm": [32, 12, 16], "xaes-256-gcm": [32, 24, 16], "kc-xaes-256-gcm": [32, 24, 48],
    "h-aes-256-gcm": [32, 24, 16], "h-kc-aes-256-gcm": [32, 24, 48], "hkdf-committed-aes-256-gcm": [32, 32, 48],
    "padding-fix-aes-256-gcm": [32, 12, 48], "ctx-aes-256-gcm": [32, 12, 32],
  }[name];
  return { keyLength, nonceLength, tagLength };
}
