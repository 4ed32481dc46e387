/** The page's side of a worker that has keys. Closing it ends the worker, and frees all that the worker had in memory. */

import type { Failure, FromWorker, Operation, Operations, ToWorker } from "../shared/protocol.js";
import { startWorker } from "./worker-script.js";

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
  readonly #worker = startWorker();
  readonly #calls = new Map<number, Call>();
  #last = 0;
  #closed = false;

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
    if (message.kind === "started") return;
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
