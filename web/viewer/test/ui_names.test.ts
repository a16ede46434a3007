import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { BodyInfo } from '../../runtime/src/types';
import { makeMaterialSection, makeVibrationsSection } from '../src/ui/body_sections';
import { type Help, makeHelp } from '../src/ui/help';
import { makeDampingSection, makeGravitySection, makePullSection } from '../src/ui/motion_sections';
import { type Actions, emptyState } from '../src/ui/state';
import { FakeBody } from './fake_body';

/** As much of an element as the controls use. */
class FakeElement extends EventTarget {
  readonly attributes = new Map<string, string>();
  children: (FakeElement | string)[] = [];
  readonly style = { setProperty: () => undefined };
  readonly classList = { add: () => undefined, toggle: () => undefined };
  open = false;

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

const fake = (element: HTMLElement): FakeElement => element as unknown as FakeElement;

beforeEach(() => {
  const createElement = (): FakeElement => new FakeElement();
  vi.stubGlobal('document', { createElement, createElementNS: createElement, activeElement: null });
});

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('names for screen readers', () => {
  const actions = {} as Actions;

  it('tell the sliders of regions apart', () => {
    const [region] = new FakeBody().info.regions;
    const regions = [
      { ...region!, name: 'leaves' },
      { ...region!, name: '' },
    ];
    const info: BodyInfo = { ...new FakeBody().info, regions };
    const section = makeMaterialSection(actions);
    section.update({ ...emptyState(), info, young: [1e5, 1e5] });
    expect(fake(section.element).names()).toMatchObject({
      'young-0': 'Young’s modulus of leaves',
      'young-0-value': 'Young’s modulus of leaves',
      'young-0-reset': 'leaves: back to the model’s 100 kPa',
      'young-1': 'Young’s modulus of Region 2',
    });
  });

  it('say what a strength is of', () => {
    expect(fake(makePullSection(actions).element).names()).toMatchObject({ strength: 'Pull strength' });
    expect(fake(makeGravitySection(actions).element).names()).toMatchObject({
      gravity: 'Gravity',
      'gravity-direction': 'Gravity direction',
      'gravity-strength': 'Gravity strength',
    });
  });

  it('are there for damping and vibrations', () => {
    expect(fake(makeDampingSection(actions).element).names()).toMatchObject({
      'damping-mass': 'Damping of all motion (α)',
    });
    expect(fake(makeVibrationsSection(actions).element).names()).toMatchObject({
      'mode-amplitude': 'Amplitude of the vibration',
    });
  });
});

describe('the help', () => {
  function openHelp(): Help {
    const help = makeHelp();
    help.toggle();
    return help;
  }

  function press(key: string, help = openHelp()): { open: boolean; reachesPage: boolean } {
    const event = Object.assign(new Event('keydown'), { key });
    const stop = vi.spyOn(event, 'stopPropagation');
    help.element.dispatchEvent(event);
    return { open: help.element.open, reachesPage: stop.mock.calls.length === 0 };
  }

  it('is closed by its key, which the page does not get to open it again', () => {
    expect(press('?')).toEqual({ open: false, reachesPage: false });
  });

  it('leaves its key to the page when it is closed and has not given back the focus yet', () => {
    const help = openHelp();
    press('?', help);
    expect(press('?', help).reachesPage).toBe(true);
  });

  it('leaves other keys alone', () => {
    expect(press('Tab')).toEqual({ open: true, reachesPage: true });
  });
});
