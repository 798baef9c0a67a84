import { expect, test } from 'bun:test';
import { readRecentLog, rememberLine } from './recent-log.ts';

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
