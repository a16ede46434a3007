import { BufferAttribute, BufferGeometry, Color, Mesh, ShaderMaterial } from 'three';
import type { Palette } from './theme';

// Written as seen on the screen: no tone mapping. Noise of less than one of 255 steps hides the steps.
const fragmentShader = /* glsl */ `
uniform vec3 centre;
uniform vec3 edge;
varying vec2 place;
void main() {
  float t = smoothstep(0.0, 1.5, length(place * vec2(0.85, 1.0) - vec2(0.0, 0.12)));
  float noise = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)))) - 0.5;
  gl_FragColor = vec4(mix(centre, edge, t) + noise / 255.0, 1.0);
}
`;
const vertexShader = /* glsl */ `
varying vec2 place;
void main() {
  place = position.xy;
  gl_Position = vec4(position.xy, 1.0, 1.0);
}
`;

/** A gradient over the whole picture, behind everything. */
export class Background {
  readonly mesh: Mesh;
  private readonly geometry = new BufferGeometry();
  private readonly material: ShaderMaterial;

  constructor() {
    this.geometry.setAttribute(
      'position',
      new BufferAttribute(new Float32Array([-1, -1, 0, 3, -1, 0, -1, 3, 0]), 3),
    );
    this.material = new ShaderMaterial({
      vertexShader,
      fragmentShader,
      uniforms: { centre: { value: new Color() }, edge: { value: new Color() } },
      depthTest: false,
      depthWrite: false,
    });
    this.mesh = new Mesh(this.geometry, this.material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = -10;
  }

  setPalette(palette: Palette): void {
    screenColor(this.material.uniforms.centre!.value as Color, palette.centre);
    screenColor(this.material.uniforms.edge!.value as Color, palette.edge);
  }

  dispose(): void {
    this.geometry.dispose();
    this.material.dispose();
  }
}

/** A colour of a style sheet as the screen gets it, without the change to linear light that three makes. */
export function screenColor(color: Color, style: string): void {
  color.set(style).convertLinearToSRGB();
}
