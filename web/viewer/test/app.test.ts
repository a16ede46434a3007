import { beforeEach, describe, expect, it } from 'vitest';
import type { Vector3 } from '../../runtime/src/types';
import { App, type Opening } from '../src/app';
import { SimulationClient, type WorkerLike } from '../src/client';
import type { ModelSource } from '../src/model_source';
import type { ActiveHandle, ActivePull, Command, Frame, Message } from '../src/protocol';
import { defaultSettings, splitSettings } from '../src/settings';
import type { Surroundings } from '../src/contact';
import type { DomainView } from '../src/stage/domain_colors';
import type { DrawnClip } from '../src/stage/drawn_clip';
import type { Stage } from '../src/stage/stage';
import type { ToolState } from '../src/tool';
import type { PageView } from '../src/ui/page';
import { clipGlb } from './clip_glb';
import { FakeBody, frameWith } from './fake_body';
import { FakeTree } from './fake_tree';

class FakeWorker implements WorkerLike {
  onmessage: WorkerLike['onmessage'] = null;
  onerror: WorkerLike['onerror'] = null;
  onmessageerror: WorkerLike['onmessageerror'] = null;
  readonly commands: Command[] = [];

  postMessage(command: Command): void {
    this.commands.push(command);
  }

  terminate(): void {
    this.onmessage = null;
  }

  answer(message: Message): void {
    this.onmessage?.({ data: message } as MessageEvent<Message>);
  }
}

/** What a stage and a page were told last. */
interface Shown {
  bodies: Map<number, { surface: unknown; place: Vector3 }>;
  coordinates: Float32Array | null;
  time: number | null;
  error: string | null;
  plotted: number;
  handles: number;
  contacts: readonly number[];
  surroundings: Surroundings | null;
  tool: ToolState | null;
  selected: number | null;
  overlays: Record<string, boolean>;
  domains: DomainView | null;
  notice: string | null;
  followed: boolean | null;
  /** Whether a pointer holds a slider. */
  sliding: boolean;
  up: Vector3 | null;
  opening: string | null;
  clip: DrawnClip | null;
  /** s, of the clip. */
  clipTime: number;
  /** What a person is typing: done when it is taken. */
  typed: (() => void) | null;
}

let worker: FakeWorker;
let shown: Shown;
/** What the stage throws for the next body. */
let deviceError: Error | null;
let app: App;
/** The number of the body that was loaded last. */
let newest: number;

beforeEach(() => {
  shown = {
    ...{ bodies: new Map(), coordinates: null, time: null, error: null, plotted: 0 },
    ...{ handles: 0, selected: null, overlays: {}, domains: null, notice: null, followed: null },
    ...{ sliding: false, typed: null, up: null, opening: null, contacts: [], surroundings: null, tool: null },
    ...{ clip: null, clipTime: 0 },
  };
  deviceError = null;
  newest = 0;
  worker = new FakeWorker();
  app = new App(new SimulationClient(() => worker), fakeStage(), { adaptQuality: true });
  app.show(fakePage());
});

function fakeStage(): Stage {
  const stage = {
    busy: false,
    addBody: (id: number, surface: unknown, place: Vector3) => {
      if (deviceError) throw deviceError;
      shown.bodies.set(id, { surface, place });
    },
    removeBody: (id: number) => shown.bodies.delete(id),
    followFromHere: () => undefined,
    setCoordinates: (_id: number, q: Float32Array) => (shown.coordinates = q),
    setShift: (_id: number, _: unknown, follow: boolean) => (shown.followed = follow),
    setSimulationMesh: () => undefined,
    setOverlays: (_id: number, overlays: Record<string, boolean>) => (shown.overlays = overlays),
    setPulls: () => undefined,
    setContacts: (places: readonly number[]) => (shown.contacts = places),
    setSurroundings: (surroundings: Surroundings) => (shown.surroundings = surroundings),
    setTool: (tool: ToolState | null) => (shown.tool = tool),
    setHandles: (handles: readonly unknown[]) => (shown.handles = handles.length),
    selectHandle: (id: number | null) => (shown.selected = id),
    setDomains: (_id: number, view: DomainView) => (shown.domains = view),
    setQuality: () => undefined,
    setUp: (axis: Vector3) => (shown.up = axis),
    setClip: (clip: DrawnClip | null) => (shown.clip = clip),
    moveClip: (time: number) => (shown.clipTime = time),
    render: () => undefined,
  };
  return stage as unknown as Stage;
}

function fakePage(): PageView {
  const page = {
    messages: {
      showError: (text: string) => (shown.error = text),
      dismiss: () => (shown.error = null),
      notify: (text: string) => (shown.notice = text),
    },
    plots: { add: () => ++shown.plotted, draw: () => undefined, clear: () => (shown.plotted = 0) },
    domains: { showFrame: () => undefined },
    transport: { showTime: (time: number | null) => (shown.time = time) },
    clipBar: { showTime: () => undefined },
    get sliding() {
      return shown.sliding;
    },
    finishInput: () => {
      shown.typed?.();
      shown.typed = null;
    },
    update: () => undefined,
    showOpening: (text: string | null) => (shown.opening = text),
  };
  return page as unknown as PageView;
}

const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));
const model = (name: string): ModelSource => ({ bytes: new ArrayBuffer(4), name, file: name });
const kinds = (): string[] => worker.commands.map(({ kind }) => kind);

/** The worker has loaded a model. */
async function answerLoad(name: string, body: FakeBody = new FakeBody()): Promise<void> {
  const { info } = body;
  const [surface, frequencies] = [body.surface(), body.frequencies()];
  const { ofWorld, ofBody: settings } = splitSettings(defaultSettings(2, frequencies));
  const place: Vector3 = [0, 0, 0];
  worker.answer({ kind: 'world', settings: ofWorld, answered: settingsSent() });
  worker.answer({ kind: 'loaded', body: ++newest, name, info, surface, place, settings, frequencies });
  await settle();
}

const settingsSent = (): number => worker.commands.filter(({ kind }) => kind === 'settings').length;

async function open(name: string, body?: FakeBody, add = false): Promise<void> {
  const done = app.open(model(name), add);
  await settle();
  await answerLoad(name, body);
  await done;
}

const frame = (pulls: ActivePull[] = []): Frame => frameWith({ time: 1, q: Float32Array.of(1, 2), pulls });

/** A file that is read when a test says so. */
function slowFile(name: string): Opening & { arrive(): void; fail(text: string): void } {
  let arrive!: (source: ModelSource) => void;
  let fail!: (error: Error) => void;
  const source = new Promise<ModelSource>((resolve, reject) => ([arrive, fail] = [resolve, reject]));
  return {
    name,
    read: () => source,
    arrive: () => {
      arrive(model(name));
    },
    fail: (text) => {
      fail(new Error(text));
    },
  };
}

describe('opening', () => {
  it('shows the model', async () => {
    await open('folder/bar.glb');
    expect(app.state).toMatchObject({ name: 'bar', size: 1, young: [1e5], gravity: { on: false } });
    expect(shown.bodies.size).toBe(1);
  });

  it('lets the first body say which way is up, and tells of one that stands otherwise', async () => {
    const standing = new FakeBody();
    Object.assign(standing.info, { up: 'y' });
    await open('bunny.glb', standing);
    expect(shown.up).toEqual([0, 1, 0]);
    expect(app.state).toMatchObject({ up: 'y', gravity: { on: false, direction: '-y' } });
    expect(shown.notice).toBeNull();
    await open('spoon.glb', undefined, true);
    expect(shown.notice).toContain('stands with z up, this scene with y');
    expect(shown.up).toEqual([0, 1, 0]);
    await open('spoon.glb');
    expect(shown.up).toEqual([0, 0, 1]);
    expect(app.state.gravity.direction).toBe('-z');
  });

  it('does not let a file that is read slowly replace a newer one', async () => {
    const slow = slowFile('old.glb');
    const done = app.openAll([slow], false);
    await settle();
    await open('new.glb');
    slow.arrive();
    await done;
    expect(app.state.name).toBe('new');
    expect(kinds()).toEqual(['load']);
  });

  it('does not tell of an older file that cannot be read', async () => {
    const slow = slowFile('old.glb');
    const done = app.openAll([slow], false);
    await settle();
    await open('new.glb');
    slow.fail('old.glb could not be read.');
    await done;
    expect(shown.error).toBeNull();
  });

  it('says what is wrong with the newest file and keeps the body', async () => {
    await open('bar.glb');
    const slow = slowFile('b.glb');
    const done = app.openAll([slow], false);
    slow.fail('Too large.');
    await done;
    expect(shown.error).toBe('b.glb: Too large.');
    expect(app.state.name).toBe('bar');
  });

  it('keeps what is wrong with the newest file when an older one arrives after it', async () => {
    const older = app.open(model('a.glb'));
    await settle();
    const newer = slowFile('b.glb');
    newer.fail('Too large.');
    await app.openAll([newer], false);
    await answerLoad('a.glb');
    await older;
    expect(app.state.name).toBe('a');
    expect(shown.error).toBe('b.glb: Too large.');
  });

  it('shows no model that arrives after the page was closed', async () => {
    const done = app.open(model('a.glb'));
    await settle();
    app.close();
    await answerLoad('a.glb');
    await done;
    expect(app.state.info).toBeNull();
    expect(kinds()).toEqual(['load', 'unload']);
  });

  it('takes a body away that the device cannot show', async () => {
    deviceError = new Error('Out of memory.');
    await open('a.glb');
    expect(app.state.info).toBeNull();
    expect(shown.error).toBe('a.glb: Out of memory.');
    expect(kinds()).toEqual(['load', 'remove']);
  });
});

describe('closing', () => {
  it('takes the body away, also in the worker', async () => {
    await open('bar.glb');
    worker.answer({ kind: 'frame', body: newest, frame: frame() });
    app.draw(0);
    app.close();
    expect(kinds().at(-1)).toBe('unload');
    expect(shown).toMatchObject({ bodies: new Map(), time: null, plotted: 0 });
    expect(app.state).toMatchObject({ info: null, frame: null, name: '' });
  });

  it('leaves out the frames that are still on their way', async () => {
    await open('bar.glb');
    app.close();
    worker.answer({ kind: 'frame', body: newest, frame: frame() });
    expect(app.state.frame).toBeNull();
    expect(app.draw(0)).toBe(false);
  });

  it('discards the sketch', async () => {
    await open('bar.glb');
    app.record(true);
    worker.answer({ kind: 'frame', body: newest, frame: frame([pull(0, 1)]) });
    app.close();
    expect(app.state.sketch).toEqual({ recording: false, count: 0 });
  });
});

describe('a simulation that is lost', () => {
  it('leaves the page without a body and says why', async () => {
    await open('bar.glb');
    worker.answer({ kind: 'lost', message: 'The simulation stopped: out of memory' });
    expect(app.state.info).toBeNull();
    expect(shown).toMatchObject({ bodies: new Map(), error: 'The simulation stopped: out of memory' });
  });

  it('takes ball, ground and obstacle with it', async () => {
    await open('bar.glb');
    const balls = [{ center: [1, 0, 0] as const, radius: 0.1 }];
    worker.answer({ kind: 'surroundings', surroundings: { up: 'z', ground: 0, balls } });
    worker.answer({ kind: 'tool', tool: { position: [0, 0, 1], radius: 0.1, force: [0, 0, 0] } });
    expect(shown.tool).not.toBeNull();
    worker.answer({ kind: 'lost', message: 'The simulation stopped.' });
    expect(shown.tool).toBeNull();
    expect(shown.surroundings).toEqual({ up: 'z', ground: null, balls: [] });
  });

  it('does not stop a model that is being opened', async () => {
    await open('bar.glb');
    const done = app.open(model('next.glb'));
    await settle();
    worker.answer({ kind: 'lost', message: 'The simulation stopped.' });
    await answerLoad('next.glb');
    await done;
    expect(app.state.name).toBe('next');
    expect(shown.error).toBe('The simulation stopped.'); // for which nobody has asked
  });

  it('by a worker that failed leaves the page without a body', async () => {
    await open('bar.glb');
    worker.onerror?.({ message: 'gone' } as ErrorEvent);
    expect(app.state.info).toBeNull();
    expect(shown.error).toContain('gone');
  });
});

describe('a change that is refused', () => {
  it('is taken back', async () => {
    await open('bar.glb');
    const { speed } = app.state.settings;
    app.set({ speed: 99 });
    app.setYoung(0, 1e20);
    app.setMode({ playing: 1 });
    const inForce = { settings: { speed }, young: [1e5], mode: null };
    worker.answer({ kind: 'failed', command: 'settings', body: newest, message: 'Speed: no.', inForce });
    expect(app.state).toMatchObject({ settings: { speed }, young: [1e5], mode: { playing: null } });
    expect(shown.error).toBe('Speed: no.');
  });
});

describe('recording', () => {
  it('ends when a mode is played, and the mode plays', async () => {
    await open('bar.glb');
    app.record(true);
    app.setMode({ playing: 1 });
    expect(app.state.sketch.recording).toBe(false);
    expect(app.state.mode.playing).toBe(1);
    expect(worker.commands.at(-1)).toMatchObject({ kind: 'mode', playback: { index: 1 } });
  });

  it('goes on when only the amplitude of modes is changed', async () => {
    await open('bar.glb');
    app.record(true);
    app.setMode({ amplitude: 0.2 });
    expect(app.state.sketch.recording).toBe(true);
  });

  it('is on the linear model, and goes back to the method before', async () => {
    await open('bar.glb');
    app.set({ method: 'warped' });
    app.record(true);
    expect(app.state.settings.method).toBe('linear');
    app.record(false);
    expect(app.state.settings.method).toBe('warped');
    const methods = worker.commands.flatMap((command) =>
      command.kind === 'settings' && command.settings.method ? [command.settings.method] : [],
    );
    expect(methods).toEqual(['warped', 'linear', 'warped']);
  });

  it('tells that the sketch is full', async () => {
    await open('bar.glb');
    app.record(true);
    const pulls = Array.from({ length: 20_000 }, (_, id) => pull(id, 1));
    worker.answer({ kind: 'frame', body: newest, frame: frame(pulls.slice(1)) });
    expect(shown.error).toBeNull();
    worker.answer({ kind: 'frame', body: newest, frame: frame(pulls) });
    expect(shown.error).toContain('The sketch is full');
  });
});

describe('handles', () => {
  const handle: ActiveHandle = {
    ...{ id: 7, vertex: 1, pinned: true, hold: 'both', positionError: 0, orientationError: 0 },
    ...{ point: [0, 0, 0], target: [0, 0, 0], orientation: [0, 0, 0, 1], rotation: [0, 0, 0, 1] },
  };

  it('are drawn where they are pinned, and not while a mode plays', async () => {
    await open('bar.glb');
    const handles = [handle, { ...handle, id: 8, pinned: false }];
    worker.answer({ kind: 'frame', body: newest, frame: { ...frame(), handles } });
    app.draw(0);
    expect(shown.handles).toBe(1);
    worker.answer({ kind: 'frame', body: newest, frame: { ...frame(), handles, playingMode: true } });
    app.draw(1);
    expect(shown.handles).toBe(0);
  });

  it('are added to warped modes only', async () => {
    await open('bar.glb');
    app.handles.arm('once');
    expect(app.handles.adding).toBe(false);
    app.set({ method: 'warped' });
    app.handles.arm('once');
    expect(app.handles.adding).toBe(true);
  });

  it.each([
    ['once', false],
    ['held', true],
  ] as const)('that are added %s leave adding %s', async (adding, still) => {
    await open('bar.glb');
    app.set({ method: 'warped' });
    app.handles.arm(adding);
    app.handles.added(7);
    expect(app.handles.adding).toBe(still);
    expect(shown.selected).toBe(7);
  });

  it('that are refused are not asked for again', async () => {
    await open('bar.glb');
    app.set({ method: 'warped' });
    app.handles.arm('once');
    worker.answer({ kind: 'failed', command: 'handle-add', body: null, message: 'No room.' });
    expect(app.handles.adding).toBe(false);
    expect(shown.error).toBe('No room.');
  });

  it('are removed by what was used last', async () => {
    await open('bar.glb');
    app.handles.removeSelected();
    app.handles.select(7);
    app.handles.removeSelected();
    app.handles.removeSelected();
    expect(worker.commands.filter(({ kind }) => kind === 'handle-remove')).toEqual([
      { kind: 'handle-remove', body: 1, id: 7 },
    ]);
  });

  it('are forgotten with the method, and overlays are hidden', async () => {
    await open('bar.glb');
    app.setOverlay('mesh', true);
    expect(shown.overlays.mesh).toBe(true);
    app.handles.select(7);
    app.set({ method: 'warped' });
    expect(shown).toMatchObject({ selected: null, overlays: { mesh: false } });
    app.set({ method: 'reduced' });
    expect(shown.overlays.mesh).toBe(true);
  });
});

function pull(id: number, force: number): ActivePull {
  return { id, vertex: 1, point: [0, 0, 0], target: [0, 0, 0], force: [force, 0, 0] };
}

describe('a body that flies', () => {
  it('is followed by the camera, unless a hand holds it or nobody wants that', async () => {
    await open('bar.glb');
    const followed = (change: Partial<Frame>): boolean | null => {
      shown.followed = null;
      worker.answer({ kind: 'frame', body: newest, frame: { ...frame(), ...change } });
      app.draw(0);
      return shown.followed;
    };
    const shift = [1, 0, 0] as const;
    expect(followed({})).toBe(null);
    expect(followed({ shift })).toBe(true);
    expect(followed({ shift, pulls: [pull(1, 2)] })).toBe(false);
    app.setFollow(false);
    expect(followed({ shift })).toBe(false);
  });
});

describe('shaking', () => {
  const asked = (): unknown[] =>
    worker.commands.flatMap((command) =>
      command.kind === 'settings' && 'shake' in command.settings ? [command.settings.shake] : [],
    );
  const usual = { amplitude: [0.05, 0, 0], frequency: 1.5 };

  it('begins and ends, with what the sliders say', async () => {
    await open('bar.glb');
    app.setShake({ direction: '+z', amplitude: 0.2, frequency: 3 });
    expect(asked()).toEqual([]);
    app.shake(true);
    app.shake(true); // as by a key and a button
    app.setShake({ frequency: 4 });
    app.shake(false);
    app.shake(false);
    expect(asked()).toEqual([
      { amplitude: [0, 0, 0.2], frequency: 3 },
      { amplitude: [0, 0, 0.2], frequency: 4 },
      null,
    ]);
  });

  it('lets the clock run', async () => {
    await open('bar.glb');
    app.set({ paused: true });
    app.shake(true);
    expect(worker.commands.at(-1)).toEqual({
      kind: 'settings',
      body: 1,
      settings: { shake: usual, paused: false },
    });
    expect(app.state.settings.paused).toBe(false);
  });

  it('ends a mode, and a mode ends it', async () => {
    await open('bar.glb');
    app.setMode({ playing: 1 });
    app.shake(true);
    expect(app.state.mode.playing).toBeNull();
    expect(kinds().slice(-2)).toEqual(['mode', 'settings']);
    app.setMode({ playing: 0 });
    expect(app.state.settings.shake).toBeNull();
  });

  it('ends with a reset, another motion, a sketch and a body that failed', async () => {
    await open('bar.glb');
    const ends = [
      () => {
        app.reset();
      },
      () => {
        app.set({ method: 'warped' });
      },
      () => {
        app.record(true);
      },
      () => {
        worker.answer({ kind: 'restarted', body: newest, reason: 'No', paused: false });
      },
    ];
    for (const end of ends) {
      app.shake(true);
      expect(app.state.settings.shake).toEqual(usual);
      end();
      expect(app.state.settings.shake).toBeNull();
    }
    expect(asked()).toEqual([usual, usual, usual, usual]);
  });

  it('is of bodies that something holds, and the page says so', async () => {
    const flying = new FakeBody();
    Object.assign(flying.info, { free: true });
    await open('bar.glb', flying);
    app.shake(true);
    expect(asked()).toEqual([]);
    expect(shown.notice).toContain('Nothing holds this body');
  });

  it('is of trees, too', async () => {
    await open('oak.glb', new FakeTree());
    app.shake(true);
    expect(asked()).toEqual([usual]);
  });
});

describe('trees of domains', () => {
  beforeEach(async () => {
    await open('oak.glb', new FakeTree());
  });

  it('have their domains coloured and highlighted', () => {
    app.domains.color(true);
    app.domains.select(1);
    expect(shown.domains).toEqual({ colored: true, selected: 1 });
  });

  it('keep their colours, but not what was selected, when another one is opened', async () => {
    app.domains.color(true);
    app.domains.select(1);
    await open('oak.glb', new FakeTree());
    expect(shown.domains).toEqual({ colored: true, selected: null });
  });

  it('have a stiffness for a domain, or for all of its part', () => {
    app.domains.setStiffness(3); // of none
    app.domains.select(1);
    app.domains.setStiffness(2);
    app.domains.setWholePart(true);
    app.domains.setStiffness(5);
    const sent = worker.commands.filter(({ kind }) => kind === 'stiffness');
    expect(sent).toEqual([
      { kind: 'stiffness', body: 1, domains: [1], factor: 2 },
      { kind: 'stiffness', body: 1, domains: [1, 2], factor: 5 },
    ]);
    expect(app.state.domains.stiffness).toEqual([1, 5, 5]);
  });

  it('go back to the stiffness of the file', () => {
    app.domains.select(2);
    app.domains.setStiffness(7);
    app.domains.resetStiffness();
    expect(worker.commands.at(-1)).toEqual({ kind: 'stiffness', body: 1, domains: [2], factor: 0.5 });
    expect(app.state.domains.stiffness).toEqual([1, 1, 0.5]);
  });

  it('take back a stiffness that is refused', () => {
    app.domains.select(1);
    app.domains.setStiffness(2);
    worker.answer({
      kind: 'failed',
      command: 'stiffness',
      body: newest,
      message: 'No.',
      inForce: { stiffness: [1, 1, 0.5] },
    });
    expect(app.state.domains.stiffness).toEqual([1, 1, 0.5]);
  });

  it('have neither vibrations nor sketches nor handles nor a simulation mesh', () => {
    const before = worker.commands.length;
    const tries = [
      () => {
        app.stepMode(1);
      },
      () => {
        app.record(true);
      },
      () => {
        app.handles.arm('held');
      },
      () => {
        app.setOverlay('mesh', true);
      },
    ];
    for (const attempt of tries) {
      shown.notice = null;
      attempt();
      expect(shown.notice).toMatch(/one domain only/);
    }
    expect(worker.commands.length).toBe(before);
  });
});

describe('several bodies', () => {
  /** A bar that is held, and a tree. */
  beforeEach(async () => {
    await open('bar.glb');
    await open('oak.glb', new FakeTree(), true);
  });

  const sent = (kind: Command['kind']): Command[] =>
    worker.commands.filter((command) => command.kind === kind);

  it('are all shown and listed, and the newest is selected', () => {
    expect([...shown.bodies.keys()]).toEqual([1, 2]);
    expect(app.state.bodies).toEqual([
      { id: 1, name: 'bar' },
      { id: 2, name: 'oak' },
    ]);
    expect(app.state).toMatchObject({ id: 2, name: 'oak' });
    expect(worker.commands).toMatchObject([
      { kind: 'load', replace: true },
      { kind: 'load', replace: false },
    ]);
  });

  it('of one file share its model and have names of their own', async () => {
    await open('bar.glb', undefined, true);
    expect(worker.commands.at(-1)).toEqual({ kind: 'copy', body: 1, name: 'bar.glb' });
    expect(app.state.name).toBe('bar 2');
  });

  it('are opened by a list, the first selected, without bytes for a file that is there', async () => {
    app.close();
    newest = 2;
    const models = [model('a.glb'), { ...model('a.glb'), bytes: null }, { ...model('b.glb'), bytes: null }];
    const done = app.openAll(
      models.map((one) => ({ name: one.name, read: () => one })),
      true,
    );
    for (let i = 0; i < 2; ++i) {
      await settle();
      await answerLoad('a.glb');
    }
    await done;
    expect(kinds().slice(-2)).toEqual(['load', 'copy']);
    expect(app.state).toMatchObject({ id: 3, name: 'a', bodies: [{ id: 3 }, { id: 4 }] });
    expect(shown.error).toContain('b.glb was not opened');
  });

  it('are selected by who points at them; settings go to the selected one', () => {
    worker.answer({ kind: 'grabbed', id: 1, body: 1, vertex: 0, point: [0, 0, 0] });
    expect(app.state.name).toBe('bar');
    app.set({ rank: 1 });
    app.setYoung(0, 7);
    app.select(2);
    app.domains.select(1);
    app.domains.setStiffness(3);
    expect(sent('settings')).toEqual([{ kind: 'settings', body: 1, settings: { rank: 1 } }]);
    expect(sent('material')).toMatchObject([{ body: 1, young: 7 }]);
    expect(sent('stiffness')).toMatchObject([{ body: 2, domains: [1] }]);
    expect(app.state.settings.rank).toBe(2);
    app.selectNext();
    expect(app.state.settings.rank).toBe(1);
  });

  it('share the clock and gravity', () => {
    app.set({ paused: true, timeStep: 0.003 });
    app.setGravity({ on: true });
    app.select(1);
    expect(app.state).toMatchObject({
      settings: { paused: true, timeStep: 0.003, gravity: [0, 0, -9.81] },
      gravity: { on: true },
    });
  });

  it('have frames of their own, and the time is that of the selected one', () => {
    worker.answer({ kind: 'frame', body: 1, frame: { ...frame(), time: 5 } });
    worker.answer({ kind: 'frame', body: 2, frame: { ...frame(), time: 6 } });
    app.draw(0);
    expect(shown.time).toBe(6);
    expect(app.frameOf(1)?.time).toBe(5);
    app.select(1);
    expect(app.state.frame?.time).toBe(5);
  });

  it('are taken away one by one', () => {
    app.remove(2);
    expect([...shown.bodies.keys()]).toEqual([1]);
    expect(app.state).toMatchObject({ id: 1, name: 'bar' });
    worker.answer({ kind: 'frame', body: 2, frame: frame() });
    app.draw(0);
    app.remove(1);
    expect(app.state).toMatchObject({ id: 0, info: null, bodies: [] });
    expect(sent('remove')).toEqual([
      { kind: 'remove', body: 2 },
      { kind: 'remove', body: 1 },
    ]);
  });

  it('go on where a further one cannot be shown', async () => {
    deviceError = new Error('Out of memory.');
    await open('c.glb', undefined, true);
    expect(app.state.bodies).toHaveLength(2);
    expect(worker.commands.at(-1)).toEqual({ kind: 'remove', body: 3 });
    expect(shown.error).toBe('c.glb: Out of memory.');
  });

  it('are all replaced by a model that is opened', async () => {
    await open('new.glb');
    expect([...shown.bodies.keys()]).toEqual([3]);
    expect(app.state.bodies).toEqual([{ id: 3, name: 'new' }]);
  });

  it('are not followed by the camera unless that is asked for', () => {
    const flies = (): void => {
      worker.answer({ kind: 'frame', body: 1, frame: { ...frame(), shift: [1, 0, 0] } });
      worker.answer({ kind: 'frame', body: 2, frame: { ...frame(), shift: [1, 0, 0] } });
      shown.followed = null;
      app.draw(0);
    };
    flies();
    expect(shown.followed).toBe(false);
    app.setFollow(true);
    flies();
    expect(shown.followed).toBe(true);
  });

  it('stop being shaken when another one is selected', () => {
    app.shake(true);
    app.select(1);
    expect(sent('settings').at(-1)).toEqual({ kind: 'settings', body: 2, settings: { shake: null } });
    expect(app.state.settings.shake).toBeNull();
  });

  it('that failed are told by what failed, and only that one is at rest', () => {
    app.select(1);
    app.setMode({ playing: 1 });
    worker.answer({ kind: 'restarted', body: 2, reason: 'The motion ran out of bounds', paused: true });
    expect(app.state.mode.playing).toBe(1);
    expect(shown.error).toMatch(/^The motion ran out of bounds: oak was put back to rest and paused\. /);
  });

  it('that failed are told by the names that the page gives them, one that is alone by none', async () => {
    await open('oak.glb', new FakeTree(), true);
    worker.answer({ kind: 'restarted', body: 3, reason: 'No', paused: false });
    expect(shown.error).toContain('No: oak 2 was put back');
    app.remove(1);
    app.remove(2);
    worker.answer({ kind: 'restarted', body: 3, reason: 'No', paused: false });
    expect(shown.error).toContain('No: the body was put back');
  });

  it('get what was typed for them before another one is selected or taken away', () => {
    shown.typed = () => {
      app.set({ damping: { mass: 1, stiffness: 2 } });
    };
    app.select(1);
    expect(sent('settings')).toMatchObject([{ body: 2, settings: { damping: { mass: 1 } } }]);
    shown.typed = () => {
      app.setGravity({ on: true });
    };
    app.remove(1);
    expect(worker.commands.slice(-2)).toMatchObject([
      { kind: 'settings', body: 1, settings: { gravity: [0, 0, -9.81] } },
      { kind: 'remove', body: 1 },
    ]);
  });

  it('that are held are not dropped, and those that fly fall', async () => {
    app.drop();
    expect(shown.notice).toContain('cannot fall');
    const flying = new FakeBody();
    Object.assign(flying.info, { free: true });
    await open('ball.glb', flying, true);
    app.select(3);
    app.set({ paused: true });
    app.drop();
    expect(app.state).toMatchObject({ gravity: { on: true }, settings: { paused: false } });
    expect(worker.commands.at(-1)).toEqual({ kind: 'drop', body: 3 });
  });

  it('show where they are pushed if that is asked for, and what they meet', () => {
    const frame = frameWith({ contacts: [1, 2, 3] });
    worker.answer({ kind: 'frame', body: 2, frame });
    app.draw(1);
    expect(shown.contacts).toEqual([]);
    app.setContacts(true);
    expect(shown.contacts).toEqual([1, 2, 3]);
    const surroundings = { up: 'z', ground: -1, balls: [] } as const;
    worker.answer({ kind: 'surroundings', surroundings });
    expect(shown.surroundings).toBe(surroundings);
  });

  it('stay selected while a pointer holds a slider', async () => {
    shown.sliding = true;
    await open('c.glb', undefined, true);
    expect(app.state).toMatchObject({ id: 2, bodies: [{ id: 1 }, { id: 2 }, { id: 3 }] });
    worker.answer({ kind: 'grabbed', id: 1, body: 1, vertex: 0, point: [0, 0, 0] });
    expect(app.state.id).toBe(2);
    app.selectNext();
    expect(app.state.id).toBe(2);
    app.remove(2); // but for the one that has gone
    expect(app.state.id).toBe(3);
  });

  it('take single steps unless all show vibrations', () => {
    app.select(1);
    app.setMode({ playing: 0 });
    expect(app.state.allPlaying).toBe(false);
    app.remove(2);
    expect(app.state.allPlaying).toBe(true);
  });
});

describe('a clip', () => {
  const translations = [
    [0, 0, 0],
    [0, 4, 0],
  ];
  const clip = (name = 'fall.glb', times = [0, 2]): ModelSource => {
    return { bytes: clipGlb({ times, translations }), name, file: name };
  };

  it.each([true, false])('takes the place of all bodies, with y up, added or not: %s', async (add) => {
    await open('a.glb');
    await app.open(clip(), add);
    expect(kinds().at(-1)).toBe('unload');
    expect(shown.bodies.size).toBe(0);
    expect(shown.up).toEqual([0, 1, 0]);
    expect(shown.clip).not.toBeNull();
    expect(app.state.clip).toMatchObject({ name: 'fall', length: 2, paused: false, speed: 1 });
    expect(app.state.info).toBeNull();
  });

  it('plays, is paused, stepped and reset by what does so to bodies', async () => {
    await app.open(clip());
    for (const now of [10, 10.2, 10.4]) app.draw(now);
    expect(shown.clipTime).toBeCloseTo(0.4);
    app.playOrPause();
    expect(app.draw(10.6)).toBe(true); // with another bar
    expect(app.draw(10.8)).toBe(false);
    expect(shown.clipTime).toBeCloseTo(0.4);
    app.step();
    expect(shown.clipTime).toBe(2);
    app.reset();
    expect(shown.clipTime).toBe(0);
    expect(kinds()).not.toContain('step');
  });

  it('gives way to a body', async () => {
    await app.open(clip());
    await open('a.glb', undefined, true);
    expect(shown.clip).toBeNull();
    expect(app.state.clip).toBeNull();
    expect(shown.bodies.size).toBe(1);
  });

  it('is shown alone', async () => {
    const both = [clip(), clip('rise.glb')].map((one) => ({ name: one.name, read: () => one }));
    await app.openAll(both, true);
    expect(shown.error).toBe('rise.glb is a clip, which is shown alone: open it by itself.');
    expect(app.state.clip).toBeNull();
  });

  it('that cannot be played leaves what is shown, and a message', async () => {
    await open('a.glb');
    await app.open(clip('bad.glb', [1, 0]), true);
    expect(shown.error).toContain('bad.glb cannot be played: the times of');
    expect(shown.bodies.size).toBe(1);
    expect(app.state.clip).toBeNull();
  });

  it('goes with the page that is closed', async () => {
    await app.open(clip());
    app.close();
    expect(shown.clip).toBeNull();
    expect(app.state.clip).toBeNull();
  });
});

describe('the gravity of a scene', () => {
  it('is in force once all of its bodies are there', async () => {
    const gravity: Vector3 = [0, 0, -9.81];
    const sources = [{ ...model('a'), gravity }, model('b')];
    const done = app.openAll(
      sources.map((one) => ({ name: one.name, read: () => one })),
      true,
    );
    await settle();
    await answerLoad('a');
    expect(settingsSent()).toBe(0);
    await answerLoad('b');
    await done;
    expect(worker.commands.at(-1)).toMatchObject({ kind: 'settings', settings: { gravity } });
    expect(app.state.gravity).toEqual({ on: true, direction: '-z', strength: 1 });
  });
});
