import { afterEach, beforeEach, vi } from 'vitest';

/** As much of an element as the controls use. */
export class FakeElement extends EventTarget {
  readonly attributes = new Map<string, string>();
  children: (FakeElement | string)[] = [];
  parent: FakeElement | null = null;
  readonly style = { setProperty: () => undefined };
  readonly classes = new Set<string>();
  readonly classList = {
    add: (name: string) => this.classes.add(name),
    toggle: (name: string, on: boolean) => (on ? this.classes.add(name) : this.classes.delete(name)),
  };
  options: FakeElement[] = [];
  value = '';
  hidden = false;
  disabled = false;
  open = false;
  /** The pointer that it was given. */
  captured: number | null = null;

  get lastElementChild(): FakeElement | null {
    return this.children.filter((child) => child instanceof FakeElement).at(-1) ?? null;
  }

  setPointerCapture(id: number): void {
    this.captured = id;
  }

  setAttribute(name: string, value: string): void {
    this.attributes.set(name, value);
  }

  append(...children: (FakeElement | string)[]): void {
    for (const child of children) {
      if (!(child instanceof FakeElement)) continue;
      child.remove(); // an element has one place
      child.parent = this;
    }
    this.children.push(...children);
  }

  replaceChildren(...children: (FakeElement | string)[]): void {
    for (const child of [...this.children]) if (child instanceof FakeElement) child.remove();
    this.children = [];
    this.append(...children);
  }

  /** What leaves the page has no focus. */
  remove(): void {
    if (!this.parent) return;
    if (this.contains(focused())) setFocused(null);
    this.parent.children = this.parent.children.filter((child) => child !== this);
    this.parent = null;
  }

  contains(other: unknown): boolean {
    if (other === this) return true;
    return this.children.some((child) => child instanceof FakeElement && child.contains(other));
  }

  focus(): void {
    setFocused(this);
  }

  blur(): void {
    setFocused(null);
    this.dispatchEvent(new Event('change'));
  }

  close(): void {
    this.open = false;
  }

  showModal(): void {
    this.open = true;
  }

  /** The one inside with this id for tests. */
  find(id: string): FakeElement | null {
    if (this.attributes.get('data-testid') === id) return this;
    for (const child of this.children) {
      const found = child instanceof FakeElement ? child.find(id) : null;
      if (found) return found;
    }
    return null;
  }

  /** Names for screen readers, by the ids for tests. */
  names(): Record<string, string> {
    const id = this.attributes.get('data-testid');
    const name = this.attributes.get('aria-label');
    const own = id !== undefined && name !== undefined ? { [id]: name } : {};
    const inner = this.children.map((child) => (child instanceof FakeElement ? child.names() : {}));
    return Object.assign(own, ...inner) as Record<string, string>;
  }
}

export const fake = (element: HTMLElement): FakeElement => element as unknown as FakeElement;

export function focused(): FakeElement | null {
  return (document as unknown as { activeElement: FakeElement | null }).activeElement;
}

function setFocused(element: FakeElement | null): void {
  (document as unknown as { activeElement: FakeElement | null }).activeElement = element;
}

/** To be called once at the top of a file of tests: the page is made of such elements in them. */
export function useFakeElements(): void {
  beforeEach(() => {
    const createElement = (): FakeElement => new FakeElement();
    vi.stubGlobal('document', { createElement, createElementNS: createElement, activeElement: null });
  });
  afterEach(() => {
    vi.unstubAllGlobals();
  });
}
