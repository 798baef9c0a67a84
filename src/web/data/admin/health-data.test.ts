import { expect, test } from 'bun:test';
import { type Check, getTitle, groupByState, isCommand } from './health-data.ts';

const check = (name: string, state: Check['state']): Check => ({ name, state, detail: '' });

test('what has to be mended comes first, and empty groups are left out', () => {
  const checks = [check('a', 'ok'), check('b', 'missing'), check('c', 'ok')];
  expect(groupByState(checks)).toEqual([
    { state: 'missing', checks: [checks[1]!] },
    { state: 'ok', checks: [checks[0]!, checks[2]!] },
  ]);
});

test('commands are told from advice', () => {
  expect(isCommand('apt-get install ffmpeg')).toBe(true);
  expect(isCommand('safelight models pull')).toBe(true);
  expect(isCommand("'safelight status' and the log say more")).toBe(false);
  expect(isCommand('at least 2 GiB are needed')).toBe(false);
  expect(isCommand('apt-get install x; rm -rf /')).toBe(false);
});

test('tools keep their own names', () => {
  expect(getTitle(check('ffmpeg', 'ok'))).toBe('ffmpeg');
  expect(getTitle(check('data folder', 'ok'))).toBe('Data folder');
});
