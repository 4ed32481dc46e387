/** Small helpers for the document. Text goes in as text, never as HTML. */

export function byId<E extends HTMLElement>(id: string, type: new () => E): E {
  const element = document.getElementById(id);
  if (!(element instanceof type)) throw new Error(`There is no ${type.name} #${id}.`);
  return element;
}

type Child = Node | string;

export function make<T extends keyof HTMLElementTagNameMap>(
  tag: T, attributes: Record<string, string> = {}, ...children: Child[]
): HTMLElementTagNameMap[T] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

export function button(text: string, onClick: () => void, attributes: Record<string, string> = {}): HTMLButtonElement {
  const element = make("button", { type: "button", ...attributes }, text);
  element.addEventListener("click", onClick);
  return element;
}

/** Terms and their descriptions. */
export function facts(list: HTMLElement, pairs: readonly (readonly [string, string])[]): void {
  list.replaceChildren(...pairs.map(([term, description]) => make("div", {}, make("dt", {}, term), make("dd", {}, description))));
}

/** Says something to users of a screen reader, without moving the focus. */
export function announce(text: string): void {
  const region = byId("announcer", HTMLElement);
  // The same text again would not be a change.
  region.textContent = region.textContent === text ? `${text}\u00a0` : text;
}

export function focusOn(element: HTMLElement): void {
  if (!element.hasAttribute("tabindex")) element.tabIndex = -1;
  element.focus({ preventScroll: true });
  element.scrollIntoView({ block: "nearest", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
}
