// `window.limber`: the page for scripts and tests.

import type { BodyInfo, Vector3 } from '../../../runtime/src/types';
import type { GripPart } from '../handle_grip';
import type { Frame, Settings } from '../protocol';

export interface ScriptInterface {
  /** Settles when the model of the page is shown, or the page that asks for one is up. */
  readonly ready: Promise<void>;
  /** Of the body that is shown; null: none is. */
  readonly info: BodyInfo | null;
  /** The newest one. */
  readonly frame: Frame | null;
  readonly settings: Settings;
  /** Of natural vibrations, Hz; null without a body. */
  readonly frequencies: Float64Array | null;
  /** The error that the page shows. */
  readonly message: string | null;
  /** ms of JavaScript on the page's thread of the newest frames drawn, 240 at most, oldest first. */
  frameTimes(): number[];
  /** Where a vertex of the surface is now, m, as it is drawn. */
  position(vertex: number): Vector3;
  /** Where a vertex of the surface is on the page now, CSS pixels. */
  project(vertex: number): { x: number; y: number };
  /** Where a part of a handle of `frame` is on the page now, CSS pixels; angle: rad along a ring. null: there is none. */
  projectHandle(handle: number, part: GripPart, angle?: number): { x: number; y: number } | null;
  /**
   * Opens a `.glb`; settles when it is shown or `message` says why not. The bytes are moved: use a copy to keep them.
   * Null takes the body away.
   */
  open(bytes: ArrayBuffer | null, name?: string): Promise<void>;
  /** Changes how the body is run, as the controls do. */
  set(settings: Partial<Settings>): void;
}

declare global {
  interface Window {
    limber: ScriptInterface;
  }
}
