/** Makes encrypted trees, which the library only reads: docs/spec/manifest.md. */

import { ascii, concat, hex, u16, u32, u64 } from "../dist/bytes.js";
import { keyCommitment, payloadLeaf, payloadRoot } from "../dist/manifest.js";
import { segmentNonce } from "../dist/payload.js";
import { payloadCipher } from "../dist/unlock.js";
import { headerChoices, makeHeader } from "../dist/write-header.js";

export const manifestName = ".polyseal-manifest.polyseal";
export const comingName = ".polyseal-update/manifest.polyseal";

/** A file, and what a manifest of that version binds of it. */
export async function seal(plaintext, key, context, version = 3) {
  const choices = headerChoices({ segmentSize: 4096, ...(context === undefined ? {} : { context }) });
  const { header, fileKey } = await makeHeader([key], choices);
  const cipher = await payloadCipher(header, fileKey, choices.context, undefined);
  const count = Math.max(1, Math.ceil(plaintext.length / 4096));
  const segments = await Promise.all(Array.from({ length: count }, (_, i) =>
    cipher.seal(segmentNonce(header.suite, i, i === count - 1), plaintext.subarray(4096 * i, 4096 * (i + 1)))));
  const salt = header.fileSalt;
  return {
    bytes: concat(header.bytes, ...segments), size: plaintext.length, salt, commitment: await keyCommitment(fileKey, salt, header.bytes),
    root: payloadRoot(concat(...segments.map(payloadLeaf)), version === 2 ? 2 : 3), updateName: `.polyseal-update/${hex(salt)}.polyseal`,
  };
}

/** A sealed manifest as `previous` of the next. */
const identityOf = ({ salt, commitment, root }) => concat(salt, commitment, root);

/**
 * The text of a manifest. An entry has `path`, and what `seal` gives or `type`, `state`, `reason` and `target`. `previous` is
 * the sealed manifest before.
 */
export function manifestText(entries, { version = 3, number = 1, previous } = {}) {
  const text = [ascii("polyseal-manifest\n"), u16(version)];
  if (version === 3) text.push(u64(number), previous === undefined ? new Uint8Array(96) : identityOf(previous));
  for (const { type = "f", path, state = 0, reason = 0, target = "", size, salt, commitment, root } of entries) {
    text.push(ascii(type), u16(path.length), ascii(path));
    if (version === 3) text.push(Uint8Array.of(state, reason));
    text.push(u16(type === "f" ? 0o600 : 0), u64(0), u32(0));
    if (type === "l") text.push(u16(target.length), ascii(target));
    if (type !== "f") continue;
    text.push(u64(size), salt);
    if (version > 1) text.push(commitment, root);
    if (version === 3) text.push(new Uint8Array(16));
  }
  text.push(ascii("e"), u64(entries.length));
  if (version === 3) text.push(u64(entries.filter(({ state }) => state === 2).length));
  return concat(...text);
}

const contextOf = (version, context) => `polyseal-manifest/${version}${context === undefined ? "" : `:${context}`}`;

/**
 * The files of a tree by their names there. `contents` has plaintexts by path, in order. `version` is that of the manifest's
 * text, and `manifestContext` what it is bound to; null: to nothing.
 */
export async function sealTree(key, contents, { version = 3, context, manifestContext = contextOf(version === 1 ? 2 : version, context) } = {}) {
  const files = new Map();
  const entries = [];
  for (const [path, plaintext] of Object.entries(contents)) {
    const sealed = await seal(plaintext, key, context, version);
    files.set(`${path}.polyseal`, sealed.bytes);
    entries.push({ path, ...sealed });
  }
  return files.set(manifestName, (await seal(manifestText(entries, { version }), key, manifestContext ?? undefined)).bytes);
}

/** A sealed manifest of version 3. */
export const sealManifest = (key, entries, options) => seal(manifestText(entries, options), key, contextOf(3));
