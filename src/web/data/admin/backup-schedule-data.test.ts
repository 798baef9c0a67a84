import { describe, expect, test } from 'bun:test';
import { changeKind, parseSchedule, toCronExpression } from './backup-schedule-data.ts';

describe('a schedule', () => {
  test.each([
    ['0 02 * * *', { kind: 'daily', time: '02:00' }],
    ['30 23 * * *', { kind: 'daily', time: '23:30' }],
    ['5 4 * * 3', { kind: 'weekly', time: '04:05', weekday: 3 }],
    ['5 4 * * 7', { kind: 'weekly', time: '04:05', weekday: 0 }],
    ['0 24 * * *', { kind: 'cron', expression: '0 24 * * *' }],
    ['*/5 * * * *', { kind: 'cron', expression: '*/5 * * * *' }],
    ['0 2 1 * *', { kind: 'cron', expression: '0 2 1 * *' }],
  ] as const)('is read from %s', (expression, schedule) => {
    expect(parseSchedule(expression)).toEqual(schedule);
  });

  test.each(['0 2 * * *', '30 23 * * 5', '0 2 1 * *'])('is written back as %s', (expression) => {
    expect(toCronExpression(parseSchedule(expression))).toBe(expression);
  });

  test('keeps its time when its kind changes', () => {
    const daily = parseSchedule('15 3 * * *');
    expect(toCronExpression(changeKind(daily, 'weekly'))).toBe('15 3 * * 0');
    expect(changeKind(daily, 'cron')).toEqual({ kind: 'cron', expression: '15 3 * * *' });
    expect(changeKind(parseSchedule('*/5 * * * *'), 'daily')).toEqual({
      kind: 'daily',
      time: '02:00',
    });
  });
});
