import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseJunit } from './results.ts';
import { buildTable, formatTable, readWorkers } from './table.ts';
import { compareUsage } from './usage-comparison.ts';

const folder = mkdtempSync(join(tmpdir(), 'usage-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

const JUNIT = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="bun test">
  <testsuite name="a.test.ts" file="a.test.ts">
    <testcase name="left out" classname="d" time="0" file="a.test.ts" line="3">
      <skipped />
    </testcase>
    <testcase name="1 &lt; 2 &amp; &quot;so&#10;on&quot;" classname="inner &gt; outer" time="0.3" file="a.test.ts" />
    <testcase name="broken" classname="" time="1.5" file="a.test.ts">
      <failure type="Error" message="no">Error: no&#10;      at a.test.ts:2:134&#10;</failure>
    </testcase>
  </testsuite>
  <testsuite name="b.test.ts" file="b.test.ts">
    <testcase name="slow" classname="" time="2" file="b.test.ts">
      <failure type="TimeoutError" message="test timed out" />
    </testcase>
  </testsuite>
</testsuites>`;

test('reads how each test ended, in their order, from a JUnit report', () => {
  expect(parseJunit(JUNIT)).toEqual([
    { file: 'a.test.ts', name: 'd > left out', wallMs: 0, outcome: 'skipped', error: '' },
    {
      file: 'a.test.ts',
      name: 'outer > inner > 1 < 2 & "so\non"',
      wallMs: 300,
      outcome: 'passed',
      error: '',
    },
    {
      file: 'a.test.ts',
      name: 'broken',
      wallMs: 1500,
      outcome: 'failed',
      error: 'Error: no\n      at a.test.ts:2:134\n',
    },
    { file: 'b.test.ts', name: 'slow', wallMs: 2000, outcome: 'failed', error: 'test timed out' },
  ]);
});

test('joins what workers and PostgreSQL used', () => {
  const lines = [
    { begins: 'a.test.ts' },
    { file: 'a.test.ts', cpuMs: 59_000, wallMs: 4000, testCpuMs: [20, 900] },
    { begins: 'b.test.ts' },
    { file: 'b.test.ts', cpuMs: 10, wallMs: 9, testCpuMs: [] },
    { begins: 'c.test.ts' },
  ];
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  // The last line is being written.
  writeFileSync(join(folder, '77.jsonl'), `${text}{"fi`);
  expect([...readWorkers(folder)]).toEqual([['77', 'c.test.ts']]);
  const table = buildTable(folder, parseJunit(JUNIT), new Map([['a.test.ts', 1500]]));
  expect(table.files).toEqual([
    { file: 'a.test.ts', cpuMs: 60_500, databaseCpuMs: 1500, wallMs: 4000 },
    { file: 'b.test.ts', cpuMs: 10, databaseCpuMs: 0, wallMs: 9 },
  ]);
  expect(table.tests.map(({ test: name, cpuMs }) => [name, cpuMs])).toEqual([
    ['slow', undefined],
    ['broken', 900],
    ['outer > inner > 1 < 2 & "so\non"', 20],
  ]);
  expect(formatTable(table)).toContain('   60.5    1.5    4.0  a.test.ts\n');
  expect(formatTable(table)).toContain('2 files took 61 s of CPU');
});

test('a run that measured no file has an empty table', () => {
  const empty = mkdtempSync(join(folder, 'empty-'));
  expect(buildTable(empty, parseJunit(JUNIT), new Map())).toEqual({ files: [], tests: [] });
});

test('compares what files took with what they took before', () => {
  const toTable = (took: Record<string, number>) => ({
    files: Object.entries(took).map(([file, cpuMs]) => ({
      file,
      cpuMs,
      databaseCpuMs: 0,
      wallMs: 0,
    })),
    tests: [],
  });
  expect(
    compareUsage(
      toTable({ 'same.ts': 9000, 'gone.ts': 2000, 'less.ts': 8000 }),
      toTable({ 'same.ts': 9900, 'new.ts': 3000, 'less.ts': 4000 }),
    ),
  ).toBe(`Processor time in seconds: before, now
     0.0     3.0  new.ts
     2.0     0.0  gone.ts
     8.0     4.0  less.ts
    19.0    16.9  all files`);
});
