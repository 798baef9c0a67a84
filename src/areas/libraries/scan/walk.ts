import { launch } from '../../../core/launch.ts';
import { getMediaType } from '../../../media/formats.ts';
import { compileExclusions, listPrunedFolders } from './exclusions.ts';

export type FoundFile = {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** Modification time, microseconds since 1970. */
  readonly modifiedUs: number;
  readonly inode: string;
};

export type WalkOptions = {
  readonly exclusionPatterns: readonly string[];
  readonly signal: AbortSignal;
};

/** Folders could not be read, or names are not UTF-8: what is in them was not seen. */
export class IncompleteWalkError extends Error {
  override readonly name = 'IncompleteWalkError';
}

const MAX_STDERR = 2_000;

/**
 * Lists the pictures, videos and sounds below a folder in batches, in no order. Symbolic links are not
 * followed. The program `find` does it: it opens no file, holds no list, and does not block us. Throws
 * IncompleteWalkError after the last batch when something could not be seen.
 */
export async function* walkFolder(
  root: string,
  batchSize: number,
  { exclusionPatterns, signal }: WalkOptions,
): AsyncGenerator<FoundFile[]> {
  const isExcluded = compileExclusions(exclusionPatterns);
  const child = Bun.spawn(
    launch(toCommand(root, exclusionPatterns), {
      death: 'KILL',
      files: { read: [root] },
      nice: 10,
    }),
    {
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
      detached: true,
      signal,
      env: { LC_ALL: 'C' },
    },
  );
  const errors = readLimited(child.stderr);
  let batch: FoundFile[] = [];
  let unreadable = 0;
  try {
    for await (const record of readRecords(child.stdout)) {
      const file = parseRecord(root, record);
      if (!file) unreadable += 1;
      else if (getMediaType(file.path) && !isExcluded(file.path)) batch.push(file);
      if (batch.length < batchSize) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  } finally {
    child.kill('SIGKILL');
  }
  signal.throwIfAborted();
  const code = await child.exited;
  const text = await errors;
  if (text !== '' || unreadable > 0 || ![0, null, 137].includes(code)) {
    throw new IncompleteWalkError(
      [text.trim(), unreadable > 0 && `${unreadable} file names are not valid UTF-8`]
        .filter(Boolean)
        .join('\n') || `find has ended with ${code}`,
    );
  }
}

/** Size, time and inode number of each file, its path below the root, and a null character. */
function toCommand(root: string, patterns: readonly string[]): string[] {
  const pruned = listPrunedFolders(patterns).flatMap((name) => ['-o', '-name', name]);
  return [
    'find',
    root,
    '-mindepth',
    '1',
    ...(pruned.length > 0 ? ['-type', 'd', '(', ...pruned.slice(1), ')', '-prune', '-o'] : []),
    '-type',
    'f',
    '-printf',
    String.raw`%s %T@ %i %P\0`,
  ];
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
const RECORD = /^(\d+) (-?\d+)(?:\.(\d+))? (\d+) (.+)$/s;

/** Returns undefined for a name that is not UTF-8. */
function parseRecord(root: string, bytes: Uint8Array): FoundFile | undefined {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return undefined;
  }
  const [, size, seconds, fraction = '', inode, path] = RECORD.exec(text) ?? [];
  if (!path) return undefined;
  return {
    path: `${root === '/' ? '' : root}/${path}`,
    size: Number(size),
    modifiedUs: Number(seconds) * 1_000_000 + Number(fraction.slice(0, 6).padEnd(6, '0')),
    inode: inode!,
  };
}

async function readLimited(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = '';
  const lossy = new TextDecoder();
  for await (const chunk of stream) {
    if (text.length < MAX_STDERR) text += lossy.decode(chunk);
  }
  return text.slice(0, MAX_STDERR);
}
