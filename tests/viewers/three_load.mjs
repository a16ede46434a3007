// node three_load.mjs MODEL.glb [CLIP.glb]: three.js's GLTFLoader places the vertices where they belong:
//   of a model, with random weights q of its morph targets, at x + U q, where its node puts them;
//   of a clip of that model's motion, at some times of its animation, at x + U q(t) with the U of the model, where the node is then.
// A tree of domains is a model with a node per domain.
import { readFileSync } from 'node:fs';
import { AnimationMixer, LoopOnce, REVISION, Vector3 } from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { Glb, difference } from './glb.mjs';

globalThis.self = globalThis; // the loader looks for the browser's

// Floats have 24 bits; a sum of some dozen terms of alternating sign loses a few.
const tolerance = 3e-6;

async function load(path) {
  const file = readFileSync(path);
  const data = file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength);
  return new GLTFLoader().parseAsync(data, '');
}

// All meshes below a node: three.js makes one of each primitive.
function meshes_of(node) {
  const meshes = [];
  node.traverse((object) => object.isMesh && meshes.push(object));
  return meshes;
}

// Where three.js puts the vertices of a mesh in the world; all primitives share them.
function positions_of(mesh) {
  const { count } = mesh.geometry.attributes.position;
  const positions = new Float64Array(3 * count);
  const vertex = new Vector3();
  for (let v = 0; v < count; ++v) {
    mesh.getVertexPosition(v, vertex).applyMatrix4(mesh.matrixWorld);
    positions.set(vertex.toArray(), 3 * v);
  }
  return positions;
}

// Its objects for the nodes of a file.
function objects_of(file, parser) {
  return Promise.all(file.json.nodes.map((_, n) => parser.getDependency('node', n)));
}

function report(what, error) {
  console.log(`${what}: three.js r${REVISION}: vertices agree to ${error.toExponential(1)} (at most ${tolerance})`);
  if (!(error <= tolerance)) process.exitCode = 1;
}

async function check_model(path, model) {
  const { scene, parser } = await load(path);
  const objects = await objects_of(model, parser);
  scene.updateMatrixWorld(true);
  let worst = 0;
  model.bodies().forEach(({ mesh, rank }, n) => {
    const q = Array.from({ length: rank }, (_, i) => 0.3 * Math.sin(12.9898 * (i + n + 1)));
    for (const weights of [Array(rank).fill(0), q]) {
      const expected = model.placed(n, null, model.positions(mesh, weights));
      for (const object of meshes_of(objects[n])) {
        weights.forEach((w, i) => (object.morphTargetInfluences[object.morphTargetDictionary[`q${i + 1}`]] = w));
        worst = Math.max(worst, difference(positions_of(object), expected));
      }
    }
  });
  report(path, worst);
}

// Coordinates q of a body at a frame of the clip, or at rest.
function coordinates_at(clip, node, frame, rank) {
  const q = Array(rank).fill(0);
  const { extras = {}, weights: missing = [] } = clip.json.meshes[clip.json.nodes[node].mesh];
  const { targetNames, coordinateRanges = [] } = extras;
  const weights = clip.value(node, 'weights', frame, missing);
  coordinateRanges.forEach(([least, most], t) => {
    q[Number(targetNames[t].slice(1)) - 1] = least + (most - least) * weights[t];
  });
  return q;
}

async function check_clip(path, model) {
  const clip = new Glb(path);
  const { scene, animations, parser } = await load(path);
  const objects = await objects_of(clip, parser);
  let worst = 0;
  const compare = (frame) => {
    scene.updateMatrixWorld(true);
    model.bodies().forEach(({ mesh, rank }, n) => {
      const shape = model.positions(mesh, coordinates_at(clip, n, frame, rank));
      const expected = clip.placed(n, frame, shape);
      for (const object of meshes_of(objects[n])) worst = Math.max(worst, difference(positions_of(object), expected));
    });
  };
  compare(null); // before anything moves
  if (animations.length > 0) {
    const mixer = new AnimationMixer(scene);
    const action = mixer.clipAction(animations[0]).setLoop(LoopOnce);
    action.clampWhenFinished = true; // else the last frame is the first of the next round
    action.play();
    const times = clip.read(clip.json.animations[0].samplers[0].input);
    const last = times.length - 1;
    for (const frame of new Set([0, Math.min(1, last), last >> 2, last >> 1, last])) {
      action.reset();
      mixer.setTime(times[frame]);
      compare(frame);
    }
  }
  report(path, worst);
}

const [model_path, clip_path] = process.argv.slice(2);
const model = new Glb(model_path);
await check_model(model_path, model);
if (clip_path) await check_clip(clip_path, model);
