import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { requireExportSpace } from '../../../../core/export-space.ts';
import { pickLanguage } from '../../../../core/languages.ts';
import { probeEncoders } from '../../../../media/encoders.ts';
import { toEven } from '../../../../media/sizes.ts';
import { makeFilm, type Source, watchWhile, requireDecodable } from '../../../studio/index.ts';
import type { OwnMemory } from '../../visible.domain.ts';
import { isRunning } from '../../../../operations/files.store.ts';
import { FILM_SPACE_BYTES } from '../domain.ts';
import { getFilmDate, getFilmOptions } from '../options.ts';
import { getFilePath, getWorkFolder, makeExportFolder } from '../export-files.ts';
import {
  type Progress,
  type RunCtx,
  RunEnded,
  RunFailed,
  type RunWork,
  saveProgress,
  tryProgress,
  saveRunSources,
} from '../run.domain.ts';
import { toDocument, toShown } from './document.ts';
import {
  NOTHING_TO_SHOW,
  planItems,
  writeTexts,
  findStill,
  locatePicture,
  type SizedItem,
} from './items.domain.ts';
import { FADE_FRAMES, type FilmItem } from './plan.ts';
import { isMachineFault } from '../../../../jobs/machine-faults.ts';
import { MediaError, isPermanent } from '../../../../media/errors.ts';
import { probe, type VideoStream } from '../../../../media/probe.ts';
import { findHeldOriginal } from '../../../assets/index.ts';
import * as storage from '../../../../storage/index.ts';

const CHECK_MS = 250;
/** Nobody sees the difference to less while everything moves, which would be a fifth larger. */
const RATE_FACTOR = 21;

/**
 * Makes the film of a memory, as the studio makes films, its frames so many times the size of its canvas. A run that
 * was interrupted goes on behind the parts that it has finished, unless there is something else to show meanwhile.
 */
export const createFilmWork =
  (scale: number, findEncoders: typeof probeEncoders): RunWork =>
  async (ctx, run, memory) => {
    requireExportSpace(ctx, FILM_SPACE_BYTES);
    const { work, videos } = await openFolders(ctx, run.id);
    const { items, document, sources, skipped } = await describeFilm(ctx, run, memory, videos);
    const [width, height] = [toEven(document.width * scale), toEven(document.height * scale)];
    const frame = { width, height };
    await discardOutdatedParts(work, { frame, document, items });
    const progress = { total: countShown(items) + skipped, processed: 0, skipped };
    const target = getFilePath(ctx.paths, run);
    const film = { document, sources, studio: videos, size: frame };
    const order = {
      film,
      title: memory.title,
      work,
      target,
      silence: true,
      createdAt: getFilmDate(memory),
      rateFactor: RATE_FACTOR,
    };
    return runWatched(ctx, run.id, progress, (watched, onProcessed) => {
      const onFrames = (made: number) => onProcessed(countMade(items, made));
      return makeFilm(watched, { ...order, onFrames }, findEncoders);
    });
  };

/** Returns the folder of the studio's work, and one for what is remembered of videos, which is empty. */
async function openFolders({ paths }: RunCtx, id: string) {
  await makeExportFolder(paths);
  const folder = getWorkFolder(paths, id);
  const videos = join(folder, 'videos');
  // A video may have been encoded meanwhile.
  await rm(videos, { recursive: true, force: true });
  await mkdir(videos, { recursive: true, mode: 0o700 });
  return { work: join(folder, 'film'), videos };
}

/** Returns what the film shows, and saves of which assets it is made. Throws RunFailed if it can show nothing. */
async function describeFilm(ctx: RunCtx, run: Run, memory: OwnMemory, videos: string) {
  const plan = await planItems(ctx.db, ctx.session, memory.assetIds);
  if (plan.length === 0) throw new RunFailed(NOTHING_TO_SHOW);
  await saveRunSources(ctx, run.id, new Set(plan.map(({ asset }) => asset.id)));
  const found = await findSources(ctx, plan, videos);
  const items = found.map(({ item }) => item);
  const skipped = countShown(plan) - countShown(items);
  if (countShown(items) === 0) throw new RunFailed(NOTHING_TO_SHOW);
  const options = getFilmOptions(run);
  const language = pickLanguage(run.payload.language);
  const texts = await writeTexts(found, memory, { language, format: options.format });
  const document = toDocument(texts, options);
  return { items, document, sources: listSources(found), skipped };
}

type Run = Parameters<RunWork>[1];

/** Returns the files by asset; the picture of a video that is shown is found beside it. */
const listSources = (found: readonly FoundItem[]): Map<string, Source> =>
  new Map(
    found
      .toSorted((a, b) => Number(a.item.kind === 'video') - Number(b.item.kind === 'video'))
      .map(({ source }) => [source.id, source]),
  );

/** Empties the folder unless its parts are of the same plan. */
async function discardOutdatedParts(work: string, plan: object): Promise<void> {
  const file = Bun.file(join(work, 'plan.json'));
  const text = JSON.stringify(plan);
  if ((await file.exists()) && (await file.text()) === text) return;
  await rm(work, { recursive: true, force: true });
  await mkdir(work, { recursive: true, mode: 0o700 });
  await Bun.write(join(work, 'plan.json'), text);
}

/** Counts the items that are no titles. */
const countShown = (items: readonly FilmItem[]): number =>
  items.filter(({ kind }) => kind !== 'title').length;

/** Counts the items that are no titles among those that are complete when so many frames are made. */
function countMade(items: readonly FilmItem[], made: number): number {
  let end = 0;
  return countShown(items.filter(({ frames }) => (end += frames - FADE_FRAMES) <= made));
}

/** Saves meanwhile how many items are processed. Throws RunEnded once the run was cancelled or deleted. */
async function runWatched<T>(
  ctx: RunCtx,
  id: string,
  progress: Progress,
  work: (ctx: RunCtx, onProcessed: (processed: number) => void) => Promise<T>,
): Promise<T> {
  let { processed } = progress;
  let saved = -1;
  const watch = watchWhile(async () => {
    if (processed === saved) return isRunning(ctx.db, id);
    saved = processed;
    return tryProgress(ctx.db, id, { ...progress, processed });
  }, CHECK_MS);
  try {
    const signal = AbortSignal.any([ctx.signal, watch.signal]);
    const result = await work({ ...ctx, signal }, (count) => void (processed = count));
    await saveProgress(ctx, id, { ...progress, processed });
    return result;
  } catch (error) {
    if (watch.signal.aborted) throw new RunEnded();
    throw error;
  } finally {
    watch.stop();
  }
}

/** Items that are looked at. */
const AT_ONCE = 2;

/** An item with the file that shows it. */
type FoundItem = SizedItem & { readonly source: Source };

/**
 * Returns the items that can be shown. A video without a file, too large to decode beside other work, or that cannot
 * be decoded, is shown by its picture. `folder` gets what is remembered of videos.
 */
async function findSources(
  ctx: RunCtx,
  items: readonly FilmItem[],
  folder: string,
): Promise<FoundItem[]> {
  const found: (FoundItem | undefined)[] = [];
  for (let at = 0; at < items.length; at += AT_ONCE) {
    ctx.signal.throwIfAborted();
    ctx.restartTimeLimit();
    const some = items.slice(at, at + AT_ONCE).map((item) => findItem(ctx, item, folder));
    found.push(...(await Promise.all(some)));
  }
  return found.filter((item) => item !== undefined);
}

async function findItem(
  ctx: RunCtx,
  item: FilmItem,
  folder: string,
): Promise<FoundItem | undefined> {
  const video = item.kind === 'video' ? await findVideo(ctx, item) : undefined;
  const shown = video && (await keepDecodable(ctx, video, folder));
  return shown ?? findPicture(ctx, item, folder);
}

async function findPicture(
  ctx: RunCtx,
  item: FilmItem,
  folder: string,
): Promise<FoundItem | undefined> {
  const still = await findStill(ctx, item);
  if (!still) return undefined;
  const path = await locatePicture(ctx, item);
  return keepDecodable(ctx, { ...still, source: toSource(still.item, path, path) }, folder);
}

const toSource = ({ asset }: FilmItem, path: string, picturePath: string): Source => {
  const { id, type, sha256, picture } = asset;
  return { id, type, sha256, picture, path, picturePath };
};

/** Returns the item unless its first frame cannot be decoded. */
async function keepDecodable(
  { signal, log }: RunCtx,
  found: FoundItem,
  folder: string,
): Promise<FoundItem | undefined> {
  const { item, source } = found;
  try {
    await requireDecodable(toShown(item), source, { studio: folder, folder, signal });
    return found;
  } catch (error) {
    const isVideo = item.kind === 'video';
    if (!(error instanceof MediaError) || isMachineFault(error)) throw error;
    if (!isVideo && !isPermanent(error)) throw error;
    const { message: reason } = error;
    log.warn(isVideo ? 'a film shows the picture of a video' : 'an item is left out of a film', {
      assetId: item.asset.id,
      reason,
    });
    return undefined;
  }
}

/**
 * Bytes of a decoded picture, of which a decoder holds a dozen: 4K with 8 bits. The film shows a larger video
 * by its picture until it has been encoded.
 */
const MAX_PICTURE_BYTES = 13_000_000;
const getPictureBytes = ({ width, height, bitDepth }: VideoStream): number =>
  width * height * 1.5 * (bitDepth > 8 ? 2 : 1);

async function findVideo(ctx: RunCtx, item: FilmItem): Promise<FoundItem | undefined> {
  const { signal } = ctx;
  const { encodedVideo, sha256 } = item.asset;
  const path = encodedVideo
    ? await storage.locate(ctx, storage.derivedFile(ctx.paths, encodedVideo))
    : await findHeldOriginal(ctx, sha256);
  if (path === undefined) return undefined;
  const found = await probe(path, { signal }).catch((error: unknown) => {
    if (isMachineFault(error)) throw error;
    return undefined;
  });
  signal.throwIfAborted();
  if (!found?.video || getPictureBytes(found.video) > MAX_PICTURE_BYTES) return undefined;
  const { width, height } = found.video;
  const source = toSource(item, path, await locatePicture(ctx, item));
  return { item, picture: { width, height }, source };
}
