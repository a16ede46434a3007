import { describe, expect, it } from 'vitest';
import type { ActiveHandle, Frame } from '../src/protocol';
import { drawnHandles, drawnPulls, handlesKey, missedText } from '../src/ui/handle_control';
import { heldText } from '../src/ui/handles_section';
import { frameWith } from './fake_body';

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
