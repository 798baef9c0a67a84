import { dirname, join } from 'node:path';
import type { AddonName } from '../../native/load.ts';
import { requireNative } from './launch.ts';

// This program as a child process in another role.

/** The command line that starts this program in a role that main.ts knows. */
export const getRoleCommand = (role: string): string[] =>
  Bun.isStandaloneExecutable
    ? [process.execPath, role]
    : [process.execPath, join(import.meta.dir, '../main.ts'), role];

/**
 * Lists the files that a confined child needs to run this program (see FileAccess.run). The native libraries that it
 * loads are unpacked now, because it may only read them.
 */
export function listOwnFiles(libraries: readonly AddonName[]): readonly string[] {
  const { execPath } = process;
  if (!Bun.isStandaloneExecutable) return [dirname(execPath), join(import.meta.dir, '../..')];
  const { unpackAddon } = requireNative();
  const folders = libraries.map((name) => unpackAddon(name));
  return [execPath, ...folders.filter((folder) => folder !== undefined)];
}

/** Variables that native libraries and their unpacking need; no address of a database, no key. */
const INHERITED = [
  'PATH',
  'HOME',
  'TMPDIR',
  'LD_LIBRARY_PATH',
  'CACHE_DIRECTORY',
  'STATE_DIRECTORY',
  'XDG_CACHE_HOME',
  'SAFELIGHT_NATIVE_DIR',
];

/** The environment of such a child; `more` names further variables that it inherits. */
export function buildChildEnvironment(more: readonly string[] = []): Record<string, string> {
  const inherited = [...INHERITED, ...more].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(inherited),
    LC_ALL: 'C.UTF-8',
    MALLOC_ARENA_MAX: '2',
    ORT_DISABLE_TELEMETRY: '1',
  };
}
