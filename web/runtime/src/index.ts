import createModule from '#wasm/limber_wasm.mjs';
import { Body } from './body.js';
import { describe } from './description.js';
import { LimberError } from './limber_error.js';
import { Tree } from './tree.js';
import { WasmRuntime, type WasmModule } from './wasm_module.js';

export type * from './types.js';
export { Body, LimberError, Tree };

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
 * What is in a `.glb` file made by `limber reduce`: a body, or a tree of domains. The file is checked in full: throws LimberError that
 * says what is wrong with it.
 */
export async function open(glb: Uint8Array | ArrayBuffer): Promise<Body | Tree> {
  const given: unknown = glb;
  if (!(given instanceof Uint8Array || given instanceof ArrayBuffer)) {
    const found = given === null ? 'null' : typeof given;
    throw new LimberError(`load takes the bytes of a .glb file, a Uint8Array or ArrayBuffer; found ${found}`);
  }
  const instance = await liveRuntime();
  const number = instance.load(glb instanceof Uint8Array ? glb : new Uint8Array(glb));
  const description = describe(instance, number);
  return 'tree' in description
    ? new Tree(instance, number, description)
    : new Body(instance, number, description);
}

/** The body in a reduced model, as `open()` gives it. Throws LimberError for a file that holds a tree of domains. */
export async function load(glb: Uint8Array | ArrayBuffer): Promise<Body> {
  const opened = await open(glb);
  if (opened instanceof Body) return opened;
  opened.dispose();
  throw new LimberError('the file holds a tree of domains, not a single body; use loadTree');
}

/** The tree of domains in a file, as `open()` gives it. Throws LimberError for a file that holds a single body. */
export async function loadTree(glb: Uint8Array | ArrayBuffer): Promise<Tree> {
  const opened = await open(glb);
  if (opened instanceof Tree) return opened;
  opened.dispose();
  throw new LimberError('the file holds a single body, not a tree of domains; use load');
}
