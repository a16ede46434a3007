// What the page and the worker say to each other. The worker owns the bodies and the clock; the page owns what is drawn and
// what a person does. Neither waits for the other: the page draws the newest state it has.
//
// Bodies have numbers, which the worker gives and never gives again. Places are in the scene that all of them stand in.

import type {
  BodyInfo,
  Damping,
  HandleReport,
  Method,
  Quaternion,
  SimulationMesh,
  SubtreeInertia,
  Surface,
  Vector3,
} from '../../runtime/src/types';
import type { Surroundings } from './contact';
import type { ToolState } from './tool';

/** How what holds the body is shaken: p = amplitude sin(2 pi frequency t), once it is under way. */
export interface Shake {
  /** m, along the direction of the motion. */
  readonly amplitude: Vector3;
  /** Hz, of the body's own time. */
  readonly frequency: number;
}

/** What all bodies share. */
export interface WorldSettings {
  readonly paused: boolean;
  /** Seconds of the bodies per second of the wall clock. */
  readonly speed: number;
  /** s */
  readonly timeStep: number;
  /** m/s^2 */
  readonly gravity: Vector3;
  /** Whether bodies that nothing holds meet a ground, below all bodies at rest. */
  readonly ground: boolean;
  /** Whether a ball lies on that, beside the bodies, which they meet where they are thrown. */
  readonly obstacle: boolean;
  /** Whether there is a ball in the person's hand, which pushes bodies and feels them. */
  readonly tool: boolean;
}

/** How one body is run. */
export interface BodySettings {
  readonly damping: Damping;
  /** Coordinates in use, 1 to the model's rank; of several domains all of them. */
  readonly rank: number;
  /** What moves the body; 'linear' is for sketching. */
  readonly method: Method;
  /** One linearised step, or Newton's iteration to convergence. */
  readonly accuracy: 'fast' | 'exact';
  /** Of several domains: what one feels of those that hang from it. */
  readonly inertia: SubtreeInertia;
  /** null: what holds the body stands still, or comes to rest. A reset, another motion and a mode end the shaking. */
  readonly shake: Shake | null;
}

/** Everything that the page may change at any time, of the world and of a body in it. */
export interface Settings extends WorldSettings, BodySettings {}

/** A natural vibration shown in slow motion, instead of the simulation. */
export interface ModePlayback {
  readonly index: number;
  /** Largest displacement, m. */
  readonly amplitude: number;
  /** Periods per second of the wall clock. */
  readonly rate: number;
}

/** What a handle holds of its vertex. */
export type Hold = 'position' | 'orientation' | 'both';

/** Which handles are met first where not all can be. */
export type HandlePriority = 'position' | 'orientation';

/** What is in force of the values that a command was to change. */
export interface InForce {
  readonly settings?: Partial<Settings>;
  /** Young's modulus of each region, Pa. */
  readonly young?: readonly number[];
  /** Factor of the elastic forces of each domain. */
  readonly stiffness?: readonly number[];
  /** null: none is played. */
  readonly mode?: ModePlayback | null;
}

export type Command =
  /** Adds the body of a file; replace: in place of all that are there, once it is read. */
  | { readonly kind: 'load'; readonly bytes: ArrayBuffer; readonly name: string; readonly replace: boolean }
  /** Adds a body of the model that another one has, as that was loaded. */
  | { readonly kind: 'copy'; readonly body: number; readonly name: string }
  /** Takes a body away. */
  | { readonly kind: 'remove'; readonly body: number }
  /** Takes all of them away. */
  | { readonly kind: 'unload' }
  /** Of the body, and of the world. */
  | { readonly kind: 'settings'; readonly body: number; readonly settings: Partial<Settings> }
  | { readonly kind: 'material'; readonly body: number; readonly region: number; readonly young: number }
  /** Factor of the elastic forces of some domains. */
  | {
      readonly kind: 'stiffness';
      readonly body: number;
      readonly domains: readonly number[];
      readonly factor: number;
    }
  | { readonly kind: 'step' }
  /** Where the ball in the hand is to be. */
  | { readonly kind: 'tool'; readonly target: Vector3 }
  /** Lifts a body that nothing holds by its height, and lets it go. */
  | { readonly kind: 'drop'; readonly body: number }
  /** A body goes back to rest; null: all of them, and the time to 0. */
  | { readonly kind: 'reset'; readonly body: number | null }
  /**
   * Pulls the body that the ray meets first. Pulls are numbered by whoever grabs: a mouse has one, fingers one each; no two bodies have the
   * same one. They are springs; of warped modes they are handles for the vertex's position, which have no strength.
   */
  | {
      readonly kind: 'grab';
      readonly id: number;
      readonly origin: Vector3;
      readonly direction: Vector3;
      readonly strength: number;
    }
  | { readonly kind: 'drag'; readonly id: number; readonly target: Vector3 }
  /** Of pulls to come and of those at work, in multiples of the body's own stiffness at the vertex. */
  | { readonly kind: 'strength'; readonly strength: number }
  | { readonly kind: 'release'; readonly id: number }
  /** Holds the vertex that the ray meets, as it is now, until it is removed. Numbers are not those of pulls. */
  | {
      readonly kind: 'handle-add';
      readonly id: number;
      readonly origin: Vector3;
      readonly direction: Vector3;
    }
  /** Where the vertex shall be, and how it shall be turned from rest; what is not given stays. */
  | {
      readonly kind: 'handle-move';
      readonly id: number;
      readonly position?: Vector3;
      readonly rotation?: Quaternion;
    }
  /** What it newly holds stays as it is now. */
  | { readonly kind: 'handle-change'; readonly id: number; readonly hold: Hold }
  /** null: all of them. */
  | { readonly kind: 'handle-remove'; readonly body: number; readonly id: number | null }
  | { readonly kind: 'handle-priority'; readonly body: number; readonly priority: HandlePriority }
  | { readonly kind: 'mode'; readonly body: number; readonly playback: ModePlayback | null }
  /** Asks for the simulation mesh: it is large, and few look at it. */
  | { readonly kind: 'simulation-mesh'; readonly body: number };

/** A pull as it acts now. */
export interface ActivePull {
  readonly id: number;
  readonly vertex: number;
  /** Where the vertex is. */
  readonly point: Vector3;
  /** Where it is pulled to. */
  readonly target: Vector3;
  /** N */
  readonly force: Vector3;
}

/** A handle as it is now. */
export interface ActiveHandle {
  readonly id: number;
  readonly vertex: number;
  /** Whether it stays until it is removed; else a hand holds it. */
  readonly pinned: boolean;
  readonly hold: Hold;
  /** Where the vertex is, and how it is turned from rest. */
  readonly point: Vector3;
  readonly orientation: Quaternion;
  /** Where it is brought, and how it is turned; as the vertex is where that is not held. */
  readonly target: Vector3;
  readonly rotation: Quaternion;
  /** By which it was missed: m and rad, 0 for what is not held. */
  readonly positionError: number;
  readonly orientationError: number;
}

/** What the page needs of a body for a frame. */
export interface Frame {
  /** s, of the world */
  readonly time: number;
  /** Coordinates in use; where the surface has no basis the positions of all vertices, 3 n. */
  readonly q: Float32Array;
  /** Where the frame is in which q moves a body that flies, is shaken or was set apart from others: x, y, z and a quaternion x, y, z, w.
   *  None: as it was made. */
  readonly pose: readonly number[];
  /** m by which the centre of mass of a body that flies has moved; null where something holds it. */
  readonly shift: Vector3 | null;
  readonly elasticEnergy: number;
  readonly kineticEnergy: number;
  /** Whether q are coordinates of warped modes. */
  readonly warped: boolean;
  readonly pulls: readonly ActivePull[];
  readonly handles: readonly ActiveHandle[];
  /** How well the handles were met in the last step; null: there are none. */
  readonly handleReport: HandleReport | null;
  /** Steps of the world so far. */
  readonly steps: number;
  /** Steps of all bodies together per second of computing: how fast the worker could go. */
  readonly stepRate: number;
  /** Seconds of the bodies per second of the wall clock, as reached lately. */
  readonly reachedSpeed: number;
  readonly playingMode: boolean;
  /** Where others, the ground or obstacles pushed the body in the last step: 3 n, m. */
  readonly contacts: readonly number[];
}

export type Message =
  | {
      readonly kind: 'loaded';
      readonly body: number;
      readonly name: string;
      readonly info: BodyInfo;
      /** Where it was made. */
      readonly surface: Surface;
      /** m by which it was moved from there, away from the others. */
      readonly place: Vector3;
      /** Those of the world, which may go slower with it, come before. */
      readonly settings: BodySettings;
      readonly frequencies: Float64Array;
    }
  /**
   * What is in force for all bodies: after each change, whoever made it, and after each `settings`, taken or not. answered: how many of these
   * the worker has dealt with; a page that has sent more of them knows better what is wanted.
   */
  | { readonly kind: 'world'; readonly settings: WorldSettings; readonly answered: number }
  /** What bodies may meet from now on. */
  | { readonly kind: 'surroundings'; readonly surroundings: Surroundings }
  /** The ball in the hand, as it is now; null: there is none. */
  | { readonly kind: 'tool'; readonly tool: ToolState | null }
  | { readonly kind: 'frame'; readonly body: number; readonly frame: Frame }
  /** The ray of a `grab` or a `handle-add` met a vertex that is held from now on. `point` is where it is. */
  | {
      readonly kind: 'grabbed';
      readonly id: number;
      readonly body: number;
      readonly vertex: number;
      readonly point: Vector3;
    }
  /** Nothing is held: the ray met what cannot be moved of a body, or one that shows a vibration; or no body: null. */
  | { readonly kind: 'missed'; readonly id: number; readonly body: number | null }
  /** Hz, after a change of material or rank. */
  | { readonly kind: 'frequencies'; readonly body: number; readonly frequencies: Float64Array }
  | { readonly kind: 'simulation-mesh'; readonly mesh: SimulationMesh | null }
  /** A command that could not be carried out. The bodies go on as before, with the values in force. body: null where it is of none. */
  | {
      readonly kind: 'failed';
      readonly command: Command['kind'];
      readonly body: number | null;
      readonly message: string;
      readonly inForce?: InForce;
    }
  /** The bodies can no longer be asked for anything: there is none until a model is loaded. */
  | { readonly kind: 'lost'; readonly message: string }
  /** A body failed: it was put back to rest with its handles, its pulls were released, and where that had just happened, the clock was
   *  stopped. reason: the beginning of a sentence. */
  | {
      readonly kind: 'restarted';
      readonly body: number;
      readonly reason: string;
      readonly paused: boolean;
    };
