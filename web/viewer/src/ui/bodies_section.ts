// The section of the panel that lists the bodies, where there are several: which one the rest of the panel is about.

import { makeButton, makeSection } from './controls';
import { make } from './dom';
import { makeIcon } from './icons';
import type { Actions, Part, ViewState } from './state';

type Listed = ViewState['bodies'][number];

function makeRow(actions: Actions, { id, name }: Listed, selected: boolean): HTMLElement {
  const select = makeButton({
    id: `body-${id}`,
    text: name,
    title: `Select ${name}`,
    click: () => {
      actions.select(id);
    },
  });
  select.setAttribute('aria-pressed', String(selected));
  const remove = makeButton({
    id: `body-${id}-remove`,
    icon: makeIcon('close'),
    title: `Take ${name} away`,
    kind: 'icon',
    click: () => {
      actions.remove(id);
    },
  });
  const kind = selected ? 'body-row selected' : 'body-row';
  return make('div', { class: kind, 'data-testid': 'body-row' }, select, remove);
}

export function makeBodiesSection(actions: Actions, add: () => void): Part {
  const list = make('div', { class: 'body-list', 'data-testid': 'body-list' });
  const more = makeButton({
    id: 'bodies-add',
    icon: makeIcon('add'),
    text: 'Add a body',
    title: 'Another model, or the same once more (A)',
    click: add,
  });
  const buttons = make('div', { class: 'buttons' }, more);
  const hint = make('p', { class: 'hint' }, 'Click on a body to select it. The sections below are about it.');
  const element = makeSection('bodies', 'Bodies', true, list, buttons, hint);
  let shown = '';
  return {
    element,
    update({ bodies, id }) {
      element.hidden = bodies.length < 2;
      const key = JSON.stringify([bodies, id]);
      if (key === shown) return;
      shown = key;
      list.replaceChildren(...bodies.map((body) => makeRow(actions, body, body.id === id)));
    },
  };
}
