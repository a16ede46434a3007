// Brings the simulation, the stage and the page together: keeps the state, carries out what a person does, and draws.

import type { Vector3 } from '../../runtime/src/types';
import type { Loaded, SimulationClient } from './client';
import { isClip } from './clip_file';
import { type ClipChange, ClipPlayer } from './clip_player';
import { nothing } from './contact';
import { errorText } from './error_text';
import type { ModelSource } from './model_source';
import type { Frame, Settings } from './protocol';
import { splitSettings } from './settings';
import { baseName } from './settings_text';
import { DrawnClip } from './stage/drawn_clip';
import type { Stage } from './stage/stage';
import type { ToolState } from './tool';
import { upVector } from './up';
import { BodyView } from './ui/body_view';
import type { DomainControl } from './ui/domain_control';
import { drawnHandles, drawnPulls, type HandleControl, handlesKey } from './ui/handle_control';
import type { PageView } from './ui/page';
import { Picture } from './ui/picture';
import {
  type Actions,
  type BodyState,
  emptyBody,
  emptyWorld,
  gravityVector,
  hasDomains,
  HELD,
  loadedState,
  lyingText,
  NOT_HELD,
  NOT_OF_DOMAINS,
  openingText,
  type Overlay,
  restartText,
  shakeOf,
  takeInForce,
  takeWorld,
  viewOf,
  type ViewState,
  type WorldState,
} from './ui/state';

/** s between changes of the time shown: reading needs no more. */
const TIME_INTERVAL = 0.1;

/** A model to open, which is read when its turn comes; name: what to call it until then. */
export interface Opening {
  readonly name: string;
  readonly read: () => ModelSource | Promise<ModelSource>;
}

export class App implements Actions {
  private world_: WorldState = emptyWorld();
  /** By their numbers, in the order of their coming. */
  private readonly bodies_ = new Map<number, BodyView>();
  /** What stands for a body where there is none. */
  private readonly none_: BodyView;
  private selected_ = 0;
  /** Counts what was asked to be shown in place of all, so that a file that is read slowly does not replace a newer choice. */
  private request_ = 0;
  /** The request after which the page was closed last. */
  private closed_ = 0;
  /** Settles when all that was asked for so far is shown: what is added later comes after it. */
  private opening_: Promise<void> = Promise.resolve();
  private page_: PageView | null = null;
  private timeDue_ = 0;
  /** Of the handles that the page shows. */
  private handlesKey_ = '';
  private readonly picture_: Picture;
  private readonly player_: ClipPlayer;
  private tool_: ToolState | null = null;

  /** adaptQuality: whether the picture may become lighter where it is slow. */
  constructor(
    private readonly client_: SimulationClient,
    private readonly stage_: Stage,
    options: { readonly adaptQuality: boolean },
  ) {
    this.picture_ = new Picture(stage_, options.adaptQuality);
    this.player_ = new ClipPlayer(stage_);
    this.none_ = this.makeBody_(emptyBody(), new Float32Array(0), null);
    this.listen_(client_);
  }

  /** What the page shows. */
  get state(): ViewState {
    return viewOf(
      this.world_,
      this.body_.state,
      this.all_.map(({ state }) => state),
      this.player_.state,
    );
  }

  /** The one that plays; null: there is none. */
  get clip(): DrawnClip | null {
    return this.player_.clip;
  }

  /** The ball in the hand; null: there is none. */
  get tool(): ToolState | null {
    return this.tool_;
  }

  get handles(): HandleControl {
    return this.body_.handles;
  }

  get domains(): DomainControl {
    return this.body_.domains;
  }

  private listen_(client: SimulationClient): void {
    client.on('frame', ({ body, frame }) => {
      this.bodies_.get(body)?.take(frame);
    });
    client.on('met', ({ body }) => {
      this.select(body);
    });
    client.on('frequencies', ({ body, frequencies }) => {
      const view = this.bodies_.get(body);
      if (!view) return;
      view.state.frequencies = frequencies;
      const { playing } = view.state.mode;
      if (playing !== null && playing >= frequencies.length) view.state.mode.playing = null; // so did the worker
      this.refresh_();
    });
    client.on('world', (settings) => {
      takeWorld(this.world_, settings);
      this.refresh_();
    });
    client.on('surroundings', (surroundings) => {
      this.stage_.setSurroundings(surroundings);
      this.picture_.invalidate();
    });
    client.on('tool', (tool) => {
      this.tool_ = tool;
      this.stage_.setTool(tool);
      this.picture_.invalidate();
    });
    client.on('restarted', ({ body, reason, paused }) => {
      const view = this.bodies_.get(body);
      if (!view) return;
      view.atRest();
      const name = this.bodies_.size > 1 ? view.state.name : null;
      this.page_?.messages.showError(restartText(name, reason, paused));
      this.refresh_();
    });
    client.on('failed', ({ command, body, message, inForce }) => {
      const view = this.bodies_.get(body ?? 0) ?? this.none_;
      takeInForce(this.world_, view.state, inForce);
      if (inForce.settings?.method !== undefined) view.overlays.refresh();
      if (command === 'handle-add') this.handles.arm('no');
      this.refresh_();
      this.page_?.messages.showError(message);
    });
    client.on('lost', ({ message }) => {
      this.clear_();
      this.page_?.messages.showError(message);
    });
  }

  /** The page that shows the state from now on. */
  show(page: PageView): void {
    this.page_ = page;
    this.refresh_();
  }

  /** Something but the bodies' motion changed the picture. */
  invalidate(): void {
    this.picture_.invalidate();
  }

  /** Opens a model in place of all bodies or, with `add`, beside them, as `openAll` does. */
  async open(model: ModelSource, add = false): Promise<void> {
    await this.openAll([{ name: model.name, read: () => model }], add);
  }

  /**
   * Opens models side by side, one after the other, in place of all bodies or, with `add`, beside them; unless all are to be replaced by
   * something else meanwhile. The first one is selected. Where that fails the page says so, and the bodies at hand go on.
   */
  async openAll(models: readonly Opening[], add: boolean): Promise<void> {
    if (models.length === 0) return;
    const request = add ? this.request_ : ++this.request_;
    const before = add ? this.opening_ : Promise.resolve();
    this.page_?.messages.dismiss();
    this.opening_ = before.then(() => this.openInTurn_(models, add, request));
    await this.opening_;
  }

  /** The page without a model. */
  close(): void {
    this.page_?.showOpening(null);
    this.closed_ = ++this.request_;
    this.opening_ = Promise.resolve();
    this.client_.unload();
    this.player_.close();
    this.clear_();
  }

  remove(body: number): void {
    this.page_?.finishInput();
    this.client_.remove(body);
    this.stage_.removeBody(body);
    this.bodies_.delete(body);
    this.picture_.clear();
    this.showHeld_();
    if (this.bodies_.size === 0) this.clear_();
    else if (body === this.selected_) this.select([...this.bodies_.keys()].at(-1)!);
    else this.refresh_();
  }

  /** Not while a pointer holds a slider: its values would go on to another body. */
  select(body: number): void {
    const [from, to] = [this.body_, this.bodies_.get(body)];
    if (!to || body === this.selected_ || (from.state.info && this.page_?.sliding)) return;
    this.page_?.finishInput();
    const { adding } = from.state.handles;
    from.state.handles = { ...from.state.handles, adding: 'no', selected: null };
    if (adding === 'held' && to.state.settings.method === 'warped') to.state.handles.adding = 'held';
    if (from.state.settings.shake && this.bodies_.has(from.state.id)) this.shake(false);
    this.selected_ = body;
    this.stage_.followFromHere(body);
    this.stage_.selectHandle(to.state.handles.selected);
    this.page_?.plots.clear();
    this.timeDue_ = 0;
    this.picture_.invalidate();
    this.refresh_();
  }

  /** The body after the selected one. */
  selectNext(): void {
    const ids = [...this.bodies_.keys()];
    if (ids.length > 1) this.select(ids[(ids.indexOf(this.selected_) + 1) % ids.length]!);
  }

  /** The newest one of a body. */
  frameOf(body: number): Frame | null {
    return this.bodies_.get(body)?.state.frame ?? null;
  }

  /** The handle that a person has taken hold of, of whichever body. */
  selectHandle(handle: number): void {
    const owner = this.all_.find(({ state }) => state.frame?.handles.some(({ id }) => id === handle));
    if (owner) this.select(owner.state.id);
    (owner ?? this.body_).handles.select(handle);
  }

  /** Shows what went wrong, with the name of the file where it is about one. */
  fail(error: unknown, name = ''): void {
    const text = error instanceof Error ? error.message : String(error);
    this.page_?.messages.showError(name === '' || text.includes(name) ? text : `${name}: ${text}`);
  }

  /** Draws where there is something new; `now` in s. Returns whether it drew. */
  draw(now: number): boolean {
    const page = this.page_;
    const { frame } = this.body_.state;
    const fresh = frame !== null && frame !== this.body_.shown;
    this.pass_();
    if (fresh) page?.plots.add(now, frame);
    if (this.player_.advance(now)) {
      this.picture_.invalidate();
      page?.clipBar.showTime(this.player_.state!);
    }
    const frames = this.all_.map(({ state }) => state.frame);
    const drew = (this.bodies_.size > 0 || this.clip !== null) && this.picture_.draw(frames, now);
    if (fresh && now >= this.timeDue_) {
      this.timeDue_ = now + TIME_INTERVAL;
      page?.transport.showTime(frame.time);
      page?.domains.showFrame(frame);
      const { sketch, state } = this.body_;
      if (sketch.count !== state.sketch.count || handlesKey(frame) !== this.handlesKey_) this.refresh_();
    }
    page?.plots.draw(now);
    return drew;
  }

  set(settings: Partial<Settings>): void {
    const { state } = this.body_;
    if (!state.info) return;
    const { ofWorld, ofBody } = splitSettings(settings);
    if (settings.method !== undefined && settings.method !== state.settings.method) this.body_.endShake();
    takeWorld(this.world_, ofWorld);
    state.settings = { ...state.settings, ...ofBody };
    this.client_.set(state.id, settings);
    if (settings.method !== undefined) {
      this.handles.clear();
      this.body_.overlays.refresh();
    }
    this.refresh_();
  }

  setClip(change: ClipChange): void {
    this.player_.change(change);
    this.picture_.invalidate();
    this.refresh_();
  }

  playOrPause(): void {
    const clip = this.player_.state;
    if (clip) this.setClip({ paused: !clip.paused });
    else this.set({ paused: !this.state.settings.paused });
  }

  step(): void {
    if (this.clip) {
      this.player_.step();
      this.setClip({});
      return;
    }
    if (!this.world_.settings.paused) this.set({ paused: true });
    if (this.all_.some(({ state }) => state.mode.playing === null)) this.client_.step();
    this.timeDue_ = 0;
  }

  reset(): void {
    if (this.clip) {
      this.setClip({ time: 0 });
      return;
    }
    for (const body of this.all_) body.atRest();
    this.client_.reset(null);
    this.page_?.plots.clear();
    this.timeDue_ = 0;
    this.refresh_();
  }

  setStrength(strength: number): void {
    this.world_.strength = strength;
    this.client_.strength(strength);
    this.refresh_();
  }

  setGravity(change: Partial<WorldState['gravity']>): void {
    if (!this.body_.state.info) return; // there is no world yet that would have it
    this.world_.gravity = { ...this.world_.gravity, ...change };
    this.set({ gravity: gravityVector(this.world_.gravity) });
  }

  shake(on: boolean): void {
    const { state } = this.body_;
    if (!state.info || on === (state.settings.shake !== null)) return;
    if (on && state.info.free) {
      this.page_?.messages.notify(NOT_HELD);
      return;
    }
    if (on) this.setMode({ playing: null });
    this.set(on ? { shake: shakeOf(state), paused: false } : { shake: null });
  }

  setShake(change: Partial<ViewState['shake']>): void {
    const { state } = this.body_;
    state.shake = { ...state.shake, ...change };
    if (state.settings.shake) this.set({ shake: shakeOf(state) });
    else this.refresh_();
  }

  setFollow(on: boolean): void {
    this.world_.follow = on;
    this.refresh_();
  }

  setContacts(on: boolean): void {
    this.world_.contacts = on;
    this.showHeld_();
    this.picture_.invalidate();
    this.refresh_();
  }

  drop(): void {
    const { state } = this.body_;
    if (!state.info) return;
    if (!state.info.free) {
      this.page_?.messages.notify(HELD);
      return;
    }
    this.setMode({ playing: null });
    if (!this.world_.gravity.on) this.setGravity({ on: true });
    if (this.world_.settings.paused) this.set({ paused: false });
    this.client_.drop(state.id);
  }

  setYoung(region: number, young: number): void {
    const { state } = this.body_;
    state.young[region] = young;
    this.client_.material(state.id, region, young);
    this.refresh_();
  }

  setMode(change: Partial<ViewState['mode']>): void {
    if (change.playing !== undefined && change.playing !== null && this.refused_()) return;
    const { state } = this.body_;
    const before = state.mode.playing;
    const mode = { ...state.mode, ...change };
    const { playing, amplitude, rate } = mode;
    if (playing !== null && state.sketch.recording) this.record(false); // which ends any mode
    state.mode = mode;
    if (playing !== null) {
      this.body_.endShake();
      this.client_.mode(state.id, { index: playing, amplitude: amplitude * state.size, rate });
      if (this.world_.settings.paused) this.set({ paused: false });
    } else if (before !== null) {
      this.client_.mode(state.id, null);
    }
    this.refresh_();
  }

  stepMode(by: 1 | -1): void {
    const { frequencies, mode } = this.body_.state;
    const count = frequencies.length;
    if (count === 0) return;
    const { playing } = mode;
    const next = playing === null ? (by === 1 ? 0 : count - 1) : (playing + by + count) % count;
    this.setMode({ playing: next });
  }

  setOverlay(overlay: Overlay, shown: boolean): void {
    this.body_.overlays.set(overlay, shown);
    this.refresh_();
  }

  record(on: boolean): void {
    const { state, sketch } = this.body_;
    if (!state.info || on === state.sketch.recording || (on && this.refused_())) return;
    if (on) this.setMode({ playing: null });
    sketch.record(on);
    this.set(on ? { method: 'linear', paused: false } : { method: sketch.methodBefore });
    if (on) return;
    // The linear model bends further than the body could follow.
    this.body_.atRest();
    this.client_.reset(state.id);
    this.refresh_();
  }

  saveSketch(): void {
    this.body_.sketch.save();
  }

  discardSketch(): void {
    this.body_.sketch.clear();
    this.refresh_();
  }

  /** The selected one. */
  private get body_(): BodyView {
    return this.bodies_.get(this.selected_) ?? this.none_;
  }

  private get all_(): BodyView[] {
    return [...this.bodies_.values()];
  }

  private makeBody_(state: BodyState, restPositions: Float32Array, file: string | null): BodyView {
    return new BodyView(state, restPositions, file, {
      client: this.client_,
      stage: this.stage_,
      messages: () => this.page_?.messages,
      fail: (error) => {
        this.fail(error);
      },
      set: (settings) => {
        this.set(settings);
      },
      changed: (panel) => {
        this.picture_.invalidate();
        if (panel) this.refresh_();
      },
    });
  }

  /** Passes frames that are new on to the stage. */
  private pass_(): void {
    const fresh = this.all_.filter(({ state, shown }) => state.frame && state.frame !== shown);
    for (const body of fresh) {
      const { id } = body.state;
      const frame = body.state.frame!;
      body.shown = frame;
      this.stage_.setCoordinates(id, frame.q, frame.warped, frame.pose);
      const follow = this.world_.follow && body === this.body_ && !isHeld(frame);
      if (frame.shift) this.stage_.setShift(id, frame.shift, follow);
    }
    if (fresh.length > 0) this.showHeld_();
  }

  /** Pulls, handles and contacts of all bodies. */
  private showHeld_(): void {
    const moving = this.all_.flatMap(({ state }) => (state.frame ? [{ ...state, frame: state.frame }] : []));
    this.stage_.setPulls(moving.flatMap(({ frame, size }) => drawnPulls(frame, size)));
    this.stage_.setHandles(moving.flatMap(({ frame }) => drawnHandles(frame)));
    this.stage_.setContacts(this.world_.contacts ? moving.flatMap(({ frame }) => frame.contacts) : []);
  }

  /** Whether the body has several domains, which have no use for what was asked; then the page says so. */
  private refused_(): boolean {
    const refused = hasDomains(this.body_.state.info);
    if (refused) this.page_?.messages.notify(NOT_OF_DOMAINS);
    return refused;
  }

  private async openInTurn_(models: readonly Opening[], add: boolean, request: number): Promise<void> {
    let first = true;
    let gravity: Vector3 | undefined;
    for (const [i, model] of models.entries()) {
      if (request !== this.request_) return;
      this.page_?.showOpening(openingText(model.name, i, models.length));
      const opened = await this.openOne_(model, add || !first, request, models.length === 1);
      if (opened === null) continue;
      if (first) this.select(opened.body);
      gravity ??= opened.gravity;
      first = false;
    }
    if (request !== this.request_) return;
    if (gravity) this.set({ gravity }); // now: none falls before the others are there
    this.page_?.showOpening(null);
  }

  /** The number of the body, and the gravity that its file asks for; null: there is no body. alone: nothing else is opened with it. */
  private async openOne_(
    { name, read }: Opening,
    add: boolean,
    request: number,
    alone: boolean,
  ): Promise<{ readonly body: number; readonly gravity?: Vector3 | undefined } | null> {
    let model: ModelSource;
    let loaded: Loaded;
    try {
      model = await read();
      if (request !== this.request_) return null;
      if (model.bytes && isClip(model.bytes)) {
        await this.openClip_(model.bytes, model.name, request, alone);
        return null;
      }
      loaded = await this.load_(model, add);
    } catch (error) {
      if (request === this.request_) this.fail(error, name);
      return null;
    }
    // From here on the simulation has this body, also where a newer choice is still being read.
    if (request < this.closed_) return null;
    try {
      this.adopt_(loaded, model.file, add);
      return { body: loaded.body, gravity: model.gravity };
    } catch (error) {
      // The graphics device cannot show it.
      this.remove(loaded.body);
      this.fail(error, name);
      return null;
    }
  }

  /** In place of all that is shown. Throws where it cannot be played. */
  private async openClip_(bytes: ArrayBuffer, name: string, request: number, alone: boolean): Promise<void> {
    if (!alone) throw new Error(`${name} is a clip, which is shown alone: open it by itself.`);
    let clip: DrawnClip;
    try {
      clip = await DrawnClip.load(bytes);
    } catch (error) {
      throw new Error(`${name} cannot be played: ${errorText(error)}.`, { cause: error });
    }
    if (request !== this.request_) {
      clip.dispose();
      return;
    }
    this.closed_ = request; // bodies that were asked for before are not wanted
    this.client_.unload();
    this.clear_();
    this.world_.up = 'y'; // by the standard of glTF
    this.stage_.setUp(upVector('y'));
    this.player_.show(clip, baseName(name));
    this.picture_.clear();
    this.refresh_();
  }

  /** Bodies of one file share its model. */
  private async load_({ bytes, name, file }: ModelSource, add: boolean): Promise<Loaded> {
    const same = add && file !== null ? this.all_.find((body) => body.file === file) : undefined;
    try {
      if (same) return await this.client_.copy(same.state.id, name);
    } catch (error) {
      if (!bytes) throw error; // else that body has gone meanwhile, and its model with it
    }
    if (!bytes) throw new Error(`${name} was not opened: the first body of this file is not there.`);
    return this.client_.load(bytes, name, !add);
  }

  private adopt_(loaded: Loaded, file: string | null, add: boolean): void {
    const before = this.body_.state;
    if (!add) this.forget_();
    this.player_.close();
    this.standUp_(loaded);
    const taken = this.all_.map(({ state }) => state.name);
    const state = loadedState(loaded, before, taken);
    const body = this.makeBody_(state, loaded.surface.positions, file);
    if (this.bodies_.size > 0) this.world_.follow = false; // the others would be left behind
    this.bodies_.set(state.id, body);
    state.frame = this.client_.newestFrame(state.id);
    this.picture_.clear();
    body.enter(this.stage_, loaded);
    if (this.bodies_.size > 1) {
      this.refresh_();
    } else {
      this.page_?.transport.showTime(0);
      this.select(state.id);
    }
  }

  /** The first body says which way is up; one that stands otherwise beside it is shown as it is, and that is said. */
  private standUp_({ info, name }: Loaded): void {
    if (this.bodies_.size > 0) {
      const { up } = this.world_;
      if (info.up !== up) this.page_?.messages.notify(lyingText(name, info.up, up));
      return;
    }
    const { gravity } = this.world_;
    const direction = gravity.on ? gravity.direction : (`-${info.up}` as const);
    this.world_ = { ...this.world_, up: info.up, gravity: { ...gravity, direction } };
    this.stage_.setUp(upVector(info.up));
  }

  /** Without a body. */
  private clear_(): void {
    this.tool_ = null; // a simulation that is lost does not say that ball, ground and obstacle are
    this.stage_.setTool(null);
    this.stage_.setSurroundings(nothing);
    this.forget_();
    takeWorld(this.world_, emptyWorld().settings);
    this.refresh_();
  }

  /** Puts all bodies away; what is in force of the world the simulation says. */
  private forget_(): void {
    const { settings, strength, follow, contacts } = this.world_;
    const several = this.bodies_.size > 1;
    this.world_ = { ...emptyWorld(), strength, contacts, follow: several || follow };
    takeWorld(this.world_, settings);
    for (const id of this.bodies_.keys()) this.stage_.removeBody(id);
    this.bodies_.clear();
    this.selected_ = 0;
    this.showHeld_();
    this.picture_.clear();
    this.page_?.plots.clear();
    this.page_?.transport.showTime(null);
  }

  private refresh_(): void {
    const { state, sketch } = this.body_;
    state.sketch.count = sketch.count;
    this.handlesKey_ = handlesKey(state.frame);
    this.page_?.update(this.state);
  }
}

/** Whether a hand holds the body: a camera that went along would carry the hand away. */
function isHeld({ pulls, handles }: Frame): boolean {
  return pulls.length > 0 || handles.some(({ pinned }) => !pinned);
}
