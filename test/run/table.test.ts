import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listOverruns } from './budgets.ts';
import { formatCounts } from './counts.ts';
import { buildTable, formatTable, parseJunit, readWorkers } from './table.ts';

const folder = mkdtempSync(join(tmpdir(), 'usage-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

const JUNIT = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="bun test">
  <testsuite name="a.test.ts" file="a.test.ts">
    <testcase name="left out" classname="d" time="0" file="a.test.ts" line="3">
      <skipped />
    </testcase>
    <testcase name="1 &lt; 2 &amp; &quot;so&#10;on&quot;" classname="outer" time="0.3" file="a.test.ts" />
    <testcase name="broken" classname="" time="1.5" file="a.test.ts">
      <failure message="no">no</failure>
    </testcase>
  </testsuite>
  <testsuite name="b.test.ts" file="b.test.ts">
    <testcase name="only" classname="" time="2" file="b.test.ts" />
  </testsuite>
</testsuites>`;

test('reads the tests that ran, in their order, from a JUnit report', () => {
  expect([...parseJunit(JUNIT)]).toEqual([
    [
      'a.test.ts',
      [
        { name: 'outer > 1 < 2 & "so\non"', wallMs: 300 },
        { name: 'broken', wallMs: 1500 },
      ],
    ],
    ['b.test.ts', [{ name: 'only', wallMs: 2000 }]],
  ]);
});

test('joins what workers and PostgreSQL used, and fails files beyond their budget', () => {
  const lines = [
    { begins: 'a.test.ts' },
    { file: 'a.test.ts', cpuMs: 59_000, wallMs: 4000, testCpuMs: [20, 900], workMs: 2 },
    { begins: 'b.test.ts' },
    { file: 'b.test.ts', cpuMs: 10, wallMs: 9, testCpuMs: [], workMs: 1.5 },
    { begins: 'c.test.ts' },
  ];
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  // The last line is being written.
  writeFileSync(join(folder, '77.jsonl'), `${text}{"fi`);
  expect([...readWorkers(folder)]).toEqual([['77', 'c.test.ts']]);
  const table = buildTable(folder, JUNIT, new Map([['a.test.ts', 1500]]));
  expect(table.files).toEqual([
    { file: 'a.test.ts', cpuMs: 60_500, databaseCpuMs: 1500, wallMs: 4000 },
    { file: 'b.test.ts', cpuMs: 10, databaseCpuMs: 0, wallMs: 9 },
  ]);
  expect(table.tests.map(({ test: name, cpuMs }) => [name, cpuMs])).toEqual([
    ['only', undefined],
    ['broken', 900],
    ['outer > 1 < 2 & "so\non"', 20],
  ]);
  expect(formatTable(table)).toContain('   60.5    1.5    4.0  a.test.ts\n');
  expect(formatTable(table)).toContain('2 files took 61 s of CPU');
  expect(table.slowness).toBe(1);
  expect(listOverruns(table)).toEqual([
    'a.test.ts took 61 s of CPU, more than its budget of 45 s (test/run/budgets.ts)',
  ]);
  expect(listOverruns({ ...table, slowness: 1.3 })).toEqual([]);
});

test('a run that measured no file is not slow', () => {
  const empty = mkdtempSync(join(folder, 'empty-'));
  expect(buildTable(empty, JUNIT, new Map())).toEqual({ slowness: 1, files: [], tests: [] });
});

test('counts an overrun and a runner that broke as failures', () => {
  const output = ' 12 pass\n 1 skip\n 2 fail\n';
  expect(formatCounts(output, 1)).toBe('12 passed, 2 failed, 1 skipped');
  expect(formatCounts(' 12 pass\n 0 fail\n', 0, 1)).toBe('12 passed, 1 failed');
  expect(formatCounts('', 139)).toBe('0 passed, 1 failed');
});
