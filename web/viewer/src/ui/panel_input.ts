// What a person is about to enter in the panel: it is for the body that is selected now, and not for the one that is selected next.

/** The parts of a page and its window that are used here, so that a test needs no browser. */
type Listening = Pick<Window, 'addEventListener'>;

export class PanelInput {
  /** Pointers that hold a slider. */
  private readonly sliding_ = new Set<number>();

  constructor(
    private readonly panel_: Pick<HTMLElement, 'contains'>,
    window: Listening,
  ) {
    // Of the window, and before anyone else: a pointer may be lifted anywhere.
    window.addEventListener('pointerdown', this.down_, { capture: true });
    for (const name of ['pointerup', 'pointercancel'] as const) {
      window.addEventListener(name, this.up_, { capture: true });
    }
    window.addEventListener('blur', () => {
      this.sliding_.clear();
    });
  }

  get sliding(): boolean {
    return this.sliding_.size > 0;
  }

  /** A value that is being typed is taken. Sliders, choices and switches have told theirs already, and keep the focus. */
  finish(): void {
    const field = document.activeElement as HTMLInputElement | null;
    if (field && this.panel_.contains(field) && isInput(field, 'text')) field.blur();
  }

  private readonly down_ = ({ pointerId, target }: PointerEvent): void => {
    if (this.panel_.contains(target as Node) && isInput(target, 'range')) this.sliding_.add(pointerId);
    else this.sliding_.delete(pointerId);
  };

  private readonly up_ = ({ pointerId }: PointerEvent): void => {
    this.sliding_.delete(pointerId);
  };
}

function isInput(element: EventTarget | null, type: string): boolean {
  return (element as Partial<HTMLInputElement> | null)?.type === type;
}
