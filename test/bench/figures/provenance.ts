import { readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { dirname } from 'node:path';
import type { Sql } from 'postgres';

/** The program that was measured, the machine, and the time. */
export type Provenance = {
  /** With ' + changes' when the sources differ from it. */
  readonly commit: string;
  readonly title: string;
  readonly date: string;
  readonly postgres: string;
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
};

/** Whatever the binary is made of, as git selects it. */
const SOURCES = 'src workers native migrations package.json bun.lock :!*.test.ts :!*.md'.split(' ');

/** Runs git in a folder. Throws with its own words when it fails. */
export function git(folder: string, ...words: string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(['git', '-C', folder, ...words]);
  if (exitCode !== 0) throw new Error(`git ${words.join(' ')}: ${stderr.toString().trim()}`);
  return stdout.toString().trim();
}

/** Returns whether the sources of the binary in this work tree differ from its commit. */
export function hasChanges(root: string): boolean {
  return git(root, 'status', '--porcelain', '--', ...SOURCES) !== '';
}

/** Describes a binary by the work tree that it lies in, which built it. */
export async function describeProvenance(binary: string, sql: Sql): Promise<Provenance> {
  const root = git(dirname(binary), 'rev-parse', '--show-toplevel');
  const commit = git(root, 'log', '-1', '--format=%h');
  const [server] = await sql<{ version: string }[]>`
    select split_part(current_setting('server_version'), ' ', 1) as version`;
  return {
    commit: hasChanges(root) ? `${commit} + changes` : commit,
    title: git(root, 'log', '-1', '--format=%s'),
    date: new Date().toISOString().slice(0, 16).replace('T', ' '),
    postgres: server!.version,
    cpu: parseCpuName(readFileSync('/proc/cpuinfo', 'utf8')),
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
  };
}

/** Returns the name of the processor in /proc/cpuinfo; ARM machines do not give one. */
export const parseCpuName = (cpuInfo: string): string =>
  /^model name\s*:\s*(.+)$/m.exec(cpuInfo)?.[1]?.trim() ?? process.arch;

export const formatProvenance = (from: Provenance): string =>
  `Commit ${from.commit}, ${from.date} UTC, PostgreSQL ${from.postgres}, ${from.cpu}, ` +
  `${from.cores} cores, ${from.memoryGiB} GiB.`;
