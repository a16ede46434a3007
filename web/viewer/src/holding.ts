import type { Method, Quaternion, Vector3 } from '../../runtime/src/types';
import { Handles } from './handles';
import { Hands } from './hands';
import type { Command, Frame } from './protocol';
import { requireStrength, requireVector } from './settings';
import type { RuntimeBody } from './runtime_body';
import { unit } from './turning';

/** A command that holds a body at the vertex that it points at. */
export type GrabCommand = Extract<Command, { kind: 'grab' | 'handle-add' }>;

/** A command about what holds a body already. */
export type HoldCommand = Exclude<
  Extract<Command, { kind: 'drag' | 'strength' | 'release' | `handle-${string}` }>,
  GrabCommand
>;

/** What a person holds the body by: springs, or of warped modes handles. */
export class Holding {
  private readonly hands: Hands;
  private readonly handles: Handles;
  private warped = false;

  /** size: of the body, m. */
  constructor(
    private readonly body: RuntimeBody,
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

  /** Whether a pull or a handle has this number. */
  has(id: number): boolean {
    return this.hands.has(id) || this.handles.has(id);
  }

  /** Where the vertex is that is held from now on; null: it cannot be moved. Throws where that makes no sense; all is as before then. */
  grab(command: GrabCommand, vertex: number): Vector3 | null {
    const { id } = command;
    const pinned = command.kind === 'handle-add';
    if (pinned && !this.warped) throw new Error('Handles need warped modes: choose them as the motion.');
    if (!pinned) requireStrength(command.strength);
    return pinned || this.warped
      ? this.handles.add(id, vertex, pinned)
      : this.hands.grab(id, vertex, command.strength);
  }

  /** Throws where a command makes no sense; all is as before then. */
  carryOut(command: HoldCommand): void {
    switch (command.kind) {
      case 'drag':
        requireVector(command.target, 'The target of the pull');
        this.hands.drag(command.id, command.target);
        this.handles.move(command.id, { position: command.target });
        break;
      case 'strength':
        requireStrength(command.strength);
        this.hands.setStrength(command.strength);
        break;
      case 'release':
        this.hands.release(command.id);
        this.handles.release(command.id);
        break;
      case 'handle-move':
        this.move(command);
        break;
      case 'handle-change':
        this.handles.change(command.id, command.hold);
        break;
      case 'handle-remove':
        this.handles.remove(command.id);
        break;
      case 'handle-priority':
        this.handles.setPriority(command.priority);
        break;
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
