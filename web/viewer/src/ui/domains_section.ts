// The section of the panel about the domains of a body that has several: which there are, and how stiff they are.

import type { BodyInfo, SubtreeInertia } from '../../../runtime/src/types';
import type { Frame } from '../protocol';
import { stiffnessFactors } from '../settings';
import { formatCount, formatDigits, logScale } from '../settings_text';
import { makeButton, makeChoice, makeReadout, makeSection, makeSlider, makeSwitch } from './controls';
import { make, setText } from './dom';
import { makeIcon } from './icons';
import { multiples } from './motion_sections';
import { type Actions, hasDomains, type Part } from './state';

/** Lines of the list that are seen at once. */
const LINES = 8;
/** Fewer domains need no filter. */
const FILTERED = 12;

const INERTIAS: readonly (readonly [SubtreeInertia, string])[] = [
  ['full', 'Full'],
  ['center', 'Mass at their centre'],
  ['interface', 'Mass at the interface'],
];

export interface DomainsPart extends Part {
  /** What changes while the body moves. */
  showFrame(frame: Frame): void;
}

/** The domains whose name or part has all of these words, whatever their case. */
export function filterDomains({ domains, parts }: BodyInfo, filter: string): number[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  return domains.flatMap(({ name, part }, i) => {
    const text = `${name} ${parts[part]?.name ?? ''}`.toLowerCase();
    return words.every((word) => text.includes(word)) ? [i] : [];
  });
}

/** A domain in the list: `leaf 12 (leaf, 8)`; the part where it says more than the name. */
export function domainText({ domains, parts }: BodyInfo, domain: number): string {
  const { name, part } = domains[domain]!;
  const { name: partName, rank } = parts[part]!;
  const coordinates = rank === 0 ? 'rigid' : `r = ${rank}`;
  return partName === '' || partName === name
    ? `${name} (${coordinates})`
    : `${name} (${partName}, ${coordinates})`;
}

/** ms of a step, from steps per second. */
export function stepText(stepRate: number): string {
  return stepRate > 0 ? `${formatDigits(1000 / stepRate)} ms` : '–';
}

export function makeDomainsSection(actions: Actions): DomainsPart {
  const count = makeReadout('domain-count', 'Domains');
  const coordinates = makeReadout('coordinate-count', 'Coordinates');
  const step = makeReadout('step-time', 'Time per step');
  const color = makeSwitch('color-domains', 'Colour by domain', (on) => {
    actions.domains.color(on);
  });
  const inertia = makeChoice('inertia', 'Inertia of subtrees', (value) => {
    actions.domains.setInertia(value as SubtreeInertia);
  });
  inertia.setOptions(INERTIAS);
  inertia.element.title =
    'What a domain feels of those that hang from it. Full: the exact equations of motion';
  const filter = make('input', {
    type: 'search',
    class: 'filter',
    placeholder: 'Filter by name',
    'data-testid': 'domain-filter',
    'aria-label': 'Filter domains by name',
    autocomplete: 'off',
    spellcheck: 'false',
  });
  const list = make('select', {
    size: LINES,
    class: 'domain-list',
    'data-testid': 'domain-list',
    'aria-label': 'Domains',
  });
  const none = makeButton({
    id: 'domain-none',
    text: 'Select none',
    click: () => {
      actions.domains.select(null);
    },
  });
  const hint = make('p', { class: 'hint', 'data-testid': 'domain-hint' });
  const stiffness = makeSlider({
    id: 'domain-stiffness',
    label: 'Stiffness',
    name: 'Stiffness of the domain',
    title: 'Factor of the elastic forces; frequencies change by its square root',
    scale: logScale(0.01, 100),
    text: multiples,
    allowed: stiffnessFactors,
    change: (value) => {
      actions.domains.setStiffness(value);
    },
  });
  const wholePart = makeSwitch('domain-part', 'All of this part', (on) => {
    actions.domains.setWholePart(on);
  });
  const reset = makeButton({
    id: 'domain-reset',
    icon: makeIcon('reset'),
    text: 'Reset all',
    title: 'The stiffness of all domains as in the file',
    click: () => {
      actions.domains.resetStiffness();
    },
  });
  let shown: BodyInfo | null = null;
  let listed: readonly number[] = [];

  function fill(info: BodyInfo): void {
    listed = filterDomains(info, filter.value);
    list.replaceChildren(...listed.map((i) => make('option', { value: i }, domainText(info, i))));
  }
  filter.addEventListener('input', () => {
    if (shown) fill(shown);
  });
  list.addEventListener('change', () => {
    if (list.value !== '') actions.domains.select(Number(list.value));
  });
  return {
    element: makeSection(
      'domains',
      'Domains',
      true,
      count.element,
      coordinates.element,
      step.element,
      inertia.element,
      color.element,
      filter,
      list,
      hint,
      stiffness.element,
      wholePart.element,
      make('div', { class: 'buttons' }, none, reset),
    ),
    update({ info, settings, domains }) {
      if (!info || !hasDomains(info)) return;
      if (info !== shown) {
        shown = info;
        filter.value = '';
        filter.hidden = info.domains.length < FILTERED;
        list.size = Math.max(2, Math.min(LINES, info.domains.length));
        fill(info);
        count.set(`${formatCount(info.domains.length)} of ${formatCount(info.parts.length)} parts`);
        coordinates.set(formatCount(info.rank));
        step.set('–');
      }
      const { selected } = domains;
      const at = selected === null ? -1 : listed.indexOf(selected);
      if (list.selectedIndex !== at) list.selectedIndex = at;
      inertia.set(settings.inertia);
      color.set(domains.colored);
      wholePart.set(domains.wholePart);
      const rigid = selected !== null && info.parts[info.domains[selected]!.part]!.rank === 0;
      const reason = selected === null ? 'Select a domain first' : rigid ? 'The domain is rigid' : null;
      stiffness.set(selected === null ? 1 : (domains.stiffness[selected] ?? 1));
      stiffness.setReason(reason);
      wholePart.setReason(reason);
      none.disabled = selected === null;
      reset.disabled = info.domains.every((domain, i) => domain.stiffness === domains.stiffness[i]);
      setText(hint, selected === null ? 'Select a domain to see where it is.' : domainText(info, selected));
    },
    showFrame({ stepRate }) {
      step.set(stepText(stepRate));
    },
  };
}
