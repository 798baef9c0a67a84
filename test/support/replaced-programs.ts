import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TOOL_ENV } from '../../src/media/programs.ts';

/** Programs that tools are, or need. */
const PROGRAMS = [
  'sh',
  'perl',
  'ffmpeg',
  'ffprobe',
  'heif-convert',
  'heif-info',
  'convert',
  'dcraw_emu',
  'jxlinfo',
];

/** How a program fails that an upgrade of its package has left half-way; `real` is the way to the one that works. */
export const PROGRAM_FAULTS = {
  'is gone': undefined,
  'cannot be executed': { mode: 0o644, script: 'exit 0' },
  'cannot load a library': {
    mode: 0o755,
    script: 'echo "error while loading shared libraries: libx.so: cannot open" >&2; exit 127',
  },
  'has a library of another version': {
    mode: 0o755,
    script: 'echo "symbol not found" >&2; exit 1',
  },
  'is killed at its start': { mode: 0o755, script: 'kill -KILL $$' },
  'crashes at its start': { mode: 0o755, script: 'kill -SEGV $$' },
} as const;

export type ProgramFault = keyof typeof PROGRAM_FAULTS;

/**
 * Lets the tools of this process be found in a folder, where each program is a link to the real one until a test breaks
 * it. `bun` is this program itself, in its other roles.
 */
export function replacePrograms(folder: string) {
  const { bin, ...programs } = linkPrograms(folder, [...PROGRAMS, 'bun']);
  const before = { tools: TOOL_ENV['PATH'], own: process.env['PATH'], self: process.execPath };
  const use = (tools: string, own: string, self: string): void => {
    (TOOL_ENV as { PATH: string }).PATH = tools;
    // The sandbox admits the folders of this path.
    process.env['PATH'] = own;
    process.execPath = self;
  };
  use(bin, `${bin}:${before.own}`, join(bin, 'bun'));
  return { ...programs, restore: () => use(before.tools ?? '', before.own ?? '', before.self) };
}

/** Makes a folder with links to programs, each of which a test can break. */
export function linkPrograms(folder: string, names: readonly string[]) {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const real = new Map(
    names.map((name) => [
      name,
      name === 'bun' ? process.execPath : (Bun.which(name) ?? '/bin/false'),
    ]),
  );
  const replace = (name: string, put: (path: string) => void): void => {
    const path = join(bin, name);
    rmSync(path, { force: true });
    put(path);
  };
  const repair = (name: string): void =>
    replace(name, (path) => symlinkSync(real.get(name)!, path));
  for (const name of names) repair(name);
  return {
    bin,
    repair,
    break(name: string, fault: ProgramFault): void {
      const given = PROGRAM_FAULTS[fault];
      replace(name, (path) => {
        if (given) writeFileSync(path, `#!/bin/sh\n${given.script}\n`, { mode: given.mode });
      });
    },
  };
}
