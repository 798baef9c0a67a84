import { readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { dirname, join } from 'node:path';

/** Kinds of machines, by their memory. */
export const PROFILES = ['small', 'medium', 'large'] as const;
export type Profile = (typeof PROFILES)[number];

const GIB = 1024 ** 3;

/** Returns the profile of a machine with so many bytes. A machine sold with 4 GB reports less than that. */
export function chooseProfile(memoryBytes: number): Profile {
  if (memoryBytes < 3 * GIB) return 'small';
  return memoryBytes < 6 * GIB ? 'medium' : 'large';
}

/** Returns the bytes that the process of the models may use, where nothing else is set. */
export const getInferenceMemory = (profile: Profile): number =>
  profile === 'large' ? GIB : GIB / 2;

/** Returns the bytes of memory that this process may use: of the machine, or of a container or unit in it. */
export const readMemoryBytes = (): number => (found ??= Math.min(totalmem(), readCgroupLimit()));

let found: number | undefined;

/** Returns the least limit of a control group and of those around it (cgroups(7)); Infinity without one. */
export function readCgroupLimit(
  read: (path: string) => string = (path) => readFileSync(path, 'utf8'),
): number {
  const limits = listGroups(tryRead(read, '/proc/self/cgroup')).map((path) =>
    Number.parseInt(tryRead(read, path), 10),
  );
  // "max" is no number, and version 1 says it by a number beyond every machine.
  return Math.min(Infinity, ...limits.filter((limit) => limit > 0));
}

/** Lists the files that may hold a limit. In a container, its own group may be shown as the root. */
function listGroups(groups: string): string[] {
  const [, second] = /^0::(\/.*)$/m.exec(groups) ?? [];
  const [, first] = /^\d+:(?:[^:]*,)?memory(?:,[^:]*)?:(\/.*)$/m.exec(groups) ?? [];
  return [
    ...listAncestors(second).map((path) => join('/sys/fs/cgroup', path, 'memory.max')),
    ...listAncestors(first).map((path) =>
      join('/sys/fs/cgroup/memory', path, 'memory.limit_in_bytes'),
    ),
  ];
}

function listAncestors(path: string | undefined): string[] {
  if (path === undefined) return [];
  return path === '/' ? [path] : [path, ...listAncestors(dirname(path))];
}

function tryRead(read: (path: string) => string, path: string): string {
  try {
    return read(path);
  } catch {
    return '';
  }
}
