/**
 * The headers that a caller gives, in any of the forms that `fetch` takes: an object, pairs, a Map or a `Headers`, also of
 * another realm. They are read once, and what is sent is what was found: nothing is sent that was not counted.
 */

import { invalidArgument } from "./errors.js";
import { hasMethods, isIterable, kindOf } from "./given.js";

export type HeadersLike = Readonly<Record<string, string>> | Iterable<readonly [string, string]> | Headers;

function pairsOf(given: unknown): unknown[] {
  if (typeof given !== "object" || given === null) throw invalidArgument(`Headers are given as an object, pairs or Headers, and not as ${kindOf(given)}.`);
  if (isIterable(given)) return [...given];
  const pairs: unknown[] = [];
  // Headers of old implementations can be gone through in this way only.
  if (hasMethods(given, "forEach")) (given as Headers).forEach((value, name) => pairs.push([name, value]));
  else pairs.push(...Object.entries(given));
  return pairs;
}

/** An error names no value, which may be a secret. */
export function headersGiven(given: HeadersLike | undefined): Headers {
  const headers = new Headers();
  if (given === undefined) return headers;
  for (const pair of pairsOf(given)) {
    const [name, value] = Array.isArray(pair) && pair.length === 2 ? pair as unknown[] : [];
    if (typeof name !== "string" || typeof value !== "string") throw invalidArgument("Headers have names and values that are text.");
    try {
      headers.append(name, value);
    } catch {
      throw invalidArgument("One of the headers has a name or a value that HTTP does not allow.");
    }
  }
  return headers;
}

export const isEmpty = (headers: Headers): boolean => {
  let empty = true;
  headers.forEach(() => { empty = false; });
  return empty;
};
