import type {
  BodyInfo,
  Damping,
  Handle,
  HandleReport,
  Method,
  Quaternion,
  FrameState,
  Spring,
  StepOptions,
  SubtreeInertia,
  SupportKey,
  Surface,
  Vector3,
} from '../../runtime/src/types';
import type { Frame, HandlePriority } from '../src/protocol';
import type { RuntimeBody } from '../src/runtime_body';

/** A frame of a body at rest, but for what is given. */
export function frameWith(change: Partial<Frame> = {}): Frame {
  return {
    time: 0,
    q: new Float32Array(2),
    pose: [],
    shift: null,
    elasticEnergy: 0,
    kineticEnergy: 0,
    warped: false,
    pulls: [],
    handles: [],
    handleReport: null,
    steps: 0,
    stepRate: 0,
    reachedSpeed: 1,
    playingMode: false,
    contacts: [],
    ...change,
  };
}

export interface TakenSteps {
  readonly h: number;
  readonly count: number;
  readonly options: StepOptions | undefined;
}

/**
 * A bar along x with two vertices, the first of which is held. Coordinate 0 moves the second one along x, coordinate 1 along y, by
 * 1 m per unit, and turns it about z by 1 rad per unit. Stepping moves coordinate 0 at `speed`; no forces act. Handles move the second
 * vertex to where they want it, with each step. A frame that flies is where a test puts it.
 */
export class FakeBody implements RuntimeBody {
  readonly info: BodyInfo;
  /** s */
  time = 0;
  /** Coordinates in use. */
  used = 2;
  q = new Float64Array(2);
  v = new Float64Array(2);
  elastic = 0;
  speed = 1;
  /** Frequencies, Hz. */
  natural = [2, 20];
  /** N/m, of the second vertex. */
  resistance = 100;
  /** Of the domains. */
  factors: number[] = [1];
  inertia: SubtreeInertia = 'full';
  root: FrameState | null = null;
  springs: readonly Spring[] = [];
  support: readonly SupportKey[] | null = null;
  steps: TakenSteps[] = [];
  resets = 0;
  disposed = false;
  /** How many it has made. */
  copies = 0;
  damping: Damping | null = null;
  gravity: Vector3 | null = null;
  method: Method = 'reduced';
  handles: readonly Handle[] = [];
  priority: HandlePriority | null = null;
  handleReport: HandleReport = { met: true, positionError: 0, orientationError: 0 };
  young = 1e5;
  /** Called before each batch of steps; may throw. */
  onStep: (steps: TakenSteps) => void = () => undefined;

  constructor() {
    const material = { law: 'stvk', young: 1e5, poisson: 0.3, density: 1000 };
    const regions = [{ name: 'body', tag: 0, volume: 1, material }];
    this.info = {
      name: 'bar',
      description: '',
      rank: 2,
      free: false,
      up: 'z',
      depth: 1,
      regions,
      parts: [{ name: 'bar', rank: 2, regions }],
      domains: [{ name: 'bar', part: 0, parent: -1, stiffness: 1 }],
      vertexCount: 2,
      triangleCount: 0,
      exact: true,
      cubaturePoints: 0,
      elementCount: 1,
      fixedCount: 1,
      warpable: true,
    };
  }

  get state() {
    const { time, q, v, root, elastic: elasticEnergy } = this;
    return { time, q: q.slice(), v: v.slice(), root, elasticEnergy, kineticEnergy: 0 };
  }

  get momentum() {
    const center = this.root?.position ?? ([0, 0, 0] as const);
    return { mass: 1, center, linear: [0, 0, 0], angular: [0, 0, 0] } as const;
  }

  get energy() {
    return { elastic: this.elastic, kinetic: 0 };
  }

  surface(): Surface {
    return {
      positions: new Float32Array([0, 0, 0, 1, 0, 0]),
      triangles: new Uint32Array(3),
      triangleParts: new Uint32Array(1),
      parts: [],
      vertexDomains: new Int32Array(2),
      triangleDomains: new Uint32Array(1),
      basis: new Float32Array([0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0]),
      rotations: new Float32Array([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]),
    };
  }

  simulationMesh() {
    return {
      element: 'tetrahedron' as const,
      positions: new Float32Array(12),
      elements: new Uint32Array(4),
      fixed: new Uint32Array(1),
      cubatureElements: new Uint32Array(0),
      basis: new Float32Array(24),
    };
  }

  reach() {
    return Float64Array.of(1, 1);
  }

  rank() {
    return this.used;
  }

  setRank(rank: number) {
    this.used = rank;
    this.q = this.q.slice(0, rank);
    this.v = this.v.slice(0, rank);
  }

  setMaterial(_region: number, change: { readonly young?: number }) {
    this.young = change.young ?? this.young;
    this.resistance = this.young / 1000;
  }

  setStiffness(domain: number, factor: number) {
    this.factors[domain] = factor;
    this.resistance = 100 * factor;
  }

  stiffness(domain: number) {
    return this.factors[domain]!;
  }

  setInertia(inertia: SubtreeInertia) {
    this.inertia = inertia;
  }

  setDamping(damping: Damping) {
    this.damping = damping;
  }

  setGravity(gravity: Vector3) {
    this.gravity = gravity;
  }

  setSupport(keys: readonly SupportKey[] | null) {
    this.support = keys;
  }

  setMethod(method: Method) {
    this.method = method;
    this.handles = [];
  }

  step(h: number, count = 1, options?: StepOptions) {
    const steps = { h, count, options };
    this.steps.push(steps);
    this.onStep(steps);
    this.time += h * count;
    this.q[0]! += this.speed * h * count;
    const target = this.handles.find(({ position }) => position)?.position;
    if (target) [this.q[0], this.q[1]] = [target[0] - 1, target[1]];
  }

  reset() {
    ++this.resets;
    this.time = 0;
    this.q.fill(0);
    this.v.fill(0);
    this.elastic = 0;
  }

  setState(q: Float64Array, v: Float64Array, root: FrameState | null) {
    this.q.set(q);
    this.v.set(v);
    this.root = root;
  }

  /** Bytes are known by themselves. */
  private readonly saved = new WeakMap<Uint8Array, FakeBody['state']>();

  save() {
    const bytes = new Uint8Array(1);
    this.saved.set(bytes, this.state);
    return bytes;
  }

  restore(bytes: Uint8Array) {
    const { time, q, v, root } = this.saved.get(bytes)!;
    this.time = time;
    this.setState(q, v, root);
  }

  coordinates(into: Float32Array) {
    into.set(this.q);
  }

  positions(into = new Float32Array(6)) {
    into.set([...this.position(0), ...this.position(1)]);
    return into;
  }

  position(vertex: number): Vector3 {
    return vertex === 0 ? [0, 0, 0] : [1 + this.q[0]!, this.q[1] ?? 0, 0];
  }

  orientation(vertex: number): Quaternion {
    const half = vertex === 0 ? 0 : (this.q[1] ?? 0) / 2;
    return [0, 0, Math.sin(half), Math.cos(half)];
  }

  setHandles(handles: readonly Handle[], priority: HandlePriority) {
    if (handles.length > 0 && this.method !== 'warped') throw new Error('handles need warped modes');
    const turns = priority === 'orientation' || handles.some(({ rotation }) => rotation);
    if (turns && this.info.free) throw new Error('its points do not turn by themselves');
    this.handles = handles;
    this.priority = priority;
  }

  setSprings(springs: readonly Spring[]) {
    this.springs = springs;
  }

  springForce(index: number): Vector3 {
    const { vertex, target, stiffness } = this.springs[index]!;
    const [x, y, z] = this.position(vertex);
    return [stiffness * (target[0] - x), stiffness * (target[1] - y), stiffness * (target[2] - z)];
  }

  stiffnessAt(vertex: number) {
    return vertex === 0 ? Infinity : this.resistance;
  }

  protected another(): FakeBody {
    return new FakeBody();
  }

  /** Rays along -z: at x < 0.25 they hit the first vertex, up to 1.5 the second. */
  pick([x]: Vector3) {
    return { vertex: x < 0.25 ? 0 : 1, distance: 1, hit: x <= 1.5 };
  }

  frequencies() {
    return Float64Array.from(this.natural.slice(0, this.used));
  }

  modeShape(index: number) {
    return new Float64Array(this.used).map((_, i) => (i === index ? 1 : 0));
  }

  /** The first is the body itself, for tests to look at; others are made anew. */
  copy(): FakeBody {
    return this.copies++ === 0 ? this : this.another();
  }

  dispose() {
    this.disposed = true;
  }
}
