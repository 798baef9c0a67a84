import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runCommand } from '../../test/support/command-line.ts';
import { type TestDatabase, testDatabase } from '../../test/support/harness.ts';
import { runInTerminal } from '../../test/support/terminal.ts';
import { sha256 } from '../core/hash.ts';
import { originalPath } from '../storage/stored-file.ts';
import { formatCount, formatDuration, toOneLine } from './format.ts';
import { formatProgress } from './progress.ts';

setDefaultTimeout(300_000);

const folder = mkdtempSync(join(tmpdir(), 'progress-test-'));
let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  for (const text of ['one', 'four']) {
    const digest = sha256(text);
    const path = originalPath(database.deps.paths, digest);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text === 'one' ? text : 'fuor');
    await database.sql`insert into original (sha256, size) values (${digest}, ${text.length})`;
  }
});
afterAll(async () => {
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

const verify = () => {
  const { dataDir, databaseUrl } = database.deps.settings;
  return ['maintenance', 'verify', '--data', dataDir, '--database-url', databaseUrl!];
};

test('a long command shows a bar in a terminal, which makes room for what it prints', async () => {
  const terminal = runInTerminal(folder, verify());
  expect(await terminal.exited).toBe(1);
  const text = terminal.read();
  const drawn = text.split('\r\u001B[K');
  expect(drawn).toContainEqual(
    expect.stringMatching(/^verify {2}\[[#-]{24}\] \d+ % {2}\d B of 7 B$/),
  );
  const lines = text.split('\r\n').map((line) => line.split('\u001B[K').at(-1));
  expect(lines).toContainEqual(expect.stringMatching(/^damaged: \S+$/));
  expect(lines).toContain('1 originals are right, 1 are not');
});

test('without a terminal there are plain lines only', async () => {
  const { code, out, err } = await runCommand(folder, verify());
  expect([code, err]).toEqual([1, '']);
  expect(out).toMatch(/^damaged: \S+\n1 originals are right, 1 are not$/);
});

test('the bar shows share, amounts and, after a while, the time that is left', () => {
  const format = (done: number, total: number | undefined, seconds: number) =>
    formatProgress({ done, total, seconds }, formatCount);
  expect(format(0, 1000, 60)).toBe(`[${'-'.repeat(24)}] 0 %  0 of 1,000`);
  expect(format(500, 1000, 1)).toBe(`[${'#'.repeat(12)}${'-'.repeat(12)}] 50 %  500 of 1,000`);
  expect(format(500, 1000, 60)).toEndWith('  500 of 1,000  1 min left');
  expect(format(1200, 1000, 60)).toStartWith(`[${'#'.repeat(24)}] 100 %`);
  expect(format(0, 0, 1)).toBe(`[${'#'.repeat(24)}] 100 %  0 of 0`);
  expect(format(7, undefined, 61)).toBe('7  1 min');
});

test('durations are rounded down, and texts of others have one line', () => {
  expect([0.4, 59, 60, 3600, 86_399, 90_000].map(formatDuration)).toEqual([
    '0 s',
    '59 s',
    '1 min',
    '1 h 0 min',
    '23 h 59 min',
    '1 d 1 h',
  ]);
  expect(toOneLine(' a\n\u001B[2Jb\u202Ec ')).toBe('a [2Jb c');
});
