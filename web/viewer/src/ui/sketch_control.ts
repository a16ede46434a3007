// The sketch of a body: records pulls while that is wanted, and saves them.

import type { Method } from '../../../runtime/src/types';
import type { Frame } from '../protocol';
import { SketchRecorder } from '../sketch';
import { saveText } from './dom';
import type { Messages } from './messages';
import { sketchFileName } from './sketch_section';
import type { BodyState } from './state';

const FULL = 'The sketch is full: no more pulls are recorded. Save or discard it.';

export class SketchControl {
  /** What moved the body before the recording. */
  methodBefore: Method = 'reduced';
  private readonly recorder_ = new SketchRecorder();

  constructor(
    private readonly state_: BodyState,
    private readonly messages_: () => Pick<Messages, 'notify' | 'showError'> | undefined,
  ) {}

  /** Recorded forces. */
  get count(): number {
    return this.recorder_.count;
  }

  /** Recording begins or ends; the settings are still those before. */
  record(on: boolean): void {
    if (on) this.methodBefore = this.state_.settings.method;
    this.state_.sketch.recording = on;
    this.messages_()?.notify(on ? 'Recording pulls on the linear model' : 'Recording stopped');
    if (on && this.recorder_.full) this.messages_()?.showError(FULL);
  }

  /** restPositions: of the surface, 3 n. */
  add(frame: Frame, restPositions: Float32Array): void {
    if (!this.state_.sketch.recording) return;
    if (this.recorder_.add(frame, restPositions)) this.messages_()?.showError(FULL);
  }

  save(): void {
    if (this.count === 0) return;
    const name = sketchFileName(this.state_.name);
    saveText(this.recorder_.encode(), name, 'application/json');
    this.messages_()?.notify(`${name} saved`);
  }

  clear(): void {
    this.recorder_.clear();
  }
}
