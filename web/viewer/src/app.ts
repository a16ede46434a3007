// Brings the simulation, the stage and the page together: keeps the state, carries out what a person does, and draws.

import type { Loaded, SimulationClient } from './client';
import type { ModelSource } from './model_source';
import type { Surface } from '../../runtime/src/types';
import type { Frame, Settings } from './protocol';
import type { Stage } from './stage/stage';
import { DomainControl } from './ui/domain_control';
import { drawnHandles, drawnPulls, HandleControl, handlesKey } from './ui/handle_control';
import { OverlayControl } from './ui/overlay_control';
import type { PageView } from './ui/page';
import { Picture } from './ui/picture';
import { SketchControl } from './ui/sketch_control';
import {
  type Actions,
  emptyState,
  gravityVector,
  hasDomains,
  loadedState,
  NOT_HELD,
  NOT_OF_DOMAINS,
  type Overlay,
  shakeOf,
  takeInForce,
  type ViewState,
} from './ui/state';

/** s between changes of the time shown: reading needs no more. */
const TIME_INTERVAL = 0.1;

export class App implements Actions {
  readonly state: ViewState = emptyState();
  readonly handles: HandleControl;
  readonly domains: DomainControl;
  private readonly sketch_ = new SketchControl(this.state, () => this.page_?.messages);
  private surface_: Surface | null = null;
  /** Counts what was asked to be shown, so that a file that is read slowly does not replace a newer choice. */
  private request_ = 0;
  /** The request after which the page was closed last. */
  private closed_ = 0;
  private page_: PageView | null = null;
  private shownFrame_: Frame | null = null;
  private timeDue_ = 0;
  /** Of the handles that the page shows. */
  private handlesKey_ = '';
  private readonly picture_: Picture;
  private readonly overlays_: OverlayControl;

  /** adaptQuality: whether the picture may become lighter where it is slow. */
  constructor(
    private readonly client_: SimulationClient,
    private readonly stage_: Stage,
    options: { readonly adaptQuality: boolean },
  ) {
    this.picture_ = new Picture(stage_, options.adaptQuality);
    const notify = (text: string): void => this.page_?.messages.notify(text);
    this.overlays_ = new OverlayControl(client_, stage_, this.state, {
      notify,
      fail: (error) => {
        this.fail(error);
      },
      changed: () => {
        this.picture_.invalidate();
      },
    });
    this.handles = new HandleControl(client_, this.state, notify, () => {
      stage_.selectHandle(this.state.handles.selected);
      this.picture_.invalidate();
      this.refresh_();
    });
    this.domains = new DomainControl(client_, stage_, this.state, {
      set: (settings) => {
        this.set(settings);
      },
      changed: () => {
        this.picture_.invalidate();
        this.refresh_();
      },
    });
    this.listen_(client_);
  }

  private listen_(client: SimulationClient): void {
    client.on('frame', (frame) => {
      if (!this.surface_) return;
      this.state.frame = frame;
      this.sketch_.add(frame, this.surface_.positions);
    });
    client.on('frequencies', (frequencies) => {
      if (!this.state.info) return;
      this.state.frequencies = frequencies;
      const { playing } = this.state.mode;
      if (playing !== null && playing >= frequencies.length) this.setMode({ playing: null });
      this.refresh_();
    });
    client.on('restarted', ({ message, paused }) => {
      if (!this.state.info) return;
      this.state.mode.playing = null;
      this.endShake_();
      if (paused) this.state.settings = { ...this.state.settings, paused };
      this.page_?.messages.showError(message);
      this.refresh_();
    });
    client.on('failed', ({ command, message, inForce }) => {
      takeInForce(this.state, inForce);
      if (inForce.settings?.method !== undefined) this.overlays_.refresh();
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

  /** Something but the body's motion changed the picture. */
  invalidate(): void {
    this.picture_.invalidate();
  }

  /**
   * Opens the model that `source` settles with, null: none, unless something else is asked for meanwhile. Where that fails the
   * page says so, and the body at hand goes on. `name`: what to call it until it is read.
   */
  async open(source: ModelSource | Promise<ModelSource | null>, name = ''): Promise<void> {
    const request = ++this.request_;
    let what = name;
    let loaded: Loaded;
    try {
      const model = await source;
      if (!model || request !== this.request_) return;
      what = model.name;
      loaded = await this.client_.load(model.bytes, what);
    } catch (error) {
      if (request === this.request_) this.fail(error, what);
      return;
    }
    // From here on the simulation has this body, also where a newer choice is still being read.
    if (request < this.closed_) return;
    try {
      this.adopt_(loaded);
      if (request === this.request_) this.page_?.messages.dismiss();
    } catch (error) {
      // The graphics device cannot show it.
      if (request === this.request_) this.client_.unload();
      this.clear_();
      this.fail(error, what);
    }
  }

  /** The page without a model. */
  close(): void {
    this.closed_ = ++this.request_;
    this.client_.unload();
    this.clear_();
  }

  /** Shows what went wrong, with the name of the file where it is about one. */
  fail(error: unknown, name = ''): void {
    const text = error instanceof Error ? error.message : String(error);
    this.page_?.messages.showError(name === '' || text.includes(name) ? text : `${name}: ${text}`);
  }

  /** Draws where there is something new; `now` in s. Returns whether it drew. */
  draw(now: number): boolean {
    const { frame } = this.state;
    const page = this.page_;
    const fresh = frame !== null && frame !== this.shownFrame_;
    if (fresh) {
      this.shownFrame_ = frame;
      this.stage_.setCoordinates(frame.q, frame.warped, frame.pose);
      if (frame.shift) this.stage_.setShift(frame.shift, this.state.follow && !isHeld(frame));
      this.stage_.setPulls(drawnPulls(frame, this.state.size));
      this.stage_.setHandles(drawnHandles(frame));
      page?.plots.add(now, frame);
    }
    const drew = this.surface_ !== null && this.picture_.draw(frame, now);
    if (fresh && now >= this.timeDue_) {
      this.timeDue_ = now + TIME_INTERVAL;
      page?.transport.showTime(frame.time);
      page?.domains.showFrame(frame);
      const counted = this.sketch_.count === this.state.sketch.count;
      if (!counted || handlesKey(frame) !== this.handlesKey_) this.refresh_();
    }
    page?.plots.draw(now);
    return drew;
  }

  set(settings: Partial<Settings>): void {
    if (!this.state.info) return;
    const { method } = this.state.settings;
    if (settings.method !== undefined && settings.method !== method) this.endShake_();
    this.state.settings = { ...this.state.settings, ...settings };
    this.client_.set(settings);
    if (settings.method !== undefined) {
      this.handles.clear();
      this.overlays_.refresh();
    }
    this.refresh_();
  }

  step(): void {
    if (!this.state.settings.paused) this.set({ paused: true });
    if (this.state.mode.playing === null) this.client_.step();
    this.timeDue_ = 0;
  }

  reset(): void {
    this.state.mode.playing = null;
    this.endShake_();
    this.client_.reset();
    this.page_?.plots.clear();
    this.timeDue_ = 0;
    this.refresh_();
  }

  setStrength(strength: number): void {
    this.state.strength = strength;
    this.client_.strength(strength);
    this.refresh_();
  }

  setGravity(change: Partial<ViewState['gravity']>): void {
    this.state.gravity = { ...this.state.gravity, ...change };
    this.set({ gravity: gravityVector(this.state.gravity) });
  }

  shake(on: boolean): void {
    const { info, settings } = this.state;
    if (!info || on === (settings.shake !== null)) return;
    if (on && info.free) {
      this.page_?.messages.notify(NOT_HELD);
      return;
    }
    if (on) this.setMode({ playing: null });
    this.set(on ? { shake: shakeOf(this.state), paused: false } : { shake: null });
  }

  setShake(change: Partial<ViewState['shake']>): void {
    this.state.shake = { ...this.state.shake, ...change };
    if (this.state.settings.shake) this.set({ shake: shakeOf(this.state) });
    else this.refresh_();
  }

  setFollow(on: boolean): void {
    this.state.follow = on;
    this.refresh_();
  }

  setYoung(region: number, young: number): void {
    this.state.young[region] = young;
    this.client_.material(region, young);
    this.refresh_();
  }

  setMode(change: Partial<ViewState['mode']>): void {
    if (change.playing !== undefined && change.playing !== null && this.refused_()) return;
    const before = this.state.mode.playing;
    const mode = { ...this.state.mode, ...change };
    const { playing, amplitude, rate } = mode;
    if (playing !== null && this.state.sketch.recording) this.record(false); // which ends any mode
    this.state.mode = mode;
    if (playing !== null) {
      this.endShake_();
      this.client_.mode({ index: playing, amplitude: amplitude * this.state.size, rate });
      if (this.state.settings.paused) this.set({ paused: false });
    } else if (before !== null) {
      this.client_.mode(null);
    }
    this.refresh_();
  }

  stepMode(by: 1 | -1): void {
    const count = this.state.frequencies.length;
    if (count === 0) return;
    const { playing } = this.state.mode;
    const next = playing === null ? (by === 1 ? 0 : count - 1) : (playing + by + count) % count;
    this.setMode({ playing: next });
  }

  setOverlay(overlay: Overlay, shown: boolean): void {
    this.overlays_.set(overlay, shown);
    this.refresh_();
  }

  record(on: boolean): void {
    if (!this.state.info || on === this.state.sketch.recording || (on && this.refused_())) return;
    if (on) this.setMode({ playing: null });
    this.sketch_.record(on);
    this.set(on ? { method: 'linear', paused: false } : { method: this.sketch_.methodBefore });
    // The linear model bends further than the body could follow.
    if (!on) this.reset();
  }

  saveSketch(): void {
    this.sketch_.save();
  }

  discardSketch(): void {
    this.sketch_.clear();
    this.refresh_();
  }

  /** What the worker does by itself: a body that is put to rest, moves otherwise or shows a mode is not shaken. */
  private endShake_(): void {
    if (this.state.settings.shake) this.state.settings = { ...this.state.settings, shake: null };
  }

  /** Whether the body has several domains, which have no use for what was asked; then the page says so. */
  private refused_(): boolean {
    const refused = hasDomains(this.state.info);
    if (refused) this.page_?.messages.notify(NOT_OF_DOMAINS);
    return refused;
  }

  private adopt_(loaded: Loaded): void {
    Object.assign(this.state, loadedState(loaded, this.state), { frame: this.client_.newestFrame });
    this.surface_ = loaded.surface;
    this.forget_();
    this.stage_.setBody(loaded.surface);
    this.domains.show();
  }

  /** Without a body. */
  private clear_(): void {
    Object.assign(this.state, emptyState(), { strength: this.state.strength });
    this.surface_ = null;
    this.forget_();
    this.stage_.setBody(null);
    this.refresh_();
  }

  /** Puts away what is left of the body before; the state is of the new one already. */
  private forget_(): void {
    this.shownFrame_ = null;
    this.picture_.clear();
    this.overlays_.clear();
    this.sketch_.clear();
    this.page_?.plots.clear();
    this.page_?.transport.showTime(this.state.info ? 0 : null);
  }

  private refresh_(): void {
    this.state.sketch.count = this.sketch_.count;
    this.handlesKey_ = handlesKey(this.state.frame);
    this.page_?.update(this.state);
  }
}

/** Whether a hand holds the body: a camera that went along would carry the hand away. */
function isHeld({ pulls, handles }: Frame): boolean {
  return pulls.length > 0 || handles.some(({ pinned }) => !pinned);
}
