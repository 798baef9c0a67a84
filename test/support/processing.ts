import { createHash, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Lane } from '../../src/core/lanes.ts';
import type { JobCtx } from '../../src/jobs/define.ts';
import { type HandlersByLane, jobs } from '../../src/job-registry.ts';
import { runLane } from '../../src/jobs/run.ts';
import { originalPath } from '../../src/storage/stored-file.ts';
import { getMediaType } from '../../src/media/formats.ts';
import { type NewAsset, seed, type TestDatabase, testDatabase } from './harness.ts';

/** A fresh database, and a folder for files to add. `close` also ends the tools that read media. */
export async function openMediaLibrary() {
  const database = await testDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'safelight-media-'));
  const close = async () => {
    await database.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { database, folder, close };
}

/** As an upload leaves it: the bytes in their place, and the row of the asset. */
export async function addFile(
  database: TestDatabase,
  file: string | { readonly name: string; readonly bytes: Uint8Array },
  asset: NewAsset,
): Promise<string> {
  const bytes = typeof file === 'string' ? await Bun.file(file).bytes() : file.bytes;
  const fileName = typeof file === 'string' ? basename(file) : file.name;
  const sha256 = createHash('sha256').update(bytes).digest();
  const path = originalPath(database.deps.paths, sha256);
  await mkdir(dirname(path), { recursive: true });
  await Bun.write(path, bytes);
  return seed(database).asset({
    fileName,
    type: getMediaType(fileName) ?? 'OTHER',
    sha256,
    sha1: createHash('sha1').update(bytes).digest(),
    fileSize: bytes.length,
    ...asset,
  });
}

/** Runs what waits in one lane until nothing is left that can run now. */
export async function drainLane<L extends Lane>(
  database: TestDatabase,
  lane: L,
  handlers: HandlersByLane<L>,
): Promise<void> {
  const { promise: idle, resolve } = Promise.withResolvers<void>();
  const run = runLane({
    deps: database.deps,
    lane,
    worker: randomUUID(),
    jobs,
    handlers,
    concurrency: 2,
    onIdle: resolve,
  });
  await idle;
  await run.stop(0);
}

export const jobCtx = (database: TestDatabase, over: Partial<JobCtx> = {}): JobCtx => ({
  ...database.deps,
  signal: new AbortController().signal,
  isLastAttempt: true,
  onFailed: () => {},
  restartTimeLimit: () => {},
  ...over,
});

export const derivedPath = (database: TestDatabase, name: string): string =>
  join(database.deps.paths.derived, name);
