import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure } from '../core/command-line.ts';
import { launch } from '../core/launch.ts';
import { changeAddress, getPassword } from '../core/postgres-url.ts';
import { connect } from './address.ts';
import { findError, readPosition } from './archive.ts';
import { CHILD_ENV } from './cluster/launch.ts';
import { getRow } from './query.ts';
import { findClientTool, type Tool } from './tools.ts';

type ToolOptions = {
  /** Folder of the tool; else that of the version that fits the server. */
  readonly bin?: string;
  readonly signal?: AbortSignal;
  readonly onBytes?: OnBytes;
};

async function findTool(name: Tool, url: string, bin: string | undefined) {
  if (bin === undefined) return findClientTool(name, await getServerMajor(url));
  const path = join(bin, name);
  if (existsSync(path)) return path;
  throw new Failure(`${path} is missing: install the client tools of that PostgreSQL`);
}

/** Called again and again with the number of bytes so far. */
export type OnBytes = (bytes: number) => void;

const WATCH_MS = 200;

/** Writes the whole database to a file that is either absent or complete. */
export async function dumpDatabase(
  url: string,
  file: string,
  { bin, signal, onBytes }: ToolOptions = {},
): Promise<void> {
  mkdirSync(dirname(file), { recursive: true });
  const building = `${file}.partial`;
  const readSize = () => statSync(building, { throwIfNoEntry: false })?.size ?? 0;
  const watching = onBytes && setInterval(() => onBytes(readSize()), WATCH_MS);
  try {
    await runTool(
      await findTool('pg_dump', url, bin),
      url,
      ['--format=custom', '--compress=1', '--no-owner', `--file=${building}`],
      { signal },
    );
    syncFile(building);
    renameSync(building, file);
    syncFile(dirname(file));
  } finally {
    clearInterval(watching);
    rmSync(building, { force: true });
  }
}

/** Returns an archive of the tables, functions and so on of a database, without rows. */
export async function dumpSchema(url: string): Promise<Uint8Array> {
  const tool = await findTool('pg_dump', url, undefined);
  return runTool(tool, url, ['--format=custom', '--schema-only'], {});
}

/**
 * Fills an empty database from a dump that this process has just made: what it holds is run as it is. The
 * dump is a file descriptor that is open for reading.
 */
export async function restoreOwnDump(
  url: string,
  dump: number,
  { bin, signal, onBytes }: ToolOptions = {},
): Promise<void> {
  const tool = await findTool('pg_restore', url, bin);
  const watching = onBytes && setInterval(() => onBytes(readPosition(dump)), WATCH_MS);
  try {
    await runTool(tool, url, ['--exit-on-error', '--no-owner'], { stdin: dump, signal });
  } finally {
    clearInterval(watching);
  }
}

async function getServerMajor(url: string): Promise<number> {
  const sql = connect(url, { max: 1 });
  try {
    const { number } = getRow(
      await sql<{ number: number }[]>`select current_setting('server_version_num')::int as number`,
    );
    return Math.floor(number / 10_000);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** Returns what it writes to standard output. */
async function runTool(
  tool: string,
  url: string,
  args: readonly string[],
  {
    stdin = 'ignore',
    signal,
  }: { readonly stdin?: 'ignore' | number; readonly signal?: AbortSignal | undefined },
): Promise<Uint8Array> {
  // A password on the command line could be read by every user of the machine.
  const password = getPassword(url) || process.env['PGPASSWORD'];
  const address = changeAddress(url, { password: '' });
  const child = Bun.spawn(launch([tool, `--dbname=${address}`, ...args], { death: 'KILL' }), {
    env: { ...CHILD_ENV, ...(password && { PGPASSWORD: password }) },
    stdio: [stdin, 'pipe', 'pipe'],
    ...(signal && { signal, killSignal: 'SIGKILL' }),
  });
  const [output, complaints] = await Promise.all([
    new Response(child.stdout).bytes(),
    new Response(child.stderr).text(),
  ]);
  if ((await child.exited) === 0) return output;
  signal?.throwIfAborted();
  throw new Failure(findError(complaints) ?? `${tool} ended with ${child.signalCode}`);
}

function syncFile(path: string): void {
  const fd = openSync(path, 'r');
  fsyncSync(fd);
  closeSync(fd);
}
