// What the page and the worker say to each other. The worker owns the body and the clock; the page owns what is drawn and
// what a person does. Neither waits for the other: the page draws the newest state it has.

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

/** How what holds the body is shaken: p = amplitude sin(2 pi frequency t), once it is under way. */
export interface Shake {
  /** m, along the direction of the motion. */
  readonly amplitude: Vector3;
  /** Hz, of the body's own time. */
  readonly frequency: number;
}

/** How the body is run; everything that the page may change at any time. */
export interface Settings {
  readonly paused: boolean;
  /** Seconds of the body per second of the wall clock. */
  readonly speed: number;
  /** s */
  readonly timeStep: number;
  /** m/s^2 */
  readonly gravity: Vector3;
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
  | { readonly kind: 'load'; readonly bytes: ArrayBuffer; readonly name: string }
  /** Takes the body away. */
  | { readonly kind: 'unload' }
  | { readonly kind: 'settings'; readonly settings: Partial<Settings> }
  | { readonly kind: 'material'; readonly region: number; readonly young: number }
  /** Factor of the elastic forces of some domains. */
  | { readonly kind: 'stiffness'; readonly domains: readonly number[]; readonly factor: number }
  | { readonly kind: 'step' }
  | { readonly kind: 'reset' }
  /**
   * Pulls are numbered by whoever grabs: a mouse has one, fingers one each. They are springs; of warped modes they are handles for the
   * vertex's position, which have no strength.
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
  | { readonly kind: 'handle-remove'; readonly id: number | null }
  | { readonly kind: 'handle-priority'; readonly priority: HandlePriority }
  | { readonly kind: 'mode'; readonly playback: ModePlayback | null }
  /** Asks for the simulation mesh: it is large, and few look at it. */
  | { readonly kind: 'simulation-mesh' };

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

/** What the page needs for a frame. */
export interface Frame {
  /** s, of the body */
  readonly time: number;
  /** Coordinates in use; where the surface has no basis the positions of all vertices, 3 n. */
  readonly q: Float32Array;
  /** Where the frame is in which q moves a body that flies or is shaken: x, y, z and a quaternion x, y, z, w. None: as it was made. */
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
  /** Steps taken since the body was loaded. */
  readonly steps: number;
  /** Steps per second of computing: how fast the worker could go. */
  readonly stepRate: number;
  /** Seconds of the body per second of the wall clock, as reached lately. */
  readonly reachedSpeed: number;
  readonly playingMode: boolean;
}

export type Message =
  | {
      readonly kind: 'loaded';
      readonly name: string;
      readonly info: BodyInfo;
      readonly surface: Surface;
      readonly settings: Settings;
      readonly frequencies: Float64Array;
    }
  | { readonly kind: 'frame'; readonly frame: Frame }
  /** Whether the ray of a `grab` or a `handle-add` met the body; it did not: nothing is held. `point` is the vertex. */
  | { readonly kind: 'grabbed'; readonly id: number; readonly vertex: number; readonly point: Vector3 }
  | { readonly kind: 'missed'; readonly id: number }
  /** Hz, after a change of material or rank. */
  | { readonly kind: 'frequencies'; readonly frequencies: Float64Array }
  | { readonly kind: 'simulation-mesh'; readonly mesh: SimulationMesh | null }
  /** A command that could not be carried out. The body, if there is one, goes on as before, with the values in force. */
  | {
      readonly kind: 'failed';
      readonly command: Command['kind'];
      readonly message: string;
      readonly inForce?: InForce;
    }
  /** The body can no longer be asked for anything: there is none until a model is loaded. */
  | { readonly kind: 'lost'; readonly message: string }
  /** Steps failed: the body was put back to rest with its handles, all pulls were released, and where that had just happened, it was paused. */
  | { readonly kind: 'restarted'; readonly message: string; readonly paused: boolean };
