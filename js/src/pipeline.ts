/** A stream of results in order, of work that goes on side by side, with bounded memory. */

import type { Bytes } from "./bytes.js";

/** How many segments are worked on at a time: 2 at least, and otherwise as many as fit in 1 MiB. */
export const segmentsInFlight = (segmentSize: number): number => Math.max(2, Math.min(16, Math.floor(1048576 / segmentSize)));

/** A piece of work. Its results are given out one after the other. */
export type Job = () => Promise<Uint8Array[]>;

/**
 * The results of `jobs`, in order. At most `limit` jobs are under way, or finished and not yet taken. If a job or the
 * generator fails, the stream fails after the results before it. `release` is called once, when no more is needed: also
 * while the generator waits for its source, which must not wait any longer then.
 */
export function orderedStream(
  jobs: AsyncGenerator<Job>, limit: number, signal?: AbortSignal, release: () => void = () => undefined,
): ReadableStream<Bytes> {
  const running: Promise<Uint8Array[]>[] = [];
  let exhausted = false;
  let stopped = false;
  let onAbort: () => void = () => undefined;

  function push(results: Promise<Uint8Array[]>): void {
    // An error is reported when the stream comes to it.
    results.catch(() => undefined);
    running.push(results);
  }

  async function fill(): Promise<void> {
    while (!exhausted && running.length < limit) {
      try {
        const next = await jobs.next();
        if (next.done === true) exhausted = true;
        else push(next.value());
      } catch (error) {
        exhausted = true;
        push(Promise.reject(error));
      }
    }
  }

  function stop(): void {
    if (stopped) return;
    stopped = true;
    exhausted = true;
    signal?.removeEventListener("abort", onAbort);
    release();
  }

  return new ReadableStream<Bytes>({
    start(controller) {
      onAbort = () => {
        controller.error(signal?.reason);
        stop();
      };
      if (signal?.aborted === true) onAbort();
      else signal?.addEventListener("abort", onAbort, { once: true });
    },
    async pull(controller) {
      try {
        for (let given = false; !given;) {
          await fill();
          const results = await running.shift();
          if (stopped) return;
          if (results === undefined) {
            stop();
            controller.close();
            return;
          }
          for (const chunk of results) {
            if (chunk.length === 0) continue;
            controller.enqueue(chunk as Bytes);
            given = true;
          }
        }
      } catch (error) {
        if (stopped) return;
        stop();
        throw error;
      }
    },
    cancel: stop,
  }, { highWaterMark: 0 });
}
