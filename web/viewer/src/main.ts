import './ui/base.css';
import './ui/layout.css';
import './ui/panel.css';
import type { Vector3 } from '../../runtime/src/types';
import { App } from './app';
import { SimulationClient } from './client';
import { Gestures } from './gestures';
import { embeddedModels, fileModel, type ModelSource, servedModels } from './model_source';
import type { Quality } from './stage/quality';
import { Stage } from './stage/stage';
import { connectCanvas } from './ui/canvas_events';
import { byId, make } from './ui/dom';
import { connectDrop } from './ui/drop';
import { releaseMouseFocus } from './ui/focus';
import { FrameLoop } from './ui/frame_loop';
import { makeGestureTarget } from './ui/gesture_target';
import { PageView, stageCanvas } from './ui/page';
import type { ScriptInterface } from './ui/script_interface';
import { type HeldAction, type ShortcutAction, Shortcuts } from './ui/shortcuts';
import { Theme } from './ui/theme';
import SimulationWorker from './worker?worker&inline';

/** More pixels than this per CSS pixel cost time and are not seen. */
const LARGEST_PIXEL_RATIO = 2;

const canvas = stageCanvas();
// #quality=full and #quality=light override what the device seems to be good for.
const askedQuality = /quality=(full|light)/.exec(location.hash)?.[1] as Quality | undefined;
const stage = makeStage();
const client = new SimulationClient(() => new SimulationWorker());
const app = new App(client, stage, { adaptQuality: askedQuality === undefined });
const page = new PageView(app, {
  openFiles,
  frame,
  toggleTheme: () => {
    theme.toggle();
  },
});
const theme = new Theme((name) => {
  stage.setTheme(name);
  page.showTheme(name);
  app.invalidate();
});
app.show(page);

function makeStage(): Stage {
  try {
    return new Stage(canvas, askedQuality);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    byId('app').replaceWith(make('p', { class: 'unsupported', role: 'alert' }, text));
    throw error;
  }
}

function openFiles(files: readonly File[], add: boolean): void {
  const models = files.map((file) => ({ name: file.name, read: () => fileModel(file) }));
  void settle(app.openAll(models, add));
}

function frame(): void {
  stage.frame();
  app.invalidate();
}

const shortcuts: Record<ShortcutAction, () => void> = {
  play: () => {
    app.playOrPause();
  },
  step: () => {
    app.step();
  },
  reset: () => {
    app.reset();
  },
  frame,
  gravity: () => {
    app.setGravity({ on: !app.state.gravity.on });
  },
  drop: () => {
    app.drop();
  },
  mesh: () => {
    app.setOverlay('mesh', !app.state.overlays.mesh);
  },
  cubature: () => {
    app.setOverlay('cubature', !app.state.overlays.cubature);
  },
  fixed: () => {
    app.setOverlay('fixed', !app.state.overlays.fixed);
  },
  mode: () => {
    app.stepMode(1);
  },
  record: () => {
    app.record(!app.state.sketch.recording);
  },
  open: () => {
    page.chooseFile(false);
  },
  add: () => {
    page.chooseFile(true);
  },
  next: () => {
    app.selectNext();
  },
  panel: () => {
    page.togglePanel();
  },
  theme: () => {
    theme.toggle();
  },
  shake: () => {
    app.shake(true);
  },
  handle: () => {
    app.handles.arm('held');
  },
  removeHandle: () => {
    app.handles.removeSelected();
  },
  help: () => {
    page.help.toggle();
  },
};

const held: Record<HeldAction, () => void> = {
  shake: () => {
    app.shake(false);
  },
  handle: () => {
    if (app.state.handles.adding === 'held') app.handles.arm('no');
  },
};

const keys = new Shortcuts(
  (action) => {
    shortcuts[action]();
  },
  () => page.help.element.open,
  (action) => {
    held[action]();
  },
);
const target = makeGestureTarget(canvas, client, stage, app);
connectCanvas(canvas, new Gestures(target), stage, () => keys.takeSpace());
connectDrop((files) => {
  openFiles(files, true);
});
releaseMouseFocus();

new ResizeObserver(() => {
  const { clientWidth, clientHeight } = canvas;
  if (clientWidth === 0 || clientHeight === 0) return;
  stage.resize(clientWidth, clientHeight, Math.min(LARGEST_PIXEL_RATIO, window.devicePixelRatio || 1));
  stage.render(); // now: a resized canvas is blank until it is drawn
}).observe(canvas);

const loop = new FrameLoop((now) => app.draw(now));
loop.start();

/** Opens the models that the page came with. */
async function openFirst(): Promise<void> {
  let models: ModelSource[] = [];
  const inside = document.getElementById('limber-model')?.textContent !== '';
  if (inside || location.protocol !== 'file:') {
    page.showOpening('Opening');
    await new Promise((resolve) => setTimeout(resolve, 0)); // the page is seen before a long text is read
  }
  try {
    models = embeddedModels(document);
    if (models.length === 0) models = await servedModels((address) => fetch(address), location.protocol);
  } catch (error) {
    app.fail(error);
  }
  page.showOpening(null);
  await app.openAll(
    models.map((model) => ({ name: model.name, read: () => model })),
    true,
  );
}

/** Settles when the selected body, if there is one, has been drawn; at once where the page is not seen. */
async function shown(): Promise<void> {
  const nextFrame = (): Promise<number> => new Promise((resolve) => requestAnimationFrame(resolve));
  for (let i = 0; i < 120 && !document.hidden; ++i) {
    await nextFrame();
    if (!app.state.info || app.state.frame) break;
  }
  if (!document.hidden) await nextFrame();
}

/** How often something was opened. */
let openings = 0;

/** Waits for what is opened, and says in data-ready of the root element what is shown then: bodies, a clip or nothing. */
async function settle(opening: Promise<void>): Promise<void> {
  const number = ++openings;
  const { dataset } = document.documentElement;
  delete dataset.ready;
  await opening;
  await shown();
  if (number === openings) dataset.ready = app.clip ? 'clip' : app.state.info ? 'bodies' : 'nothing';
}

/** CSS pixels of a point of the scene. */
function onPage(point: Vector3): { x: number; y: number } {
  const box = canvas.getBoundingClientRect();
  const { x, y } = stage.project(point);
  return { x: box.left + x, y: box.top + y };
}

const scriptInterface: ScriptInterface = {
  ready: settle(openFirst()),
  get info() {
    return app.state.info;
  },
  get frame() {
    return app.state.frame;
  },
  get settings() {
    return app.state.settings;
  },
  get frequencies() {
    return app.state.info ? app.state.frequencies : null;
  },
  get message() {
    return page.messages.message;
  },
  get bodies() {
    return app.state.bodies;
  },
  get selected() {
    return app.state.id === 0 ? null : app.state.id;
  },
  select: (body) => {
    app.select(body);
  },
  remove: (body) => {
    app.remove(body);
  },
  frameOf: (body) => app.frameOf(body),
  frameTimes: () => loop.times(),
  position: (vertex, body = app.state.id) => stage.vertexPosition(body, vertex),
  project: (vertex, body = app.state.id) => onPage(stage.vertexPosition(body, vertex)),
  projectPoint: onPage,
  get tool() {
    return app.tool;
  },
  projectTool: () => {
    return app.tool && onPage(app.tool.position);
  },
  projectHandle: (handle, part, angle = 0) => {
    const box = canvas.getBoundingClientRect();
    const at = stage.projectHandle(handle, part, angle);
    return at && { x: box.left + at.x, y: box.top + at.y };
  },
  open: async (bytes, name = 'model.glb') => {
    if (!bytes) app.close();
    await settle(bytes ? app.open({ bytes, name, file: null }) : Promise.resolve());
  },
  add: (bytes, name = 'model.glb') => settle(app.open({ bytes, name, file: null }, true)),
  get clip() {
    const { clip } = app.state;
    return clip && { ...clip, objects: app.clip!.objects };
  },
  setClip: (change) => {
    app.setClip(change);
  },
  clipPosition: (object, vertex) => app.clip?.vertexPosition(object, vertex) ?? [0, 0, 0],
  set: (settings) => {
    app.set(settings);
  },
};
window.limber = scriptInterface;
