// The section of the panel about the domains of a tree: which there are, and how stiff they are.

import type { SubtreeInertia, TreeInfo } from '../../../runtime/src/types';
import type { Frame } from '../protocol';
import { stiffnessFactors } from '../settings';
import { formatCount, formatDigits, logScale } from '../settings_text';
import { makeButton, makeChoice, makeReadout, makeSection, makeSlider, makeSwitch } from './controls';
import { make, setText } from './dom';
import { makeIcon } from './icons';
import { multiples } from './motion_sections';
import type { Actions, Part } from './state';

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
  /** What changes while the tree moves. */
  showFrame(frame: Frame): void;
}

/** The domains whose name or kind has all of these words, whatever their case. */
export function filterDomains({ domains, kinds }: TreeInfo, filter: string): number[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  return domains.flatMap(({ name, kind }, i) => {
    const text = `${name} ${kinds[kind]?.name ?? ''}`.toLowerCase();
    return words.every((word) => text.includes(word)) ? [i] : [];
  });
}

/** A domain in the list: `leaf 12 (leaf, 8)`; the kind where it says more than the name. */
export function domainText({ domains, kinds }: TreeInfo, domain: number): string {
  const { name, kind } = domains[domain]!;
  const { name: kindName, rank } = kinds[kind]!;
  const coordinates = rank === 0 ? 'rigid' : `r = ${rank}`;
  return kindName === '' || kindName === name
    ? `${name} (${coordinates})`
    : `${name} (${kindName}, ${coordinates})`;
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
  const wholeKind = makeSwitch('domain-kind', 'All of this kind', (on) => {
    actions.domains.setWholeKind(on);
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
  let shown: TreeInfo | null = null;
  let listed: readonly number[] = [];

  function fill(tree: TreeInfo): void {
    listed = filterDomains(tree, filter.value);
    list.replaceChildren(...listed.map((i) => make('option', { value: i }, domainText(tree, i))));
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
      wholeKind.element,
      make('div', { class: 'buttons' }, none, reset),
    ),
    update({ info, settings, domains }) {
      const tree = info?.tree;
      if (!tree) return;
      if (tree !== shown) {
        shown = tree;
        filter.value = '';
        filter.hidden = tree.domains.length < FILTERED;
        list.size = Math.max(2, Math.min(LINES, tree.domains.length));
        fill(tree);
        count.set(`${formatCount(tree.domains.length)} of ${formatCount(tree.kinds.length)} kinds`);
        coordinates.set(formatCount(tree.coordinateCount));
        step.set('–');
      }
      const { selected } = domains;
      const at = selected === null ? -1 : listed.indexOf(selected);
      if (list.selectedIndex !== at) list.selectedIndex = at;
      inertia.set(settings.inertia);
      color.set(domains.colored);
      wholeKind.set(domains.wholeKind);
      const rigid = selected !== null && tree.kinds[tree.domains[selected]!.kind]!.rank === 0;
      const reason = selected === null ? 'Select a domain first' : rigid ? 'The domain is rigid' : null;
      stiffness.set(selected === null ? 1 : (domains.stiffness[selected] ?? 1));
      stiffness.setReason(reason);
      wholeKind.setReason(reason);
      none.disabled = selected === null;
      reset.disabled = tree.domains.every((domain, i) => domain.stiffness === domains.stiffness[i]);
      setText(hint, selected === null ? 'Select a domain to see where it is.' : domainText(tree, selected));
    },
    showFrame({ stepRate }) {
      step.set(stepText(stepRate));
    },
  };
}
