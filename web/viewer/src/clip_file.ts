// Which .glb files are clips: motions that were recorded, by limber or by another program, and that are played.

/** As much of a glTF document as is looked at here. */
interface GltfDocument {
  readonly asset?: { readonly generator?: unknown };
  readonly animations?: readonly unknown[];
  readonly buffers?: readonly { readonly uri?: unknown }[];
  readonly extensionsUsed?: readonly unknown[];
  readonly extensionsRequired?: readonly unknown[];
}

const jsonChunk = 0x4e4f534a;
/** How the extensions of reduced models begin, of older ones too: those move by themselves. */
const modelExtensions = 'LIMBER_';

/** The document of a .glb file; null where it is damaged. */
function readDocument(bytes: ArrayBuffer): GltfDocument | null {
  if (bytes.byteLength < 20) return null;
  const header = new DataView(bytes);
  const length = header.getUint32(12, true);
  if (header.getUint32(16, true) !== jsonChunk || 20 + length > bytes.byteLength) return null;
  try {
    const parsed: unknown = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 20, length)));
    return typeof parsed === 'object' ? (parsed as GltfDocument | null) : null;
  } catch {
    return null;
  }
}

const listed = (list: unknown): readonly unknown[] => (Array.isArray(list) ? list : []);

/** Whether a .glb file is a clip; a damaged one is none. */
export function isClip(bytes: ArrayBuffer): boolean {
  const document = readDocument(bytes);
  return (
    document !== null &&
    listed(document.animations).length > 0 &&
    !listed(document.extensionsUsed).some((name) => String(name).startsWith(modelExtensions))
  );
}

/** Whether limber wrote it, so that its ground is known to be one. Throws for what cannot be read here. */
export function checkClip(bytes: ArrayBuffer): { readonly ours: boolean } {
  const document = readDocument(bytes);
  if (!document) throw new Error('its description is damaged');
  for (const name of listed(document.extensionsRequired)) {
    if (/draco|meshopt/i.test(String(name)))
      throw new Error(`its meshes are compressed (${String(name)}); export it without compression`);
  }
  const outside = listed(document.buffers).some((buffer) => {
    const { uri } = (buffer ?? {}) as { uri?: unknown };
    return typeof uri === 'string' && !uri.startsWith('data:');
  });
  if (outside) throw new Error('its data is in other files; export it as one .glb');
  return { ours: document.asset?.generator === 'limber' };
}
