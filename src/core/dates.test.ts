import { expect, test } from 'bun:test';
import { isDay, isInstant, isMonthDay, parseInstant } from './dates.ts';

test('a date must exist in the calendar', () => {
  for (const day of ['2024-02-29', '2000-02-29', '2023-12-31', '0010-01-01', '9999-12-31']) {
    expect([day, isDay(day)]).toEqual([day, true]);
  }
  for (const day of [
    '2024-02-30',
    '2023-02-29',
    '1900-02-29',
    '2024-04-31',
    '2024-13-01',
    '2024-00-10',
    '2024-01-00',
    '0009-01-01',
    '2024-1-1',
    '2024-01-01T00:00:00Z',
    ' 2024-01-01',
    '',
  ]) {
    expect([day, isDay(day)]).toEqual([day, false]);
  }
  expect(['02-29', '12-31', '01-01'].filter((day) => !isMonthDay(day))).toEqual([]);
  expect(['02-30', '04-31', '00-01', '13-01', '1-1', '01-32'].filter(isMonthDay)).toEqual([]);
});

test('an instant needs a valid date, a valid time and an offset', () => {
  for (const [text, iso] of [
    ['2024-02-29T12:00:00Z', '2024-02-29T12:00:00.000Z'],
    ['2024-02-29T12:00:00.1234567Z', '2024-02-29T12:00:00.123Z'],
    ['2024-02-29T12:00+02:00', '2024-02-29T10:00:00.000Z'],
    ['2024-02-29T12:00:00-0530', '2024-02-29T17:30:00.000Z'],
  ] as const) {
    expect([text, new Date(parseInstant(text) ?? Number.NaN).toISOString()]).toEqual([text, iso]);
  }
  for (const text of [
    '2024-02-30T00:00:00Z',
    '2024-02-29T00:00:00',
    '2024-02-29',
    '2024-02-29T24:00:00Z',
    '2024-02-29T23:60:00Z',
    '2024-02-29T23:59:60Z',
    '2024-02-29T00:00:00+25:00',
    '2024-02-29 00:00:00Z',
    '0000-01-01T00:00:00Z',
    '+012024-01-01T00:00:00Z',
    '1709200000',
    '',
  ]) {
    expect([text, isInstant(text)]).toEqual([text, false]);
  }
});
