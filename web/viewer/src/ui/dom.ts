// Elements in one line each, and a memory that may be missing.

type Attributes = Readonly<Record<string, string | number | boolean>>;

/** An element with attributes (true: present, false: absent) and children. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false) element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...children);
  return element;
}

/** The element of the page with this id. */
export function byId(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no element #${id}`);
  return element;
}

/** Changes a text only where it differs: setting it costs a layout. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** What was remembered under a name; null where nothing was, or where the page may not remember (file:, data:). */
export function recall(name: string): string | null {
  try {
    return localStorage.getItem(`limber.${name}`);
  } catch {
    return null;
  }
}

/** Remembers a text for the next visit, where that is allowed. */
export function remember(name: string, value: string): void {
  try {
    localStorage.setItem(`limber.${name}`, value);
  } catch {
    // Not allowed: the next visit starts afresh.
  }
}

/** Offers a text as a file to save. */
export function saveText(text: string, name: string, type: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = make('a', { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => {
    URL.revokeObjectURL(address);
  }, 10_000);
}
