// What gestures do: pulls and handles go to the simulation, the camera is the stage's.

import type { Vector3 } from '../../../runtime/src/types';
import type { App } from '../app';
import type { SimulationClient } from '../client';
import type { GestureTarget } from '../gestures';
import type { Stage } from '../stage/stage';
import { makeBallGrip, makePartGrip, makeToolGrip } from './handle_grips';

/** Pixels beside a part of a handle at which a pointer still takes hold of it. */
const MOUSE_REACH = 5;
const FINGER_REACH = 16;

export function makeGestureTarget(
  canvas: HTMLCanvasElement,
  client: SimulationClient,
  stage: Stage,
  app: Pick<App, 'state' | 'handles' | 'selectHandle' | 'tool'>,
): GestureTarget {
  return {
    async grab(pull, x, y): Promise<Vector3 | null> {
      const { origin, direction } = stage.ray(x, y);
      return (await client.grab(pull, origin, direction, app.state.strength))?.point ?? null;
    },
    drag: (pull, x, y, through) => {
      client.drag(pull, stage.pointInPlane(x, y, through));
    },
    release: (pull) => {
      client.release(pull);
    },
    grip: (x, y, touch) => {
      const reach = touch ? FINGER_REACH : MOUSE_REACH;
      if (app.tool && stage.isToolAt(x, y, reach)) {
        return makeToolGrip(app.tool.position, { x, y }, stage, client);
      }
      const found = stage.handleAt(x, y, reach);
      if (!found) return null;
      app.selectHandle(found.handle.id);
      return makePartGrip(found, { x, y }, stage, client);
    },
    get pinning() {
      return app.handles.adding;
    },
    async pin(handle, x, y) {
      const { origin, direction } = stage.ray(x, y);
      const made = await client.addHandle(handle, origin, direction);
      if (!made) return null;
      app.handles.added(handle); // of the body that was met, which is selected now
      return makeBallGrip(handle, made.point, { x, y }, stage, client);
    },
    removeHandle: (handle) => {
      app.handles.remove(handle);
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
