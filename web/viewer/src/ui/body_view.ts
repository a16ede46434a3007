// A body on the page: what is shown of it, and what a person does to it.

import type { Loaded, SimulationClient } from '../client';
import type { Frame, Settings } from '../protocol';
import type { Stage } from '../stage/stage';
import { DomainControl } from './domain_control';
import { HandleControl } from './handle_control';
import type { Messages } from './messages';
import { OverlayControl } from './overlay_control';
import { SketchControl } from './sketch_control';
import type { BodyState } from './state';

/** What bodies need of the page that they are on. */
export interface BodyHost {
  readonly client: SimulationClient;
  readonly stage: Stage;
  messages(): Pick<Messages, 'notify' | 'showError'> | undefined;
  fail(error: unknown): void;
  set(settings: Partial<Settings>): void;
  /** The picture is another one; with `panel` what the panel shows is, too. */
  changed(panel: boolean): void;
}

export class BodyView {
  readonly handles: HandleControl;
  readonly domains: DomainControl;
  readonly overlays: OverlayControl;
  readonly sketch: SketchControl;
  /** The newest frame that the stage was given. */
  shown: Frame | null = null;

  /** restPositions: of the surface, 3 n. file: tells the file that it is of from others. */
  constructor(
    readonly state: BodyState,
    private readonly restPositions: Float32Array,
    readonly file: string | null,
    host: BodyHost,
  ) {
    const { client, stage } = host;
    const notify = (text: string): void => host.messages()?.notify(text);
    this.handles = new HandleControl(client, state, notify, () => {
      stage.selectHandle(state.handles.selected);
      host.changed(true);
    });
    this.domains = new DomainControl(client, stage, state, {
      set: (settings) => {
        host.set(settings);
      },
      changed: () => {
        host.changed(true);
      },
    });
    this.overlays = new OverlayControl(client, stage, state, {
      notify,
      fail: (error) => {
        host.fail(error);
      },
      changed: () => {
        host.changed(false);
      },
    });
    this.sketch = new SketchControl(state, () => host.messages());
  }

  /** Shows it on the stage. Throws where the device cannot. */
  enter(stage: Stage, { surface, place }: Loaded): void {
    stage.addBody(this.state.id, surface, place);
    this.domains.show();
  }

  take(frame: Frame): void {
    this.state.frame = frame;
    this.sketch.add(frame, this.restPositions);
  }

  /** What the worker does by itself: a body that is put to rest, moves otherwise or shows a mode is not shaken. */
  endShake(): void {
    if (this.state.settings.shake) this.state.settings = { ...this.state.settings, shake: null };
  }

  /** The worker has put it back to rest. */
  atRest(): void {
    this.state.mode.playing = null;
    this.endShake();
  }
}
