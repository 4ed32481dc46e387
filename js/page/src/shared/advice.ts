/** Advice for whoever has encrypted a file: how the receiver opens it. */

/** Whether a host is this computer, which nobody else reaches by that name. */
export const isThisComputer = (hostname: string): boolean =>
  hostname === "localhost" || hostname.endsWith(".localhost") || /^127(\.\d+){3}$/.test(hostname) || hostname === "[::1]";

export function whereToOpen({ hostname, origin, pathname }: Pick<Location, "hostname" | "origin" | "pathname">): string {
  return isThisComputer(hostname)
    ? "Every reader opens it: any copy of this page that somebody hosts, and the tool polyseal. This copy is on your computer only."
    : `Whoever has nothing installed can open it at ${origin}${pathname}`;
}
