import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chooseProfile, readCgroupLimit, readMemoryBytes } from './machine.ts';

const GIB = 1024 ** 3;

/** The memory that machines report, in GiB, which is less than they are sold with. */
const MACHINES = [
  [1.9, 'small'],
  [2.9, 'small'],
  [3.4, 'medium'],
  [3.7, 'medium'],
  [5.8, 'medium'],
  [7.6, 'large'],
  [64, 'large'],
] as const;

test.each(MACHINES)('a machine with %p GiB is %p', (gib, profile) => {
  expect(chooseProfile(gib * GIB)).toBe(profile);
});

const UNITS = join(import.meta.dir, '../../appliance/debian');

/** Returns the share of the machine's memory that a unit names, 0 to 1. */
function readShare(unit: string, name: string): number {
  const text = readFileSync(join(UNITS, `${unit}.service`), 'utf8');
  return Number(new RegExp(`^${name}=(\\d+)%$`, 'm').exec(text)?.[1]) / 100;
}

test.each(MACHINES)(
  'the limit of the service leaves a machine with %p GiB %p, and room for the rest of it',
  (gib, profile) => {
    const most = readShare('safelight', 'MemoryMax') * gib * GIB;
    expect(chooseProfile(most)).toBe(profile);
    expect(gib * GIB - most).toBeGreaterThan(0.15 * GIB);
  },
);

test('each unit has a limit, and the service gives back caches before it', () => {
  expect(readShare('safelight', 'MemoryHigh')).toBeLessThan(readShare('safelight', 'MemoryMax'));
  for (const unit of ['safelight', 'safelight-media']) {
    expect(readShare(unit, 'MemoryMax')).toBeWithin(0.5, 0.95);
  }
});

const limit = (files: Record<string, string>) =>
  readCgroupLimit((path) => {
    const text = files[path];
    if (text === undefined) throw new Error('ENOENT');
    return text;
  });

test('the least limit of the control group and of those around it counts', () => {
  const files = {
    '/proc/self/cgroup': '0::/safelight.slice/safelight.service\n',
    '/sys/fs/cgroup/safelight.slice/safelight.service/memory.max': 'max\n',
    '/sys/fs/cgroup/safelight.slice/memory.max': `${2 * GIB}\n`,
    '/sys/fs/cgroup/memory.max': `${3 * GIB}\n`,
  };
  expect(limit(files)).toBe(2 * GIB);
});

test('a container that shows its group as the root has the limit of the root', () => {
  expect(
    limit({ '/proc/self/cgroup': '0::/\n', '/sys/fs/cgroup/memory.max': '1610612736\n' }),
  ).toBe(1.5 * GIB);
});

test('version 1 of control groups counts as well', () => {
  const files = {
    '/proc/self/cgroup': '5:devices:/\n4:cpu,memory:/box\n0::/\n',
    '/sys/fs/cgroup/memory/box/memory.limit_in_bytes': `${GIB}\n`,
    '/sys/fs/cgroup/memory/memory.limit_in_bytes': '9223372036854771712\n',
  };
  expect(limit(files)).toBe(GIB);
});

test('there is no limit where nothing can be read', () => {
  expect(limit({})).toBe(Infinity);
  expect(limit({ '/proc/self/cgroup': '0::/x\n', '/sys/fs/cgroup/x/memory.max': 'max\n' })).toBe(
    Infinity,
  );
  expect(readMemoryBytes()).toBeGreaterThan(0);
});
