import { dlopen } from 'bun:ffi';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { Failure } from '../core/command-line.ts';
import { launch } from '../core/launch.ts';
import { CHILD_ENV } from './cluster/launch.ts';
import { findNewestTool } from './tools.ts';

// Archives of pg_dump come from anybody, and hold SQL that pg_restore runs as it is. So pg_restore has no
// connection to a database here: it turns an archive into text, confined like a decoder.

/** A file that is open for reading, or the bytes themselves. */
export type Archive = number | Uint8Array;

type Options = {
  readonly signal?: AbortSignal | undefined;
};

const LIMITS = { cpuSeconds: 4 * 3600, dataBytes: 512 * 1024 ** 2, fileBytes: 0 };
const MAX_ERROR_BYTES = 16 * 1024;

/** Yields what pg_restore makes of an archive. Throws Failure with its first error. */
export const convertArchive = (
  archive: Archive,
  args: readonly string[],
  options: Options = {},
): AsyncGenerator<Uint8Array> => convert([findNewestTool('pg_restore'), ...args], archive, options);

/** Yields what a tool makes of a dump from anybody, confined like a decoder. Throws Failure with its first error. */
export async function* convert(
  tool: readonly [string, ...string[]],
  archive: Archive,
  { signal }: Options = {},
): AsyncGenerator<Uint8Array> {
  if (typeof archive === 'number') rewind(archive);
  const command = launch(tool, { ...LIMITS, death: 'KILL', files: {} });
  const child = Bun.spawn(command, {
    cwd: '/',
    env: CHILD_ENV,
    stdio: [archive, 'pipe', 'pipe'],
    ...(signal && { signal, killSignal: 'SIGKILL' }),
  });
  const complaints = readHead(child.stderr);
  try {
    yield* child.stdout;
    if ((await child.exited) === 0) return;
    signal?.throwIfAborted();
    const reason =
      findError(await complaints) ?? `${basename(tool[0])} ended with ${child.signalCode}`;
    throw new Failure(`The dump cannot be read: ${reason}`);
  } finally {
    child.kill('SIGKILL');
  }
}

/** The whole text. Throws Failure where it has more bytes. */
export async function readArchive(
  archive: Archive,
  args: readonly string[],
  maxBytes: number,
): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of convertArchive(archive, args)) {
    size += chunk.length;
    if (size > maxBytes) throw new Failure('The dump holds more than a backup of Safelight');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Returns the first complaint of a tool; what follows are statements, and consequences. */
export const findError = (text: string): string | undefined =>
  text.split('\n').find((line) => line.includes('error:')) ?? (text.trim() || undefined);

/** Reads all, and returns its beginning. */
async function readHead(stream: ReadableStream<Uint8Array>): Promise<string> {
  let head = Buffer.alloc(0);
  for await (const chunk of stream) {
    if (head.length < MAX_ERROR_BYTES) head = Buffer.concat([head, chunk]);
  }
  return head.subarray(0, MAX_ERROR_BYTES).toString();
}

/** The tool reads from the same open file, so that its position is ours: proc_pid_fdinfo(5). */
export const readPosition = (fd: number): number =>
  Number(/^pos:\s*(\d+)/.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1] ?? 0);

const SEEK_SET = 0;

/** To the position at which the tool expects the file; without effect on a pipe. */
function rewind(fd: number): void {
  const libc = dlopen('libc.so.6', { lseek: { args: ['i32', 'i64', 'i32'], returns: 'i64' } });
  libc.symbols.lseek(fd, 0, SEEK_SET);
  libc.close();
}
