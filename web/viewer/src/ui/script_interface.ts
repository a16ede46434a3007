// `window.limber`: the page for scripts and tests.

import type { BodyInfo, Vector3 } from '../../../runtime/src/types';
import type { ClipChange, ClipState } from '../clip_player';
import type { GripPart } from '../handle_grip';
import type { Frame, Settings } from '../protocol';
import type { ToolState } from '../tool';

export interface ScriptInterface {
  /** Settles when the models of the page are shown, or the page that asks for one is up. */
  readonly ready: Promise<void>;
  /** All that are shown. */
  readonly bodies: readonly { readonly id: number; readonly name: string }[];
  /** The one that the panel is about; null: there is none. */
  readonly selected: number | null;
  /** Of the selected body, as are `frame`, `settings` and `frequencies`; null: there is none. */
  readonly info: BodyInfo | null;
  /** The newest one. */
  readonly frame: Frame | null;
  readonly settings: Settings;
  /** The ball in the hand; null: there is none. */
  readonly tool: ToolState | null;
  /** Where its middle is on the page now, CSS pixels; null: there is none. */
  projectTool(): { x: number; y: number } | null;
  /** Of natural vibrations, Hz; null without a body. */
  readonly frequencies: Float64Array | null;
  /** The error that the page shows. */
  readonly message: string | null;
  /** ms of JavaScript on the page's thread of the newest frames drawn, 240 at most, oldest first. */
  frameTimes(): number[];
  /** The newest frame of a body; null: there is none. */
  frameOf(body: number): Frame | null;
  /** Where a vertex of the surface of a body, of the selected one if none is given, is now, m, as it is drawn. */
  position(vertex: number, body?: number): Vector3;
  /** Where it is on the page now, CSS pixels. */
  project(vertex: number, body?: number): { x: number; y: number };
  /** Where a point of the scene is on the page now, CSS pixels. */
  projectPoint(point: Vector3): { x: number; y: number };
  /** Where a part of a handle of `frame` is on the page now, CSS pixels; angle: rad along a ring. null: there is none. */
  projectHandle(handle: number, part: GripPart, angle?: number): { x: number; y: number } | null;
  /**
   * Opens a `.glb` in place of all bodies; settles when it is shown or `message` says why not. The bytes are moved: use a copy to keep them.
   * Null takes all bodies away.
   */
  open(bytes: ArrayBuffer | null, name?: string): Promise<void>;
  /** The same beside the bodies that are there; it is selected. */
  add(bytes: ArrayBuffer, name?: string): Promise<void>;
  select(body: number): void;
  remove(body: number): void;
  /** What plays in place of bodies, and how many vertices its objects have; null: nothing. */
  readonly clip:
    | (ClipState & { readonly objects: readonly { readonly name: string; readonly vertexCount: number }[] })
    | null;
  /** Plays it otherwise, as the controls do. */
  setClip(change: ClipChange): void;
  /** Where a vertex of one of its objects is now, m, y up. */
  clipPosition(object: number, vertex: number): Vector3;
  /** Changes how the world and the selected body are run, as the controls do. */
  set(settings: Partial<Settings>): void;
}

declare global {
  interface Window {
    limber: ScriptInterface;
  }
}
