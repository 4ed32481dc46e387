/** How far a long piece of work is, how fast it goes, and how long it will still take. */

export interface Reading {
  /** From 0 to 1. */
  readonly fraction: number;
  /** Bytes in a second, or null as long as nothing can be said. */
  readonly rate: number | null;
  readonly secondsLeft: number | null;
}

/** The rate is that of the last seconds, so that a pause does not count for ever. */
const windowMilliseconds = 5000;
const leastMilliseconds = 500;

export class Meter {
  readonly total: number;
  readonly #samples: { time: number; done: number }[] = [];

  constructor(total: number) {
    this.total = total;
  }

  /** To be called with what is done so far, and the time in milliseconds. */
  read(done: number, time: number): Reading {
    this.#samples.push({ time, done });
    while (this.#samples.length > 2 && (this.#samples[1] as { time: number }).time <= time - windowMilliseconds) this.#samples.shift();
    const first = this.#samples[0] as { time: number; done: number };
    const elapsed = time - first.time;
    const rate = elapsed >= leastMilliseconds ? (done - first.done) / elapsed * 1000 : null;
    const fraction = this.total === 0 ? 1 : Math.min(1, done / this.total);
    const secondsLeft = rate === null || rate <= 0 ? null : Math.max(0, this.total - done) / rate;
    return { fraction, rate, secondsLeft };
  }
}
