// A soft body carries a box of Rapier: npx vite-node --config vitest.config.ts runtime/examples/rapier.ts FREE.glb
// with a model made by: limber reduce builtin:beam -o FREE.glb --free

import { readFile } from 'node:fs/promises';
import RAPIER from '@dimforge/rapier3d-compat';
import { load, RapierGuests, World } from '../src/index';

// 1. A world of Rapier with a floor: as you have it.
await RAPIER.init();
const rapier = new RAPIER.World({ x: 0, y: 0, z: -9.81 });
rapier.timestep = 1 / 240;
const floor = rapier.createCollider(RAPIER.ColliderDesc.cuboid(5, 5, 0.5).setTranslation(0, 0, -0.5));

// 2. A soft body just above the floor.
const body = await load(await readFile(process.argv[2] ?? 'free.glb'));
body.setGravity([0, 0, -9.81]);
body.setDamping({ mass: 0.1, stiffness: 1e-3 });
const heights = (): number[] => Array.from(body.positions()).filter((_, i) => i % 3 === 2);
const { q, v, root } = body.state;
const [x, y, z] = root!.position;
body.setState(q, v, { ...root!, position: [x, y, z + 0.02 - Math.min(...heights())] });
const { center, mass } = body.momentum;

// 3. The one is a guest in the other, and a box falls onto it.
const world = new World(body, { friction: 0.7 });
const guests = new RapierGuests(world, rapier);
const top = Math.max(...heights());
const half = 0.2 * (top - 0.02);
const crate = rapier.createRigidBody(
  RAPIER.RigidBodyDesc.dynamic().setTranslation(center[0], center[1], top + 2 * half),
);
const density = (0.05 * mass) / (8 * half ** 3);
const collider = rapier.createCollider(
  RAPIER.ColliderDesc.cuboid(half, half, half).setDensity(density),
  crate,
);
for (let i = 0; i < 4 * 240; ++i) guests.step();

// 4. What became of them.
const share = (force: number, weight: number): string => (force / rapier.timestep / weight).toFixed(3);
const carried = guests.hostOf(collider)!.push.impulse[2];
const whole = -guests.hostOf(floor)!.push.impulse[2];
const { x: vx, y: vy, z: vz } = crate.linvel();
console.log(
  `the box is at ${crate.translation().z.toFixed(4)} m, ${Math.hypot(vx, vy, vz).toExponential(1)} m/s`,
);
console.log(`the body carries ${share(carried, 9.81 * crate.mass())} of its weight`);
console.log(`the floor carries ${share(whole, 9.81 * (crate.mass() + mass))} of the weight of both`);
