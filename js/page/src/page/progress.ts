/** A bar with bytes, rate and time left, and a button that stops the work. */

import { formatBytes, formatDuration } from "../shared/format.js";
import { Meter } from "../shared/meter.js";
import { announce, button, make } from "./dom.js";

export interface Work {
  signal: AbortSignal;
  progress(done: number, total: number): void;
}

const announceEveryPercent = 25;
const refreshMilliseconds = 250;
let working = 0;

/** Whether anything is under way that closing the page would interrupt. */
export const isWorking = (): boolean => working > 0;

let last = 0;

/** Runs `work` and shows how far it is in `place`. */
export async function withProgress<T>(place: HTMLElement, label: string, work: (work: Work) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const id = `progress-${++last}`;
  const bar = make("progress", { "aria-labelledby": id });
  const numbers = make("p", { class: "numbers" });
  const stop = button("Stop", () => controller.abort());
  const block = make("div", { class: "progress" }, make("p", { class: "label", id }, label), bar, make("div", { class: "row" }, numbers, stop));
  place.replaceChildren(block);
  announce(label);

  let meter: Meter | undefined;
  let shown = 0, announced = 0;
  const progress = (done: number, total: number): void => {
    if (meter?.total !== total) meter = new Meter(total);
    const now = performance.now();
    const { fraction, rate, secondsLeft } = meter.read(done, now);
    bar.value = fraction;
    if (now - shown < refreshMilliseconds && done < total) return;
    shown = now;
    const speed = rate === null ? "" : ` at ${formatBytes(rate)} a second`;
    const left = secondsLeft === null || done >= total ? "" : ` About ${formatDuration(secondsLeft)} left.`;
    numbers.textContent = `${formatBytes(done)} of ${formatBytes(total)}${speed}.${left}`;
    const percent = Math.floor(fraction * 100 / announceEveryPercent) * announceEveryPercent;
    if (percent > announced && percent < 100) {
      announced = percent;
      announce(`${percent} percent.${left}`);
    }
  };
  working++;
  try {
    return await work({ signal: controller.signal, progress });
  } finally {
    working--;
    if (block.parentNode === place) place.replaceChildren();
  }
}
