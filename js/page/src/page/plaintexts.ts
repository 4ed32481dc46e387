/** URLs of plaintexts: what asks for one is answered by the service worker, and that asks the page. */

import type { PlaintextRequest, ToServiceWorker } from "../shared/protocol.js";
import { scriptUrl } from "./trusted.js";
import { failure, type Vault } from "./vault.js";

const published = new Map<string, Vault>();
const stayMilliseconds = 10000;
const patience = 15000;
let registered: Promise<unknown> | undefined;
let staying: number | undefined;

/** To be called when the page starts. */
export function startServiceWorker(): void {
  // It is not there in some private windows, and where cookies are blocked.
  if (!("serviceWorker" in navigator)) return;
  registered = navigator.serviceWorker.register(scriptUrl("service-worker.js") as string, { updateViaCache: "none" });
  registered.catch(() => undefined);
  navigator.serviceWorker.onmessage = ({ data, ports }: MessageEvent<PlaintextRequest>) => {
    const [port] = ports;
    if (data?.kind !== "plaintext" || port === undefined) return;
    const vault = published.get(data.token);
    if (vault !== undefined) vault.answer(data.token, data.range, port);
    else port.postMessage(null);
  };
}

const within = <T>(promise: Promise<T>): Promise<T> => Promise.race([
  promise,
  new Promise<never>((_, reject) => setTimeout(() => reject(failure("no-service-worker")), patience)),
]);

/** The service worker that answers for this page. */
async function controller(): Promise<ServiceWorker> {
  if (registered === undefined) throw failure("no-service-worker");
  try {
    await registered;
    const { active } = await within(navigator.serviceWorker.ready);
    if (navigator.serviceWorker.controller === null) {
      const controlled = new Promise((resolve) => navigator.serviceWorker.addEventListener("controllerchange", resolve, { once: true }));
      active?.postMessage({ kind: "claim" } satisfies ToServiceWorker);
      await within(controlled);
    }
  } catch {
    throw failure("no-service-worker");
  }
  return navigator.serviceWorker.controller as ServiceWorker;
}

async function ownClientId(worker: ServiceWorker): Promise<string> {
  const { port1, port2 } = new MessageChannel();
  const id = new Promise<string>((resolve) => { port1.onmessage = ({ data }) => resolve(data as string); });
  worker.postMessage({ kind: "hello" } satisfies ToServiceWorker, [port2]);
  return within(id).finally(() => port1.close());
}

export interface Published {
  readonly token: string;
  readonly url: string;
  withdraw(): void;
}

/** Makes a URL for what `vault` offers under the token. */
export async function publish(vault: Vault): Promise<Published> {
  const worker = await controller();
  const token = crypto.randomUUID();
  const url = `plaintext/${await ownClientId(worker)}/${token}`;
  published.set(token, vault);
  staying ??= window.setInterval(() => {
    navigator.serviceWorker.controller?.postMessage({ kind: "stay" } satisfies ToServiceWorker);
  }, stayMilliseconds);
  return {
    token,
    url,
    withdraw() {
      published.delete(token);
      if (published.size > 0) return;
      clearInterval(staying);
      staying = undefined;
    },
  };
}
