// What gestures do: pulls go to the simulation, the camera is the stage's.

import type { Vector3 } from '../../../runtime/src/types';
import type { SimulationClient } from '../client';
import type { GestureTarget } from '../gestures';
import type { Stage } from '../stage/stage';

/** `strength`: of a pull that begins now. */
export function makeGestureTarget(
  canvas: HTMLCanvasElement,
  client: SimulationClient,
  stage: Stage,
  strength: () => number,
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
