/** A JSON value that may be taken apart and changed at will. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

function chunk(kind: number, content: Uint8Array, padding: number): Uint8Array {
  const size = Math.ceil(content.length / 8) * 8;
  const bytes = new Uint8Array(8 + size).fill(padding);
  const header = new DataView(bytes.buffer);
  header.setUint32(0, size, true);
  header.setUint32(4, kind, true);
  bytes.set(content, 8);
  return bytes;
}

function jsonOf(glb: Uint8Array): { text: string; end: number } {
  const size = new DataView(glb.buffer, glb.byteOffset).getUint32(12, true);
  return { text: new TextDecoder().decode(glb.subarray(20, 20 + size)), end: 20 + size };
}

export function documentOf(glb: Uint8Array): Json {
  return JSON.parse(jsonOf(glb).text) as Json;
}

/** The same binary data with another document. text: JSON. */
export function withDocument(glb: Uint8Array, text: string): Uint8Array {
  const document = chunk(0x4e4f534a, new TextEncoder().encode(text), 0x20);
  const rest = glb.subarray(jsonOf(glb).end);
  const bytes = new Uint8Array(12 + document.length + rest.length);
  bytes.set(glb.subarray(0, 12));
  bytes.set(document, 12);
  bytes.set(rest, 12 + document.length);
  new DataView(bytes.buffer).setUint32(8, bytes.length, true);
  return bytes;
}

/** Paths of all numbers in a document. */
export function numberPaths(value: Json, path: (string | number)[] = []): (string | number)[][] {
  if (typeof value === 'number') return [path];
  if (value === null || typeof value !== 'object') return [];
  if (Array.isArray(value)) return value.flatMap((each, i) => numberPaths(each, [...path, i]));
  return Object.entries(value).flatMap(([key, each]) => numberPaths(each, [...path, key]));
}

/** The document with one value replaced by a piece of JSON, which may be a number that no double holds. */
export function replaced(document: Json, path: readonly (string | number)[], text: string): string {
  const copy = structuredClone(document);
  let owner = copy as Record<string | number, Json>;
  for (const key of path.slice(0, -1)) owner = owner[key] as Record<string | number, Json>;
  owner[path.at(-1)!] = '@here@';
  return JSON.stringify(copy).replace('"@here@"', text);
}
