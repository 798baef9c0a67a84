import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatCounts, readCounts } from './counts.ts';
import { addRun, listKnown, parseUnstable, readRuns, readUnstable } from './history.ts';
import { formatVerdict } from './report.ts';
import type { Result } from './results.ts';
import { listFiles } from './selection.ts';
import { refuseUnexplained } from './skipped.ts';
import { judge } from './verdict.ts';

const toResult = (file: string, name: string, error?: string): Result => ({
  file,
  name,
  wallMs: 1,
  outcome: error === undefined ? 'passed' : 'failed',
  error: error ?? '',
});

const formatAgain = (file: string) => `make test ARGS=${file}`;
const none: ReadonlySet<string> = new Set();

test('a test that fails twice has failed, and one that passes alone is unstable', () => {
  const first = [
    toResult('a.test.ts', 'well'),
    toResult('b.test.ts', 'broken', 'Error: no\n  at b.test.ts:1:2'),
    toResult('c.test.ts', 'now and then', 'Error: late'),
  ];
  const again = [
    toResult('b.test.ts', 'broken', 'Error: no'),
    toResult('c.test.ts', 'now and then'),
  ];
  const verdict = judge(first, again, none);
  expect(verdict.failed.map(({ name }) => name)).toEqual(['broken']);
  expect(verdict.unstable.map(({ name }) => name)).toEqual(['now and then']);
  expect(formatVerdict(verdict, formatAgain)).toBe(`
(unstable) c.test.ts: now and then
Error: late
-- again, its file alone:
It passed.
To repeat it: make test ARGS=c.test.ts

(fail) b.test.ts: broken
Error: no
  at b.test.ts:1:2
To repeat it: make test ARGS=b.test.ts

2 passed, 1 failed
2 passed, 1 failed, 1 unstable`);
});

test('a test that fails only when it runs again is unstable, too', () => {
  const first = [toResult('a.test.ts', 'one', 'Error: no'), toResult('a.test.ts', 'other')];
  const again = [toResult('a.test.ts', 'one'), toResult('a.test.ts', 'other', 'Error: late')];
  const verdict = judge(first, again, none);
  expect(verdict.failed).toEqual([]);
  expect(verdict.unstable.map(({ name, errorAgain }) => [name, errorAgain])).toEqual([
    ['one', ''],
    ['other', 'Error: late'],
  ]);
  expect(verdict.passed).toBe(2);
});

test('a file that broke, or one of its hooks, is unstable if all of it passes alone', () => {
  const first = [
    toResult('a.test.ts', '(worker crashed)', 'worker process crashed'),
    toResult('b.test.ts', 'group > (unnamed)', 'Error: no database'),
  ];
  const again = [
    toResult('a.test.ts', 'one'),
    toResult('a.test.ts', 'two'),
    toResult('b.test.ts', 'group > three', 'Error: no database'),
  ];
  const verdict = judge(first, again, none);
  expect(verdict.unstable.map(({ file }) => file)).toEqual(['a.test.ts']);
  expect(verdict.failed.map(({ name }) => name)).toEqual(['group > (unnamed)', 'group > three']);
  expect(verdict.passed).toBe(2);
});

test('what did not run again has failed, and so has what was unstable before', () => {
  const first = [toResult('a.test.ts', 'one', 'Error: no')];
  expect(judge(first, [], none).failed).toHaveLength(1);
  const verdict = judge(first, [toResult('a.test.ts', 'one')], new Set(['a.test.ts: one']));
  expect([verdict.passed, verdict.failed.length, verdict.unstable.length]).toEqual([0, 1, 0]);
});

test('many failures are cut, so that the last lines hold all of them', () => {
  const error = Array.from({ length: 200 }, (_, line) => `line ${line}`).join('\n');
  const verdict = judge(
    Array.from({ length: 10 }, (_, n) => toResult(`${n}.test.ts`, 'long', error)),
    [],
    none,
  );
  const lines = formatVerdict(verdict, formatAgain).split('\n');
  expect(lines.length).toBeLessThan(150);
  expect(lines.filter((line) => line.startsWith('(fail)'))).toHaveLength(10);
  expect(lines.filter((line) => line === 'line 0')).toHaveLength(10);
  const [only] = verdict.failed;
  const alone = formatVerdict({ ...verdict, failed: [only!] }, formatAgain).split('\n');
  expect(alone).toContain('line 28');
  expect(alone).not.toContain('line 29');
});

test('knows what was unstable in the last nine runs of a tier, and what is listed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'runs-test-'));
  const path = join(folder, 'runs.json');
  expect(readRuns(path)).toEqual([]);
  for (let n = 0; n < 12; n++) {
    addRun({ tier: 'test', seed: '1', at: `${n}`, unstable: [`${n}.test.ts: name`] }, path);
    if (n === 0) addRun({ tier: 'pages', seed: '1', at: '0', unstable: ['page: name'] }, path);
  }
  expect(readRuns(path)).toHaveLength(11);
  const known = listKnown('test', readRuns(path), ['x.test.ts: listed']);
  expect([...known].toSorted()).toEqual(
    [
      ...[3, 4, 5, 6, 7, 8, 9, 10, 11].map((n) => `${n}.test.ts: name`),
      'x.test.ts: listed',
    ].toSorted(),
  );
  rmSync(folder, { recursive: true });
});

test('test/unstable.md lists tests of files that are there', () => {
  expect(parseUnstable('| test |\n| `src/a.test.ts: it | is` | 2026 | no |\n')).toEqual([
    'src/a.test.ts: it | is',
  ]);
  const files = listFiles({ tier: 'all', seed: '1', paths: [], flags: [] });
  for (const name of readUnstable()) expect(files).toContain(name.split(': ')[0]!);
});

test('counts a runner that broke as a failure', () => {
  const counts = readCounts('(skip) a [skipped: no media]\n\n 12 pass\n 1 skip\n 2 fail\n', 1);
  expect(formatCounts(counts)).toBe('1 skipped: no media\n12 passed, 2 failed, 1 skipped');
  const broken = readCounts('', 139);
  expect(formatCounts(broken)).toBe('0 passed, 1 failed');
  expect(formatCounts(counts, broken)).toEndWith('\n12 passed, 3 failed, 1 skipped');
});

const toSkipped = (...names: string[]) =>
  names.map((name) => ({ ...toResult('a.test.ts', name), outcome: 'skipped' as const }));

test('skipped tests are counted by their reasons, most first', () => {
  const verdict = judge(
    toSkipped(
      'one [skipped: no mount of tmpfs]',
      'group [skipped: no media] > one',
      'group [skipped: no media] > two [skipped: no media]',
      'group [skipped: no media] > three [skipped: no models: fetch failed]',
    ),
    [],
    none,
  );
  expect(formatVerdict(verdict, formatAgain)).toBe(`
2 skipped: no media; 1 skipped: no mount of tmpfs; 1 skipped: no media and no models: fetch failed
0 passed, 0 failed, 4 skipped`);
});

test('a test that is skipped without a reason has failed, unless others were chosen by name', () => {
  const results = [...toSkipped('bare', 'one [skipped: no media]'), toResult('a.test.ts', 'two')];
  expect(refuseUnexplained(results).map(({ outcome, error }) => [outcome, error])).toEqual([
    ['failed', 'Skipped without a reason.'],
    ['skipped', ''],
    ['passed', ''],
  ]);
  expect(refuseUnexplained(results, ['-t', 'two'])).toEqual(results.slice(1));
});
