import { describe, expect, test } from 'vitest';
import {
  baseName,
  formatCount,
  formatDigits,
  formatSpeed,
  formatTick,
  formatTime,
  formatUnit,
  linearScale,
  logScale,
  parsePlain,
  parseUnit,
  zeroLogScale,
} from '../src/settings_text';

describe('numbers with units', () => {
  test.each([
    [2e6, 'Pa', '2.00 MPa'],
    [150e3, 'Pa', '150 kPa'],
    [12.5, 'Pa', '12.5 Pa'],
    [2.1e11, 'Pa', '210 GPa'],
    [1e-3, 's', '1.00 ms'],
    [2.5e-5, 's', '25.0 µs'],
    [999.6, 'Pa', '1.00 kPa'],
    [0, 'J', '0 J'],
    [1e-15, 'J', '0 J'],
    [-1500, 'J', '-1.50 kJ'],
    [NaN, 'J', '–'],
  ])('%d in %s is written %s', (value, unit, text) => {
    expect(formatUnit(value, unit)).toBe(text);
  });

  test.each([
    ['2.5 MPa', 2.5e6],
    ['2500k', 2.5e6],
    ['2.5e6', 2.5e6],
    [' 150 kPa ', 150e3],
    ['.5Pa', 0.5],
    ['7', 7],
  ])('%s is read as %d Pa', (text, value) => {
    expect(parseUnit(text, 'Pa')).toBeCloseTo(value, 6);
  });

  test.each(['25 us', '25 µs', '25 μs', '25e-6'])('%s is read as 25 microseconds', (text) => {
    expect(parseUnit(text, 's')).toBeCloseTo(25e-6, 15);
  });

  test.each(['', 'Pa', '1,500 Pa', '2 bar', '1 2', '1e999', 'NaN', '0x10'])(
    '"%s" is not a number of pascals',
    (text) => {
      expect(parseUnit(text, 'Pa')).toBeNull();
    },
  );

  test('what is written is read back', () => {
    for (const value of [1.23e-8, 4.56e-4, 0.789, 12.3, 45600, 7.89e9]) {
      expect(parseUnit(formatUnit(value, 'Pa'), 'Pa')! / value).toBeCloseTo(1, 12);
    }
  });

  test.each([
    ['3 ×', 3],
    ['3x', 3],
    ['0.5', 0.5],
  ])('%s is read as a multiple', (text, value) => {
    expect(parsePlain(text, ['×', 'x'])).toBe(value);
  });

  test.each(['3k', 'x', '', '1/2'])('"%s" is not a plain number', (text) => {
    expect(parsePlain(text, ['×', 'x'])).toBeNull();
  });

  test('ticks end without zeros', () => {
    expect([0.5, 1, 2.5, 1000, 20_000].map((value) => formatTick(value, 'J'))).toEqual([
      '500 mJ',
      '1 J',
      '2.5 J',
      '1 kJ',
      '20 kJ',
    ]);
    expect(formatTick(20_000, '')).toBe('20 k');
  });
});

describe('plain numbers', () => {
  test('have three digits and no exponent', () => {
    expect([0.1234, 12.34, 1234, 123_456, 0.000_123_4].map((value) => formatDigits(value))).toEqual([
      '0.123',
      '12.3',
      '1230',
      '123000',
      '0.000123',
    ]);
  });

  test('are counted in groups of three', () => {
    expect([0, 999, 1000, 1234567].map(formatCount)).toEqual(['0', '999', '1,000', '1,234,567']);
  });

  test('times have hundredths, and minutes from a minute on', () => {
    expect([0, 3.2, 59.994, 59.996, 125.5].map(formatTime)).toEqual([
      '0.00 s',
      '3.20 s',
      '59.99 s',
      '1:00.00',
      '2:05.50',
    ]);
  });

  test('speeds are fractions', () => {
    expect([2, 1, 0.5, 0.01].map(formatSpeed)).toEqual(['2', '1', '1/2', '1/100']);
  });

  test('names lose folders and the extension', () => {
    expect(['a/b\\octopus.glb', 'x.GLB', 'x.glb.glb', 'plain', '.glb'].map(baseName)).toEqual([
      'octopus',
      'x',
      'x.glb',
      'plain',
      'model',
    ]);
  });
});

describe('a log scale', () => {
  const scale = logScale(2e4, 2e8);

  test('has its ends at the ends and their geometric mean in the middle', () => {
    expect([0, 500, 1000].map((position) => scale.toValue(position))).toEqual([2e4, 2e6, 2e8]);
  });

  test('finds every position again from its value', () => {
    for (let position = 0; position <= 1000; ++position) {
      expect(scale.toPosition(scale.toValue(position))).toBe(position);
    }
  });

  test('gives its ends for values beyond them', () => {
    expect([scale.toPosition(1), scale.toPosition(1e12)]).toEqual([0, 1000]);
  });
});

describe('a log scale with zero', () => {
  const scale = zeroLogScale(0.01, 100);

  test('is zero at the left end only', () => {
    expect(scale.toValue(0)).toBe(0);
    expect(scale.toPosition(0)).toBe(0);
    expect(scale.toValue(1)).toBeGreaterThan(0);
  });

  test('shows small values beside zero, not at it', () => {
    expect(scale.toPosition(1e-9)).toBe(1);
  });
});

describe('a linear scale', () => {
  test('takes the nearest step and no rounding error', () => {
    const scale = linearScale(0, 5, 0.05);
    expect(scale.toPosition(1.02)).toBeCloseTo(1, 12);
    expect(scale.toValue(0.15000000000000002)).toBe(0.15);
  });

  test('with one position stays there', () => {
    const scale = linearScale(1, 1, 1);
    expect([scale.toPosition(5), scale.toValue(0)]).toEqual([1, 1]);
  });
});
