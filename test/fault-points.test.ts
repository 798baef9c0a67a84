import { expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { FAULT_POINTS } from '../src/core/fault-points.ts';

const ROOT = join(import.meta.dir, '..');

async function readAll(folder: string, pattern: RegExp): Promise<string> {
  const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => pattern.test(name));
  return (await Promise.all(files.map((name) => Bun.file(join(ROOT, folder, name)).text()))).join();
}

test('every fault point is reached somewhere in the sources', async () => {
  const sources = await readAll('src', /(?<!\.test)\.ts$/);
  const reached = [...sources.matchAll(/\breach\('([^']+)'\)/g)].map((match) => match[1]!);
  expect([...new Set(reached)].toSorted()).toEqual(Object.values(FAULT_POINTS).flat().toSorted());
});

test('a test of kills walks every list of fault points', async () => {
  const tests = await readAll('test/crash', /\.test\.ts$/);
  const walked = [...tests.matchAll(/\bFAULT_POINTS\.(\w+)/g)].map((match) => match[1]!);
  // operations.test.ts counts the points that a process passes, whatever their names.
  const all = [...new Set([...walked, 'operation'])];
  expect(all.toSorted()).toEqual(Object.keys(FAULT_POINTS).toSorted());
});
