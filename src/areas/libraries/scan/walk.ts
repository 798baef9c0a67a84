import { guardPath } from '../../../core/guarded-path.ts';
import { getInputPath, launch } from '../../../core/launch.ts';
import { isKnownFile } from './known-files.ts';
import { compileExclusions, compileFolderExclusions, listPrunedFolders } from './exclusions.ts';

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
  /** Told what is not seen. */
  readonly report?: WalkReport;
};

/** Lines for people about things that a walk does not see. */
export type WalkReport = {
  /** Folders that could not be read. */
  readonly faults: string[];
  /** Files and folders that are skipped: links, and names that are no text. */
  readonly notes: string[];
};

export const createWalkReport = (): WalkReport => ({ faults: [], notes: [] });

const MAX_STDERR = 2_000;

/**
 * Lists the pictures, videos, sounds and sidecars in a folder and, unless `isShallow`, below it, in batches, in no
 * order. Symbolic links are not followed.
 */
export async function* walkFolder(
  root: string,
  batchSize: number,
  { exclusionPatterns, isShallow = false, signal, report = createWalkReport() }: WalkOptions,
): AsyncGenerator<FoundFile[]> {
  const isExcluded = compileExclusions(exclusionPatterns);
  const isExcludedFolder = compileFolderExclusions(exclusionPatterns);
  const isLeftOut = (path: string) => isExcluded(path) || isExcludedFolder(path);
  const isWanted = (path: string) => isKnownFile(path) && !isExcluded(path);
  const depth = ['-mindepth', '1', ...(isShallow ? ['-maxdepth', '1'] : [])];
  const wanted = ['(', '-type', 'f', '-o', '-type', 'l', ')'];
  const shown = ['-printf', String.raw`%y %s %T@ %C@ %i %P\0`];
  // The folder that is opened, whatever its path leads to meanwhile.
  const guarded = guardPath(root);
  const pruning = toPruning(exclusionPatterns);
  const command = ['find', `${guarded}/.`, ...depth, ...pruning, ...wanted, ...shown];
  const links = createSkipped();
  const illegible = createSkipped();
  let batch: FoundFile[] = [];
  const onFault = (text: string) => report.faults.push(...listFaults(text, root));
  for await (const record of runFind([guarded], command, signal, onFault)) {
    const { isLink, file, isText } = parseRecord(root, record);
    if (isLink) {
      if (isWanted(file.path) || (mayBeFolder(file.path) && !isLeftOut(file.path)))
        links.add(file.path);
    } else if (!isWanted(file.path)) continue;
    else if (isText) batch.push(file);
    else illegible.add(file.path);
    if (batch.length < batchSize) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
  report.notes.push(
    ...links.describe('Symbolic links are not followed', 'add what they lead to as import paths'),
    ...illegible.describe('Names are not valid UTF-8', 'these files can be shown once renamed'),
  );
}

/**
 * Whether a link has the name of a folder: `trip`, `2024.08`. It is not looked at, as that could wait for a share that is
 * away.
 */
const mayBeFolder = (path: string): boolean => !/\.[a-z]\w{1,4}$/i.test(path);

/** Counts what is skipped. */
function createSkipped() {
  let count = 0;
  let first = '';
  return {
    add(path: string) {
      if (count++ === 0) first = path;
    },
    describe: (what: string, advice: string): string[] =>
      count === 0 ? [] : [`${what} (${count}), such as ${first}: ${advice}`],
  };
}

/** Returns the lines of find(1), with the paths as they are. One about what went away meanwhile is no fault. */
const listFaults = (text: string, root: string): string[] =>
  text
    .split('\n')
    .filter((line) => !line.endsWith(': No such file or directory'))
    .map((line) => unescapeLine(line).replaceAll(`${getInputPath(0)}/.`, root));

/** In the locale C find writes `\303\251` for "é" and `\'` for a quotation mark. */
const unescapeLine = (line: string): string =>
  Buffer.from(
    line.replaceAll(/\\(?:([0-7]{3})|(.))/g, (_, octal: string | undefined, other: string) =>
      octal === undefined ? other : String.fromCharCode(Number.parseInt(octal, 8)),
    ),
    'latin1',
  ).toString();

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
const lossyDecoder = new TextDecoder();
const RECORD = /^(.) (\d+) (-?\d+)(?:\.(\d+))? (-?[\d.]+) (\d+) (.+)$/s;

type FoundRecord = {
  readonly isLink: boolean;
  readonly file: FoundFile;
  /** False: its name is not UTF-8, and `path` no path. */
  readonly isText: boolean;
};

function parseRecord(root: string, bytes: Uint8Array): FoundRecord {
  const text = decodePath(bytes);
  const record = text ?? lossyDecoder.decode(bytes);
  const [, kind = '', size, seconds, fraction = '', changed, inode = '', path = ''] =
    RECORD.exec(record) ?? [];
  const file = {
    path: `${root === '/' ? '' : root}/${path}`,
    size: Number(size),
    modifiedUs: Number(seconds) * 1_000_000 + Number(fraction.slice(0, 6).padEnd(6, '0')),
    changedMs: Number(changed) * 1000,
    inode,
  };
  return { isLink: kind === 'l', file, isText: text !== undefined };
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
