// The section of the panel about what bodies meet.

import { canTouch } from '../contact';
import { makeButton, makeSection, makeSwitch } from './controls';
import { make, setText } from './dom';
import type { Actions, Part, ViewState } from './state';

/** Why the body touches nothing; null where it may. */
export function whyNoContact({ settings }: ViewState): string | null {
  const { method, inertia } = settings;
  if (canTouch(method, inertia)) return null;
  return inertia === 'full'
    ? 'Warped modes do not touch: choose reduced forces as the motion for the ground to hold the body'
    : 'Trees touch with the full inertia of what hangs from each domain alone: choose that for the ground to hold the body';
}

export function makeContactSection(actions: Actions): Part {
  const ground = makeSwitch('ground', 'Ground', (on) => {
    actions.set({ ground: on });
  });
  const obstacle = makeSwitch('obstacle', 'Ball in the way', (on) => {
    actions.set({ obstacle: on });
  });
  const tool = makeSwitch('tool', 'Tool ball', (on) => {
    actions.set({ tool: on });
  });
  const contacts = makeSwitch('contacts', 'Show contacts', (on) => {
    actions.setContacts(on);
  });
  const drop = makeButton({
    id: 'drop',
    text: 'Drop',
    title: 'Lifts the body by its height and lets it go, with gravity on (D)',
    click: () => {
      actions.drop();
    },
  });
  const hint = make('p', { class: 'hint' });
  return {
    element: makeSection(
      'contact',
      'Contact',
      true,
      make('div', { class: 'buttons' }, drop),
      ground.element,
      obstacle.element,
      tool.element,
      contacts.element,
      hint,
    ),
    update(state) {
      const { settings } = state;
      const reason = whyNoContact(state);
      ground.set(settings.ground);
      obstacle.set(settings.obstacle);
      obstacle.setReason(settings.ground ? null : 'It lies on the ground');
      tool.set(settings.tool);
      for (const { element } of [ground, obstacle]) element.hidden = state.info?.free === false;
      drop.hidden = state.info?.free === false;
      contacts.set(state.contacts);
      setText(hint, reason ?? hintOf(state));
    },
  };
}

function hintOf({ settings, info }: ViewState): string {
  if (settings.tool) return 'Drag the ball: it pushes bodies, and the arrow is what it feels.';
  if (!info?.free) return 'Bodies of the scene touch each other.';
  return settings.ground ? 'The body lands on the ground.' : 'Without ground the body falls for ever.';
}
