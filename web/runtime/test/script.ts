import type { Body, FrameMotion, Handle, Method, Pull, Vector3 } from '../src/index';

/** What a script does with a body, here and in tests/web/live_reference.cpp. */
export type Action =
  | { action: 'material'; region: number; young?: number; poisson?: number; density?: number }
  | { action: 'gravity'; value: Vector3 }
  | { action: 'damping'; mass: number; stiffness: number }
  | { action: 'rank'; value: number }
  | { action: 'method'; value: Method }
  | { action: 'force'; vertex: number; value: Vector3 }
  | { action: 'clear_forces' }
  | { action: 'pulls'; value: readonly Pull[] }
  | { action: 'handles'; value: readonly Handle[]; priority?: 'position' | 'orientation' }
  | ({ action: 'frame' } & FrameMotion)
  | { action: 'reset' }
  | { action: 'state'; q: number[]; v: number[] }
  | { action: 'step'; h: number; count: number; iterations?: number; solver?: 'direct' | 'cg' }
  | { action: 'sample'; vertex: number; pulls?: number };

export interface Sample {
  time: number;
  q: number[];
  v: number[];
  elastic: number;
  kinetic: number;
  position: number[];
  /** Of the vertex, x, y, z, w. */
  orientation: number[];
  stiffness: number;
  frequencies: number[];
  mode: number[];
  pulls: number[][];
}

function sample(body: Body, vertex: number, pulls: number): Sample {
  const { time, q, v, elasticEnergy, kineticEnergy } = body.state;
  return {
    time,
    q: [...q],
    v: [...v],
    elastic: elasticEnergy,
    kinetic: kineticEnergy,
    position: [...body.position(vertex)],
    orientation: [...body.orientation(vertex)],
    stiffness: body.stiffnessAt(vertex),
    frequencies: [...body.frequencies()],
    mode: [...body.modeShape(0)].map(Math.abs),
    pulls: Array.from({ length: pulls }, (_, i) => [...body.pullForce(i)]),
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
  for (const item of script) {
    switch (item.action) {
      case 'material':
        body.setMaterial(item.region, only(item, ['young', 'poisson', 'density']));
        break;
      case 'gravity':
        body.setGravity(item.value);
        break;
      case 'damping':
        body.setDamping(item);
        break;
      case 'rank':
        body.setRank(item.value);
        break;
      case 'method':
        body.setMethod(item.value);
        break;
      case 'force':
        body.applyForce(item.vertex, item.value);
        break;
      case 'clear_forces':
        body.clearForces();
        break;
      case 'pulls':
        body.setPulls(item.value);
        break;
      case 'handles':
        body.setHandles(item.value, item.priority);
        break;
      case 'frame': {
        const { acceleration, angularVelocity, angularAcceleration } = item;
        body.setFrameMotion({ acceleration, angularVelocity, angularAcceleration });
        break;
      }
      case 'reset':
        body.reset();
        break;
      case 'state':
        body.setState(item.q, item.v);
        break;
      case 'step':
        body.step(item.h, item.count, only(item, ['iterations', 'solver']));
        break;
      case 'sample':
        samples.push(sample(body, item.vertex, item.pulls ?? 0));
        break;
    }
  }
  return samples;
}
