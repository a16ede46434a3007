// Arrays computed on the graphics device: a pass over a target with one texel per entry.

import {
  BufferAttribute,
  BufferGeometry,
  Camera,
  GLSL3,
  Mesh,
  NearestFilter,
  NoBlending,
  RawShaderMaterial,
  RGBAIntegerFormat,
  Scene,
  UnsignedIntType,
  WebGLRenderTarget,
  type IUniform,
  type Texture,
  type WebGLRenderer,
} from 'three';
import type { Grid } from './texture_layout';

const vertexShader = /* glsl */ `
in vec3 position;
void main() { gl_Position = vec4(position, 1.0); }
`;

const preamble = /* glsl */ `
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp sampler2DArray;
precision highp usampler2D;
out uvec4 bits;
`;

const camera = new Camera();

export class TexelPass {
  private readonly target: WebGLRenderTarget;
  private readonly material: RawShaderMaterial;
  private readonly geometry = new BufferGeometry();
  private readonly scene = new Scene();

  /**
   * The shader writes `bits`, four unsigned integers, at gl_FragCoord: floats as their bits. Targets of floats need an
   * extension, these do not.
   */
  constructor(
    grid: Grid,
    shader: string,
    readonly uniforms: Record<string, IUniform>,
  ) {
    this.target = new WebGLRenderTarget(grid.width, grid.height, {
      format: RGBAIntegerFormat,
      type: UnsignedIntType,
      internalFormat: 'RGBA32UI',
      minFilter: NearestFilter,
      magFilter: NearestFilter,
      depthBuffer: false,
    });
    this.material = new RawShaderMaterial({
      glslVersion: GLSL3,
      vertexShader,
      fragmentShader: preamble + shader,
      uniforms,
      blending: NoBlending,
      depthTest: false,
      depthWrite: false,
    });
    this.geometry.setAttribute(
      'position',
      new BufferAttribute(new Float32Array([-1, -1, 0, 3, -1, 0, -1, 3, 0]), 3),
    );
    const triangle = new Mesh(this.geometry, this.material);
    triangle.frustumCulled = false;
    this.scene.add(triangle);
    this.scene.matrixWorldAutoUpdate = false;
  }

  get texture(): Texture {
    return this.target.texture;
  }

  /** Leaves the target of the renderer set to its own. */
  run(renderer: WebGLRenderer): void {
    renderer.setRenderTarget(this.target);
    renderer.render(this.scene, camera);
  }

  dispose(): void {
    this.target.dispose();
    this.material.dispose();
    this.geometry.dispose();
  }
}
