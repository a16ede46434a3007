import type { Handle, Pull } from './types.js';
import type { WasmRuntime } from './wasm_module.js';

// Lists that bindings.cpp takes, as the structs PullRecord and HandleRecord there.

const pullBytes = 40;
const handleBytes = 64;

export function writePulls(runtime: WasmRuntime, address: number, pulls: readonly Pull[]): void {
  pulls.forEach(({ vertex, target, stiffness }, i) => {
    const at = address + i * pullBytes;
    runtime.doubles(at, 4).set([...target, stiffness]);
    runtime.integers(at + 32, 1)[0] = vertex;
  });
}

export function writeHandles(runtime: WasmRuntime, address: number, handles: readonly Handle[]): void {
  handles.forEach(({ vertex, position, rotation }, i) => {
    const at = address + i * handleBytes;
    runtime.doubles(at, 7).set([...(position ?? [0, 0, 0]), ...(rotation ?? [0, 0, 0, 1])]);
    runtime.integers(at + 56, 2).set([vertex, (position ? 1 : 0) + (rotation ? 2 : 0)]);
  });
}
