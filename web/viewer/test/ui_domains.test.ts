import { describe, expect, it } from 'vitest';
import { domainColor, partColors } from '../src/stage/domain_colors';
import { domainText, filterDomains, stepText } from '../src/ui/domains_section';
import { FakeTree } from './fake_tree';

const tree = new FakeTree().info;

describe('the list of domains', () => {
  it('is filtered by words of names and parts', () => {
    expect(filterDomains(tree, '')).toEqual([0, 1, 2]);
    expect(filterDomains(tree, 'LEAF')).toEqual([1, 2]);
    expect(filterDomains(tree, ' 2 leaf ')).toEqual([2]);
    expect(filterDomains(tree, 'root')).toEqual([]);
  });

  it('says what a domain is', () => {
    expect(domainText(tree, 0)).toBe('trunk (r = 2)');
    expect(domainText(tree, 1)).toBe('leaf 1 (leaf, rigid)');
  });
});

describe('the time of a step', () => {
  it('is in milliseconds', () => {
    expect(stepText(400)).toBe('2.50 ms');
    expect(stepText(0)).toBe('–');
  });
});

describe('colours of domains', () => {
  const white = { name: '', color: [1, 1, 1] } as const;
  const surface = {
    ...new FakeTree().surface(),
    parts: [white, white, white],
    partDomains: Uint32Array.of(0, 0, 1),
  };

  it('are colours, and differ from domain to domain', () => {
    const colors = Array.from({ length: 40 }, (_, i) => domainColor(i));
    for (const color of colors) for (const x of color) expect(x >= 0 && x <= 1).toBe(true);
    expect(new Set(colors.map(String)).size).toBe(40);
  });

  it('are the own ones unless something is asked for', () => {
    expect(partColors(surface, { colored: false, selected: null })).toBe(null);
  });

  it('are one for each domain', () => {
    const colors = partColors(surface, { colored: true, selected: null })!;
    expect(colors[0]).toEqual(colors[1]);
    expect(colors[0]).not.toEqual(colors[2]);
  });

  it('let the selected domain stand out', () => {
    const colors = partColors(surface, { colored: false, selected: 1 })!;
    expect(colors[2]).not.toEqual(colors[0]);
    expect(colors[0]).toEqual(colors[1]);
    expect(colors[2]![0]).toBeGreaterThan(0.9);
  });
});
