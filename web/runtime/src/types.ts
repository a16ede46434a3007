/** A point, a direction or a force: x, y, z in metres, newtons and so on. */
export type Vector3 = readonly [number, number, number];

/** What a region is made of. The law stays the one that the model was made with. */
export interface Material {
  readonly law: string;
  /** Young's modulus, Pa. */
  readonly young: number;
  /** Poisson's ratio, between -1 and 0.5. */
  readonly poisson: number;
  /** kg/m^3 */
  readonly density: number;
}

/** Rayleigh damping D = alpha M + beta K. */
export interface Damping {
  /** alpha, 1/s: of all motion. */
  readonly mass: number;
  /** beta, s: of changes of shape, the more the faster they are. */
  readonly stiffness: number;
}

/** A constant force on a vertex of the surface. */
export interface VertexForce {
  readonly vertex: number;
  /** N */
  readonly force: Vector3;
}

/**
 * The same force on each of some vertices, for a time. What it gives a step is its mean over that, so that an impulse has its exact size,
 * however the steps lie.
 */
export interface TimedForce {
  /** Of `surface()`. */
  readonly vertices: ArrayLike<number>;
  /** N, on each */
  readonly force: Vector3;
  /** s, by the time of the body. 0 if not given. */
  readonly from?: number;
  /** s; it stays if not given. */
  readonly to?: number;
}

/** A force on the whole body in proportion to its mass, as gravity is, for a time. */
export interface TimedAcceleration {
  /** m/s^2 */
  readonly acceleration: Vector3;
  /** s, by the time of the body. 0 if not given. */
  readonly from?: number;
  /** s; it stays if not given. */
  readonly to?: number;
}

/** Loads by the time of the body. */
export interface TimedLoads {
  readonly forces?: readonly TimedForce[];
  readonly accelerations?: readonly TimedAcceleration[];
}

/**
 * A load on a piece of the surface, for a time: a pressure, a traction or both. What it gives a step is its mean over that, so that an
 * impulse has its exact size, however the steps lie.
 */
export interface SurfaceLoad {
  /** Of `surface()`, each once. */
  readonly triangles: ArrayLike<number>;
  /** Pa, against the outer normal and on the area of the surface as it is at the start of a step; negative: outwards. 0 if not given. */
  readonly pressure?: number;
  /** Pa, force per area at rest, in axes of the world. None if not given. */
  readonly traction?: Vector3;
  /** s, by the time of the body. 0 if not given. */
  readonly from?: number;
  /** s; it stays if not given. */
  readonly to?: number;
}

/** What pulls a vertex of the surface towards a point. It is taken implicitly: any stiffness is stable. */
export interface Spring {
  readonly vertex: number;
  readonly target: Vector3;
  /** N/m; a multiple of `stiffnessAt(vertex)` suits any body. */
  readonly stiffness: number;
}

/** A rotation as a unit quaternion x, y, z, w. */
export type Quaternion = readonly [number, number, number, number];

/** What moves a body: the reduced forces of its model, those of the stiffness at rest, or natural modes that are warped. */
export type Method = 'reduced' | 'linear' | 'warped';

/** A vertex of the surface that is held by hand, as a hard constraint. Of the method 'warped' only. */
export interface Handle {
  readonly vertex: number;
  /** Where it shall be; not given: it may move. */
  readonly position?: Vector3;
  /** How it shall be turned from rest; not given: it may turn. */
  readonly rotation?: Quaternion;
}

/** How well the handles were met in the last step. */
export interface HandleReport {
  /** All of them: positions to 1e-10 of the body's size, orientations to 1e-10 rad. */
  readonly met: boolean;
  /** Largest distance from a target, m. */
  readonly positionError: number;
  /** Largest angle from a target, rad. */
  readonly orientationError: number;
}

/** Where what holds a body is at a time, from where it was made. */
export interface SupportKey {
  /** s, of the body; keys ascend. */
  readonly time: number;
  /** m; not given: as it was made. So for the rotation. */
  readonly position?: Vector3;
  readonly rotation?: Quaternion;
}

export interface Pick {
  readonly vertex: number;
  /** Along the ray, in lengths of its direction. */
  readonly distance: number;
  /** Whether the ray meets the surface; else the vertex is the one nearest to it. */
  readonly hit: boolean;
}

export interface Region {
  readonly name: string;
  readonly tag: number;
  /** m^3 */
  readonly volume: number;
  /** As the model was made. */
  readonly material: Material;
}

/** A precomputed piece of a body, which may stand in many places. */
export interface PartInfo {
  readonly name: string;
  /** Coordinates; 0: rigid. */
  readonly rank: number;
  readonly regions: readonly Region[];
}

/** A piece in its place. */
export interface DomainInfo {
  readonly name: string;
  /** Index into `parts`. */
  readonly part: number;
  /** Index of the domain that carries it; -1 for the root. */
  readonly parent: number;
  /** Factor of its elastic forces, as the file has it. */
  readonly stiffness: number;
}

/** The axis of its own coordinates that points upward where a body stands. */
export type UpAxis = 'x' | 'y' | 'z';

/** What does not change while a body moves. */
export interface BodyInfo {
  readonly name: string;
  /** How it was made. */
  readonly description: string;
  /** Coordinates of all domains. */
  readonly rank: number;
  /** Whether nothing holds it: it flies. */
  readonly free: boolean;
  /** Which way it stands. Nothing acts by it: there is no gravity until you set one. */
  readonly up: UpAxis;
  /** Domains on the longest way from the root to a leaf. */
  readonly depth: number;
  /** Of part 0, the only one of a body that was reduced as one. */
  readonly regions: readonly Region[];
  readonly parts: readonly PartInfo[];
  /** Parents before their children; one for a body that was reduced as one. */
  readonly domains: readonly DomainInfo[];
  readonly vertexCount: number;
  readonly triangleCount: number;
  /** Whether all elastic forces are exact polynomials; else some come from cubature. */
  readonly exact: boolean;
  /** Number of cubature points of all domains, 0 for exact forces. */
  readonly cubaturePoints: number;
  /** Elements of the meshes that the domains were made from; 0 where the file leaves them out. */
  readonly elementCount: number;
  /** Vertices of the root that do not move. */
  readonly fixedCount: number;
  /** Whether the method 'warped' can move it. */
  readonly warpable: boolean;
}

/**
 * The surface that is drawn. Where its vertices are `Body.positions()` says. Of a body of one domain a shader can compute that: they are
 * `positions + sum_i q_i basis_i`, of one that flies moved by `state.root`; of the method 'warped' the sum is turned by the mean of all
 * rotations from none to that of the rotation vector `sum_i q_i rotations_i`.
 */
export interface Surface {
  /** 3 n: x, y, z of each vertex at rest. */
  readonly positions: Float32Array;
  /** 3 t vertex numbers, counter-clockwise seen from outside. */
  readonly triangles: Uint32Array;
  /** t: index into `parts`. */
  readonly triangleParts: Uint32Array;
  readonly parts: readonly { readonly name: string; /** sRGB, 0 to 1 */ readonly color: Vector3 }[];
  /** n: the domain of each vertex, the first that has a copy; -1 for a vertex that no triangle uses. */
  readonly vertexDomains: Int32Array;
  /** t: the domain of each triangle. */
  readonly triangleDomains: Uint32Array;
  /** 3 n r, one coordinate after the other: m per unit of q. Empty for several domains, and for one that stands elsewhere than
   *  it was made. */
  readonly basis: Float32Array;
  /** 3 n r, as the basis: rad per unit of q. null: the model knows no rotations and cannot be warped. */
  readonly rotations: Float32Array | null;
}

/** The mesh that a body of one domain was made from, for those who want to look at it. */
export interface SimulationMesh {
  readonly element: 'tetrahedron' | 'brick';
  /** 3 n, at rest. */
  readonly positions: Float32Array;
  /** 4 or 8 vertex numbers each, ordered as in VTK. */
  readonly elements: Uint32Array;
  /** Vertices that do not move. */
  readonly fixed: Uint32Array;
  /** Elements that hold cubature points, ascending, each once; none for exact forces. */
  readonly cubatureElements: Uint32Array;
  /** 3 n r, as in Surface. */
  readonly basis: Float32Array;
}

/** How the frame of the root of a free body is and moves, in world axes. */
export interface FrameState {
  readonly position: Vector3;
  readonly rotation: Quaternion;
  readonly velocity: Vector3;
  readonly angularVelocity: Vector3;
}

/** Where a body is in time. */
export interface BodyState {
  /** s since the last reset */
  readonly time: number;
  /** Reduced coordinates in use, of one domain after the other. */
  readonly q: Float64Array;
  /** Their velocities. */
  readonly v: Float64Array;
  /** Of a free body; else null. */
  readonly root: FrameState | null;
  /** J, without the springs that pull. */
  readonly elasticEnergy: number;
  /** J */
  readonly kineticEnergy: number;
}

export interface Momentum {
  /** kg */
  readonly mass: number;
  /** Of mass, m. */
  readonly center: Vector3;
  /** kg m/s */
  readonly linear: Vector3;
  /** About the centre of mass, kg m^2/s. */
  readonly angular: Vector3;
}

/** What a domain feels of the inertia of those that hang from it: their mass at the interface, at their centre of mass, or all of it. */
export type SubtreeInertia = 'interface' | 'center' | 'full';

/** How far vertices of an interface are from the rigid motion of the frame that they carry. */
export interface InterfaceGap {
  /** The child whose interface it is. */
  readonly domain: number;
  /** m */
  readonly distance: number;
  /** Of the size of the interface. */
  readonly share: number;
}

export interface StaticOptions {
  /** Of what is left of the loads, as a share of these. 1e-8 if not given. */
  readonly tolerance?: number;
  /** At most; 100 if not given. */
  readonly iterations?: number;
}

/** How an equilibrium was found. */
export interface StaticReport {
  readonly iterations: number;
  /** What is left of the loads, as a share of these. */
  readonly residual: number;
}

export interface StepOptions {
  /** Newton iterations of a step at most. 1, the default: one linearised step, as real time asks. More: the step is
   *  exact to 1e-8, and is divided where it does not converge. */
  readonly iterations?: number;
  /** 'cg' solves without forming the stiffness: faster for cubature with many coordinates. Default 'direct', the only one of bodies that
   *  fly, are carried, in the wind or have several domains, and of the methods 'linear' and 'warped'. */
  readonly solver?: 'direct' | 'cg';
}

/** What a surface is to others that it touches. */
export interface ContactMaterial {
  /** Coulomb's coefficient, at least 0; of two surfaces: the root of the product. 0.5 if not given. */
  readonly friction?: number;
  /** Share of the speed that a stroke gives back, 0 to 1; of two: the larger. 0 if not given. */
  readonly restitution?: number;
  /** m/N, of each contact; of two: the sum. 0 if not given: as hard as a step can tell. */
  readonly compliance?: number;
}

/** A solid about the origin of its own axes. */
export type Shape =
  | { readonly kind: 'sphere'; /** m */ readonly radius: number }
  | { readonly kind: 'box'; /** m, half of its edges */ readonly half: Vector3 }
  /** All points within a distance of a piece of the z axis. */
  | {
      readonly kind: 'capsule';
      readonly radius: number;
      /** m, of that piece */ readonly halfLength: number;
    };

/** Where the axes of a solid are. */
export interface Placement {
  /** m; at the origin if not given. */
  readonly position?: Vector3;
  /** Not turned if not given. */
  readonly rotation?: Quaternion;
}

/** A plane that is solid below. */
export interface GroundSetup extends ContactMaterial {
  /** m, along `up`; 0 if not given. */
  readonly height?: number;
  /** z if not given; of any length but 0. */
  readonly up?: Vector3;
}

/** What stands in the way of bodies and is moved by none. */
export interface ObstacleSetup extends ContactMaterial, Placement {
  readonly shape: Shape;
}

/** A body that does not deform. */
export interface RigidBodySetup extends ContactMaterial, Placement {
  readonly shape: Shape;
  /** kg/m^3; 1000 if not given. */
  readonly density?: number;
  /** Of its centre of mass, m/s; at rest if not given. */
  readonly velocity?: Vector3;
  /** rad/s */
  readonly angularVelocity?: Vector3;
  /** m/s^2; none if not given. */
  readonly gravity?: Vector3;
}

/** A rigid body that another engine moves. */
export interface HostBodySetup extends ContactMaterial {
  /** `halfSpace`: all that is below z = 0 of its axes, which nothing moves. */
  readonly shape: Shape | { readonly kind: 'halfSpace' };
}

/** How a body of another engine is at the start of a step. */
export interface HostState extends Placement {
  /** Of mass, in the world, m; where its axes are if not given. */
  readonly center?: Vector3;
  /** Of that, m/s, in the world; at rest if not given. */
  readonly velocity?: Vector3;
  /** rad/s */
  readonly angularVelocity?: Vector3;
  /** What gravity and other forces that the engine knows will do in the step, m/s^2; none if not given. */
  readonly acceleration?: Vector3;
  /** rad/s^2 */
  readonly angularAcceleration?: Vector3;
  /** 1/kg; 0 if not given: nothing moves it. */
  readonly inverseMass?: number;
  /** 1/(kg m^2), about the centre of mass in axes of the world: the nine numbers of a symmetric matrix. All 0 if not given: nothing turns it. */
  readonly inverseInertia?: readonly number[];
  /** The engine holds it where it is, and did not take the last push. */
  readonly asleep?: boolean;
}

/** What bodies of limber did to a body of another engine in a step. */
export interface HostPush {
  /** N s */
  readonly impulse: Vector3;
  /** N m s, about the centre of mass that was given. */
  readonly angularImpulse: Vector3;
}

/** A hand that holds a rigid body by springs and dampers. */
export interface RigidGrip extends Placement {
  /** Of the hand, m/s; at rest if not given. */
  readonly velocity?: Vector3;
  /** rad/s */
  readonly angularVelocity?: Vector3;
  /** N/m, towards where the axes of its shape are to be after a step: the placement. */
  readonly stiffness: number;
  /** N s/m; none if not given. */
  readonly damping?: number;
  /** N m per radian; none if not given. */
  readonly turningStiffness?: number;
  /** N m s; none if not given. */
  readonly turningDamping?: number;
}
