import { resolve } from 'node:path';
import { AppError, unavailable } from '../../../core/errors.ts';
import { buildChildEnvironment, getRoleCommand } from '../../../core/own-program.ts';
import { SETTINGS, type Settings } from '../../../core/setting-table.ts';

// `safelight doctor` as a child process: its checks change the user and the umask of their process.

export const LIMIT_MS = 60_000;
const MAX_OUTPUT_BYTES = 256 * 1024;

export type Limits = { readonly command?: readonly string[]; readonly limitMs?: number };

/**
 * Returns what it prints, parsed. Throws 503 when it has not ended in time, and 500 when it prints no JSON. The
 * address of the database is an environment variable: the command line of a process is seen by all accounts of
 * the machine.
 */
export async function runDoctor(
  settings: Settings,
  { command = getRoleCommand('doctor'), limitMs = LIMIT_MS }: Limits = {},
): Promise<unknown> {
  const child = Bun.spawn([...command, '--json'], {
    env: { ...buildChildEnvironment(), ...toEnvironment(settings) },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'ignore',
    timeout: limitMs,
    killSignal: 'SIGKILL',
    maxBuffer: MAX_OUTPUT_BYTES,
  });
  const text = await new Response(child.stdout).text();
  await child.exited;
  if (child.signalCode !== null) throw unavailable('The checks did not end in time', 60);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError('failed', 'The checks could not be run', { cause });
  }
}

/** The settings that the checks read. */
function toEnvironment(settings: Settings): Record<string, string> {
  const values = {
    dataDir: resolve(settings.dataDir),
    databaseUrl: settings.databaseUrl,
    groupAccess: settings.groupAccess,
    port: settings.port,
    mediaSocket: settings.mediaSocket,
    modelsDir: settings.modelsDir,
    inferenceMemoryBytes: settings.inferenceMemoryBytes,
  } satisfies Partial<Record<keyof Settings, string | number | undefined>>;
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      value === undefined ? [] : [[SETTINGS[name as keyof typeof values].env, String(value)]],
    ),
  );
}
