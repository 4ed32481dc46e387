/**
 * The service worker. It keeps the page's own files, so that the page works offline, and answers for plaintexts that
 * an open page offers. It has no keys, and keeps nothing of a plaintext.
 *
 * The files are pinned: this script has the SHA-256 of each, and takes no other contents. They are answered with the
 * security headers that the page should have, whatever the server sends.
 */

import type { PlaintextChunk, PlaintextPull, PlaintextReply, PlaintextRequest, ToServiceWorker } from "../shared/protocol.js";

declare const self: ServiceWorkerGlobalScope;

/** From the build: for each file its hash (as in SRI) and its headers. */
declare const FILES: Record<string, { integrity: string; headers: Record<string, string> }>;
/** From the build: a hash of all files. */
declare const VERSION: string;

const cacheName = `polyseal-page-${VERSION}`;
const scope = new URL(self.registration.scope);
const plaintextPath = `${scope.pathname}plaintext/`;

async function fetchPinned(name: string): Promise<Response> {
  const file = Object.hasOwn(FILES, name) ? FILES[name] : undefined;
  if (file === undefined) throw new Error("There is no such file.");
  const request = new Request(new URL(name, scope), { integrity: file.integrity, cache: "no-cache", credentials: "omit" });
  const response = await fetch(request);
  if (!response.ok) throw new Error(`${name}: ${response.status}`);
  return new Response(response.body, { headers: file.headers });
}

self.addEventListener("install", (event) => {
  event.waitUntil((async () => {
    const cache = await caches.open(cacheName);
    await Promise.all(Object.keys(FILES).map(async (name) => cache.put(new URL(name, scope), await fetchPinned(name))));
  })());
});

self.addEventListener("activate", (event) => {
  event.waitUntil((async () => {
    for (const name of await caches.keys()) if (name.startsWith("polyseal-page-") && name !== cacheName) await caches.delete(name);
    await self.clients.claim();
  })());
});

self.addEventListener("message", (event) => {
  const message = event.data as ToServiceWorker;
  if (message.kind === "hello") event.ports[0]?.postMessage((event.source as Client).id);
  if (message.kind === "claim") event.waitUntil(self.clients.claim());
  // "stay" needs no answer: that there was an event keeps this worker running for some more time.
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== scope.origin || !url.pathname.startsWith(scope.pathname)) return;
  if (url.pathname.startsWith(plaintextPath)) {
    event.respondWith(plaintext(request, url.pathname.slice(plaintextPath.length)));
    return;
  }
  const name = url.pathname.slice(scope.pathname.length) || "index.html";
  if (Object.hasOwn(FILES, name)) event.respondWith(ownFile(name));
});

async function ownFile(name: string): Promise<Response> {
  const cache = await caches.open(cacheName);
  const kept = await cache.match(new URL(name, scope));
  if (kept !== undefined) return kept;
  const response = await fetchPinned(name);
  await cache.put(new URL(name, scope), response.clone());
  return response;
}

const refused = (status: number): Response => new Response(null, { status, headers: { "Cache-Control": "no-store" } });

/** How long a page may take to begin an answer. */
const patience = 30000;

/** `path` is the id of the page that offers the plaintext, and the token under which it does. */
async function plaintext(request: Request, path: string): Promise<Response> {
  const [clientId = "", token = ""] = path.split("/");
  const page = await self.clients.get(clientId);
  if (page === undefined) return refused(404);
  const { port1: port, port2 } = new MessageChannel();
  const asked: PlaintextRequest = { kind: "plaintext", token, range: request.headers.get("range") };
  const reply = await new Promise<PlaintextReply>((resolve) => {
    const timer = setTimeout(() => resolve(null), patience);
    port.onmessage = ({ data }) => {
      clearTimeout(timer);
      resolve(data as PlaintextReply);
    };
    page.postMessage(asked, [port2]);
  });
  if (reply === null) {
    port.close();
    return refused(404);
  }
  return new Response(reply.status === 416 ? null : bodyFrom(port), reply);
}

/** What the page's worker sends, piece by piece as it is wanted. If it stops, so does the download. */
function bodyFrom(port: MessagePort): ReadableStream<Uint8Array> {
  const tell = (pull: PlaintextPull): void => port.postMessage(pull);
  const stopped = new Error("The file could not be opened to its end.");
  return new ReadableStream<Uint8Array>({
    start(controller) {
      // The page was closed, or has ended its worker.
      port.addEventListener("close", () => controller.error(stopped));
    },
    pull: (controller) => new Promise<void>((resolve) => {
      port.onmessage = ({ data }) => {
        const message = data as PlaintextChunk;
        if ("chunk" in message) {
          controller.enqueue(message.chunk);
        } else {
          port.close();
          if ("end" in message) controller.close();
          else controller.error(stopped);
        }
        resolve();
      };
      tell("pull");
    }),
    cancel() {
      tell("cancel");
      port.close();
    },
  }, { highWaterMark: 0 });
}
