// Tells the gestures what the pointers do on the canvas.

import type { Gestures, PointerRecord } from '../gestures';

/** Pixels of a line of text: wheels that count in lines. */
const LINE = 16;
/** Pixels of a key press. */
const KEY_ORBIT = 24;

export interface CanvasKeys {
  orbit(dx: number, dy: number): void;
  zoom(factor: number): void;
}

export function connectCanvas(
  canvas: HTMLCanvasElement,
  gestures: Gestures,
  keys: CanvasKeys,
  spaceHeld: () => boolean,
): void {
  function record(event: PointerEvent): PointerRecord {
    const box = canvas.getBoundingClientRect();
    return {
      id: event.pointerId,
      x: event.clientX - box.left,
      y: event.clientY - box.top,
      touch: event.pointerType === 'touch',
      button: event.button,
      pan: event.shiftKey,
      orbit: event.altKey || (event.type === 'pointerdown' && spaceHeld()),
      time: event.timeStamp,
    };
  }
  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId);
    gestures.down(record(event));
  });
  // The middle button would scroll the page. The others give the canvas the focus.
  canvas.addEventListener('mousedown', (event) => {
    if (event.button === 1) event.preventDefault();
  });
  canvas.addEventListener('pointermove', (event) => {
    gestures.move(record(event));
  });
  canvas.addEventListener('pointerup', (event) => {
    gestures.up(record(event));
  });
  for (const name of ['pointercancel', 'lostpointercapture'] as const) {
    canvas.addEventListener(name, (event) => {
      gestures.cancel(event.pointerId);
    });
  }
  window.addEventListener('blur', () => {
    gestures.cancelAll();
  });
  canvas.addEventListener('contextmenu', (event) => {
    event.preventDefault();
  });
  canvas.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      const box = canvas.getBoundingClientRect();
      const delta = event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE : 1);
      gestures.wheel(event.clientX - box.left, event.clientY - box.top, delta, event.ctrlKey);
    },
    { passive: false },
  );
  canvas.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'ArrowLeft') keys.orbit(-KEY_ORBIT, 0);
    else if (event.key === 'ArrowRight') keys.orbit(KEY_ORBIT, 0);
    else if (event.key === 'ArrowUp') keys.orbit(0, -KEY_ORBIT);
    else if (event.key === 'ArrowDown') keys.orbit(0, KEY_ORBIT);
    else if (event.key === '+' || event.key === '=') keys.zoom(1.15);
    else if (event.key === '-') keys.zoom(1 / 1.15);
    else return;
    event.preventDefault();
  });
}
