// The Web Worker: owns the body and the clock, so that neither waits for drawing. See protocol.ts.

import { type Body, load, World } from '../../runtime/src/index';
import { friction } from './contact';
import type { Command } from './protocol';
import { WorkerHost } from './worker_host';

/** ms between ticks: several per frame, so that a pull is felt in the next one. */
const tickInterval = 4;

const scope = self as unknown as DedicatedWorkerGlobalScope;

// Browsers make a timer wait for 4 ms at least; a message to oneself comes at once, after those that wait.
const channel = new MessageChannel();
const callbacks: (() => void)[] = [];
channel.port1.onmessage = () => callbacks.shift()?.();

const host = new WorkerHost({
  post: (message, transfer) => {
    scope.postMessage(message, transfer);
  },
  load,
  makeWorld: (body) => new World(body as Body, { friction }), // which `load` has given
  clock: () => performance.now() / 1000,
  schedule: (callback, wakeup) => {
    if (wakeup === 'soon') {
      setTimeout(callback, tickInterval);
    } else {
      callbacks.push(callback);
      channel.port2.postMessage(null);
    }
  },
  crash: (error) => {
    // Of promises that are rejected the page hears nothing; of this it does.
    setTimeout(() => {
      throw error;
    });
  },
});

scope.onmessage = (event: MessageEvent<Command>) => {
  host.receive(event.data);
};
