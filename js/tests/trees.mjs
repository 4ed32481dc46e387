/** Makes encrypted trees, which the library only reads: docs/spec/manifest.md. */

import { ascii, concat, u16, u32, u64 } from "../dist/bytes.js";
import { keyCommitment, payloadLeaf, payloadRoot } from "../dist/manifest.js";
import { segmentNonce } from "../dist/payload.js";
import { payloadCipher } from "../dist/unlock.js";
import { headerChoices, makeHeader } from "../dist/write-header.js";

export const manifestName = ".polyseal-manifest.polyseal";

/** A file, and what a manifest binds of it. */
async function seal(plaintext, key, context) {
  const choices = headerChoices({ segmentSize: 4096, ...(context === undefined ? {} : { context }) });
  const { header, fileKey } = await makeHeader([key], choices);
  const cipher = await payloadCipher(header, fileKey, choices.context, undefined);
  const count = Math.max(1, Math.ceil(plaintext.length / 4096));
  const segments = await Promise.all(Array.from({ length: count }, (_, i) =>
    cipher.seal(segmentNonce(header.suite, i, i === count - 1), plaintext.subarray(4096 * i, 4096 * (i + 1)))));
  return {
    bytes: concat(header.bytes, ...segments), salt: header.fileSalt, commitment: await keyCommitment(fileKey, header.fileSalt, header.bytes),
    root: payloadRoot(concat(...segments.map(payloadLeaf))),
  };
}

/**
 * The files of a tree by their names there. `contents` has plaintexts by path, in order. `version` is that of the manifest's
 * text, and `manifestContext` what it is bound to; null: to nothing.
 */
export async function sealTree(key, contents, { version = 2, context, manifestContext = `polyseal-manifest/2${context === undefined ? "" : `:${context}`}` } = {}) {
  const files = new Map();
  const entries = [];
  for (const [path, plaintext] of Object.entries(contents)) {
    const { bytes, salt, commitment, root } = await seal(plaintext, key, context);
    files.set(`${path}.polyseal`, bytes);
    entries.push(concat(ascii("f"), u16(path.length), ascii(path), u16(0o600), u64(0), u32(0), u64(plaintext.length), salt, ...(version === 2 ? [commitment, root] : [])));
  }
  const manifest = concat(ascii("polyseal-manifest\n"), u16(version), ...entries, ascii("e"), u64(entries.length));
  return files.set(manifestName, (await seal(manifest, key, manifestContext ?? undefined)).bytes);
}
