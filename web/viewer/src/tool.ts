import type { RigidBody } from '../../runtime/src/index';
import type { Vector3 } from '../../runtime/src/types';
import { friction, type RuntimeWorld } from './contact';
import { minus, plus } from './place';

/** The ball in a person's hand, as it is shown. */
export interface ToolState {
  /** m, in the scene. */
  readonly position: Vector3;
  readonly radius: number;
  /** N: what the hand feels. */
  readonly force: Vector3;
}

/** How the ball is made for a scene. */
export interface ToolSetup {
  readonly start: Vector3;
  /** m */
  readonly radius: number;
  /** kg */
  readonly mass: number;
  /** N/m, of the spring between ball and hand. */
  readonly stiffness: number;
}

/** s of the wall clock in which the hand comes to where the pointer is, but for a third of the way: pointers jump, hands do not. */
const followSeconds = 0.04;
/** The hand is where it is to be when it is nearer than that share of the radius. */
const there = 1e-4;

/** A ball that follows the pointer, pushes bodies and feels them: a rigid body, held by a spring and a damper. */
export class Tool {
  private ball: { readonly rigid: RigidBody; readonly world: RuntimeWorld } | null = null;
  private target: Vector3;
  private hand: Vector3;
  /** Where the ball was last: a world may go, and another come. */
  private place: Vector3;

  constructor(private readonly setup: ToolSetup) {
    this.target = this.hand = this.place = setup.start;
  }

  get state(): ToolState {
    const { radius } = this.setup;
    if (!this.ball) return { position: this.place, radius, force: [0, 0, 0] };
    const { rigid } = this.ball;
    this.place = rigid.state.position;
    return { position: this.place, radius, force: rigid.felt.force };
  }

  /** Whether the hand moves with each step, of which `prepare` has to be told. */
  get underWay(): boolean {
    return Math.hypot(...minus(this.target, this.hand)) > there * this.setup.radius;
  }

  /** Where the hand is to be. */
  move(target: Vector3): void {
    this.target = target;
  }

  /** Joins a world, in place of the one before; null: none. */
  enter(world: RuntimeWorld | null): void {
    if (world === (this.ball?.world ?? null)) return;
    this.ball = null; // the world before is gone, and the ball with it
    if (!world) return;
    const { radius, mass } = this.setup;
    const density = mass / ((4 / 3) * Math.PI * radius ** 3);
    const { place: position } = this;
    const rigid = world.addRigid({ shape: { kind: 'sphere', radius }, position, density, friction });
    this.ball = { rigid, world };
    this.hold([0, 0, 0]);
  }

  /** Of the world that bodies are in now; null: none. */
  leave(world: RuntimeWorld | null): void {
    if (this.ball && this.ball.world === world) world.remove(this.ball.rigid);
    this.ball = null;
  }

  /** Before a step of h seconds that takes so many of the wall clock. */
  prepare(h: number, seconds: number): void {
    if (!this.ball) return;
    const before = this.hand;
    const share = this.underWay ? 1 - Math.exp(-seconds / followSeconds) : 1;
    const way = minus(this.target, before);
    this.hand = plus(before, [share * way[0], share * way[1], share * way[2]]);
    const moved = minus(this.hand, before);
    this.hold([moved[0] / h, moved[1] / h, moved[2] / h]);
  }

  /** Where the hand is, to go back to; the ball is one of its world's. */
  remember(): () => void {
    const { hand } = this;
    return () => {
      this.hand = hand;
    };
  }

  private hold(velocity: Vector3): void {
    const { stiffness, mass } = this.setup;
    const damping = 2 * Math.sqrt(stiffness * mass);
    this.ball!.rigid.setGrip({ position: this.hand, velocity, stiffness, damping });
  }
}
