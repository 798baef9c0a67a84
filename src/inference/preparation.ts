import { randomUUID } from 'node:crypto';
import { mkdirSync, realpathSync, statSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DiskFullError } from '../core/disk-errors.ts';
import { syncFolder } from '../core/json-file.ts';
import { watchProcess, type WatchEnd } from '../media/process-stat.ts';
import { explainEnd, getLastLine, readTail, spawnTool } from '../media/tool-process.ts';
import { computeSha256 } from '../core/hash.ts';
import { findModels } from './models/installed.ts';
import {
  chooseRecipe,
  findPrepared,
  getPreparedFolder,
  listPreparable,
  listPrepared,
  type Machine,
  namePrepared,
  PREPARATION,
  type Recipe,
} from './models/prepared.ts';
import { detectFastIntegers } from './models/processor.ts';

const MIB = 1024 ** 2;
/** Seconds of processor time that a gigabyte of weights takes several times over. */
const CPU_SECONDS = 600;
const MEMORY_CHECK_MS = 200;
/** Prepared files of no installed model are kept so long: other machines may have other models. */
const LEFTOVER_MS = 30 * 24 * 60 * 60_000;
/** No preparation takes so long. */
const PART_MS = 60 * 60_000;

/**
 * Prepares the installed models of these folders for a machine, by default the processor of this one, into the first of
 * them. Files that are prepared stay.
 * Returns the published files that could not be prepared, each with the reason.
 */
export async function prepareModels(
  folders: readonly string[],
  machine: Machine = { provider: 'cpu', hasFastIntegers: detectFastIntegers() },
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, Error>> {
  const faults = new Map<string, Error>();
  const [root = ''] = folders;
  for (const { use, path } of listPreparable(findModels(folders))) {
    signal?.throwIfAborted();
    const recipe = chooseRecipe(use, machine);
    try {
      if (!recipe || (await findPrepared(folders, path, recipe)) !== undefined) continue;
      await prepareFile(path, recipe, getPreparedFolder(root));
    } catch (error) {
      faults.set(path, error as Error);
    }
  }
  // The next preparation removes those that cannot be removed now.
  await removeLeftovers(folders, LEFTOVER_MS).catch(() => undefined);
  return faults;
}

/** Removes prepared files from the first folder that are older and of no model that is installed in the folders. */
export async function removeLeftovers(folders: readonly string[], ageMs = 0): Promise<void> {
  const folder = getPreparedFolder(folders[0] ?? '');
  const paths = listPreparable(findModels(folders)).map(({ path }) => path);
  const digests = new Set(await Promise.all(paths.map((path) => computeSha256(Bun.file(path)))));
  const isNeeded = (name: string): boolean => {
    const [digest = '', version] = /^([\da-f]{64})-[a-z-]+-(\d+)-/.exec(name)?.slice(1) ?? [];
    return digests.has(digest) && Number(version) >= PREPARATION;
  };
  for (const name of listPrepared(folder)) {
    const path = join(folder, name);
    const changedMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    const leastMs = name.endsWith('.part') ? PART_MS : ageMs;
    if (!isNeeded(name) && Date.now() - changedMs >= leastMs) await rm(path, { force: true });
  }
}

/** The file gets its name when it is complete and on the disk. */
async function prepareFile(path: string, recipe: Recipe, folder: string): Promise<void> {
  const source = await computeSha256(Bun.file(path));
  mkdirSync(folder, { recursive: true });
  const part = join(folder, `${randomUUID()}.part`);
  try {
    const own = await writePrepared([recipe, source, realpathSync(path)], part);
    await rename(part, join(folder, namePrepared(source, recipe, own)));
    syncFolder(folder);
  } finally {
    await rm(part, { force: true });
  }
}

/** Writes a TFLite model as ONNX. */
export async function convertTfliteFile(
  path: string,
  target: string,
  extraOutputs: readonly string[] = [],
): Promise<void> {
  const digest = await computeSha256(Bun.file(path));
  await writePrepared(['tflite', digest, realpathSync(path), ...extraOutputs], target);
}

type Arguments = readonly [recipe: string, digest: string, path: string, ...more: string[]];

/**
 * Rewrites a file in a confined child, since its bytes are those of strangers. Returns the digest of what it has made,
 * which may be nothing.
 */
async function writePrepared(args: Arguments, target: string): Promise<string> {
  const path = args[2];
  const { size } = statSync(path);
  const child = spawnTool(
    ['prepare-model', ...args],
    { cpuSeconds: CPU_SECONDS, nice: 10, files: { read: [path] } },
    { stdin: 'ignore', stderr: 'pipe' },
  );
  let cause: WatchEnd | undefined;
  const watch = watchProcess(child.stat, (end) => {
    cause ??= end;
    child.kill();
  });
  const memoryBytes = 512 * MIB + 8 * size;
  const timer = setInterval(() => {
    if (child.residentBytes() > memoryBytes) child.kill();
  }, MEMORY_CHECK_MS);
  try {
    const [own, stderr] = await Promise.all([
      save(child.stdout, target, 64 * MIB + 8 * size),
      readTail(child.stderr),
    ]);
    const code = await child.exited;
    const tool = 'The preparation of a model';
    const end = explainEnd(child, tool, { cause, stderr });
    if (end) throw end;
    if (code !== 0) throw new Error(getLastLine(stderr) || `${tool} ended with ${code}`);
    return own;
  } finally {
    clearInterval(timer);
    watch.stop();
    child.kill();
  }
}

/** Returns the digest of what it saves. */
async function save(
  stream: ReadableStream<Uint8Array>,
  target: string,
  maxBytes: number,
): Promise<string> {
  const file = await open(target, 'w');
  const hash = new Bun.CryptoHasher('sha256');
  let size = 0;
  try {
    for await (const chunk of stream) {
      size += chunk.length;
      if (size > maxBytes) throw new Error('The prepared model is larger than is plausible');
      hash.update(chunk);
      const { bytesWritten } = await file.write(chunk);
      if (bytesWritten < chunk.length) throw new DiskFullError(`There is no space for ${target}`);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return hash.digest('hex');
}
