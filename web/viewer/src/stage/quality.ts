// How much work a picture may be. Most devices draw the full one in a few milliseconds; where the CPU has to draw, or a
// device is weak, a lighter one that moves is better than a fine one that does not.

/** full: soft shadows, smooth edges, all pixels of the screen. light: none of these, and a contact shadow that lags behind. */
export type Quality = 'full' | 'light';

/** Whether the CPU draws, by the name that the context gives its renderer. */
export function drawsOnCpu(context: WebGL2RenderingContext): boolean {
  const extension = context.getExtension('WEBGL_debug_renderer_info');
  const name = String(context.getParameter(extension ? extension.UNMASKED_RENDERER_WEBGL : context.RENDERER));
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

/** s between two frames from which on motion is no longer seen as one. */
const slow = 1 / 18;
/** Longer ones are pauses: nothing moved, or the page was hidden. */
const pause = 1;
const watched = 40;

/** Watches frames, and says once that they are too slow. */
export class SlowFrames {
  private last = -Infinity;
  private count = 0;
  private slowCount = 0;

  /** A frame was drawn at `now`, s. True when most of the last forty took too long; the count starts anew then. */
  add(now: number): boolean {
    const interval = now - this.last;
    this.last = now;
    if (interval > pause) return false;
    ++this.count;
    if (interval > slow) ++this.slowCount;
    if (this.count < watched) return false;
    const tooSlow = this.slowCount > watched / 2;
    this.count = this.slowCount = 0;
    return tooSlow;
  }
}
