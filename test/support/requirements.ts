import { describe, test } from 'bun:test';
import { existsSync, mkdtempSync, readFileSync, rmdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { probeConfinement } from '../../src/core/launch.ts';
import { detectFastIntegers } from '../../src/inference/models/processor.ts';
import { findPowerLabObstacle } from '../crash/power-lab.ts';
import { mountDisk, mountReadOnly, unmount } from './mounts.ts';
import { OLDER } from './newer-postgres.ts';

// What a test may need and a machine may lack. A test that cannot run says so through the runner, and why in its name.

/** The folder with files of real cameras. */
export const MEDIA = process.env['SAFELIGHT_TEST_MEDIA'];

/** A folder on another disk than the data folder. */
export const OTHER_DISK = ['/var/tmp', '/tmp', '/dev/shm'].find(
  (folder) => existsSync(folder) && statSync(folder).dev !== statSync(tmpdir()).dev,
);

/** The beginning of a command line in a user namespace, which has limits of its own. */
export const IN_USER_NAMESPACE = ['unshare', '--user', '--map-root-user', 'sh', '-c'];

/** Why a test is skipped, and a probe, which returns whether the machine has what is needed, or what it lacks. */
type Probed = readonly [reason: string, probe: () => boolean | string];

const PROBED = {
  root: ['not root', () => process.getuid!() === 0],
  media: ['no media', () => MEDIA !== undefined],
  tmpfs: ['no mount of tmpfs', () => canMount((folder) => mountDisk(folder, 4096))],
  'read-only mounts': [
    'no read-only mount',
    () => canMount((folder) => mountReadOnly(folder, folder)),
  ],
  'mount namespaces': [
    'no mount namespace',
    () => canRun('unshare', '--mount', 'mount', '--bind', '/usr', '/usr'),
  ],
  'user namespaces': [
    'no user namespace with limits',
    () => canRun(...IN_USER_NAMESPACE, 'echo 3 > /proc/sys/user/max_inotify_watches'),
  ],
  'another disk': ['no other disk', () => OTHER_DISK !== undefined],
  'power cuts': ['no power cuts', () => findPowerLabObstacle() ?? true],
  'older PostgreSQL': ['no PostgreSQL that can be upgraded', () => OLDER !== undefined],
  brotli: ['no brotli', () => Bun.which('brotli') !== null],
  seccomp: ['no seccomp', () => probeConfinement().seccomp],
  Landlock: ['no Landlock', () => probeConfinement().landlock >= 1],
  'Landlock 3': ['no Landlock of ABI 3', () => probeConfinement().landlock >= 3],
  'Landlock 6': ['no Landlock of ABI 6', () => probeConfinement().landlock >= 6],
  x64: ['no x64', () => process.arch === 'x64'],
  AVX2: ['no AVX2', () => hasInstructions('avx2', 'fma')],
  'AVX-512': ['no AVX-512', () => hasInstructions('avx512_vnni', 'avx512bw')],
  'fast integers': ['no fast integers', detectFastIntegers],
} as const satisfies Record<string, Probed>;

/** Requirements that a module fetches or builds while it is loaded. */
const FETCHED = {
  models: 'no models',
  'speech models': 'no speech models',
  'Latin recognizer': 'no Latin recognizer',
  containers: 'no containers',
} as const;

export type Requirement = keyof typeof PROBED | keyof typeof FETCHED;

/** Why each requirement that was probed is not met; undefined if it is. */
const reasons = new Map<Requirement, string | undefined>();

/** Returns what `fetch` does. Where it throws, tests that need it are skipped, for the reason of its error. */
export async function fetchRequirement<T>(
  name: keyof typeof FETCHED,
  fetch: () => T | Promise<T>,
): Promise<T | undefined> {
  reasons.set(name, undefined);
  try {
    return await fetch();
  } catch (error) {
    reasons.set(name, `${FETCHED[name]}: ${(error as Error).message}`);
    return undefined;
  }
}

function findReason(name: Requirement): string | undefined {
  if (!reasons.has(name)) {
    if (!(name in PROBED)) throw new Error(`Import the module that fetches: ${name}`);
    const [reason, probe] = PROBED[name as keyof typeof PROBED] as Probed;
    const found = probe();
    const detail = typeof found === 'string' ? `: ${found}` : '';
    reasons.set(name, found === true ? undefined : `${reason}${detail}`);
  }
  return reasons.get(name);
}

/**
 * Returns `test` and `describe` of the runner, or, where this machine lacks one of the requirements, others, which skip
 * and add the reasons to the names, as in `… [skipped: no media and no models]`.
 */
export function skipWithout(...names: readonly Requirement[]): {
  readonly test: typeof test;
  readonly describe: typeof describe;
} {
  const missing = names.flatMap((name) => findReason(name) ?? []);
  if (missing.length === 0) return { test, describe };
  const ending = ` [skipped: ${missing.map(shorten).join(' and ')}]`;
  return { test: addToNames(test.skip, ending), describe: addToNames(describe.skip, ending) };
}

const MOST_LETTERS = 100;
/** Returns the first line, without what ends a reason or is replaced in the names of `each`. */
const shorten = (reason: string): string =>
  reason
    .split('\n', 1)[0]!
    .replaceAll(/[[\]%$]+/g, ' ')
    .slice(0, MOST_LETTERS)
    .trim();

type Define = (name: string, ...rest: unknown[]) => void;
type Skip = Define & { each(rows: unknown): Define };

function addToNames<T>(skip: T, ending: string): T {
  const rename =
    (define: Define): Define =>
    (name, ...rest) =>
      define(`${name}${ending}`, ...rest);
  const each = (rows: unknown) => rename((skip as Skip).each(rows));
  return Object.assign(rename(skip as Skip), { each }) as T;
}

const canRun = (...command: readonly string[]): boolean =>
  Bun.which(command[0]!) !== null && Bun.spawnSync([...command]).success;

function canMount(mount: (folder: string) => void): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'mount-'));
  try {
    mount(folder);
    return true;
  } catch {
    return false;
  } finally {
    unmount(folder);
    rmdirSync(folder);
  }
}

function hasInstructions(...wanted: readonly string[]): boolean {
  const flags = /^flags\s*:(.*)$/m.exec(readFileSync('/proc/cpuinfo', 'utf8'))?.[1]?.split(' ');
  return wanted.every((instruction) => flags?.includes(instruction));
}
