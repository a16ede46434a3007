// The ground: nothing but a pool of light that fades into the background, and the shadows that bodies throw on it. The
// shadow of the key light comes from its shadow map. The contact shadow, dark where a body is near, comes from a
// small picture of the bodies seen from below, blurred by its own mipmaps.

import {
  Color,
  LinearFilter,
  LinearMipmapLinearFilter,
  Matrix4,
  Mesh,
  OrthographicCamera,
  PlaneGeometry,
  Scene,
  ShaderMaterial,
  DoubleSide,
  UniformsLib,
  UniformsUtils,
  WebGLRenderTarget,
  type Quaternion,
  type Vector3,
  type WebGLRenderer,
} from 'three';
import { screenColor } from './background';
import { displacedVertexGlsl, type DisplacedSurface } from './displaced_surface';
import type { Quality } from './quality';
import type { Palette } from './theme';

const contactSize = 256;
const groundExtent = 7; // in radii of what stands on it
const contactExtent = 2;
/** Lines of the grid to a radius. */
export const gridDensity = 4;

const contactVertex = /* glsl */ `
${displacedVertexGlsl}
varying float height;
void main() {
  vec4 p = viewMatrix * vec4(displaced(), 1.0);
  height = -p.z;
  gl_Position = projectionMatrix * p;
}
`;
const contactFragment = /* glsl */ `
uniform float reach;
varying float height;
void main() { gl_FragColor = vec4(exp(-max(height, 0.0) / reach)); }
`;

/** The same of what three deforms by morph targets and joints. */
const clipContactVertex = /* glsl */ `
#include <common>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
varying float height;
void main() {
  #include <skinbase_vertex>
  #include <begin_vertex>
  #include <morphtarget_vertex>
  #include <skinning_vertex>
  #include <project_vertex>
  height = -mvPosition.z;
}
`;

const groundVertex = /* glsl */ `
#include <common>
#include <shadowmap_pars_vertex>
uniform mat4 contactMatrix;
varying vec2 place;
varying vec2 contactPlace;
void main() {
  vec3 transformedNormal = normalMatrix * normal;
  vec3 transformed = position;
  place = position.xy;
  #include <project_vertex>
  #include <worldpos_vertex>
  #include <shadowmap_vertex>
  contactPlace = (contactMatrix * modelMatrix * vec4(position, 1.0)).xy * 0.5 + 0.5;
}
`;
const groundFragment = /* glsl */ `
#include <common>
#include <lights_pars_begin>
#include <shadowmap_pars_fragment>
uniform sampler2D contact;
uniform vec3 pool;
uniform vec3 shadow;
uniform float poolOpacity;
uniform float keyShadow;
uniform float contactShadow;
uniform float visibility;
uniform float grid;
varying vec2 place;
varying vec2 contactPlace;

// Lines of about a pixel; none where they would be too dense.
float gridLine() {
  vec2 at = place * float(${gridDensity * groundExtent});
  vec2 width = fwidth(at);
  vec2 line = 1.0 - smoothstep(0.3 * width, 1.2 * width, abs(fract(at - 0.5) - 0.5));
  vec2 seen = 1.0 - smoothstep(0.1, 0.4, width);
  return max(line.x * seen.x, line.y * seen.y);
}

float contactDarkness() {
  #ifdef LIGHT
  return 0.55 * textureLod(contact, contactPlace, 3.0).r + 0.45 * textureLod(contact, contactPlace, 4.5).r;
  #endif
  // Rings of a blurred level each: the levels alone would show their texels.
  float sum = 0.0;
  for (int i = 0; i < 6; ++i) {
    float angle = float(i) * PI / 3.0;
    vec2 at = vec2(cos(angle), sin(angle));
    sum += 0.55 * textureLod(contact, contactPlace + 0.008 * at, 2.0).r;
    sum += 0.45 * textureLod(contact, contactPlace + 0.035 * at.yx, 4.0).r;
  }
  return sum / 6.0;
}

float keyDarkness() {
  #if defined(USE_SHADOWMAP) && NUM_DIR_LIGHT_SHADOWS > 0
    vec3 at = vDirectionalShadowCoord[0].xyz / vDirectionalShadowCoord[0].w;
    if (any(lessThan(at.xy, vec2(0.0))) || any(greaterThan(at.xy, vec2(1.0)))) return 0.0;
    float phi = interleavedGradientNoise(gl_FragCoord.xy) * PI2;
    float lit = 0.0;
    for (int i = 0; i < 16; ++i) {
      lit += texture(directionalShadowMap[0], vec3(at.xy + 0.014 * vogelDiskSample(i, 16, phi), at.z));
    }
    return 1.0 - lit / 16.0;
  #else
    return 0.0;
  #endif
}

void main() {
  float r = length(place) * float(${groundExtent});
  float near = 1.0 - smoothstep(0.3, float(${groundExtent}), r);
  float darkness = 1.0 - (1.0 - keyShadow * keyDarkness()) * (1.0 - contactShadow * contactDarkness());
  float alpha = visibility * near * near * (poolOpacity + (1.0 - poolOpacity) * darkness);
  float line = 0.12 * grid * visibility * near * gridLine();
  gl_FragColor = vec4(mix(pool, shadow, max(darkness, line / max(alpha + line, 1e-6))), max(alpha, alpha + line * (1.0 - alpha)));
}
`;

export class Ground {
  readonly mesh: Mesh;
  private readonly geometry = new PlaneGeometry(2, 2);
  private readonly material: ShaderMaterial;
  /** Of the bodies in the scene of the contact shadow; they share how far it reaches. */
  private contactMaterials: ShaderMaterial[] = [];
  private readonly contactReach = { value: 1 };
  private readonly contactCamera = new OrthographicCamera();
  private readonly contactScene = new Scene();
  private clip: Scene | null = null;
  private readonly clipContact = new ShaderMaterial({
    vertexShader: clipContactVertex,
    fragmentShader: contactFragment,
    side: DoubleSide,
    uniforms: { reach: this.contactReach },
  });
  private readonly target = new WebGLRenderTarget(contactSize, contactSize, {
    generateMipmaps: true,
    minFilter: LinearMipmapLinearFilter,
    magFilter: LinearFilter,
  });

  constructor() {
    this.material = new ShaderMaterial({
      vertexShader: groundVertex,
      fragmentShader: groundFragment,
      lights: true,
      transparent: true,
      depthWrite: false,
      uniforms: {
        ...UniformsUtils.clone(UniformsLib.lights),
        contact: { value: this.target.texture },
        contactMatrix: { value: new Matrix4() },
        pool: { value: new Color() },
        shadow: { value: new Color() },
        poolOpacity: { value: 0 },
        keyShadow: { value: 0 },
        contactShadow: { value: 0 },
        visibility: { value: 1 },
        grid: { value: 0 },
      },
    });
    this.mesh = new Mesh(this.geometry, this.material);
    this.mesh.receiveShadow = true;
    this.mesh.renderOrder = -5; // before translucent bodies
  }

  /** Shows that it is solid. */
  setGrid(shown: boolean): void {
    this.uniform('grid').value = shown ? 1 : 0;
  }

  setPalette(palette: Palette): void {
    screenColor(this.uniform('pool').value as Color, palette.pool);
    screenColor(this.uniform('shadow').value as Color, palette.shadow);
    this.uniform('poolOpacity').value = palette.poolOpacity;
    this.uniform('keyShadow').value = palette.keyShadow;
    this.uniform('contactShadow').value = palette.contactShadow;
  }

  /** The bodies whose shadows are drawn. */
  setBodies(bodies: readonly DisplacedSurface[]): void {
    this.contactScene.clear();
    for (const material of this.contactMaterials) material.dispose();
    this.contactMaterials = bodies.map(({ field }) => this.contactMaterial(field));
    bodies.forEach((body, i) => {
      this.contactScene.add(body.twin(this.contactMaterials[i]!));
    });
  }

  /** The clip whose shadow is drawn as well; null: none. */
  setClip(clip: Scene | null): void {
    this.clip = clip;
  }

  setQuality(quality: Quality): void {
    this.material.defines = quality === 'light' ? { LIGHT: '' } : {};
    this.material.needsUpdate = true;
  }

  /** Lays the ground through a point, across the up axis; `upright` takes z to it. */
  place(point: Vector3, upright: Quaternion, radius: number): void {
    this.mesh.position.copy(point);
    this.mesh.quaternion.copy(upright);
    this.mesh.scale.setScalar(groundExtent * radius);
    this.mesh.updateMatrixWorld();
    const camera = this.contactCamera;
    camera.left = camera.bottom = -contactExtent * radius;
    camera.right = camera.top = contactExtent * radius;
    camera.near = -4 * radius;
    camera.far = 6 * radius;
    camera.position.copy(point);
    // Looks along its -z: upward.
    camera.quaternion.copy(upright);
    camera.rotateX(Math.PI);
    camera.updateMatrixWorld();
    camera.updateProjectionMatrix();
    (this.uniform('contactMatrix').value as Matrix4).multiplyMatrices(
      camera.projectionMatrix,
      camera.matrixWorldInverse,
    );
    this.contactReach.value = 0.32 * radius;
  }

  /** height: of the eye above the ground, in radii. Seen from below there is no ground. */
  setEyeHeight(height: number): void {
    const visibility = Math.min(1, Math.max(0, height / 0.35));
    this.uniform('visibility').value = visibility;
    this.mesh.visible = visibility > 0;
  }

  /** Draws the contact shadow anew. */
  update(renderer: WebGLRenderer): void {
    renderer.setRenderTarget(this.target);
    renderer.clear();
    renderer.render(this.contactScene, this.contactCamera);
    if (!this.clip) return;
    this.clip.overrideMaterial = this.clipContact;
    renderer.render(this.clip, this.contactCamera);
    this.clip.overrideMaterial = null;
  }

  dispose(): void {
    this.geometry.dispose();
    this.material.dispose();
    this.clipContact.dispose();
    this.setBodies([]);
    this.target.dispose();
  }

  private contactMaterial({ uniforms }: DisplacedSurface['field']): ShaderMaterial {
    return new ShaderMaterial({
      vertexShader: contactVertex,
      fragmentShader: contactFragment,
      side: DoubleSide,
      uniforms: { ...uniforms, reach: this.contactReach },
    });
  }

  private uniform(name: string) {
    return this.material.uniforms[name]!;
  }
}
