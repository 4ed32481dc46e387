/**
 * Files at the edges of the rules, read here and by the tool: both take a file, or both refuse it, for the same kind of
 * reason. POLYSEAL_FUZZ_COUNT files (200) from POLYSEAL_FUZZ_SEED (the time) on.
 */

import assert from "node:assert/strict";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import * as polyseal from "../dist/index.js";
import { collect } from "./kit.mjs";
import { generator, makeFile } from "./fuzz.mjs";
import { inDirectory, run } from "./tool.mjs";

const count = Number(process.env.POLYSEAL_FUZZ_COUNT ?? 200);
const seed = Number(process.env.POLYSEAL_FUZZ_SEED ?? Date.now() % 2 ** 31);
const keep = process.env.POLYSEAL_FUZZ_KEEP;
const batch = 500;

/** The tool's exit codes: 4 is for no key and contexts, 3 for all that is not authentic or damaged. */
const exitCode = (code) => (["no-matching-key", "context-missing", "context-differs", "context-unexpected"].includes(code) ? 4 : 3);

async function outcomeHere(work) {
  try {
    return { code: 0, bytes: (await work()).length, name: "ok" };
  } catch (error) {
    if (error.name !== "PolysealError") throw error;
    return { code: exitCode(error.code), name: error.code };
  }
}

test(`${count} files from seed ${seed} on`, (t) => inDirectory(async (directory, write) => {
  const keyText = polyseal.generateKeyFile();
  const [mine, other] = [await polyseal.generateAgeIdentity(), await polyseal.generateAgeIdentity()];
  const secret = polyseal.parseKeyFile(Buffer.from(keyText));
  const who = { secret, recipient: mine.recipient, otherRecipient: other.recipient, passphrase: Buffer.from("secret"), context: Buffer.from("context") };
  const keys = [polyseal.keyFile(secret), polyseal.ageIdentity(mine.identity), polyseal.passphrase("secret")];
  const args = ["verify", "--json", "--jobs", "1", "-k", await write("k.key", keyText), "-i", await write("i.identity", mine.identity), "--files-from", await write("list", "")];
  const differences = [];
  const seen = {};
  for (let first = 0; first < count; first += batch) {
    const files = [];
    const folder = join(directory, "files");
    await mkdir(folder);
    for (let i = first; i < Math.min(first + batch, count); i++) {
      const { file, wrong } = await makeFile(generator(seed + i), who);
      const path = join(folder, String(i));
      await writeFile(path, file);
      files.push({ i, file, wrong, path });
    }
    await write("list", `${files.map(({ path }) => path).join("\n")}\n`);
    const lines = (await run(args, { passphrase: "secret", codes: [0, 1, 2, 3, 4] })).toString().trim().split("\n").map((line) => JSON.parse(line));
    assert.equal(lines.length, files.length);
    for (const [at, { i, file, wrong, path }] of files.entries()) {
      const theirs = lines[at];
      assert.equal(theirs.path, path);
      const expected = theirs.outcome === "verified" ? { code: 0, bytes: theirs.bytes } : { code: theirs.code };
      const stream = await outcomeHere(async () => collect((await polyseal.decryptStream(new Blob([file]).stream(), keys)).stream));
      const random = await outcomeHere(async () => (await polyseal.open(file, keys)).read());
      for (const [way, ours] of [["stream", stream], ["open", random]]) {
        // A suite that is not computed here is no difference: such files do not open there either.
        if (ours.name === "unsupported-suite" && expected.code === 3) continue;
        // Nor is it one whether the end of armour is looked at before or after the keys.
        if (ours.name === "bad-armor" && expected.code !== 0) continue;
        if (ours.code === expected.code && ours.bytes === expected.bytes) continue;
        differences.push(`seed ${seed + i} (${wrong}), ${way}: here ${JSON.stringify(ours)}, the tool ${JSON.stringify({ ...expected, error: theirs.error })}`);
        if (keep !== undefined) {
          await writeFile(join(keep, `${seed + i}`), file);
          await writeFile(join(keep, "k.key"), keyText);
          await writeFile(join(keep, "i.identity"), mine.identity);
        }
      }
      seen[random.name] = (seen[random.name] ?? 0) + 1;
    }
    await rm(folder, { recursive: true });
  }
  t.diagnostic(`${count} files: ${JSON.stringify(seen)}`);
  assert.deepEqual(differences.slice(0, 20), [], `${differences.length} differences`);
  assert.ok(seen.ok > count / 10 && Object.keys(seen).length > 5, "the files are not varied");
}));
