import type { ModePlayback } from './protocol';
import type { RuntimeBody } from './runtime_body';

/** Shows a natural vibration: q(t) = amplitude sin(2 pi rate t) shape, t by the wall clock. The body itself stays as it is. */
export class ModePlayer {
  private shape: Float64Array;
  /** In periods. */
  private phase = 0;

  constructor(
    private readonly body: RuntimeBody,
    private playback: ModePlayback,
  ) {
    check(playback, body.rank());
    this.shape = body.modeShape(playback.index);
  }

  /** Another mode, amplitude or rate; the phase goes on, so that a slider does not make it jump. */
  change(playback: ModePlayback): void {
    check(playback, this.body.rank());
    this.shape = this.body.modeShape(playback.index);
    this.playback = playback;
  }

  /** After a change of material or rank. False: there is no such mode any more. */
  refresh(): boolean {
    if (this.playback.index >= this.body.rank()) return false;
    this.shape = this.body.modeShape(this.playback.index);
    return true;
  }

  advance(seconds: number): void {
    this.phase = (this.phase + this.playback.rate * seconds) % 1;
  }

  coordinates(into: Float32Array): void {
    const scale = this.playback.amplitude * Math.sin(2 * Math.PI * this.phase);
    for (let i = 0; i < into.length; ++i) into[i] = scale * this.shape[i]!;
  }
}

function check({ index, amplitude, rate }: ModePlayback, rank: number): void {
  if (!Number.isInteger(index) || index < 0 || index >= rank) {
    throw new Error(`Mode: expected 0 to ${rank - 1}, found ${index}.`);
  }
  if (!Number.isFinite(amplitude)) throw new Error(`Amplitude: expected a number, found ${amplitude}.`);
  if (!(rate >= 0 && rate <= 100)) throw new Error(`Periods per second: expected 0 to 100, found ${rate}.`);
}
