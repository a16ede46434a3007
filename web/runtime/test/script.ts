import type {
  Body,
  Handle,
  Method,
  FrameState,
  Spring,
  SubtreeInertia,
  SupportKey,
  SurfaceLoad,
  Vector3,
  VertexForce,
} from '../src/index';

/** What a script does with a body, here and in tests/web/live_reference.cpp. */
export type Action =
  | { action: 'material'; region: number; young?: number; poisson?: number; density?: number; part?: number }
  | { action: 'gravity'; value: Vector3 }
  | { action: 'damping'; mass: number; stiffness: number }
  | { action: 'rank'; value: number; part?: number }
  | { action: 'method'; value: Method }
  | { action: 'stiffness'; domain: number; value: number }
  | { action: 'inertia'; value: SubtreeInertia }
  | { action: 'force'; vertex: number; value: Vector3 }
  | { action: 'forces'; value: readonly VertexForce[] }
  | { action: 'surface'; value: readonly SurfaceLoad[] }
  | { action: 'springs'; value: readonly Spring[] }
  | { action: 'handles'; value: readonly Handle[]; priority?: 'position' | 'orientation' }
  | { action: 'wind'; value: Vector3; gusts: number }
  | { action: 'support'; value: readonly SupportKey[] }
  | { action: 'reset' }
  | { action: 'state'; q: number[]; v: number[]; root?: FrameState }
  | { action: 'step'; h: number; count: number; iterations?: number; solver?: 'direct' | 'cg' }
  | { action: 'sample'; vertex: number };

/** Numbers by what they are. */
export type Sample = Record<string, number[]>;

function sample(body: Body, vertex: number, springs: number): Sample {
  const { time, q, v, elasticEnergy, kineticEnergy } = body.state;
  const { center, linear, angular } = body.momentum;
  return {
    q: [...q],
    v: [...v],
    energy: [time, elasticEnergy, kineticEnergy],
    point: [...body.position(vertex), ...body.velocity(vertex)],
    orientation: [...body.orientation(vertex)],
    momentum: [...center, ...linear, ...angular],
    stiffness: [body.stiffnessAt(vertex)],
    frequencies: [...body.frequencies()],
    mode: body.info.domains.length === 1 ? [...body.modeShape(0)].map(Math.abs) : [],
    springs: Array.from({ length: springs }, (_, i) => [...body.springForce(i)]).flat(),
  };
}

/** Those of the keys that an action has. */
function only<T extends object, K extends keyof T>(action: T, keys: readonly K[]): Partial<Pick<T, K>> {
  return Object.fromEntries(keys.filter((key) => key in action).map((key) => [key, action[key]])) as Partial<
    Pick<T, K>
  >;
}

/** Returns what `sample` found, in order. */
export function runScript(body: Body, script: readonly Action[]): Sample[] {
  const samples: Sample[] = [];
  let springs = 0;
  for (const item of script) {
    if (item.action === 'material')
      body.setMaterial(item.region, only(item, ['young', 'poisson', 'density']), item.part);
    else if (item.action === 'gravity') body.setGravity(item.value);
    else if (item.action === 'damping') body.setDamping(item);
    else if (item.action === 'rank') body.setRank(item.value, item.part);
    else if (item.action === 'method') body.setMethod(item.value);
    else if (item.action === 'stiffness') body.setStiffness(item.domain, item.value);
    else if (item.action === 'inertia') body.setInertia(item.value);
    else if (item.action === 'force') body.setForce(item.vertex, item.value);
    else if (item.action === 'forces') body.setForces(item.value);
    else if (item.action === 'surface') body.setSurfaceLoads(item.value);
    else if (item.action === 'springs') body.setSprings(item.value);
    else if (item.action === 'handles') body.setHandles(item.value, item.priority);
    else if (item.action === 'wind') body.setWind(item.value, item.gusts);
    else if (item.action === 'support') body.setSupport(item.value);
    else if (item.action === 'reset') body.reset();
    else if (item.action === 'state') body.setState(item.q, item.v, item.root);
    else if (item.action === 'step') body.step(item.h, item.count, only(item, ['iterations', 'solver']));
    else samples.push(sample(body, item.vertex, springs));
    if (item.action === 'springs') springs = item.value.length;
  }
  return samples;
}
