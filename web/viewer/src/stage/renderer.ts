// The WebGL context that everything is drawn with.

import { NeutralToneMapping, PCFShadowMap, WebGLRenderer } from 'three';
import { drawsOnCpu, type Quality } from './quality';
import type { TextureLimits } from './texture_layout';

const noWebGl = 'This browser cannot draw the body: it has no WebGL 2, or it is turned off.';

/** As the device allows. Asks a context of its own: whether edges are smooth cannot be changed once a context is made.
 *  Throws where the browser has no WebGL 2. */
export function deviceQuality(): Quality {
  const context = document.createElement('canvas').getContext('webgl2');
  if (!context) throw new Error(noWebGl);
  const quality = drawsOnCpu(context) ? 'light' : 'full';
  context.getExtension('WEBGL_lose_context')?.loseContext(); // browsers allow few at a time
  return quality;
}

/** A renderer that clears and updates shadows only when it is told to. Throws where the browser has no WebGL 2. */
export function makeRenderer(canvas: HTMLCanvasElement, quality: Quality): WebGLRenderer {
  const context = canvas.getContext('webgl2', {
    antialias: quality === 'full',
    alpha: false,
    powerPreference: 'high-performance',
  });
  if (!context) throw new Error(noWebGl);
  const renderer = new WebGLRenderer({ canvas, context });
  renderer.autoClear = false;
  renderer.toneMapping = NeutralToneMapping;
  renderer.shadowMap.enabled = true;
  renderer.shadowMap.type = PCFShadowMap;
  renderer.shadowMap.autoUpdate = false;
  return renderer;
}

export function textureLimits(renderer: WebGLRenderer): TextureLimits {
  const context = renderer.getContext() as WebGL2RenderingContext;
  return {
    size: context.getParameter(context.MAX_TEXTURE_SIZE) as number,
    layers: context.getParameter(context.MAX_ARRAY_TEXTURE_LAYERS) as number,
  };
}
