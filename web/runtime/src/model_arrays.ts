import type { SimulationMesh, Surface } from './types.js';
import type { WasmRuntime } from './wasm_module.js';

/** Arrays of the model, numbered as in body_bindings.cpp. */
enum ModelArray {
  vertices,
  triangles,
  triangleParts,
  vertexDomains,
  triangleDomains,
  surfaceBasis,
  surfaceRotations,
  meshVertices,
  meshElements,
  fixed,
  cubatureElements,
  meshBasis,
  reach,
}

/** Copies of what the model of a body holds. */
export class ModelArrays {
  constructor(
    private readonly runtime: WasmRuntime,
    private readonly body: number,
  ) {}

  /** rotations: whether the model has any. */
  surface(parts: Surface['parts'], rotations: boolean): Surface {
    return {
      positions: new Float32Array(this.doubles(ModelArray.vertices)),
      triangles: new Uint32Array(this.integers(ModelArray.triangles)),
      triangleParts: new Uint32Array(this.integers(ModelArray.triangleParts)),
      parts,
      vertexDomains: this.integers(ModelArray.vertexDomains).slice(),
      triangleDomains: new Uint32Array(this.integers(ModelArray.triangleDomains)),
      basis: this.floats(ModelArray.surfaceBasis),
      rotations: rotations ? this.floats(ModelArray.surfaceRotations) : null,
    };
  }

  simulationMesh(element: SimulationMesh['element']): SimulationMesh {
    return {
      element,
      positions: new Float32Array(this.doubles(ModelArray.meshVertices)),
      elements: new Uint32Array(this.integers(ModelArray.meshElements)),
      fixed: new Uint32Array(this.integers(ModelArray.fixed)),
      cubatureElements: new Uint32Array(new Set(this.integers(ModelArray.cubatureElements))).sort(),
      basis: new Float32Array(this.doubles(ModelArray.meshBasis)),
    };
  }

  reach(): Float64Array {
    return this.doubles(ModelArray.reach).slice();
  }

  private array(which: ModelArray): [number, number] {
    this.runtime.call('_limber_array', this.body, which);
    return [this.runtime.result(0), this.runtime.result(1)];
  }
  private integers(which: ModelArray): Int32Array {
    return this.runtime.integers(...this.array(which));
  }
  private doubles(which: ModelArray): Float64Array {
    return this.runtime.doubles(...this.array(which));
  }
  private floats(which: ModelArray): Float32Array {
    return this.runtime.floats(...this.array(which)).slice();
  }
}
