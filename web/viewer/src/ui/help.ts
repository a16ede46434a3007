// The help: a table of mouse, touch and keys in a modal dialog.

import { makeButton } from './controls';
import { make } from './dom';
import { makeIcon } from './icons';
import { SHORTCUTS } from './shortcuts';

const MOUSE = [
  ['Click on a body', 'Select it'],
  ['Drag the body', 'Pull it'],
  ['H + click on the body', 'Pin a handle'],
  ['Drag its ball or a ring', 'Move or twist the handle'],
  ['Double click its ball', 'Remove the handle'],
  ['Drag beside it, or Alt or space + drag', 'Orbit'],
  ['Right drag, middle drag, Shift + drag', 'Pan'],
  ['Wheel', 'Zoom towards the pointer'],
  ['Double click beside the body', 'Show all'],
] as const;

const TOUCH = [
  ['One finger on the body', 'Pull it'],
  ['More fingers on the body', 'Pull at several points'],
  ['Add handle, then tap the body', 'Pin a handle'],
  ['One finger on a ball or ring', 'Move or twist the handle'],
  ['Double tap on a ball', 'Remove the handle'],
  ['One finger beside it', 'Orbit'],
  ['Two fingers beside it', 'Zoom and pan'],
] as const;

const CANVAS_KEYS = [['Arrows, + and −, on the picture', 'Orbit and zoom']] as const;

type Rows = readonly (readonly [string, string])[];

function makeTable(title: string, rows: Rows, keys: boolean): HTMLElement {
  const body = make('tbody');
  for (const [what, effect] of rows) {
    const head = make('th', { scope: 'row' });
    head.append(keys ? make('kbd', {}, what) : what);
    body.append(make('tr', {}, head, make('td', {}, effect)));
  }
  return make('section', {}, make('h3', {}, title), make('table', {}, body));
}

export interface Help {
  readonly element: HTMLDialogElement;
  toggle(): void;
}

export function makeHelp(): Help {
  const close = makeButton({
    id: 'help-close',
    icon: makeIcon('close'),
    title: 'Close (Esc)',
    kind: 'icon',
    click: () => {
      element.close();
    },
  });
  const head = make('header', {}, make('h2', { id: 'help-title' }, 'Mouse, touch and keys'), close);
  const tables = make(
    'div',
    { class: 'help-tables' },
    make('div', {}, makeTable('Mouse', MOUSE, false), makeTable('Touch', TOUCH, false)),
    make(
      'div',
      {},
      makeTable(
        'Keys',
        SHORTCUTS.map(({ shown, text }) => [shown, text] as const),
        true,
      ),
      makeTable('Camera by keys', CANVAS_KEYS, false),
    ),
  );
  const element = make('dialog', { id: 'help', 'aria-labelledby': 'help-title' }, head, tables);
  // A click on the backdrop is a click on the dialog itself, outside of what it holds.
  element.addEventListener('click', (event) => {
    if (event.target === element) element.close();
  });
  element.addEventListener('keydown', (event) => {
    if (event.key !== '?' || !element.open) return; // a closed dialog keeps the focus for a moment
    event.stopPropagation(); // the page would open it again
    element.close();
  });
  return {
    element,
    toggle() {
      if (element.open) element.close();
      else element.showModal();
    },
  };
}
