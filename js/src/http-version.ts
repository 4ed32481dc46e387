/**
 * Which version of a resource it is that is read.
 *
 * The rule is that of all readers of the project: two lengths are two versions. If both answers have an ETag (RFC 9110,
 * section 8.8.3), it decides alone, compared weakly; a date may be told in seconds by one answer, and otherwise by another.
 * If one has none, the dates must be equal. What is read is authenticated in any case.
 */

export interface Version {
  readonly total: number;
  /** As the server sends it. Null: there is none, or a page may not see it. */
  readonly etag: string | null;
  readonly lastModified: string | null;
}

export const versionOf = ({ headers }: Response, total: number): Version =>
  ({ total, etag: headers.get("etag"), lastModified: headers.get("last-modified") });

/** The text of a tag, which some servers send without its quotation marks. */
function textOf(etag: string | null): string {
  const tag = (etag ?? "").replace(/^W\//, "");
  return tag.startsWith('"') && tag.endsWith('"') ? tag.slice(1, -1) : tag;
}

export function isSame(a: Version, b: Version): boolean {
  if (a.total !== b.total) return false;
  const [mine, other] = [textOf(a.etag), textOf(b.etag)];
  return mine !== "" && other !== "" ? mine === other : a.lastModified === b.lastModified;
}

/** The tag for `If-Match`, which a weak one never satisfies. */
export const ifMatch = ({ etag }: Version): string | null => (etag !== null && /^"[^"]+"$/.test(etag) ? etag : null);
