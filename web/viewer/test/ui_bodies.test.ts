import { beforeEach, describe, expect, it } from 'vitest';
import { makeBodiesSection } from '../src/ui/bodies_section';
import { makeSlider } from '../src/ui/controls';
import { PanelInput } from '../src/ui/panel_input';
import { type Actions, emptyBody, emptyWorld, type Part, viewOf, type ViewState } from '../src/ui/state';
import { makeTransport } from '../src/ui/transport';
import { linearScale } from '../src/settings_text';
import { fake, type FakeElement, focused, useFakeElements } from './fake_element';

useFakeElements();

/** Of bodies with these numbers; playing: those that show a vibration. */
function view(ids: readonly number[], selected: number, playing: readonly number[] = []): ViewState {
  const bodies = ids.map((id) => {
    const body = { ...emptyBody(), id, name: `body ${id}` };
    return { ...body, mode: { ...body.mode, playing: playing.includes(id) ? 0 : null } };
  });
  return viewOf(emptyWorld(), bodies.find(({ id }) => id === selected) ?? emptyBody(), bodies);
}

describe('the list of bodies', () => {
  let section: Part;
  const find = (id: string): FakeElement => fake(section.element).find(id)!;
  const listed = (): string[] =>
    find('body-list').children.map((row) =>
      (row as FakeElement).find('body-row')!.lastElementChild!.attributes.get('data-testid')!,
    );
  const pressed = (): (string | undefined)[] =>
    [1, 2, 3].map((id) => find(`body-${id}`).attributes.get('aria-pressed'));

  beforeEach(() => {
    section = makeBodiesSection({} as Actions, () => undefined);
    section.update(view([1, 2, 3], 1));
  });

  it('keeps the focus where another one is selected, and says which one is', () => {
    expect(pressed()).toEqual(['true', 'false', 'false']);
    const row = find('body-2');
    row.focus();
    section.update(view([1, 2, 3], 2));
    expect(pressed()).toEqual(['false', 'true', 'false']);
    expect(focused()).toBe(row);
    expect(find('body-2')).toBe(row);
  });

  it.each([
    [2, [1, 3], 3],
    [3, [1, 2], 2],
  ])('gives the focus of body %d, which is taken away, to its neighbour', (gone, left, neighbour) => {
    find(`body-${gone}-remove`).focus();
    section.update(view(left, 1));
    expect(listed()).toEqual(left.map((id) => `body-${id}-remove`));
    expect(focused()).toBe(find(`body-${neighbour}`));
  });

  it('leaves the focus alone where a body comes, or another one goes', () => {
    const row = find('body-1');
    row.focus();
    section.update(view([1, 3, 4], 1));
    expect(listed()).toEqual(['body-1-remove', 'body-3-remove', 'body-4-remove']);
    expect(focused()).toBe(row);
  });

  it('shows other bodies in place of all', () => {
    section.update(view([7, 8], 7));
    expect(listed()).toEqual(['body-7-remove', 'body-8-remove']);
  });
});

describe('a single step', () => {
  it('can be taken unless all bodies show vibrations', () => {
    const transport = makeTransport({} as Actions, () => undefined);
    const disabled = (playing: number[]): boolean => {
      transport.update(view([1, 2], 1, playing));
      return fake(transport.element).find('step')!.disabled;
    };
    expect([disabled([]), disabled([1]), disabled([1, 2])]).toEqual([false, false, true]);
  });
});

describe('what is entered in the panel', () => {
  let changes: number[];
  let input: PanelInput;
  let slider: FakeElement;
  let page: EventTarget;

  beforeEach(() => {
    changes = [];
    slider = fake(
      makeSlider({
        ...{ id: 'mass', label: 'Mass', scale: linearScale(0, 10, 1), allowed: [0, 10] },
        text: { format: String, parse: Number },
        change: (value) => changes.push(value),
      }).element,
    );
    for (const id of ['mass', 'mass-value']) {
      const part = slider.find(id)!;
      Object.assign(part, { type: part.attributes.get('type') });
    }
    page = new EventTarget();
    input = new PanelInput(slider as unknown as HTMLElement, page as unknown as Window);
  });

  const send = (name: string, pointerId = 1, target: unknown = slider): void => {
    const event = Object.assign(new Event(name), { pointerId });
    Object.defineProperty(event, 'target', { value: target });
    page.dispatchEvent(event);
  };

  it('is taken while it is being typed, and only then', () => {
    const field = slider.find('mass-value')!;
    field.focus();
    field.value = '7';
    input.finish();
    input.finish();
    expect(changes).toEqual([7]);
    expect(focused()).toBeNull();
  });

  it('leaves the focus to what has told its value, and to fields elsewhere', () => {
    const range = slider.find('mass')!;
    range.focus();
    input.finish();
    expect(focused()).toBe(range);
    const other = Object.assign(fake(document.createElement('input')), { type: 'text' });
    other.focus();
    input.finish();
    expect(focused()).toBe(other);
  });

  it('is by a slider while a pointer holds one, whichever pointers come and go', () => {
    const range = slider.find('mass');
    expect(input.sliding).toBe(false);
    send('pointerdown', 1, range);
    send('pointerdown', 2);
    send('pointerup', 2);
    expect(input.sliding).toBe(true);
    send('pointerup', 1, page);
    expect(input.sliding).toBe(false);
    send('pointerdown', 1, slider.find('mass-value'));
    expect(input.sliding).toBe(false);
  });

  it.each(['pointercancel', 'blur'])('is no longer by a slider after %s', (name) => {
    send('pointerdown', 1, slider.find('mass'));
    send(name);
    expect(input.sliding).toBe(false);
  });
});
