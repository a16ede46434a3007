// Handles in the hand: what a pointer that took hold of a part of one does to it.

import { Vector3 as Vector } from 'three';
import type { Vector3 } from '../../../runtime/src/types';
import type { SimulationClient } from '../client';
import type { Grip } from '../gestures';
import { type GripRay, Twist } from '../handle_grip';
import type { HandleUnderPointer } from '../stage/handle_gizmos';
import type { Stage } from '../stage/stage';

/** The tool ball, which follows the pointer in the plane of the screen from where it is now. */
export function makeToolGrip(
  center: Vector3,
  from: { readonly x: number; readonly y: number },
  stage: Stage,
  client: SimulationClient,
): Grip {
  const shown = stage.project(center);
  const [dx, dy] = [shown.x - from.x, shown.y - from.y];
  return {
    handle: null,
    part: 'ball',
    move: (x, y) => {
      client.moveTool(stage.pointInPlane(x + dx, y + dy, center));
    },
  };
}

/** A handle that follows the pointer in the plane of the screen, from where it is now. */
export function makeBallGrip(
  handle: number,
  center: Vector3,
  from: { readonly x: number; readonly y: number },
  stage: Stage,
  client: SimulationClient,
): Grip {
  const shown = stage.project(center);
  const [dx, dy] = [shown.x - from.x, shown.y - from.y];
  return {
    handle,
    part: 'ball',
    move: (x, y) => {
      client.moveHandle(handle, { position: stage.pointInPlane(x + dx, y + dy, center) });
    },
  };
}

/** The part of a handle that the pointer is at. One that cannot be moved is held still. */
export function makePartGrip(
  { handle: { id, center, moves }, place, grip }: HandleUnderPointer,
  from: { readonly x: number; readonly y: number },
  stage: Stage,
  client: SimulationClient,
): Grip {
  if (grip.part !== 'ball') {
    const ray = (x: number, y: number): GripRay => {
      const { origin, direction } = stage.ray(x, y);
      return { origin: new Vector(...origin), direction: new Vector(...direction) };
    };
    const twist = new Twist(place, grip.part, grip.near, ray(from.x, from.y));
    return {
      handle: id,
      part: grip.part,
      move: (x, y) => {
        client.moveHandle(id, { rotation: twist.to(ray(x, y)).toArray() });
      },
    };
  }
  return moves
    ? makeBallGrip(id, center, from, stage, client)
    : { handle: id, part: 'ball', move: () => undefined };
}
