import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TOOL_ENV } from '../../src/media/programs.ts';

/** Programs that tools are, or need. */
const PROGRAMS = ['sh', 'perl', 'ffmpeg', 'ffprobe', 'heif-convert', 'dcraw_emu', 'jxlinfo'];

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
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const before = { tools: TOOL_ENV['PATH'], own: process.env['PATH'], self: process.execPath };
  const real = (name: string): string =>
    name === 'bun' ? before.self : (Bun.which(name, { PATH: before.own ?? '' }) ?? '/bin/false');
  const repair = (name: string): void => {
    const path = join(bin, name);
    rmSync(path, { force: true });
    symlinkSync(real(name), path);
  };
  for (const name of [...PROGRAMS, 'bun']) repair(name);
  const use = (tools: string, own: string, self: string): void => {
    (TOOL_ENV as { PATH: string }).PATH = tools;
    // The sandbox admits the folders of this path.
    process.env['PATH'] = own;
    process.execPath = self;
  };
  use(bin, `${bin}:${before.own}`, join(bin, 'bun'));
  return {
    break(name: string, fault: ProgramFault): void {
      const path = join(bin, name);
      const { mode, script } = PROGRAM_FAULTS[fault] ?? {};
      rmSync(path, { force: true });
      if (script === undefined) return;
      writeFileSync(path, `#!/bin/sh\n${script}\n`);
      chmodSync(path, mode!);
    },
    repair,
    restore: () => use(before.tools ?? '', before.own ?? '', before.self),
  };
}
