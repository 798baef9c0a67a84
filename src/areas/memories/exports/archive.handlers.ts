import { type FileHandle, open } from 'node:fs/promises';
import { reach } from '../../../core/fault-points.ts';
import type { JobHandler } from '../../../jobs/define.ts';
import { runThrottled } from '../../../jobs/throttle.ts';
import { createWriter } from '../../../media/file-writer.ts';
import {
  createZipStream,
  findFiles,
  isFileComplete,
  type ArchivedFile,
} from '../../downloads/index.ts';
import { sumSizes } from './domain.ts';
import { getPartPath, makeExportFolder, placeFile } from './export-files.ts';
import type { exportArchive } from './jobs.ts';
import {
  executeRun,
  type RunCtx,
  RunFailed,
  type RunWork,
  saveProgress,
  saveRunSources,
} from './run.domain.ts';
import { requireExportSpace } from '../../../core/export-space.ts';
import * as store from './store.ts';

/** Steps end at the first chunk after it. */
const STEP_MS = 200;
/** Bytes after which they are pushed to the disk, so that the end is quick. */
const PUSH_BYTES = 64 * 1024 ** 2;

export const handleExportArchive: JobHandler<typeof exportArchive> = (ctx, { operationId }) =>
  executeRun(ctx, operationId, writeArchive);

/** Writes from the beginning, also after a crash: what was written then may not be on the disk. */
const writeArchive: RunWork = async (ctx, run, { assetIds }) => {
  requireExportSpace(ctx, await sumSizes(ctx, assetIds));
  await makeExportFolder(ctx.paths);
  const file = await open(getPartPath(ctx.paths, run.id), 'w', 0o600);
  try {
    const stream = createZipStream(ctx, listFiles(ctx, run.id, assetIds));
    const size = await writeStream(ctx, file, stream);
    reach('export.written');
    await file.sync();
    await placeFile(ctx.paths, run);
    return size;
  } finally {
    await file.close();
  }
};

/**
 * Yields the originals, asset by asset, and saves the progress. An asset without its file is skipped. One that is
 * locked, trashed or deleted meanwhile ends the run, since it may be in the file already.
 */
async function* listFiles(
  ctx: RunCtx,
  id: string,
  assetIds: readonly string[],
): AsyncGenerator<ArchivedFile> {
  const progress = { total: assetIds.length, processed: 0, skipped: 0 };
  const found = await store.findExportable(ctx.db, ctx.session, assetIds);
  const videoIds = found.flatMap(({ liveVideoId }) => liveVideoId ?? []);
  const sourceIds = new Set([...found.map(({ id }) => id), ...videoIds]);
  await saveRunSources(ctx, id, sourceIds, progress);
  for (const assetId of assetIds) {
    const files = await findStored(ctx, assetId);
    yield* files;
    progress[files.length > 0 ? 'processed' : 'skipped'] += 1;
    await saveProgress(ctx, id, progress);
  }
  if (progress.processed === 0) throw new RunFailed('None of the items can be exported any more');
}

/** Returns the original, and the video half of a live photo behind it; none if it is gone. */
async function findStored(ctx: RunCtx, assetId: string): Promise<ArchivedFile[]> {
  const [asset] = await store.findExportable(ctx.db, ctx.session, [assetId]);
  if (!asset) return [];
  const ids = [asset.id, ...(asset.liveVideoId ? [asset.liveVideoId] : [])];
  const found = await findFiles(ctx, ids, { edited: false });
  const files: ArchivedFile[] = [];
  for (const one of ids) {
    const stored = found.get(one);
    const isThere = stored !== undefined && (await isFileComplete(ctx, stored));
    if (isThere) files.push(stored);
    else if (one === assetId) return [];
  }
  return files;
}

async function writeStream(
  ctx: RunCtx,
  file: FileHandle,
  stream: ReadableStream<Uint8Array>,
): Promise<number> {
  const writer = createWriter(file, { pushBytes: PUSH_BYTES });
  const reader = stream.getReader();
  try {
    await runThrottled(ctx, async () => {
      for (const until = performance.now() + STEP_MS; performance.now() < until;) {
        const { done, value } = await reader.read();
        if (done) return false;
        await writer.write(value);
      }
      return true;
    });
    await writer.flush();
    return writer.end;
  } finally {
    await reader.cancel().catch(() => {});
    await writer.idle();
  }
}
