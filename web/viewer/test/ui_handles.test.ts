import { describe, expect, it } from 'vitest';
import type { ActiveHandle, Frame } from '../src/protocol';
import { drawnHandles, drawnPulls, handlesKey, missedText } from '../src/ui/handle_control';
import { heldText, makeHandlesSection } from '../src/ui/handles_section';
import { whyNoChoice } from '../src/ui/motion_sections';
import { type Actions, emptyBody, emptyWorld, viewOf } from '../src/ui/state';
import { FakeBody, frameWith } from './fake_body';
import { fake, useFakeElements } from './fake_element';

useFakeElements();

const handle: ActiveHandle = {
  id: 7,
  vertex: 3,
  pinned: true,
  hold: 'both',
  point: [1, 0, 0],
  orientation: [0, 0, 0, 1],
  target: [2, 0, 0],
  rotation: [1, 0, 0, 0],
  positionError: 0,
  orientationError: 0,
};

function frame(...handles: ActiveHandle[]): Frame {
  const handleReport = { met: true, positionError: 0, orientationError: 0 };
  return frameWith({ warped: true, handles, handleReport });
}

describe('how well handles are met', () => {
  it.each([
    [{ met: true, positionError: 1e-12, orientationError: 0 }, 'All handles are met.'],
    [
      { met: false, positionError: 0.0021, orientationError: 0 },
      'Not all can be met: missed by up to 2.1 mm.',
    ],
    [
      { met: false, positionError: 0.0021, orientationError: Math.PI / 6 },
      'Not all can be met: missed by up to 2.1 mm and 30°.',
    ],
    [{ met: false, positionError: Infinity, orientationError: 0 }, 'The handles cannot be met.'],
    [null, ''],
  ])('%j reads %s', (report, text) => {
    expect(missedText(report)).toBe(text);
  });

  it('comes with the degrees of freedom that are held', () => {
    expect(heldText([handle, { ...handle, hold: 'position' }], 15)).toBe('9 of 15 degrees of freedom held.');
  });
});

describe('what can be chosen', () => {
  /** Of a body of warped modes with one handle. */
  const view = (free: boolean) => {
    const body = emptyBody();
    const settings = { ...body.settings, method: 'warped', rank: 9 } as const;
    const info = { ...new FakeBody().info, free };
    return viewOf(emptyWorld(), { ...body, info, settings, frame: frame({ ...handle, hold: 'position' }) });
  };

  it.each([
    [false, '3 of 9'],
    [true, '3 of 15'],
  ])('of handles of a body (free: %s) is what they can hold, with %s held', (free, held) => {
    const section = makeHandlesSection({} as Actions);
    section.update(view(free));
    const part = (id: string) => fake(section.element).find(id)!;
    expect([part('handle-7-hold').disabled, part('handle-priority').disabled]).toEqual([free, free]);
    expect((part('handle-status') as { textContent?: string }).textContent).toContain(held);
  });

  it('are warped modes, also where nothing holds the body', () => {
    expect([whyNoChoice(view(false)), whyNoChoice(view(true))]).toEqual([null, null]);
  });
});

describe('the key of handles', () => {
  it('differs with what the panel says of them, and not with their motion', () => {
    const key = handlesKey(frame(handle));
    expect(handlesKey(frame({ ...handle, target: [3, 0, 0], point: [3, 0, 0] }))).toBe(key);
    expect(handlesKey(frame({ ...handle, hold: 'position' }))).not.toBe(key);
    expect(handlesKey(frame())).not.toBe(key);
  });

  it('is empty without any', () => {
    expect([handlesKey(null), handlesKey(frame({ ...handle, pinned: false }))]).toEqual(['', '']);
  });
});

describe('drawing', () => {
  it('shows pinned handles with what can be done to them', () => {
    expect(drawnHandles(frame(handle, { ...handle, id: 8, hold: 'position' }))).toEqual([
      { id: 7, center: [2, 0, 0], rotation: [1, 0, 0, 0], moves: true, turns: true },
      { id: 8, center: [2, 0, 0], rotation: [1, 0, 0, 0], moves: true, turns: false },
    ]);
  });

  it('shows lines to hands, and to handles that are missed', () => {
    const hand = { ...handle, id: 8, pinned: false };
    const missed = { ...handle, id: 9, positionError: 0.1 };
    expect(drawnPulls(frame(handle, hand, missed), 1)).toEqual([hand, missed]);
  });
});
