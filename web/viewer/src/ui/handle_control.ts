// What a person does with handles, but for dragging them.

import type { HandleReport } from '../../../runtime/src/types';
import type { SimulationClient } from '../client';
import { holdsOrientation, holdsPosition } from '../handles';
import type { ActiveHandle, Frame, HandlePriority, Hold } from '../protocol';
import { formatDigits, formatUnit } from '../settings_text';
import type { DrawnHandle } from '../stage/handle_gizmos';
import { type Adding, type HandleActions, hasDomains, NOT_OF_DOMAINS, type BodyState } from './state';

/** Share of the body's size; a line that is shorter is not seen. */
const visible = 1e-3;

export class HandleControl implements HandleActions {
  constructor(
    private readonly client_: SimulationClient,
    private readonly state_: BodyState,
    private readonly notify_: (text: string) => void,
    private readonly refresh_: () => void,
  ) {}

  /** Whether a click on the body makes a handle. */
  get adding(): boolean {
    return this.state_.handles.adding !== 'no';
  }

  arm(adding: Adding): void {
    const { info, settings } = this.state_;
    if (adding !== 'no' && settings.method !== 'warped') {
      if (info)
        this.notify_(
          hasDomains(info) ? NOT_OF_DOMAINS : 'Handles need warped modes: choose them as the motion',
        );
      return;
    }
    this.change_({ adding });
  }

  /** A handle was made. */
  added(handle: number): void {
    const { adding } = this.state_.handles;
    this.change_({ selected: handle, adding: adding === 'once' ? 'no' : adding });
  }

  select(handle: number): void {
    if (handle !== this.state_.handles.selected) this.change_({ selected: handle });
  }

  hold(handle: number, hold: Hold): void {
    this.client_.changeHandle(handle, hold);
    this.select(handle);
  }

  remove(handle: number | null): void {
    this.client_.removeHandle(this.state_.id, handle);
    const { selected } = this.state_.handles;
    this.change_({ selected: handle === null || handle === selected ? null : selected });
  }

  removeSelected(): void {
    const { selected } = this.state_.handles;
    if (selected !== null) this.remove(selected);
  }

  /** Another method: there are no handles yet. */
  clear(): void {
    this.change_({ adding: 'no', selected: null });
  }

  setPriority(priority: HandlePriority): void {
    this.client_.handlePriority(this.state_.id, priority);
    this.change_({ priority });
  }

  private change_(change: Partial<BodyState['handles']>): void {
    this.state_.handles = { ...this.state_.handles, ...change };
    this.refresh_();
  }
}

/** The handles that stay until they are removed. */
export function pinnedHandles(frame: Frame | null): readonly ActiveHandle[] {
  return frame?.handles.filter(({ pinned }) => pinned) ?? [];
}

/** How well handles are met, for people; '' without any. */
export function missedText(report: HandleReport | null): string {
  if (!report) return '';
  if (report.met) return 'All handles are met.';
  const { positionError, orientationError } = report;
  if (!Number.isFinite(positionError + orientationError)) return 'The handles cannot be met.';
  const parts = [
    ...(positionError > 0 ? [formatUnit(positionError, 'm', 2)] : []),
    ...(orientationError > 0 ? [`${formatDigits((orientationError * 180) / Math.PI, 2)}°`] : []),
  ];
  return `Not all can be met: missed by up to ${parts.join(' and ')}.`;
}

/** Tells frames apart whose handles read differently in the panel. */
export function handlesKey(frame: Frame | null): string {
  const handles = pinnedHandles(frame).map(({ id, hold }) => `${id} ${hold}`);
  return handles.length > 0 ? `${handles.join()} ${missedText(frame?.handleReport ?? null)}` : '';
}

/** What is drawn of the handles of a frame: balls and rings of those that are pinned. Modes play without them. */
export function drawnHandles(frame: Frame): DrawnHandle[] {
  if (frame.playingMode) return [];
  return pinnedHandles(frame).map(({ id, hold, target, rotation }) => ({
    id,
    center: target,
    rotation,
    moves: holdsPosition(hold),
    turns: holdsOrientation(hold),
  }));
}

/** Lines from vertices to where they are pulled: those of springs and hands, and of pinned handles that are missed. size: m. */
export function drawnPulls(frame: Frame, size: number): Pick<ActiveHandle, 'point' | 'target'>[] {
  const missed = ({ pinned, positionError }: ActiveHandle): boolean =>
    !pinned || positionError > visible * size;
  return frame.playingMode ? [] : [...frame.pulls, ...frame.handles.filter(missed)];
}
