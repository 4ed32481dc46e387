/** The main jobs without each feature that an engine lacks, by itself: `../engines.mjs`. */

import { test } from "node:test";
import { engines, jobsWithout } from "../engines.mjs";

for (const feature of new Set(engines.flatMap(({ lacks }) => lacks))) {
  if (!feature.startsWith("window.")) test(`without ${feature}`, () => jobsWithout([feature]));
}
