/** The main jobs without what each engine lacks, and without each feature by itself: `../engines.mjs`. */

import { test } from "node:test";
import { engines, jobsWithout } from "../engines.mjs";

for (const feature of new Set(engines.flatMap(({ lacks }) => lacks))) {
  if (!feature.startsWith("window.")) test(`without ${feature}`, () => jobsWithout([feature]));
}

for (const { engine, lacks } of engines) test(`without all that ${engine} lacks`, () => jobsWithout(lacks));
