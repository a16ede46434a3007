import { afterEach, beforeEach, vi } from 'vitest';

/** As much of an element as the controls use. */
export class FakeElement extends EventTarget {
  readonly attributes = new Map<string, string>();
  children: (FakeElement | string)[] = [];
  readonly style = { setProperty: () => undefined };
  readonly classList = { add: () => undefined, toggle: () => undefined };
  open = false;
  /** The pointer that it was given. */
  captured: number | null = null;

  setPointerCapture(id: number): void {
    this.captured = id;
  }

  setAttribute(name: string, value: string): void {
    this.attributes.set(name, value);
  }

  append(...children: (FakeElement | string)[]): void {
    this.children.push(...children);
  }

  replaceChildren(...children: (FakeElement | string)[]): void {
    this.children = children;
  }

  close(): void {
    this.open = false;
  }

  showModal(): void {
    this.open = true;
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
