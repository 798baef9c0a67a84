import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Machine } from './machines.ts';

const EXAMPLE = join(import.meta.dir, '../../appliance/cluster');

export const readExample = (name: string): string => readFileSync(join(EXAMPLE, name), 'utf8');

/** Copies a file of appliance/cluster to a machine, whose name is put in as its comment says. */
export function install(machine: Machine, name: string, path: string): void {
  const target = machine.getPath(path);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, readExample(name).replaceAll(/^(?!#)(.*)THIS/gm, `$1${machine.name}`));
}

/** Returns the variables of a file that systemd reads as EnvironmentFile. */
export const readEnvironment = (machine: Machine, path: string): Record<string, string> =>
  Object.fromEntries(
    readFileSync(machine.getPath(path), 'utf8')
      .split('\n')
      .filter((line) => /^[A-Z]/.test(line))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
