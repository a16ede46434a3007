import type { BodyInfo, SimulationMesh, Surface, TreeInfo } from './types.js';
import type { WasmRuntime } from './wasm_module.js';

/** What bindings.cpp says about a body. */
export interface BodyDescription {
  readonly info: BodyInfo;
  readonly parts: Surface['parts'];
  readonly element: SimulationMesh['element'] | null;
}

/** What tree_bindings.cpp says about a tree of domains. */
export interface TreeDescription {
  readonly tree: TreeInfo;
  readonly parts: Surface['parts'];
}

export function describe(runtime: WasmRuntime, number: number): BodyDescription | TreeDescription {
  runtime.call('_limber_describe', number);
  const text = new TextDecoder().decode(runtime.bytes(runtime.result(0), runtime.result(1)));
  return JSON.parse(text) as BodyDescription | TreeDescription;
}
