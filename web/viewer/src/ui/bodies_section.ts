// The section of the panel that lists the bodies, where there are several: which one the rest of the panel is about.

import { makeButton, makeSection } from './controls';
import { make } from './dom';
import { makeIcon } from './icons';
import type { Actions, Part, ViewState } from './state';

type Listed = ViewState['bodies'][number];

interface Row {
  readonly id: number;
  readonly element: HTMLElement;
  readonly select: HTMLButtonElement;
}

function makeRow(actions: Actions, { id, name }: Listed): Row {
  const select = makeButton({
    id: `body-${id}`,
    text: name,
    title: `Select ${name}`,
    click: () => {
      actions.select(id);
    },
  });
  const remove = makeButton({
    id: `body-${id}-remove`,
    icon: makeIcon('close'),
    title: `Take ${name} away`,
    kind: 'icon',
    click: () => {
      actions.remove(id);
    },
  });
  const element = make('div', { class: 'body-row', 'data-testid': 'body-row' }, select, remove);
  return { id, element, select };
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
  let rows: Row[] = [];

  /** Rows that stay are left where they are: one that is taken out of the page and put back loses the focus. */
  function showRows(bodies: readonly Listed[]): void {
    const gone = rows.filter(({ id }) => bodies.every((body) => body.id !== id));
    for (const row of gone) {
      const i = rows.indexOf(row);
      const neighbour = rows[i + 1] ?? rows[i - 1];
      if (row.element.contains(document.activeElement)) neighbour?.select.focus();
      row.element.remove();
      rows = rows.filter((one) => one !== row);
    }
    for (const body of bodies.slice(rows.length)) {
      // they come at the end
      const row = makeRow(actions, body);
      rows.push(row);
      list.append(row.element);
    }
  }
  return {
    element,
    update({ bodies, id: selected }) {
      element.hidden = bodies.length < 2;
      showRows(bodies);
      for (const { id, element: row, select } of rows) {
        row.classList.toggle('selected', id === selected);
        select.setAttribute('aria-pressed', String(id === selected));
      }
    },
  };
}
