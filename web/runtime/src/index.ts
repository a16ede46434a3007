import createModule from '#wasm/limber_wasm.mjs';
import { Body } from './body.js';
import { describe } from './description.js';
import { LimberError } from './limber_error.js';
import { WasmRuntime, type WasmModule } from './wasm_module.js';
import { RapierGuests } from './rapier.js';
import { HostBody, Obstacle, RigidBody, World } from './world.js';

export type * from './types.js';
export type { RapierBody, RapierCollider, RapierWorld } from './rapier.js';
export type { ContactReport, Contacts, Touching } from './world.js';
export { Body, HostBody, LimberError, Obstacle, RapierGuests, RigidBody, World };

/** The instance that bodies share. */
let shared: Promise<WasmRuntime> | undefined;

async function create(): Promise<WasmRuntime> {
  return new WasmRuntime((await createModule()) as WasmModule);
}

/** A new one where the last has failed; callers at the same time get the same. */
async function liveRuntime(): Promise<WasmRuntime> {
  const last = (shared ??= create());
  const runtime = await last.catch(() => undefined);
  if (runtime?.alive) return runtime;
  if (shared === last) shared = create(); // else another caller has replaced it
  return shared;
}

/**
 * The body in a model file, a `.glb` made by `limber reduce`: of one domain or of many, held or free. The file is checked in full: throws
 * LimberError that says what is wrong with it.
 */
export async function load(glb: Uint8Array | ArrayBuffer): Promise<Body> {
  const given: unknown = glb;
  if (!(given instanceof Uint8Array || given instanceof ArrayBuffer)) {
    const found = given === null ? 'null' : typeof given;
    throw new LimberError(`load takes the bytes of a .glb file, a Uint8Array or ArrayBuffer; found ${found}`);
  }
  const instance = await liveRuntime();
  const number = instance.load(glb instanceof Uint8Array ? glb : new Uint8Array(glb));
  return new Body(instance, number, describe(instance, number));
}
