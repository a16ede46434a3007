// node three_load.mjs MODEL.glb [CLIP.glb]: three.js's GLTFLoader places the vertices where they belong:
//   of a model, with random weights q of its morph targets, at x + U q;
//   of a clip of that model's motion, at some times of its animation, at x + U q(t) with the U of the model.
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

// Where three.js puts the vertices of a mesh, which all primitives share.
function positions_of(mesh) {
  const { count } = mesh.geometry.attributes.position;
  const positions = new Float64Array(3 * count);
  const vertex = new Vector3();
  for (let v = 0; v < count; ++v) positions.set(mesh.getVertexPosition(v, vertex).toArray(), 3 * v);
  return positions;
}

function report(what, error) {
  console.log(`${what}: three.js r${REVISION}: vertices agree to ${error.toExponential(1)} (at most ${tolerance})`);
  if (!(error <= tolerance)) process.exitCode = 1;
}

async function check_model(path, model) {
  const { scene } = await load(path);
  const { rank } = model.json.extensions.LIMBER_reduced_model;
  const q = Array.from({ length: rank }, (_, i) => 0.3 * Math.sin(12.9898 * (i + 1)));
  let worst = 0;
  for (const mesh of meshes_of(scene)) {
    for (const weights of [Array(rank).fill(0), q]) {
      weights.forEach((weight, i) => (mesh.morphTargetInfluences[mesh.morphTargetDictionary[`q${i + 1}`]] = weight));
      worst = Math.max(worst, difference(positions_of(mesh), model.positions(0, weights)));
    }
  }
  report(path, worst);
}

// Coordinates q of the model at frame f of the channel of a node.
function coordinates_at(clip, node, frame, rank) {
  const q = Array(rank).fill(0);
  const animation = clip.json.animations?.[0];
  const channel = animation?.channels.find(({ target }) => target.node === node);
  if (!channel) return q;
  const { targetNames, coordinateRanges } = clip.json.meshes[clip.json.nodes[node].mesh].extras;
  const weights = clip.read(animation.samplers[channel.sampler].output);
  coordinateRanges.forEach(([least, most], t) => {
    q[Number(targetNames[t].slice(1)) - 1] = least + (most - least) * weights[frame * targetNames.length + t];
  });
  return q;
}

async function check_clip(path, model) {
  const clip = new Glb(path);
  const { scene, animations, parser } = await load(path);
  const { rank } = model.json.extensions.LIMBER_reduced_model;
  const rest = model.positions(0, Array(rank).fill(0));
  const nodes = await Promise.all(clip.json.nodes.map((_, n) => parser.getDependency('node', n)));
  let worst = 0;
  const compare = (node, expected) => {
    for (const mesh of meshes_of(nodes[node])) worst = Math.max(worst, difference(positions_of(mesh), expected));
  };
  nodes.forEach((_, n) => compare(n, rest)); // before anything moves
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
      nodes.forEach((_, n) => compare(n, model.positions(0, coordinates_at(clip, n, frame, rank))));
    }
  }
  report(path, worst);
}

const [model_path, clip_path] = process.argv.slice(2);
const model = new Glb(model_path);
await check_model(model_path, model);
if (clip_path) await check_clip(clip_path, model);
