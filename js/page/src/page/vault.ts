/** The page's side of a worker that has keys. Closing it ends the worker, and frees all that the worker had in memory. */

import type { Failure, FromWorker, Operation, Operations, ToWorker } from "../shared/protocol.js";
import { scriptUrl } from "./trusted.js";

/** From the build: the name of the worker's script. */
declare const WORKER: string;

export class PageError extends Error {
  constructor(readonly failure: Failure) {
    super(failure.message);
  }
}

export const failure = (code: string, message = ""): PageError => new PageError({ code, message });

export interface CallOptions {
  progress?: (done: number, total: number) => void;
  signal?: AbortSignal;
  transfer?: Transferable[];
}

interface Call {
  resolve(result: unknown): void;
  reject(error: unknown): void;
  progress: ((done: number, total: number) => void) | undefined;
}

export class Vault {
  readonly #worker = new Worker(scriptUrl(WORKER) as string);
  readonly #calls = new Map<number, Call>();
  #last = 0;
  #closed = false;
  /** Called when a plaintext that was offered could not be given. */
  onOfferFailed: (token: string, failure: Failure) => void = () => undefined;

  constructor() {
    this.#worker.onmessage = ({ data }: MessageEvent<FromWorker>) => this.#receive(data);
    this.#worker.onerror = (event) => {
      event.preventDefault();
      this.#rejectAll(failure("internal", event.message || "The page's worker could not be started."));
    };
  }

  call<O extends Operation>(operation: O, request: Operations[O]["request"], { progress, signal, transfer = [] }: CallOptions = {}): Promise<Operations[O]["result"]> {
    if (this.#closed || signal?.aborted === true) return Promise.reject(failure("cancelled"));
    const id = ++this.#last;
    signal?.addEventListener("abort", () => this.#post({ kind: "cancel", id }), { once: true });
    return new Promise((resolve, reject) => {
      this.#calls.set(id, { resolve: resolve as (result: unknown) => void, reject, progress });
      this.#post({ kind: "request", id, operation, request }, transfer);
    });
  }

  /** Lets the worker answer a request of the service worker itself. */
  answer(token: string, range: string | null, port: MessagePort): void {
    this.#post({ kind: "plaintext", token, range }, [port]);
  }

  close(): void {
    this.#closed = true;
    this.#worker.terminate();
    this.#rejectAll(failure("cancelled"));
  }

  #post(message: ToWorker, transfer: Transferable[] = []): void {
    if (!this.#closed) this.#worker.postMessage(message, transfer);
  }

  #rejectAll(error: PageError): void {
    for (const call of this.#calls.values()) call.reject(error);
    this.#calls.clear();
  }

  #receive(message: FromWorker): void {
    if (message.kind === "offer-failed") {
      this.onOfferFailed(message.token, message.failure);
      return;
    }
    const call = this.#calls.get(message.id);
    if (message.kind === "progress") {
      call?.progress?.(message.done, message.total);
      return;
    }
    this.#calls.delete(message.id);
    if (message.kind === "result") call?.resolve(message.result);
    else call?.reject(new PageError(message.failure));
  }
}
