import { randomUUIDv7 } from 'bun';
import { requireValue } from '../../../core/required.ts';
import { lockAsset } from '../../../inference/subject.store.ts';
import { findVideoSubject, type VideoSubject } from '../video.store.ts';
import type { VideoFrameRow } from '../../../db/tables/videos.ts';
import { getCapabilities } from '../../../inference/index.ts';
import type { Db } from '../../../db/client.ts';
import {
  type Effect,
  type JobHandler,
  type JobCtx,
  JobTimeoutError,
} from '../../../jobs/define.ts';
import { isVerdict } from '../../../jobs/machine-faults.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { MediaError } from '../../../media/errors.ts';
import { findScenes, grabFrame } from '../../../media/frames.ts';
import { findOriginal } from '../../assets/index.ts';
import { probe, type MediaProbe } from '../../../media/probe.ts';
import type { Scene } from '../../../media/scenes.ts';
import { describeFrames, type pickFrames, transcribeVideo } from '../../enrichment-queue/index.ts';
import * as store from '../store.ts';
import * as storage from '../../../storage/index.ts';
import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Deps } from '../../../core/context.ts';
import type { DataPaths } from '../../../core/paths.ts';

/**
 * Detects scenes and writes their frames; existing frames of the same revision are reused and only
 * described again if needed.
 */
export const handlePickFrames: JobHandler<typeof pickFrames> = async (ctx, { assetId, force }) => {
  const video = await findVideoSubject(ctx.db, assetId);
  if (!video || video.isBroken) return undefined;
  const [known, frames] = [
    await store.findEnrichment(ctx.db, assetId),
    await store.listFrames(ctx.db, assetId),
  ];
  const isThere = frames.length > 0 && frames.every(({ source }) => source === video.revision);
  if (isThere && !force && (await areFilesPresent(ctx, frames))) {
    if (known?.models) return undefined;
    return (tx) => enqueue(tx, describeFrames, { assetId });
  }
  const saveFailed = async (tx: Db, reason: string) => {
    await lockAsset(tx, assetId);
    if (await findVideoSubject(tx, assetId)) await store.saveState(tx, assetId, 'failed', reason);
  };
  ctx.onFailed(async (tx, error) => {
    if (error instanceof JobTimeoutError || error instanceof MediaError)
      await saveFailed(tx, error.message);
  });
  try {
    return await findAndWriteFrames(ctx, video, frames, force);
  } catch (error) {
    if (!(error instanceof MediaError) || !(await isVerdict(ctx, error))) throw error;
    ctx.log.warn('cannot extract frames of a video', { assetId, reason: error.message });
    return (tx) => saveFailed(tx, error.message);
  }
};

async function areFilesPresent(ctx: JobCtx, frames: readonly VideoFrameRow[]): Promise<boolean> {
  const found = await Promise.all(
    frames.map(({ name }) => storage.has(ctx, storage.derivedFile(ctx.paths, name))),
  );
  return found.every(Boolean);
}

async function findAndWriteFrames(
  ctx: JobCtx,
  video: VideoSubject,
  before: readonly VideoFrameRow[],
  force = false,
): Promise<Effect> {
  const { assetId, revision } = video;
  // Missing bytes say nothing about the file: a mount may be offline.
  await using original = await findOriginal(ctx, video.sha256);
  if (!original) throw new Error(`The original of ${assetId} is not on the disk`);
  const { signal } = ctx;
  const found = await probe(original.path, { signal });
  const tempDir = await scratchFolder(ctx.paths);
  const scenes = await findScenes(original.path, { tempDir, signal });
  const frames: VideoFrameRow[] = [];
  for (const scene of scenes) {
    ctx.restartTimeLimit();
    const frame = await writeSceneFrame(ctx, video, original.path, found, scene);
    if (frame) frames.push(frame);
  }
  if (frames.length === 0) throw new MediaError('broken', 'No frame can be decoded');
  frames.sort((a, b) => a.rank - b.rank);
  const ranked = frames.map((frame, index) => ({ ...frame, rank: index + 1 }));
  const names = new Set(ranked.map(({ name }) => name));
  return async (tx) => {
    await lockAsset(tx, assetId);
    if (!(await findVideoSubject(tx, assetId)))
      return () => storage.remove(storage.derivedFiles(ctx.paths, [...names]));
    await store.replaceFrames(tx, assetId, revision, ranked);
    await enqueue(tx, describeFrames, { assetId });
    if (getCapabilities(ctx.settings).speech) {
      await enqueue(tx, transcribeVideo, { assetId, ...(force && { force }) });
    }
    const unused = before.map(({ name }) => name).filter((name) => !names.has(name));
    return () => storage.remove(storage.derivedFiles(ctx.paths, unused));
  };
}

/** The name of a file is derived from the contents: a repeated job overwrites its own. */
async function writeSceneFrame(
  ctx: JobCtx,
  { assetId, revision }: VideoSubject,
  path: string,
  found: MediaProbe,
  { atMs, startMs, endMs, rank, score }: Scene,
): Promise<VideoFrameRow | undefined> {
  const kind = `frame-${revision.slice(0, 8)}-${atMs}`;
  const video = requireValue(found.video, 'stream of pictures');
  const file = await writeFrame(ctx, { assetId, kind }, (target) =>
    grabFrame(path, target, { atMs, video, signal: ctx.signal }),
  );
  const scene = { atMs, startMs, endMs, rank, score };
  const made = { id: randomUUIDv7(), assetId, source: revision, vectorModel: null };
  return file && { ...made, ...scene, ...file };
}

/** Returns the folder for incomplete files, on the file system of the derived files. */
async function scratchFolder(paths: DataPaths): Promise<string> {
  const folder = storage.getScratchFolder(paths);
  await mkdir(folder, { recursive: true });
  return folder;
}

/**
 * Writes a frame and renames it once `make` has completed it; undefined when `make` returns false.
 */
async function writeFrame(
  deps: Pick<Deps, 'db' | 'sql' | 'settings' | 'paths'>,
  { assetId, kind }: { readonly assetId: string; readonly kind: string },
  make: (target: string) => Promise<boolean>,
): Promise<{ readonly name: string; readonly size: number; readonly tag: string } | undefined> {
  const from = join(await scratchFolder(deps.paths), `${randomUUID()}.jpg`);
  try {
    if (!(await make(from))) return undefined;
    const bytes = await Bun.file(from).bytes();
    const name = await storage.putDerived(deps, from, { id: assetId, kind, extension: 'jpg' });
    await storage.place(deps, from, storage.derivedFile(deps.paths, name));
    return { name, size: bytes.length, tag: Bun.hash(bytes).toString(36) };
  } finally {
    await rm(from, { force: true });
  }
}
