import type { Method, Quaternion } from '../../runtime/src/types';
import { Handles } from './handles';
import { Hands } from './hands';
import type { Command, Frame, Message } from './protocol';
import { requireStrength, requireVector } from './settings';
import type { SimulatedBody } from './simulated_body';
import { unit } from './turning';

/** A command about what holds the body. */
export type HoldCommand = Extract<
  Command,
  { kind: 'grab' | 'drag' | 'strength' | 'release' | `handle-${string}` }
>;

/** What a person holds the body by: springs, or of warped modes handles. */
export class Holding {
  private readonly hands: Hands;
  private readonly handles: Handles;
  private warped = false;

  /** size: of the body, m. */
  constructor(
    private readonly body: SimulatedBody,
    size: number,
  ) {
    this.hands = new Hands(body);
    this.handles = new Handles(body, size);
  }

  /** How far the body is taken from where it was grabbed, m, all together. */
  get reach(): number {
    return this.hands.reach + this.handles.reach;
  }

  /** Whether targets move with each step, which `follow` has to be told of. */
  get underWay(): boolean {
    return this.handles.underWay;
  }

  /** Lets everything go: springs and handles are of different methods. Where the body throws, all is as before. */
  setMethod(method: Method): void {
    this.body.setMethod(method);
    this.hands.releaseAll();
    this.handles.clear();
    this.warped = method === 'warped';
  }

  /** Before a step that takes so many seconds of the wall clock. */
  follow(seconds: number): void {
    this.handles.follow(seconds);
  }

  /** Hands let go; what is pinned stays. */
  releaseAll(): void {
    this.hands.releaseAll();
    this.handles.releaseAll();
  }

  /** The body is at rest. */
  toRest(): void {
    this.handles.toRest();
  }

  /** After a change of material or rank. Returns the number of handles that had to be let go. */
  refresh(): number {
    this.hands.refresh();
    return this.handles.refresh();
  }

  /** Throws where a command makes no sense; all is as before then. playing: a mode is shown, and nothing can be held. */
  carryOut(command: HoldCommand, playing: boolean): Message[] {
    switch (command.kind) {
      case 'grab':
      case 'handle-add':
        return [this.grab(command, playing)];
      case 'drag':
        requireVector(command.target, 'The target of the pull');
        this.hands.drag(command.id, command.target);
        this.handles.move(command.id, { position: command.target });
        return [];
      case 'strength':
        requireStrength(command.strength);
        this.hands.setStrength(command.strength);
        return [];
      case 'release':
        this.hands.release(command.id);
        this.handles.release(command.id);
        return [];
      case 'handle-move':
        this.move(command);
        return [];
      case 'handle-change':
        this.handles.change(command.id, command.hold);
        return [];
      case 'handle-remove':
        this.handles.remove(command.id);
        return [];
      case 'handle-priority':
        this.handles.setPriority(command.priority);
        return [];
    }
  }

  /** As it is now, for a frame. */
  frame(): Pick<Frame, 'pulls' | 'handles' | 'handleReport'> {
    return {
      pulls: this.hands.pulls(),
      handles: this.handles.active(),
      handleReport: this.handles.report,
    };
  }

  private grab(command: Extract<Command, { kind: 'grab' | 'handle-add' }>, playing: boolean): Message {
    const { id, origin, direction } = command;
    requireVector(origin, 'The origin of the ray');
    requireVector(direction, 'The direction of the ray');
    const pinned = command.kind === 'handle-add';
    if (pinned && !this.warped) throw new Error('Handles need warped modes: choose them as the motion.');
    if (!pinned) requireStrength(command.strength);
    if (playing) return { kind: 'missed', id };
    const grabbed =
      pinned || this.warped
        ? this.handles.add(id, origin, direction, pinned)
        : this.hands.grab(id, origin, direction, command.strength);
    return grabbed ? { kind: 'grabbed', id, ...grabbed } : { kind: 'missed', id };
  }

  private move({ id, position, rotation }: Extract<Command, { kind: 'handle-move' }>): void {
    if (position) requireVector(position, 'The position of the handle');
    this.handles.move(id, {
      ...(position ? { position } : {}),
      ...(rotation ? { rotation: checkedRotation(rotation) } : {}),
    });
  }
}

/** Of unit length: what is nearly so is made so. */
function checkedRotation(rotation: Quaternion): Quaternion {
  if (!(Math.abs(Math.hypot(...rotation) - 1) < 1e-3)) {
    throw new Error('The rotation of the handle: expected a quaternion of unit length.');
  }
  return unit(rotation);
}
