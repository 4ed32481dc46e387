/**
 * The script of the workers, which get the keys. It is fetched once, compared with its hash, and started from memory:
 * what is replaced on the server afterwards, or between a check and a use, is never run. A worker of a `blob:` URL has
 * the policy of the page.
 */

import { fetchPinned, type Pinned } from "../shared/pinned.js";
import type { FromWorker, ToWorker } from "../shared/protocol.js";

/** From the build. */
declare const WORKER: Pinned;

interface Policy { createScriptURL(url: string): unknown }

declare global {
  interface Window {
    trustedTypes?: { createPolicy(name: string, rules: { createScriptURL(url: string): string }): Policy };
  }
}

const patience = 30000;
let script: string | undefined;

/** Where browsers have Trusted Types, no other script can be started. */
function check(url: string): string {
  if (url !== script) throw new TypeError("This is not the script of the page.");
  return url;
}

const policy: Policy = window.trustedTypes?.createPolicy("polyseal", { createScriptURL: check }) ?? { createScriptURL: check };

export function startWorker(): Worker {
  if (script === undefined) throw new Error("The script of the workers is not there yet.");
  const worker = new Worker(policy.createScriptURL(script) as string);
  worker.postMessage({ kind: "start", page: location.href } satisfies ToWorker);
  return worker;
}

/** To be awaited before anybody can enter a key. An error says that no worker can be had. */
export async function prepareWorkers(): Promise<void> {
  const contents = await fetchPinned(WORKER, location.href);
  script = URL.createObjectURL(new Blob([contents], { type: "text/javascript" }));
  const worker = startWorker();
  try {
    await new Promise<void>((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<FromWorker>) => { if (data.kind === "started") resolve(); };
      worker.onerror = () => reject(new Error("The worker does not start."));
      setTimeout(() => reject(new Error("The worker does not answer.")), patience);
    });
  } finally {
    worker.terminate();
  }
}
