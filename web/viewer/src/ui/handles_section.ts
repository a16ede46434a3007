// The section of the panel about handles: hard constraints that a person drags and twists.

import { freedomFor, heldFreedom, POSITIONS_ONLY } from '../handles';
import type { ActiveHandle, HandlePriority, Hold } from '../protocol';
import { type Choice, makeButton, makeChoice, makeSection } from './controls';
import { make, setText } from './dom';
import { missedText, pinnedHandles } from './handle_control';
import { makeIcon } from './icons';
import type { Actions, Part } from './state';

const ABOUT =
  'Add a handle, or hold H, and click on the body. Drag its ball, twist its rings. Double-click the ball to remove it.';
const NEEDS_WARPING = 'Handles hold points of the body where you put them. They need warped modes.';

const HOLDS: readonly (readonly [Hold, string])[] = [
  ['both', 'Both'],
  ['position', 'Position'],
  ['orientation', 'Orientation'],
];

const PRIORITIES: readonly (readonly [HandlePriority, string])[] = [
  ['position', 'Positions first'],
  ['orientation', 'Orientations first'],
];

interface Row {
  readonly id: number;
  readonly element: HTMLElement;
  readonly choice: Choice;
}

/** Degrees of freedom that handles hold, of all that there are. */
export function heldText(handles: readonly ActiveHandle[], freedom: number): string {
  const held = handles.reduce((sum, { hold }) => sum + heldFreedom(hold), 0);
  return `${held} of ${freedom} degrees of freedom held.`;
}

function makeRow(actions: Actions, { id, vertex }: ActiveHandle): Row {
  const name = `Vertex ${vertex}`;
  const choice = makeChoice(
    `handle-${id}-hold`,
    name,
    (value) => {
      actions.handles.hold(id, value as Hold);
    },
    `What the handle at vertex ${vertex} holds`,
  );
  choice.setOptions(HOLDS);
  const remove = makeButton({
    id: `handle-${id}-remove`,
    icon: makeIcon('close'),
    title: `Remove the handle at vertex ${vertex}`,
    kind: 'icon',
    click: () => {
      actions.handles.remove(id);
    },
  });
  const element = make('div', { class: 'handle-row', 'data-testid': 'handle-row' }, choice.element, remove);
  return { id, element, choice };
}

export function makeHandlesSection(actions: Actions): Part {
  let adding = false;
  const add = makeButton({
    id: 'handle-add',
    text: 'Add handle',
    title: 'Then click on the body; or hold H and click',
    kind: 'primary',
    click: () => {
      actions.handles.arm(adding ? 'no' : 'once');
    },
  });
  const clear = makeButton({
    id: 'handle-clear',
    text: 'Remove all',
    click: () => {
      actions.handles.remove(null);
    },
  });
  const priority = makeChoice(
    'handle-priority',
    'Priority',
    (value) => {
      actions.handles.setPriority(value as HandlePriority);
    },
    'Which handles are met first',
  );
  priority.setOptions(PRIORITIES);
  priority.element.title = 'What is met first where not all can be';
  const hint = make('p', { class: 'hint' });
  const status = make('p', { class: 'hint', role: 'status', 'data-testid': 'handle-status' });
  const list = make('div', { class: 'handle-list', 'data-testid': 'handle-list' });
  const buttons = make('div', { class: 'buttons' }, add, clear);
  let rows: Row[] = [];

  /** fixed: why what they hold cannot be chosen, null where it can. */
  function showRows(handles: readonly ActiveHandle[], selected: number | null, fixed: string | null): void {
    if (handles.length !== rows.length || handles.some(({ id }, i) => id !== rows[i]!.id)) {
      rows = handles.map((handle) => makeRow(actions, handle));
      list.replaceChildren(...rows.map(({ element }) => element));
    }
    rows.forEach(({ id, element, choice }, i) => {
      choice.set(handles[i]!.hold);
      choice.setReason(fixed);
      element.classList.toggle('selected', id === selected);
    });
  }
  return {
    element: makeSection('handles', 'Handles', true, hint, buttons, list, priority.element, status),
    update({ info, settings, handles: { adding: how, selected, priority: first }, frame }) {
      const warped = settings.method === 'warped';
      const handles = warped ? pinnedHandles(frame) : [];
      const free = info?.free ?? false;
      const fixed = free ? POSITIONS_ONLY : null;
      adding = how !== 'no';
      setText(hint, warped ? ABOUT : NEEDS_WARPING);
      setText(add.lastElementChild!, adding ? 'Click on the body' : 'Add handle');
      add.disabled = !info || !warped;
      clear.disabled = handles.length === 0;
      priority.set(first);
      priority.setReason(warped ? fixed : NEEDS_WARPING);
      showRows(handles, selected, fixed);
      const report = handles.length > 0 && frame ? missedText(frame.handleReport) : '';
      const freedom = freedomFor(settings.rank, free);
      setText(status, report ? `${heldText(handles, freedom)} ${report}` : '');
    },
  };
}
