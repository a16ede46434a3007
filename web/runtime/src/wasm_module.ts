import { LimberError } from './limber_error.js';

/** The functions of *_bindings.cpp. Those that return a boolean (0 or 1) leave their numbers in limber_results. */
interface Functions {
  _limber_message(): number;
  _limber_results(): number;
  _limber_allocate(bytes: number): number;
  _limber_free(address: number): void;
  _limber_load(address: number, bytes: number): number;
  _limber_copy(body: number): number;
  _limber_release(body: number): void;
  _limber_describe(body: number): number;
  _limber_array(body: number, which: number): number;
  _limber_room(body: number, count: number): number;
  _limber_set_rank(body: number, part: number, rank: number): number;
  _limber_rank(body: number, part: number): number;
  _limber_set_material(
    ...args: [body: number, part: number, region: number, young: number, poisson: number, density: number]
  ): number;
  _limber_material(body: number, part: number, region: number): number;
  _limber_set_damping(body: number, mass: number, stiffness: number): number;
  _limber_set_stiffness(body: number, domain: number, factor: number): number;
  _limber_stiffness(body: number, domain: number): number;
  _limber_set_inertia(body: number, inertia: number): number;
  _limber_inertia(body: number): number;
  _limber_set_method(body: number, method: number): number;
  _limber_method(body: number): number;
  _limber_set_gravity(body: number, x: number, y: number, z: number): number;
  _limber_set_force(body: number, vertex: number, x: number, y: number, z: number): number;
  _limber_set_forces(body: number): number;
  _limber_set_timed_loads(body: number): number;
  _limber_set_surface_loads(body: number): number;
  _limber_set_springs(body: number): number;
  _limber_spring_force(body: number, spring: number): number;
  _limber_stiffness_at(body: number, vertex: number): number;
  _limber_set_handles(body: number, orientationFirst: number): number;
  _limber_handle_report(body: number): number;
  _limber_set_wind(body: number, x: number, y: number, z: number, gusts: number): number;
  _limber_set_support(body: number, smooth: number): number;
  _limber_step(body: number, h: number, count: number, iterations: number, solver: number): number;
  _limber_solve_static(body: number, tolerance: number, iterations: number): number;
  _limber_set_velocity(
    ...args: [body: number, vx: number, vy: number, vz: number, wx: number, wy: number, wz: number]
  ): number;
  _limber_reset(body: number): number;
  _limber_state(body: number): number;
  _limber_root(body: number): number;
  _limber_set_state(body: number, coordinates: number, velocities: number): number;
  _limber_save(body: number): number;
  _limber_restore(body: number, bytes: number): number;
  _limber_energy(body: number): number;
  _limber_momentum(body: number): number;
  _limber_position(body: number, vertex: number): number;
  _limber_velocity(body: number, vertex: number): number;
  _limber_orientation(body: number, vertex: number): number;
  _limber_positions(body: number): number;
  _limber_pick(body: number, ox: number, oy: number, oz: number, dx: number, dy: number, dz: number): number;
  _limber_largest_gap(body: number): number;
  _limber_frequencies(body: number): number;
  _limber_mode_shape(body: number, mode: number): number;
  _limber_world_create(): number;
  _limber_world_release(world: number): void;
  _limber_world_room(world: number, count: number): number;
  _limber_world_add(
    ...args: [world: number, body: number, friction: number, restitution: number, compliance: number]
  ): number;
  _limber_world_remove(world: number, body: number): number;
  _limber_world_set_material(
    ...args: [world: number, body: number, friction: number, restitution: number, compliance: number]
  ): number;
  _limber_world_set_points(world: number, body: number, points: number): number;
  _limber_world_add_obstacle(world: number): number;
  _limber_world_remove_obstacle(world: number, obstacle: number): number;
  _limber_world_place_obstacle(world: number, obstacle: number): number;
  _limber_world_add_rigid(world: number): number;
  _limber_world_remove_rigid(world: number, rigid: number): number;
  _limber_world_add_host(world: number): number;
  _limber_world_remove_host(world: number, host: number): number;
  _limber_host_set_state(world: number, host: number): number;
  _limber_host_push(world: number, host: number): number;
  _limber_rigid_state(world: number, rigid: number): number;
  _limber_rigid_set_state(world: number, rigid: number, moves: number): number;
  _limber_rigid_set_gravity(world: number, rigid: number, x: number, y: number, z: number): number;
  _limber_rigid_set_grip(world: number, rigid: number): number;
  _limber_rigid_let_go(world: number, rigid: number): number;
  _limber_rigid_grip_load(world: number, rigid: number): number;
  _limber_world_step(world: number, h: number, count: number): number;
  _limber_world_save(world: number): number;
  _limber_world_restore(world: number, bytes: number): number;
  _limber_world_state(world: number): number;
  _limber_world_contacts(world: number): number;
  _limber_world_impulse(world: number, of: number, index: number): number;
}

/** What Emscripten's module offers. The memory is replaced when it grows: its views are never kept. */
export interface WasmModule extends Functions {
  readonly HEAPU8: Uint8Array;
  readonly HEAPF64: Float64Array;
}

/** The names of those that are about a body or a world. */
export type Call = {
  [Name in keyof Functions]: Functions[Name] extends (...args: infer Arguments) => number
    ? Arguments extends [number, ...number[]]
      ? Name
      : never
    : never;
}[keyof Functions];

/** One instance of the WebAssembly module: calls with errors instead of statuses, and typed views of its memory. */
export class WasmRuntime {
  private failure: string | undefined;

  constructor(private readonly wasm: WasmModule) {}

  /** False after a failure of the WebAssembly machine itself (its memory may then hold anything). */
  get alive(): boolean {
    return this.failure === undefined;
  }

  /** The number that a file's body has from now on. */
  load(content: Uint8Array): number {
    const address = this.run(() => this.wasm._limber_allocate(Math.max(1, content.length))) >>> 0;
    if (address === 0) throw new LimberError(`not enough memory for a file of ${content.length} bytes`);
    const number = this.run(() => {
      this.wasm.HEAPU8.set(content, address);
      const loaded = this.wasm._limber_load(address, content.length);
      this.wasm._limber_free(address);
      return loaded;
    });
    if (number === 0) throw new LimberError(this.message());
    return number;
  }

  /** The number of a copy of a body. */
  copy(body: number): number {
    const number = this.run(() => this.wasm._limber_copy(body));
    if (number === 0) throw new LimberError(this.message());
    return number;
  }

  release(body: number): void {
    if (this.alive) {
      this.run(() => {
        this.wasm._limber_release(body);
      });
    }
  }

  /** The number of a new world. */
  createWorld(): number {
    const number = this.run(() => this.wasm._limber_world_create());
    if (number === 0) throw new LimberError(this.message());
    return number;
  }

  releaseWorld(world: number): void {
    if (this.alive) {
      this.run(() => {
        this.wasm._limber_world_release(world);
      });
    }
  }

  /** Calls a function that says whether it succeeded. Throws LimberError with its reason. */
  call<Name extends Call>(name: Name, ...values: Parameters<Functions[Name]>): void {
    const act = this.wasm[name] as (...args: number[]) => number;
    if (this.run(() => act(...values)) === 0) throw new LimberError(this.message());
  }

  /** Number i that the last call gave back. */
  result(i: number): number {
    return this.wasm.HEAPF64[(this.wasm._limber_results() >>> 3) + i]!;
  }

  /** Three of them, from i on. */
  vector(i = 0): [number, number, number] {
    return [this.result(i), this.result(i + 1), this.result(i + 2)];
  }

  bytes(address: number, count: number): Uint8Array {
    return new Uint8Array(this.wasm.HEAPU8.buffer, address, count);
  }
  integers(address: number, count: number): Int32Array {
    return new Int32Array(this.wasm.HEAPU8.buffer, address, count);
  }
  floats(address: number, count: number): Float32Array {
    return new Float32Array(this.wasm.HEAPU8.buffer, address, count);
  }
  doubles(address: number, count: number): Float64Array {
    return new Float64Array(this.wasm.HEAPU8.buffer, address, count);
  }

  private message(): string {
    const heap = this.wasm.HEAPU8;
    const start = this.wasm._limber_message() >>> 0;
    return new TextDecoder().decode(heap.subarray(start, heap.indexOf(0, start)));
  }

  /** The functions throw nothing: what is thrown here comes from the machine, such as a stack that is full. */
  private run<Result>(action: () => Result): Result {
    if (this.failure !== undefined) throw new LimberError(this.failure);
    try {
      return action();
    } catch (error) {
      this.failure = `the runtime failed (${String(error)}); load the body again`;
      throw new LimberError(this.failure);
    }
  }
}
