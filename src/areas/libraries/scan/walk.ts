import { guardPath } from '../../../core/guarded-path.ts';
import { getInputPath, launch } from '../../../core/launch.ts';
import { isKnownFile } from './known-files.ts';
import { compileExclusions, listPrunedFolders } from './exclusions.ts';

export type FoundFile = {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** Modification time, microseconds since 1970. */
  readonly modifiedUs: number;
  /** Last change of its content or its attributes, which no program can set; milliseconds since 1970. */
  readonly changedMs: number;
  readonly inode: string;
};

export type WalkOptions = {
  readonly exclusionPatterns: readonly string[];
  /** Without the folders below. */
  readonly isShallow?: boolean;
  readonly signal: AbortSignal;
};

/** Folders could not be read, or names are not UTF-8: what is in them was not seen. */
export class IncompleteWalkError extends Error {
  override readonly name = 'IncompleteWalkError';
}

const MAX_STDERR = 2_000;

/**
 * Lists the pictures, videos, sounds and sidecars in a folder and, unless `isShallow`, below it, in batches, in no
 * order. Symbolic links are not followed. Throws IncompleteWalkError after the last batch when something
 * could not be seen.
 */
export async function* walkFolder(
  root: string,
  batchSize: number,
  { exclusionPatterns, isShallow = false, signal }: WalkOptions,
): AsyncGenerator<FoundFile[]> {
  const isExcluded = compileExclusions(exclusionPatterns);
  const depth = ['-mindepth', '1', ...(isShallow ? ['-maxdepth', '1'] : [])];
  const wanted = ['-type', 'f', '-printf', String.raw`%s %T@ %C@ %i %P\0`];
  // The folder that is opened, whatever its path leads to meanwhile.
  const guarded = guardPath(root);
  const command = ['find', `${guarded}/.`, ...depth, ...toPruning(exclusionPatterns), ...wanted];
  let unreadable = 0;
  let batch: FoundFile[] = [];
  const faults: string[] = [];
  const onFault = (text: string) => faults.push(text.replaceAll(`${getInputPath(0)}/.`, root));
  for await (const record of runFind([guarded], command, signal, onFault)) {
    const file = parseRecord(root, record);
    if (!file) unreadable += 1;
    else if (isKnownFile(file.path) && !isExcluded(file.path)) batch.push(file);
    if (batch.length < batchSize) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
  if (unreadable > 0) faults.push(`${unreadable} file names are not valid UTF-8`);
  if (faults.length > 0) throw new IncompleteWalkError(faults.join('\n'));
}

/** Lists folders and those below them in batches, without those that cannot be seen. */
export async function* listFolders(
  starts: readonly string[],
  batchSize: number,
  { exclusionPatterns, signal }: Omit<WalkOptions, 'isShallow'>,
): AsyncGenerator<string[]> {
  const wanted = ['-type', 'd', '-printf', String.raw`%p\0`];
  const command = ['find', ...starts, ...toPruning(exclusionPatterns), ...wanted];
  let batch: string[] = [];
  for await (const record of runFind(starts, command, signal, () => {})) {
    const path = decodePath(record);
    if (path !== undefined) batch.push(path);
    if (batch.length < batchSize) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Leaves out folders as a whole. */
function toPruning(patterns: readonly string[]): string[] {
  const pruned = listPrunedFolders(patterns).flatMap((name) => ['-o', '-name', name]);
  return pruned.length > 0 ? ['-type', 'd', '(', ...pruned.slice(1), ')', '-prune', '-o'] : [];
}

/**
 * Yields what the program `find` writes, up to each null character: it opens no file, holds no list, and
 * does not block us.
 */
async function* runFind(
  folders: readonly string[],
  command: readonly string[],
  signal: AbortSignal,
  onFault: (text: string) => void,
): AsyncGenerator<Uint8Array> {
  const child = Bun.spawn(launch(command, { death: 'KILL', files: { read: folders }, nice: 10 }), {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    cwd: '/',
    signal,
    env: { LC_ALL: 'C' },
  });
  const errors = readLimited(child.stderr);
  try {
    yield* readRecords(child.stdout);
  } finally {
    child.kill('SIGKILL');
  }
  signal.throwIfAborted();
  const code = await child.exited;
  const text = (await errors).trim();
  if (text !== '') onFault(text);
  else if (![0, null, 137].includes(code)) onFault(`find has ended with ${code}`);
}

/** Splits at null characters. */
async function* readRecords(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  let rest = new Uint8Array(0);
  for await (const chunk of stream) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let from = 0;
    for (let end; (end = bytes.indexOf(0, from)) >= 0; from = end + 1) {
      yield bytes.subarray(from, end);
    }
    rest = Uint8Array.from(bytes.subarray(from));
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true });
const RECORD = /^(\d+) (-?\d+)(?:\.(\d+))? (-?[\d.]+) (\d+) (.+)$/s;

/** Returns undefined for a name that is not UTF-8. */
function parseRecord(root: string, bytes: Uint8Array): FoundFile | undefined {
  const [, size, seconds, fraction = '', changed, inode, path] =
    RECORD.exec(decodePath(bytes) ?? '') ?? [];
  if (!path || !inode) return undefined;
  return {
    path: `${root === '/' ? '' : root}/${path}`,
    size: Number(size),
    modifiedUs: Number(seconds) * 1_000_000 + Number(fraction.slice(0, 6).padEnd(6, '0')),
    changedMs: Number(changed) * 1000,
    inode,
  };
}

function decodePath(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

async function readLimited(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = '';
  const lossy = new TextDecoder();
  for await (const chunk of stream) {
    if (text.length < MAX_STDERR) text += lossy.decode(chunk);
  }
  return text.slice(0, MAX_STDERR);
}
