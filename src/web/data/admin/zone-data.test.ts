import { expect, test } from 'bun:test';
import { describeZone, isOwnTime, toOwnTime } from './zone-data.ts';

const winter = new Date('2026-01-10T12:00:00Z');
const summer = new Date('2026-07-10T12:00:00Z');

test('a time of the server is told by the clock of the reader', () => {
  const read = (time: string, timeZone: string, ownZone: string, at = winter) =>
    toOwnTime(time, { timeZone, ownZone, at });
  expect(read('02:00', 'Etc/UTC', 'Europe/Berlin')).toBe('03:00');
  expect(read('02:00', 'Etc/UTC', 'Europe/Berlin', summer)).toBe('04:00');
  expect(read('02:00', 'UTC', 'America/New_York')).toBe('21:00');
  expect(read('23:45', 'Europe/Berlin', 'Asia/Kolkata')).toBe('04:15');
  expect(read('02:30', 'Asia/Tokyo', 'Pacific/Honolulu')).toBe('07:30');
});

test('two zones whose clocks agree need no words', () => {
  const isSame = (timeZone: string, ownZone: string, at: Date) =>
    isOwnTime({ timeZone, ownZone, at });
  expect(isSame('Etc/UTC', 'Europe/London', winter)).toBe(true);
  expect(isSame('Etc/UTC', 'Europe/London', summer)).toBe(false);
  expect(isSame('Mars/Olympus', 'UTC', summer)).toBe(true);
});

test('a zone is named as people know it', () => {
  expect(describeZone('Etc/UTC')).toBe('UTC');
  expect(describeZone('Europe/Berlin')).toBe('Europe/Berlin');
});
