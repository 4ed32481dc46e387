/** Statements for tests: each is signed by an Ed25519 key that is made here. */

import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { blake3 } from "@noble/hashes/blake3.js";
import { readHeader } from "../dist/inspect.js";
import { hkdf } from "../dist/kdf.js";
import { payloadLeaf, payloadNode, rootOf, treeHash } from "../dist/manifest.js";
import { unlock } from "../dist/unlock.js";

const ascii = (text) => Buffer.from(text, "latin1");
const string = (bytes) => Buffer.concat([Buffer.from([0, 0, bytes.length >> 8, bytes.length & 255]), bytes]);
const hex = (bytes) => Buffer.from(bytes).toString("hex");

const { publicKey, privateKey } = generateKeyPairSync("ed25519");
const blob = Buffer.concat([string(ascii("ssh-ed25519")), string(publicKey.export({ format: "der", type: "spki" }).subarray(-32))]);

/** The list with the one signer. */
export const signers = `carol@example.org namespaces="polyseal" ssh-ed25519 ${blob.toString("base64")}\n`;

/** The statement about a file: bound to its header, or to its key if that is given. `length` is what it says of the payload. */
export async function statementAbout(file, key, length = undefined) {
  const { header } = await readHeader(file, {});
  const payload = file.subarray(header.payloadOffset);
  const unit = header.segmentSize + header.suite.tagLength;
  const leaves = [];
  for (let at = 0; at === 0 || at < payload.length; at += unit) leaves.push(payloadLeaf(payload.subarray(at, at + unit)));
  const all = Buffer.concat(leaves);
  const bound = key === undefined ? ["header", blake3(header.bytes, { context: ascii("polyseal-statement/1 header") })]
    : ["holder", await hkdf(await unlock(header, [key]), header.fileSalt, Buffer.concat([ascii("polyseal-statement/1 holder"), header.boundFields]), 32)];
  const text = ascii([
    "polyseal-statement 1", `file-salt ${hex(header.fileSalt)}`, `suite ${header.suite.name}`, `segment-bytes ${header.segmentSize}`, `payload-bytes ${length ?? payload.length}`,
    `payload-root ${hex(rootOf(treeHash(all), leaves.length))}`, `context-tag ${hex(header.contextTag)}`, `${bound[0]} ${hex(bound[1])}`, "time 1796000000", "",
  ].join("\n"));
  return Buffer.concat([text, ascii(signature(text)), ...hashes(leaves)]);
}

function signature(text) {
  const fields = Buffer.concat([string(ascii("polyseal")), string(ascii("")), string(ascii("sha512"))]);
  const digest = createHash("sha512").update(text).digest();
  const value = sign(null, Buffer.concat([ascii("SSHSIG"), fields, string(digest)]), privateKey);
  const inner = string(Buffer.concat([string(ascii("ssh-ed25519")), string(value)]));
  const all = Buffer.concat([ascii("SSHSIG"), Buffer.from([0, 0, 0, 1]), string(blob), fields, inner]).toString("base64");
  return `-----BEGIN SSH SIGNATURE-----\n${all.replace(/.{70}/g, "$&\n")}\n-----END SSH SIGNATURE-----\n`;
}

/** Section 4. */
function hashes(leaves) {
  if (leaves.length === 1) return [];
  const groups = [];
  for (let at = 0; at < leaves.length; at += 32) groups.push(leaves.slice(at, at + 32));
  let level = groups.map((group) => treeHash(Buffer.concat(group)));
  const levels = [];
  for (; level.length > 1; level = level.flatMap((hash, i) => (i % 2 === 1 ? [] : i + 1 < level.length ? [payloadNode(hash, level[i + 1])] : [hash]))) levels.push(level);
  return groups.flatMap((group, g) => {
    const path = levels.map((hashesThere, up) => hashesThere[(g >> up) ^ 1]).filter((hash) => hash !== undefined);
    return [...group, ...path, Buffer.alloc(32 * (levels.length - path.length))];
  });
}
