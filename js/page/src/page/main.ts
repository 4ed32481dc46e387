/**
 * The page's start: which view is shown, and whether the browser can do what is needed.
 *
 * No view is shown, and so nobody can enter a key, before the style and the workers' script have been found to be those
 * that belong to the page.
 */

import { byId, make } from "./dom.js";
import { EncryptView } from "./encrypt-view.js";
import { OpenView } from "./open-view.js";
import { ignoreOtherDrops } from "./pick.js";
import { isWorking } from "./progress.js";
import { prepareWorkers } from "./worker-script.js";

/** From the build: a hash of all files. */
declare const BUILD: string;

const views = ["open", "encrypt", "about"] as const;
const titles = { open: "Open an encrypted file", encrypt: "Encrypt a file", about: "About this page" };

function show(focus: boolean): void {
  const wanted = location.hash.slice(1);
  const current = views.find((view) => view === wanted) ?? "open";
  for (const view of views) {
    byId(`view-${view}`, HTMLElement).hidden = view !== current;
    const link = byId(`nav-${view}`, HTMLAnchorElement);
    if (view === current) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${titles[current]} – Polyseal`;
  if (focus) {
    scrollTo(0, 0);
    byId(`${current}-title`, HTMLElement).focus({ preventScroll: true });
  }
}

function unusable(what: string, action: string): void {
  const notice = byId("unusable", HTMLElement);
  notice.replaceChildren(make("h2", {}, what), make("p", {}, action));
}

/** Whether the style was loaded: for a refused one, some browsers have no sheet, and others an empty one. */
function styleIsThere(): boolean {
  try {
    return (byId("style", HTMLLinkElement).sheet?.cssRules.length ?? 0) > 0;
  } catch {
    return false;
  }
}

async function start(): Promise<void> {
  if (window.top !== window.self) {
    unusable("This page is shown inside another page.", "That page could watch what you do. Open this page in a tab of its own.");
    return;
  }
  if (!isSecureContext || crypto.subtle === undefined) {
    unusable("This page was not loaded securely.", "Browsers decrypt only in pages from https or from this computer (localhost). Open the page with https.");
    return;
  }
  try {
    if (!styleIsThere()) throw new Error("The style of the page is missing.");
    await prepareWorkers();
  } catch (error) {
    unusable("A part of this page did not arrive, or is not the one that belongs to it.",
      `Nothing can be entered here, so no key is lost. Load the page again. If that does not help, get it from somewhere else. (${error instanceof Error ? error.message : String(error)})`);
    return;
  }
  byId("unusable", HTMLElement).hidden = true;
  ignoreOtherDrops();
  const open = new OpenView(), encrypt = new EncryptView();
  byId("about-build", HTMLElement).textContent = BUILD;
  addEventListener("hashchange", () => show(true));
  addEventListener("beforeunload", (event) => {
    if (isWorking()) event.preventDefault();
  });
  // The page may be kept, and come back as it was. The keys do not.
  addEventListener("pagehide", () => {
    open.forget();
    encrypt.forget();
  });
  show(false);
}

void start();
