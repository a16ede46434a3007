import { describe, expect, it, vi } from 'vitest';
import type { BodyInfo } from '../../runtime/src/types';
import { makeMaterialSection, makeVibrationsSection } from '../src/ui/body_sections';
import { makeContactSection, whyNoContact } from '../src/ui/contact_section';
import { type Help, makeHelp } from '../src/ui/help';
import { makeDampingSection, makeGravitySection, makePullSection } from '../src/ui/motion_sections';
import { makeShakeSection } from '../src/ui/shake_section';
import { type Actions, emptyState } from '../src/ui/state';
import { FakeBody } from './fake_body';
import { fake, useFakeElements } from './fake_element';

useFakeElements();

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

  it('tell the sliders of the shaking from those of vibrations', () => {
    expect(fake(makeShakeSection(actions).element).names()).toMatchObject({
      'shake-direction': 'Direction of the shaking',
      'shake-amplitude': 'Amplitude of the shaking',
      'shake-frequency': 'Frequency of the shaking',
    });
  });
});

describe('the section about contact', () => {
  it('says why a body of warped modes touches nothing', () => {
    const state = emptyState();
    expect(whyNoContact(state)).toBeNull();
    expect(whyNoContact({ ...state, settings: { ...state.settings, method: 'warped' } })).toContain(
      'do not touch',
    );
    const section = makeContactSection({} as Actions);
    section.update(state);
    expect(fake(section.element).names()).toMatchObject({ ground: 'Ground', contacts: 'Show contacts' });
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
