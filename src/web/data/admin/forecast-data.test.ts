import { expect, test } from 'bun:test';
import { describeForecast, describeGrowth } from './forecast-data.ts';

const forecast = { months: [], availableBytes: 5e9, monthlyBytes: 1e9, fullAt: null };

test('a forecast names a month only where it is known', () => {
  expect(describeForecast({ ...forecast, fullAt: '2031-03-20T10:00:00.000Z' })).toBe(
    'The library grows by 1.0 GB a month. At this rate the disk will be full in March 2031.',
  );
  expect(describeForecast(forecast)).toContain('for a century');
  expect(describeForecast({ ...forecast, monthlyBytes: null })).toContain('too early');
  for (const monthlyBytes of [0, -5]) {
    expect(describeForecast({ ...forecast, monthlyBytes })).toBe('The library is not growing.');
  }
  expect(describeForecast({ ...forecast, availableBytes: 0, fullAt: 'now' })).toContain('is full');
});

test('the growth of a month may be negative, or not known', () => {
  expect(describeGrowth('2026-11-01', null)).toBe('November 2026: not recorded');
  expect(describeGrowth('2026-11-01', 3.1e9)).toBe('November 2026: 3.1 GB');
  expect(describeGrowth('2026-11-01', -2e9)).toBe('November 2026: −2.0 GB');
});
