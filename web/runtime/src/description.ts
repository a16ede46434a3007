import type { BodyInfo, SimulationMesh, Surface } from './types.js';
import type { WasmRuntime } from './wasm_module.js';

/** What description.cpp says about a body. */
export interface BodyDescription {
  readonly info: BodyInfo;
  readonly parts: Surface['parts'];
  readonly element: SimulationMesh['element'] | null;
}

export function describe(runtime: WasmRuntime, number: number): BodyDescription {
  runtime.call('_limber_describe', number);
  const text = new TextDecoder().decode(runtime.bytes(runtime.result(0), runtime.result(1)));
  return JSON.parse(text) as BodyDescription;
}
