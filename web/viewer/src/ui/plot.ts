// A small line plot on a 2D canvas: crisp on any screen, in the colours of the page.

import { make } from './dom';
import { axisTop, type PlotRing } from './plot_ring';

export interface PlotSeries {
  readonly name: string;
  /** CSS custom property that holds the colour. */
  readonly color: string;
  readonly dashed?: boolean;
}

export interface PlotOptions {
  readonly id: string;
  readonly title: string;
  readonly series: readonly PlotSeries[];
  readonly ring: PlotRing;
  /** CSS pixels. */
  readonly height: number;
  /** The least top of the axis. */
  readonly leastTop: number;
  readonly format: (value: number) => string;
  readonly formatTick: (value: number) => string;
}

const LEFT = 48;
const RIGHT = 6;
const TOP = 8;
const BOTTOM = 18;
const FONT = '11px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';

export class LinePlot {
  readonly element: HTMLElement;
  private readonly canvas_: HTMLCanvasElement;
  private readonly readout_: readonly HTMLElement[];
  private top_ = 0;
  private width_ = 0;
  private ratio_ = 1;
  private colors_: { series: string[]; grid: string; text: string } | null = null;

  constructor(private readonly options_: PlotOptions) {
    const { id, title, series, height } = options_;
    this.canvas_ = make('canvas', { 'data-testid': id, role: 'img', 'aria-label': title });
    this.canvas_.style.height = `${height}px`;
    const caption = make('figcaption', { class: 'row' }, make('span', { class: 'label' }, title));
    this.element = make('figure', { class: 'plot' }, caption, this.canvas_);
    this.readout_ = series.map(() => make('span', { class: 'value' }));
    if (series.length === 1) caption.append(this.readout_[0]!);
    else this.element.append(this.makeLegend_());
    new ResizeObserver(() => {
      this.measure_();
      this.draw();
    }).observe(this.canvas_);
  }

  /** Colours are looked up again at the next drawing: the theme changed. */
  restyle(): void {
    this.colors_ = null;
  }

  draw(): void {
    const context = this.canvas_.getContext('2d');
    if (!context || this.width_ < 1) return;
    const { ring, series, height, leastTop, format } = this.options_;
    this.top_ = Math.max(leastTop, axisTop(this.top_, ring.largest()));
    const colors = (this.colors_ ??= this.lookUpColors_());
    context.setTransform(this.ratio_, 0, 0, this.ratio_, 0, 0);
    context.clearRect(0, 0, this.width_, height);
    this.drawAxes_(context, colors);
    series.forEach((line, index) => {
      context.strokeStyle = colors.series[index]!;
      context.lineWidth = 1.5;
      context.lineJoin = 'round';
      context.setLineDash(line.dashed ? [3, 3] : []);
      this.drawLine_(context, index);
      const newest = ring.length > 0 ? ring.value(ring.length - 1, index) : NaN;
      const text = format(newest);
      if (this.readout_[index]!.textContent !== text) this.readout_[index]!.textContent = text;
    });
    context.setLineDash([]);
  }

  private makeLegend_(): HTMLElement {
    const legend = make('div', { class: 'legend' });
    this.options_.series.forEach(({ name, color, dashed }, index) => {
      const swatch = make('i', { class: dashed ? 'swatch dashed' : 'swatch' });
      swatch.style.setProperty('--swatch', `var(${color})`);
      legend.append(make('div', {}, make('div', {}, swatch, name), this.readout_[index]!));
    });
    return legend;
  }

  private drawAxes_(context: CanvasRenderingContext2D, colors: { grid: string; text: string }): void {
    const { height, ring, formatTick } = this.options_;
    const bottom = height - BOTTOM;
    context.strokeStyle = colors.grid;
    context.lineWidth = 1;
    context.beginPath();
    for (const part of [0, 0.5, 1]) {
      const y = Math.round(bottom + (TOP - bottom) * part) + 0.5;
      context.moveTo(LEFT, y);
      context.lineTo(this.width_ - RIGHT, y);
    }
    context.stroke();
    context.fillStyle = colors.text;
    context.font = FONT;
    context.textBaseline = 'middle';
    context.textAlign = 'right';
    context.fillText(formatTick(this.top_), LEFT - 6, TOP + 1);
    context.fillText(formatTick(this.top_ / 2), LEFT - 6, (TOP + bottom) / 2);
    context.fillText('0', LEFT - 6, bottom);
    context.fillText('now', this.width_ - RIGHT, height - 6);
    context.textAlign = 'left';
    context.fillText(`−${ring.span} s`, LEFT, height - 6);
  }

  private drawLine_(context: CanvasRenderingContext2D, series: number): void {
    const { ring, height } = this.options_;
    const bottom = height - BOTTOM;
    const perSecond = (this.width_ - RIGHT - LEFT) / ring.span;
    const perUnit = (bottom - TOP) / this.top_;
    context.beginPath();
    for (let i = 0; i < ring.length; ++i) {
      const value = ring.value(i, series);
      if (!Number.isFinite(value)) continue;
      const x = this.width_ - RIGHT - ring.age(i) * perSecond;
      const y = bottom - Math.max(0, Math.min(this.top_, value)) * perUnit;
      context.lineTo(x, y);
    }
    context.stroke();
  }

  private measure_(): void {
    this.width_ = this.canvas_.clientWidth;
    this.ratio_ = Math.min(3, window.devicePixelRatio || 1);
    this.canvas_.width = Math.round(this.width_ * this.ratio_);
    this.canvas_.height = Math.round(this.options_.height * this.ratio_);
  }

  private lookUpColors_(): { series: string[]; grid: string; text: string } {
    const style = getComputedStyle(this.canvas_);
    const color = (name: string): string => style.getPropertyValue(name).trim();
    return {
      series: this.options_.series.map((line) => color(line.color)),
      grid: color('--line'),
      text: color('--ink-soft'),
    };
  }
}
