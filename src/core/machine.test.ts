import { expect, test } from 'bun:test';
import { chooseProfile, readCgroupLimit, readMemoryBytes } from './machine.ts';

const GIB = 1024 ** 3;

test.each([
  [1.9, 'small'],
  [2.9, 'small'],
  [3.7, 'medium'],
  [5.8, 'medium'],
  [7.6, 'large'],
  [64, 'large'],
])('a machine with %p GiB is %p', (gib, profile) => {
  expect(chooseProfile(gib * GIB)).toBe(profile as never);
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
