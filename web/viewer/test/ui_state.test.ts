import { describe, expect, test } from 'vitest';
import type { BodyInfo, Method } from '../../runtime/src/types';
import { boxOf, sizeOf } from '../src/place';
import { defaultSettings, requireYoung } from '../src/settings';
import { formatDensity, shownOverlays, whyNoOverlay, youngRange } from '../src/ui/body_sections';
import { type KeyRecord, SHORTCUTS, shortcutOf } from '../src/ui/shortcuts';
import {
  axisVector,
  type BodyState,
  emptyBody,
  emptyState,
  emptyWorld,
  gravityVector,
  loadedState,
  takeInForce,
  takeWorld,
  type ViewState,
} from '../src/ui/state';
import { FakeBody } from './fake_body';

describe('gravity', () => {
  test('is its strength in multiples of 9.81 m/s^2 along its direction', () => {
    expect(gravityVector({ on: true, direction: '-y', strength: 2 })).toEqual([0, -19.62, 0]);
  });

  test.each([
    ['+x', [1, 0, 0]],
    ['-y', [0, -1, 0]],
    ['-z', [0, 0, -1]],
  ] as const)('along %s has the direction %j', (axis, direction) => {
    expect(axisVector(axis)).toEqual(direction);
  });

  test('is zero when it is off', () => {
    expect(gravityVector({ on: false, direction: '-z', strength: 1 })).toEqual([0, 0, 0]);
  });
});

describe('shortcuts', () => {
  const press = (key: string, more: Partial<KeyRecord> = {}) =>
    shortcutOf({ key, modified: false, focus: 'other', ...more });

  test('are found in either case', () => {
    expect([press('r'), press('R'), press('.'), press('?'), press(' ')]).toEqual([
      'reset',
      'reset',
      'step',
      'help',
      'play',
    ]);
  });

  test('leave unknown keys and those with Control alone', () => {
    expect([press('q'), press('r', { modified: true })]).toEqual([null, null]);
  });

  test('do nothing while somebody types', () => {
    expect(press('r', { focus: 'text' })).toBeNull();
  });

  test('leave space, but no letter, to a focused button', () => {
    expect([press(' ', { focus: 'button' }), press('r', { focus: 'button' })]).toEqual([null, 'reset']);
  });

  test('have no key twice', () => {
    const keys = SHORTCUTS.flatMap((shortcut) => [...shortcut.keys] as string[]);
    expect(new Set(keys).size).toBe(keys.length);
  });
});

const info: BodyInfo = { ...new FakeBody().info, exact: false, cubaturePoints: 5 };

describe('overlays', () => {
  test('are there where the model has what they show', () => {
    expect(
      (['mesh', 'cubature', 'fixed'] as const).map((overlay) => whyNoOverlay(overlay, info, 'reduced')),
    ).toEqual([null, null, null]);
  });

  test('say why they are not', () => {
    expect(whyNoOverlay('mesh', { ...info, elementCount: 0 }, 'reduced')).toContain('simulation mesh');
    expect(whyNoOverlay('cubature', { ...info, cubaturePoints: 0 }, 'reduced')).toContain('exact');
    expect(whyNoOverlay('fixed', { ...info, fixedCount: 0 }, 'reduced')).toContain('fixed');
  });
});

describe('overlays of warped modes', () => {
  const state = (method: Method): ViewState => ({
    ...emptyState(),
    info,
    overlays: { mesh: true, cubature: true, fixed: true },
    settings: { ...emptyState().settings, method },
  });

  test('are not shown, but for what does not move', () => {
    expect(shownOverlays(state('warped'))).toEqual({ mesh: false, cubature: false, fixed: true });
    expect(whyNoOverlay('mesh', info, 'warped')).toContain('Warped modes');
  });

  test('come back with another method', () => {
    expect(shownOverlays(state('reduced'))).toEqual({ mesh: true, cubature: true, fixed: true });
  });
});

test('the size of a body is the diagonal of its box', () => {
  expect(sizeOf(boxOf(new Float32Array([0, 0, 0, 1, 2, 2, 0.5, 0.5, 0.5])))).toBe(3);
});

describe('the controls of gravity', () => {
  const shown = { on: false, direction: '+y', strength: 2 } as const;
  const after = (...gravity: [number, number, number]) => {
    const world = { ...emptyWorld(), gravity: { ...shown } };
    takeWorld(world, { gravity });
    expect(world.settings.gravity).toEqual(gravity);
    return world.gravity;
  };

  test('show what is in force, whoever asked for it', () => {
    expect(after(0, 0, -9.81)).toEqual({ on: true, direction: '-z', strength: 1 });
    expect(after(3, 0, 4)).toEqual({ on: true, direction: '+z', strength: 5 / 9.81 });
    expect(after(0, 0, 0)).toEqual(shown);
  });

  test('stay as they are where they say just that', () => {
    const gravity = { on: true, direction: '-x', strength: 0 } as const;
    const world = { ...emptyWorld(), gravity };
    takeWorld(world, { gravity: [0, 0, 0], paused: true });
    expect(world.gravity).toEqual(gravity);
  });

  test('are off where there is none, and keep the rest', () => {
    const world = { ...emptyWorld(), gravity: { on: true, direction: '+y', strength: 2 } as const };
    takeWorld(world, { gravity: [0, 0, 0] });
    expect(world.gravity).toEqual(shown);
  });
});

describe('values in force', () => {
  const refused = (): BodyState => ({
    ...emptyBody(),
    info,
    size: 2,
    young: [-1, 5],
    mode: { playing: 7, amplitude: 0.1, rate: 900 },
  });

  test('replace the settings that they name', () => {
    const [world, state] = [emptyWorld(), refused()];
    takeInForce(world, state, { settings: { speed: 0.5, rank: 3 } });
    expect(world.settings).toEqual({ ...emptyWorld().settings, speed: 0.5 });
    expect(state.settings).toEqual({ ...emptyBody().settings, rank: 3 });
  });

  test("replace Young's moduli", () => {
    const state = refused();
    takeInForce(emptyWorld(), state, { young: [3, 5] });
    expect(state.young).toEqual([3, 5]);
  });

  test('replace the mode, with its amplitude as a fraction of the size', () => {
    const state = refused();
    takeInForce(emptyWorld(), state, { mode: { index: 1, amplitude: 0.4, rate: 1 } });
    expect(state.mode).toEqual({ playing: 1, amplitude: 0.2, rate: 1 });
  });

  test('stop a mode that does not play', () => {
    const state = refused();
    takeInForce(emptyWorld(), state, { mode: null });
    expect(state.mode.playing).toBeNull();
  });

  test('leave the rest alone', () => {
    const state = refused();
    takeInForce(emptyWorld(), state, {});
    expect(state).toEqual(refused());
  });
});

test('another body is shaken as the last one, with a frequency that suits it', () => {
  const body = new FakeBody();
  const frequencies = Float64Array.of(8, 9);
  const settings = defaultSettings(2, frequencies);
  const [surface, place] = [body.surface(), [0, 0, 0]] as const;
  const loaded = { kind: 'loaded', body: 1, name: 'a', info, surface, place, settings, frequencies } as const;
  const before: BodyState = { ...emptyBody(), shake: { direction: '+z', amplitude: 0.2, frequency: 1 } };
  expect(loadedState(loaded, before).shake).toEqual({ direction: '+z', amplitude: 0.2, frequency: 6 });
});

describe('materials', () => {
  test('offer no modulus that the simulation refuses', () => {
    const [low, high] = youngRange(2e11, 1e6);
    expect([low, high]).toEqual([2e5, 1e15]);
    expect(() => {
      requireYoung(high);
    }).not.toThrow();
  });

  test('have their density with three digits at least', () => {
    expect([0.4, 23.456, 99.96, 1050].map(formatDensity)).toEqual([
      '0.400 kg/m³',
      '23.5 kg/m³',
      '100 kg/m³',
      '1,050 kg/m³',
    ]);
  });
});
