/** Made by Emscripten from *_bindings.cpp (CMake target limber_wasm). The module is a WasmModule of wasm_module.ts. */
declare module '#wasm/limber_wasm.mjs' {
  export default function createModule(): Promise<unknown>;
}
