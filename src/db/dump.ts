import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure } from '../core/command-line.ts';
import { connect } from './address.ts';
import { installedMajors } from './cluster/binaries.ts';

type ToolOptions = {
  /** Folder of the tool; else that of the version that fits the server. */
  readonly bin?: string;
  readonly signal?: AbortSignal;
  readonly onBytes?: OnBytes;
};

async function findTool(name: 'pg_dump' | 'pg_restore', url: string, bin: string | undefined) {
  if (bin === undefined) return findClientTool(name, await getServerMajor(url));
  const path = join(bin, name);
  if (existsSync(path)) return path;
  throw new Failure(`${path} is missing: install the client tools of that PostgreSQL`);
}

/** pg_dump refuses a server newer than itself; an older one it can read. */
export function findClientTool(name: 'pg_dump' | 'pg_restore', serverMajor: number): string {
  const majors = installedMajors();
  const major = majors.includes(serverMajor)
    ? serverMajor
    : majors.find((candidate) => candidate > serverMajor);
  const path = join('/usr/lib/postgresql', String(major), 'bin', name);
  if (major !== undefined && existsSync(path)) return path;
  throw new Failure(
    `${name} for PostgreSQL ${serverMajor} is not installed. ` +
      `Run 'apt-get install postgresql-client-${serverMajor}'.`,
  );
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

/** Fills an empty database from a dump, given as a file descriptor that is open for reading. */
export async function restoreDump(
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

/** The tool reads from the same open file, so that its position is ours: proc_pid_fdinfo(5). */
const readPosition = (fd: number): number =>
  Number(/^pos:\s*(\d+)/.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1] ?? 0);

async function getServerMajor(url: string): Promise<number> {
  const sql = connect(url, { max: 1 });
  try {
    const [row] = await sql<{ number: number }[]>`
      select current_setting('server_version_num')::int as number`;
    return Math.floor(row!.number / 10_000);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

async function runTool(
  tool: string,
  url: string,
  args: readonly string[],
  {
    stdin = 'ignore',
    signal,
  }: { readonly stdin?: 'ignore' | number; readonly signal?: AbortSignal | undefined },
): Promise<void> {
  // A password on the command line could be read by every user of the machine.
  const address = new URL(url);
  const password = decodeURIComponent(address.password);
  address.password = '';
  const child = Bun.spawn([tool, `--dbname=${address.href}`, ...args], {
    env: { ...process.env, ...(password ? { PGPASSWORD: password } : {}) },
    stdio: [stdin, 'ignore', 'pipe'],
    ...(signal && { signal, killSignal: 'SIGKILL' }),
  });
  const words = await new Response(child.stderr).text();
  if ((await child.exited) === 0) return;
  signal?.throwIfAborted();
  // Its first complaint; what follows are statements, and consequences.
  throw new Failure(words.split('\n').find((line) => line.includes('error:')) ?? words.trim());
}

function syncFile(path: string): void {
  const fd = openSync(path, 'r');
  fsyncSync(fd);
  closeSync(fd);
}
