// What gestures do: pulls and handles go to the simulation, the camera is the stage's.

import type { Vector3 } from '../../../runtime/src/types';
import type { SimulationClient } from '../client';
import type { GestureTarget } from '../gestures';
import type { Stage } from '../stage/stage';
import type { HandleControl } from './handle_control';
import { makeBallGrip, makePartGrip } from './handle_grips';

/** Pixels beside a part of a handle at which a pointer still takes hold of it. */
const MOUSE_REACH = 5;
const FINGER_REACH = 16;

/** `strength`: of a pull that begins now. */
export function makeGestureTarget(
  canvas: HTMLCanvasElement,
  client: SimulationClient,
  stage: Stage,
  strength: () => number,
  handles: HandleControl,
): GestureTarget {
  return {
    async grab(pull, x, y): Promise<Vector3 | null> {
      const { origin, direction } = stage.ray(x, y);
      return (await client.grab(pull, origin, direction, strength()))?.point ?? null;
    },
    drag: (pull, x, y, through) => {
      client.drag(pull, stage.pointInPlane(x, y, through));
    },
    release: (pull) => {
      client.release(pull);
    },
    grip: (x, y, touch) => {
      const found = stage.handleAt(x, y, touch ? FINGER_REACH : MOUSE_REACH);
      if (!found) return null;
      handles.select(found.handle.id);
      return makePartGrip(found, { x, y }, stage, client);
    },
    get pinning() {
      return handles.adding;
    },
    async pin(handle, x, y) {
      const { origin, direction } = stage.ray(x, y);
      const made = await client.addHandle(handle, origin, direction);
      if (!made) return null;
      handles.added(handle);
      return makeBallGrip(handle, made.point, { x, y }, stage, client);
    },
    removeHandle: (handle) => {
      handles.remove(handle);
    },
    orbit: (dx, dy) => {
      stage.orbit(dx, dy);
    },
    pan: (dx, dy) => {
      stage.pan(dx, dy);
    },
    zoom: (factor, x, y) => {
      stage.zoom(factor, x, y);
    },
    frame: () => {
      stage.frame();
    },
    cursor: (cursor) => {
      canvas.style.cursor = cursor;
    },
  };
}
