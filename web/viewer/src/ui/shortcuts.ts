// Keys and what they do. The help is made from the same table.

export const SHORTCUTS = [
  { action: 'play', keys: [' '], shown: 'Space', text: 'Play or pause' },
  { action: 'step', keys: ['s', '.'], shown: 'S or .', text: 'Single step' },
  { action: 'reset', keys: ['r'], shown: 'R', text: 'Back to rest' },
  { action: 'frame', keys: ['f'], shown: 'F', text: 'Show all' },
  { action: 'gravity', keys: ['g'], shown: 'G', text: 'Gravity on or off' },
  { action: 'drop', keys: ['d'], shown: 'D', text: 'Drop the body' },
  { action: 'shake', keys: ['j'], shown: 'J held', text: 'Shake the body', held: true },
  { action: 'mesh', keys: ['m'], shown: 'M', text: 'Simulation mesh' },
  { action: 'cubature', keys: ['c'], shown: 'C', text: 'Cubature elements' },
  { action: 'fixed', keys: ['x'], shown: 'X', text: 'Fixed vertices' },
  { action: 'mode', keys: ['v'], shown: 'V', text: 'Next vibration' },
  { action: 'record', keys: ['k'], shown: 'K', text: 'Record a sketch' },
  { action: 'open', keys: ['o'], shown: 'O', text: 'Open a model' },
  { action: 'add', keys: ['a'], shown: 'A', text: 'Add a body' },
  { action: 'next', keys: ['n'], shown: 'N', text: 'Select the next body' },
  { action: 'panel', keys: ['p'], shown: 'P', text: 'Show or hide the panel' },
  { action: 'theme', keys: ['t'], shown: 'T', text: 'Light or dark' },
  { action: 'handle', keys: ['h'], shown: 'H held', text: 'Clicks pin handles', held: true },
  { action: 'removeHandle', keys: ['delete', 'backspace'], shown: 'Delete', text: 'Remove the handle' },
  { action: 'help', keys: ['?'], shown: '?', text: 'This help' },
] as const;

type Shortcut = (typeof SHORTCUTS)[number];
export type ShortcutAction = Shortcut['action'];
/** What acts while its key is held. */
export type HeldAction = Extract<Shortcut, { held: true }>['action'];

const HELD = SHORTCUTS.filter((shortcut) => 'held' in shortcut);

/** What of a key event matters. */
export interface KeyRecord {
  readonly key: string;
  /** Control, Alt or Meta: those belong to the browser. */
  readonly modified: boolean;
  /** Where the focus is: in a text or a list that takes letters, on a button or switch that takes space, or elsewhere. */
  readonly focus: 'text' | 'button' | 'other';
}

/** The action of a key; null where it has none or belongs to what has the focus. */
export function shortcutOf(record: KeyRecord): ShortcutAction | null {
  if (record.modified || record.focus === 'text') return null;
  if (record.focus === 'button' && record.key === ' ') return null;
  const key = record.key.toLowerCase();
  for (const { action, keys } of SHORTCUTS) if ((keys as readonly string[]).includes(key)) return action;
  return null;
}

/** Which keys the focused element wants for itself. */
export function focusKind(element: Element | null): KeyRecord['focus'] {
  if (element instanceof HTMLInputElement) {
    if (element.type === 'range') return 'other';
    return element.type === 'checkbox' ? 'button' : 'text';
  }
  if (element instanceof HTMLSelectElement || element instanceof HTMLTextAreaElement) return 'text';
  return element?.closest('button, summary, a') ? 'button' : 'other';
}

/**
 * Listens to the keys of the page. Space acts when it is let go, and not if a drag came in between: held, it makes a
 * drag turn the camera. What is `held` acts until its key is let go, or the page loses the keyboard.
 */
export class Shortcuts {
  private spaceDown_ = false;
  private spaceUsed_ = false;

  /** stop: what acts while its key is held is to end. */
  constructor(
    run: (action: ShortcutAction) => void,
    suspended: () => boolean,
    stop: (action: HeldAction) => void,
  ) {
    window.addEventListener('keydown', (event) => {
      if (suspended()) return;
      const modified = event.ctrlKey || event.altKey || event.metaKey;
      const action = shortcutOf({ key: event.key, modified, focus: focusKind(document.activeElement) });
      if (!action) return;
      event.preventDefault();
      if (action === 'play') {
        if (!event.repeat) [this.spaceDown_, this.spaceUsed_] = [true, false];
      } else if (!event.repeat || action === 'step') {
        run(action);
      }
    });
    window.addEventListener('keyup', (event) => {
      const key = event.key.toLowerCase();
      for (const { action, keys } of HELD) if ((keys as readonly string[]).includes(key)) stop(action);
      if (event.key !== ' ' || !this.spaceDown_) return;
      this.spaceDown_ = false;
      if (!this.spaceUsed_ && !suspended()) run('play');
    });
    window.addEventListener('blur', () => {
      for (const { action } of HELD) stop(action);
      this.spaceDown_ = false;
    });
  }

  /** Whether space is held; the drag that asks uses it up. */
  takeSpace(): boolean {
    this.spaceUsed_ ||= this.spaceDown_;
    return this.spaceDown_;
  }
}
