// A clip on the stage: the objects of a .glb file as three reads them, in the light that bodies have, and its animations.

import {
  type AnimationAction,
  AnimationMixer,
  type BufferGeometry,
  DoubleSide,
  type Group,
  type KeyframeTrack,
  type Light,
  LoadingManager,
  type Material,
  type Mesh,
  MeshPhysicalMaterial,
  MeshStandardMaterial,
  Scene,
  SkinnedMesh,
  type Texture,
  Vector3 as Vector,
} from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import type { Vector3 } from '../../../runtime/src/types';
import { checkClip } from '../clip_file';
import { rubber } from './body';
import { clipPoints } from './clip_points';
import { patchRim, type RimUniforms } from './displaced_surface';
import type { Quality } from './quality';
import type { Cloud } from './turntable';
import { withUsedVertices } from './used_vertices';

/** What plays at a time: some of the animations of the file, together. */
export interface ClipPart {
  readonly name: string;
  /** s */
  readonly length: number;
  /** Times of frames, s. */
  readonly frames: Float32Array;
  readonly actions: readonly AnimationAction[];
}

/** Files of other programs may name files elsewhere: nothing comes from a network. */
function closedManager(): LoadingManager {
  const manager = new LoadingManager();
  manager.setURLModifier((url) => (/^(data|blob):/.test(url) ? url : 'data:,'));
  return manager;
}

export class DrawnClip {
  /** Its own, so that it can be drawn as a whole by another material. */
  readonly scene = new Scene();
  /** All places that it comes to. */
  readonly cloud: Cloud;
  /** Whether it has a ground, which is drawn as that of bodies. */
  readonly grounded: boolean;
  /** At least one; of several animations that do not move the same, the first is all of them together. */
  readonly parts: readonly ClipPart[];
  private readonly meshes_: Mesh[] = [];
  private readonly materials_ = new Map<Material, Material>();
  private part_: ClipPart;

  /** Reads a file. Throws, in words that go behind its name, where it cannot be played. */
  static async load(bytes: ArrayBuffer): Promise<DrawnClip> {
    const { ours } = checkClip(bytes);
    const { scene, animations } = await new GLTFLoader(closedManager()).parseAsync(bytes, '');
    for (const { tracks } of animations) for (const track of tracks) checkTrack(track);
    const mixer = new AnimationMixer(scene);
    const parts = partsOf(
      animations.map((animation, i) => ({
        name: animation.name === '' ? `animation ${i + 1}` : animation.name,
        length: animation.duration,
        frames: framesOf(animation.tracks),
        actions: [mixer.clipAction(animation)],
      })),
    );
    return new DrawnClip(scene, mixer, parts, ours);
  }

  private constructor(
    root: Group,
    private readonly mixer_: AnimationMixer,
    parts: readonly ClipPart[],
    ours: boolean,
  ) {
    if (parts.length === 0) throw new Error('it has no animation');
    this.parts = parts;
    this.part_ = parts[0]!;
    this.scene.add(root);
    const geometries = new Map<BufferGeometry, BufferGeometry>(); // nodes share them
    root.traverse((object) => {
      if ((object as Partial<Mesh>).isMesh) {
        const mesh = object as Mesh;
        const used = geometries.get(mesh.geometry) ?? withUsedVertices(mesh.geometry);
        geometries.set(mesh.geometry, used);
        mesh.geometry = used;
        this.meshes_.push(mesh);
      }
      if ((object as Partial<Light>).isLight) object.visible = false; // the stage has its own
    });
    const boxes: Float32Array[] = [];
    let ground: Mesh | null = null;
    const seen = parts[0]!.actions.length > 1 ? parts.slice(0, 1) : parts;
    for (const part of seen) {
      this.play(part);
      const setTime = (time: number): void => {
        this.setTime(time);
      };
      const motion = { length: part.length, meshes: this.meshes_, share: 1 / seen.length, setTime };
      const points = clipPoints(motion, ours);
      boxes.push(points.positions);
      ({ ground } = points);
    }
    this.cloud = { positions: joined(boxes), offset: new Vector() };
    this.grounded = ground !== null;
    if (ground) ground.visible = false;
    this.play(parts[0]!);
    for (const mesh of this.meshes_) this.dress_(mesh, ours);
  }

  /** Names of its objects, and how many vertices they have. */
  get objects(): readonly { readonly name: string; readonly vertexCount: number }[] {
    return this.meshes_.map(({ name, geometry }) => ({
      name,
      vertexCount: geometry.getAttribute('position').count,
    }));
  }

  /** Another one of its parts, from the start. */
  play(part: ClipPart): void {
    this.mixer_.stopAllAction();
    this.part_ = part;
    for (const action of part.actions) action.play();
    this.setTime(0);
  }

  /** s from the start. */
  setTime(time: number): void {
    for (const action of this.part_.actions) action.time = Math.min(time, action.getClip().duration);
    this.mixer_.update(0); // which leaves the times as they are: no loop of three's own
    this.scene.updateMatrixWorld();
  }

  /** Where a vertex of an object is now. */
  vertexPosition(object: number, vertex: number): Vector3 {
    const mesh = this.meshes_[object];
    if (!mesh) throw new Error(`The clip has ${this.meshes_.length} objects, found number ${object}`);
    return mesh.getVertexPosition(vertex, new Vector()).applyMatrix4(mesh.matrixWorld).toArray();
  }

  /** The light that bodies have at their edges. */
  setRim(rim: RimUniforms): void {
    for (const material of this.materials_.values()) patchRim(material, rim);
  }

  setQuality(quality: Quality): void {
    for (const material of this.materials_.values()) {
      if (!(material instanceof MeshPhysicalMaterial) || material.userData.rubber !== true) continue;
      material.clearcoat = quality === 'full' ? rubber.clearcoat : 0;
      material.needsUpdate = true;
    }
  }

  dispose(): void {
    this.mixer_.stopAllAction();
    for (const mesh of this.meshes_) {
      mesh.geometry.dispose();
      if (mesh instanceof SkinnedMesh) mesh.skeleton.dispose();
    }
    for (const [original, material] of this.materials_) {
      for (const value of Object.values(original)) if (isTexture(value)) value.dispose();
      original.dispose();
      material.dispose();
    }
  }

  /** The light of the stage is made for bodies: nothing is there that metal could mirror. ours: rubber, as bodies are. */
  private dress_(mesh: Mesh, ours: boolean): void {
    mesh.castShadow = mesh.receiveShadow = true;
    mesh.frustumCulled = false; // it leaves the box that it has at rest
    mesh.renderOrder = 10;
    const dressed = [mesh.material].flat().map((material) => {
      const known = this.materials_.get(material);
      if (known) return known;
      const made = ours && material instanceof MeshStandardMaterial ? makeRubber(material) : material;
      if (made instanceof MeshStandardMaterial) made.metalness = 0;
      this.materials_.set(material, made);
      return made;
    });
    mesh.material = Array.isArray(mesh.material) ? dressed : dressed[0]!;
  }
}

function makeRubber({ color, flatShading }: MeshStandardMaterial): MeshPhysicalMaterial {
  return new MeshPhysicalMaterial({
    ...rubber,
    color,
    flatShading,
    side: DoubleSide,
    userData: { rubber: true },
  });
}

function isTexture(value: unknown): value is Texture {
  return typeof value === 'object' && value !== null && (value as Partial<Texture>).isTexture === true;
}

/** Throws for times and values that no motion can be made of. */
function checkTrack({ name, times, values }: KeyframeTrack): void {
  const ascending = times.every((time, i) => Number.isFinite(time) && (i === 0 || time > times[i - 1]!));
  if (times.length === 0 || !ascending) throw new Error(`the times of ${name} do not ascend`);
  const width = values.length / times.length;
  const expected = name.endsWith('.quaternion') ? 4 : /\.(position|scale)$/.test(name) ? 3 : width;
  const fits = Number.isInteger(width) && width > 0 && [expected, 3 * expected].includes(width); // splines: tangents
  if (!fits || !values.every(Number.isFinite)) throw new Error(`the values of ${name} are damaged`);
}

/** Times of the track that has most. */
function framesOf(tracks: readonly KeyframeTrack[]): Float32Array {
  let most: Float32Array = new Float32Array(0);
  for (const { times } of tracks) if (times.length > most.length) most = times;
  return most;
}

/** Animations that move different things, as some programs write one for each object, belong together. */
function partsOf(single: readonly ClipPart[]): readonly ClipPart[] {
  const moved = single.flatMap(({ actions }) => actions[0]!.getClip().tracks.map(({ name }) => name));
  if (single.length < 2 || new Set(moved).size < moved.length) return single;
  const longest = single.reduce((most, part) => (part.length > most.length ? part : most));
  const actions = single.flatMap((part) => part.actions);
  return [{ ...longest, name: 'all together', actions }, ...single];
}

function joined(parts: readonly Float32Array[]): Float32Array {
  const all = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
