// What a person does with the domains of a body.

import type { SubtreeInertia } from '../../../runtime/src/types';
import type { SimulationClient } from '../client';
import type { Stage } from '../stage/stage';
import type { DomainActions, BodyState } from './state';

/** The domains that a change of stiffness is for. */
export function chosenDomains({ info, domains: { selected, wholePart } }: BodyState): number[] {
  const all = info?.domains;
  const chosen = selected === null ? undefined : all?.[selected];
  if (!all || !chosen || selected === null) return [];
  return wholePart ? all.flatMap(({ part }, i) => (part === chosen.part ? [i] : [])) : [selected];
}

export class DomainControl implements DomainActions {
  constructor(
    private readonly client_: SimulationClient,
    private readonly stage_: Stage,
    private readonly state_: BodyState,
    private readonly settings_: { set(settings: { inertia: SubtreeInertia }): void; changed(): void },
  ) {}

  color(on: boolean): void {
    this.change_({ colored: on });
    this.show();
  }

  select(domain: number | null): void {
    if (domain === this.state_.domains.selected) return;
    this.change_({ selected: domain });
    this.show();
  }

  setWholePart(on: boolean): void {
    this.change_({ wholePart: on });
    this.settings_.changed();
  }

  setStiffness(factor: number): void {
    this.send_(chosenDomains(this.state_), factor);
    this.settings_.changed();
  }

  resetStiffness(): void {
    const all = this.state_.info?.domains ?? [];
    const now = this.state_.domains.stiffness;
    const groups = new Map<number, number[]>();
    all.forEach(({ stiffness }, i) => {
      if (stiffness !== now[i]) groups.set(stiffness, [...(groups.get(stiffness) ?? []), i]);
    });
    for (const [factor, domains] of groups) this.send_(domains, factor);
    this.settings_.changed();
  }

  setInertia(inertia: SubtreeInertia): void {
    this.settings_.set({ inertia });
  }

  /** The picture follows the state. */
  show(): void {
    const { colored, selected } = this.state_.domains;
    this.stage_.setDomains(this.state_.id, { colored, selected });
    this.settings_.changed();
  }

  private change_(change: Partial<BodyState['domains']>): void {
    this.state_.domains = { ...this.state_.domains, ...change };
  }

  private send_(domains: readonly number[], factor: number): void {
    if (domains.length === 0) return;
    this.client_.stiffness(this.state_.id, domains, factor);
    const stiffness = [...this.state_.domains.stiffness];
    for (const domain of domains) stiffness[domain] = factor;
    this.change_({ stiffness });
  }
}
