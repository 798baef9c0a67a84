import { expect, test } from 'bun:test';
import { listRecentLines, maskSecrets, readRecentLog, rememberLine } from './recent-log.ts';

test('keeps the last lines, each with a bounded length, without colours and secrets', () => {
  for (let n = 0; n < 600; n += 1) rememberLine(`line ${n}\n`);
  rememberLine('\u001B[33mwarn\u001B[39m log in at http://a/maintenance?token=ab.c-d_e&x=1\n');
  rememberLine('connecting to postgres://me:secret@localhost/photos failed\n');
  rememberLine('x'.repeat(5000));
  const lines = readRecentLog().trimEnd().split('\n');
  expect(lines).toHaveLength(500);
  expect(lines[0]).toBe('line 103');
  expect(lines.slice(-3, -1)).toEqual([
    'warn log in at http://a/maintenance?token=…&x=1',
    'connecting to postgres://me:…@localhost/photos failed',
  ]);
  expect(lines.at(-1)).toHaveLength(2000);
});

test('numbers the lines, also when older ones are gone, and tells both formats alike', () => {
  const last = () => listRecentLines(0).at(-1)?.id ?? 0;
  const before = last();
  for (let n = 0; n < 600; n += 1) rememberLine(`line ${n}`);
  expect(last()).toBe(before + 600);
  expect(listRecentLines(0)).toHaveLength(500);
  expect(listRecentLines(before + 599).map(({ text }) => text)).toEqual(['line 599']);
  const known = last();
  rememberLine('\u001B[90m01:02:03\u001B[0m \u001B[33mwarn \u001B[0m disk is full free=1', 'warn');
  const json = { time: '2026-01-02', level: 'warn', message: 'disk is full', free: 1 };
  rememberLine(JSON.stringify(json), 'warn');
  rememberLine(`{"message":"${'x'.repeat(5000)}`, 'error');
  const lines = listRecentLines(known);
  expect(lines.slice(0, 2).map(({ text }) => text)).toEqual([
    'disk is full free=1',
    'disk is full free=1',
  ]);
  expect(lines.map(({ level }) => level)).toEqual(['warn', 'warn', 'error']);
  expect(lines[2]!.text).toStartWith('{"message":"xxx');
});

test('tells no secret of addresses and headers', () => {
  for (const [line, shown] of [
    ['GET /share?key=abc-d&x=1', 'GET /share?key=…&x=1'],
    ['open https://a/invitation#s3cret-_ now', 'open https://a/invitation#… now'],
    ['authorization: Bearer abc.def', 'authorization: Bearer …'],
    ['https://p/cb?code=1&state=2', 'https://p/cb?code=…&state=…'],
    ['error code=ENOENT', 'error code=ENOENT'],
  ] as const) {
    expect(maskSecrets(line)).toBe(shown);
  }
});
