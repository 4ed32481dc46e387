/** Files that were chosen or dropped, and the encrypted tree among them. */

export const manifestName = ".polyseal-manifest.polyseal";
/** The manifest of an update that was interrupted. */
export const comingManifestName = ".polyseal-update/manifest.polyseal";

export interface Chosen<F> {
  /** The name, with the folders that it was chosen with. */
  readonly path: string;
  readonly file: F;
}

export interface ChosenTree<F> {
  readonly name: string;
  /** By their names in the tree. */
  readonly files: Map<string, F>;
}

/** Files, and the signatures that were chosen with them. The one of `F` is called `F.sig`. */
export function pairSignatures<F>(chosen: readonly Chosen<F>[]): (Chosen<F> & { readonly signature: Chosen<F> | null })[] {
  const byPath = new Map(chosen.map((one) => [one.path, one]));
  const isSignature = ({ path }: Chosen<F>): boolean => path.endsWith(".sig") && byPath.has(path.slice(0, -4));
  return chosen.filter((one) => !isSignature(one)).map((one) => ({ ...one, signature: byPath.get(`${one.path}.sig`) ?? null }));
}

/** The tree whose manifest is nearest to the top, if there is a manifest. */
export function findTree<F>(chosen: readonly Chosen<F>[]): ChosenTree<F> | null {
  const roots = chosen
    .filter(({ path }) => path === manifestName || path.endsWith(`/${manifestName}`))
    .map(({ path }) => path.slice(0, -manifestName.length))
    .sort((a, b) => a.split("/").length - b.split("/").length || (a < b ? -1 : 1));
  const root = roots[0];
  if (root === undefined) return null;
  const files = new Map<string, F>();
  for (const { path, file } of chosen) if (path.startsWith(root)) files.set(path.slice(root.length), file);
  return { name: root.split("/").at(-2) ?? "", files };
}
