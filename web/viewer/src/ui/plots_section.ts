// Live plots: the body's energy, and how fast the simulation goes.

import type { Frame } from '../protocol';
import { formatCount, formatDigits, formatTick, formatUnit } from '../settings_text';
import { makeSection } from './controls';
import { LinePlot } from './plot';
import { PlotRing } from './plot_ring';
import type { Part } from './state';

/** s between drawings: 10 Hz leave the main thread to the body. */
const DRAW_INTERVAL = 0.1;
const SPAN = 10;
const SAMPLE_INTERVAL = 1 / 30;

export interface PlotsPart extends Part {
  add(now: number, frame: Frame): void;
  /** Draws where there is something new, it is seen, and it is time. `now` in s. */
  draw(now: number): void;
  restyle(): void;
  clear(): void;
}

export function makePlotsSection(): PlotsPart {
  const energy = new PlotRing(3, SPAN, SAMPLE_INTERVAL);
  const rate = new PlotRing(1, SPAN, SAMPLE_INTERVAL);
  const speed = new PlotRing(1, SPAN, SAMPLE_INTERVAL);
  const plots = [
    new LinePlot({
      id: 'plot-energy',
      title: 'Energy',
      series: [
        { name: 'elastic', color: '--plot-a' },
        { name: 'kinetic', color: '--plot-b' },
        { name: 'total', color: '--plot-c', dashed: true },
      ],
      ring: energy,
      height: 124,
      leastTop: 1e-9,
      format: (value) => formatUnit(value, 'J'),
      formatTick: (value) => formatTick(value, 'J'),
    }),
    new LinePlot({
      id: 'plot-steps',
      title: 'Steps per second of computing',
      series: [{ name: 'possible', color: '--plot-a' }],
      ring: rate,
      height: 84,
      leastTop: 1,
      format: (value) => (Number.isFinite(value) ? `${formatCount(value)}/s` : '–'),
      formatTick: (value) => formatTick(value, ''),
    }),
    new LinePlot({
      id: 'plot-speed',
      title: 'Speed reached',
      series: [{ name: 'body time over real time', color: '--plot-a' }],
      ring: speed,
      height: 84,
      leastTop: 0.01,
      format: (value) => `${formatDigits(value, 3)} ×`,
      formatTick: (value) => `${value} ×`,
    }),
  ];
  const element = makeSection('plots', 'Plots', true, ...plots.map((plot) => plot.element));
  let due = 0;
  let stale = true;
  element.addEventListener('toggle', () => {
    stale = true;
  });
  return {
    element,
    update() {
      stale = true;
    },
    add(now, frame) {
      if (frame.playingMode) return;
      const { elasticEnergy, kineticEnergy } = frame;
      stale = energy.push(now, [elasticEnergy, kineticEnergy, elasticEnergy + kineticEnergy]) || stale;
      rate.push(now, [frame.stepRate]);
      speed.push(now, [frame.reachedSpeed]);
    },
    draw(now) {
      if (!stale || now < due || !element.open || element.offsetParent === null) return;
      due = now + DRAW_INTERVAL;
      stale = false;
      for (const plot of plots) plot.draw();
    },
    restyle() {
      for (const plot of plots) plot.restyle();
      stale = true;
    },
    clear() {
      for (const ring of [energy, rate, speed]) ring.clear();
      stale = true;
    },
  };
}
