// Where the page's models come from: inside of the page, from the server that the page came from, or a file from a person.

import type { Vector3 } from '../../runtime/src/types';
import { decodeBase64 } from './base64';
import { shellWord } from './shell_word';

export interface ModelSource {
  /** null: of a file that was given before. */
  readonly bytes: ArrayBuffer | null;
  /** Of the file, for people. */
  readonly name: string;
  /** Tells the file from others; null: nobody knows. Bodies of one file share its model. */
  readonly file: string | null;
  /** m/s^2, in force once all are shown that are opened with it. */
  readonly gravity?: Vector3;
}

/** The parts of an element, a page, a response and a file that are used here, so that a test needs no browser. */
export interface TextElement {
  textContent: string | null;
  readonly dataset: Readonly<Record<string, string | undefined>>;
}
export interface Page {
  getElementById(id: string): TextElement | null;
}
export interface FetchResponse {
  readonly ok: boolean;
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  arrayBuffer(): Promise<ArrayBuffer>;
}
export interface ChosenFile {
  readonly name: string;
  readonly size: number;
  arrayBuffer(): Promise<ArrayBuffer>;
}

const largestFile = 2 ** 31;

/**
 * The models that `limber export` wrote into the page, one for each body, as the texts of the elements #limber-model, #limber-model-2 and so
 * on; one that says data-same-as is of the file in another element. The texts are taken out of the page: they may have 100 MB.
 */
export function embeddedModels(page: Page): ModelSource[] {
  const models: ModelSource[] = [];
  for (let element = page.getElementById('limber-model'); element;) {
    const model = embeddedModel(element, `limber-model${models.length === 0 ? '' : `-${models.length + 1}`}`);
    if (!model) break;
    models.push(model);
    element = page.getElementById(`limber-model-${models.length + 1}`);
  }
  return models;
}

function embeddedModel(element: TextElement, id: string): ModelSource | null {
  const { name = 'model.glb', sameAs } = element.dataset;
  if (sameAs !== undefined) return { bytes: null, name, file: `#${sameAs}` };
  const text = element.textContent?.trim() ?? '';
  if (text === '') return null;
  element.textContent = '';
  let bytes: ArrayBuffer;
  try {
    bytes = decodeBase64(text).buffer;
  } catch {
    throw new Error(
      `The model ${name} inside of this page is damaged; write the page again with limber export.`,
    );
  }
  requireGlb(bytes, name);
  return { bytes, name, file: `#${id}`, ...readGravity(element.dataset.gravity) };
}

/** Of "0,0,-9.81"; nothing of anything else. */
function readGravity(text: string | null | undefined): { gravity?: Vector3 } {
  const [x, y, z, ...others] = (text ?? '')
    .split(',')
    .map((word) => (word.trim() === '' ? NaN : Number(word)));
  if (x === undefined || y === undefined || z === undefined || others.length > 0) return {};
  return [x, y, z].every(Number.isFinite) ? { gravity: [x, y, z] } : {};
}

type Fetch = (address: string) => Promise<FetchResponse>;

/**
 * The models that `limber view` serves beside the page, one for each body; none: the page came from no server, or the server has none. With
 * the first comes the list of all, in which a file may stand several times. protocol: of the page's address, as "http:".
 */
export async function servedModels(fetch: Fetch, protocol: string): Promise<ModelSource[]> {
  if (protocol !== 'http:' && protocol !== 'https:') return [];
  const first = await servedModel(fetch, 'model.glb');
  if (!first) return [];
  const models = [first.model];
  for (const address of first.bodies.slice(1)) {
    const same = models.find(({ file }) => file === address);
    const model = same
      ? { bytes: null, name: same.name, file: same.file }
      : (await servedModel(fetch, address))?.model;
    if (!model) throw new Error(`The model ${address} could not be fetched: the server has it no longer.`);
    models.push(model);
  }
  return models;
}

async function servedModel(
  fetch: Fetch,
  address: string,
): Promise<{ readonly model: ModelSource; readonly bodies: readonly string[] } | null> {
  let response: FetchResponse;
  let bytes: ArrayBuffer;
  try {
    response = await fetch(address);
    if (response.status === 404) return null;
    // A server of another kind may answer any address with a page.
    if (response.headers.get('content-type')?.startsWith('text/html')) return null;
    bytes = await response.arrayBuffer();
  } catch {
    throw new Error('The model could not be fetched; is limber view still running?');
  }
  if (!response.ok) {
    throw new Error(`The model could not be fetched: the server answered with status ${response.status}.`);
  }
  const name = decodeName(response.headers.get('X-Limber-Name'));
  requireGlb(bytes, name);
  const bodies = (response.headers.get('X-Limber-Bodies') ?? address).split(',');
  const gravity = address === 'model.glb' ? readGravity(response.headers.get('X-Limber-Gravity')) : {};
  return { model: { bytes, name, file: address, ...gravity }, bodies: bodies.map((body) => body.trim()) };
}

/** A file that was dropped or chosen. */
export async function fileModel(file: ChosenFile): Promise<ModelSource> {
  const { name, size } = file;
  if (size === 0) throw new Error(`${name} is empty.`);
  if (size > largestFile) {
    throw new Error(`${name} has ${(size / 2 ** 30).toFixed(1)} GiB; the viewer opens files of up to 2 GiB.`);
  }
  let bytes: ArrayBuffer;
  try {
    bytes = await file.arrayBuffer();
  } catch {
    throw new Error(`${name} could not be read.`);
  }
  requireGlb(bytes, name);
  return { bytes, name, file: `${name} ${size} ${contentHash(bytes)}` };
}

/**
 * 64 bits that tell contents apart, unless someone makes them alike: two lanes that take a word each time, stir their upper bits down, else
 * those of two words could cancel, and multiply by an odd number. crypto.subtle is missing in pages from disk. Under a second per GB.
 */
export function contentHash(bytes: ArrayBuffer): string {
  let [a, b] = [0, 1];
  for (const part of [new Uint32Array(bytes, 0, bytes.byteLength >>> 2), new Uint8Array(bytes).slice(-4)]) {
    const { length } = part;
    // By numbers: an iterator takes seven times as long.
    for (let i = 0; i < length; ++i) {
      a = Math.imul(a ^ (a >>> 15) ^ part[i]!, 0x85ebca6b);
      b = Math.imul(b ^ (b >>> 13) ^ part[i]!, 0xc2b2ae35);
    }
  }
  return [a, b].map((lane) => (lane >>> 0).toString(16).padStart(8, '0')).join('');
}

/** A look at the first bytes, to say what people can do about other files. The runtime checks all of it. */
function requireGlb(bytes: ArrayBuffer, name: string): void {
  const header = new DataView(bytes, 0, Math.min(bytes.byteLength, 12));
  const isGlb = header.byteLength === 12 && header.getUint32(0, true) === 0x46546c67; // "glTF"
  if (!isGlb) throw new Error(`${name} is not a .glb file${advice(name)}`);
  const length = header.getUint32(8, true);
  if (length > bytes.byteLength) {
    throw new Error(`${name} is cut short: it has ${bytes.byteLength} of its ${length} bytes.`);
  }
}

function advice(name: string): string {
  const dot = name.lastIndexOf('.');
  const extension = dot > 0 ? name.slice(dot + 1).toLowerCase() : '';
  if (extension === 'glb') return ', in spite of its name.';
  if (extension === 'gltf') return '; the viewer opens the binary form that limber reduce writes.';
  if (extension === '') return '; the viewer opens models that limber reduce writes.';
  return `; make a model from it with: limber reduce ${shellWord(name)} -o ${shellWord(`${name.slice(0, dot)}.glb`)}`;
}

function decodeName(encoded: string | null): string {
  try {
    return encoded ? decodeURIComponent(encoded) : 'model.glb';
  } catch {
    return 'model.glb';
  }
}
