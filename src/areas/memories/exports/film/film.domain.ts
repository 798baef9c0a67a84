import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { reach } from '../../../../core/fault-points.ts';
import { probeEncoders, SOFTWARE } from '../../../../media/encoders.ts';
import { MediaError, isPermanent } from '../../../../media/errors.ts';
import { HardwareFailed } from '../../../../media/film-encoding.ts';
import type { Size } from '../../../../media/sizes.ts';
import { pickLanguage } from '../../../../core/languages.ts';
import type { OwnMemory } from '../../visible.domain.ts';
import { FILM_SPACE_BYTES } from '../domain.ts';
import { getPartPath, getWorkFolder, makeExportFolder, placeFile } from '../export-files.ts';
import {
  type RunCtx,
  RunFailed,
  type RunWork,
  saveProgress,
  saveRunSources,
} from '../run.domain.ts';
import { requireExportSpace } from '../../../../core/export-space.ts';
import { findFilmAssets } from './film.store.ts';
import { joinFilm } from './join-film.ts';
import type { Layer } from './layer.ts';
import { chooseAssets, type FilmItem, planFilm } from './plan.ts';
import { type FilmWork, prepareLayer } from './prepare-layer.ts';
import { removeTail, renderSegment } from './segment.ts';
import { renderSound } from './sound.ts';

/** Of what is rendered: parts that another version has rendered are not used. */
const VERSION = 4;

/**
 * Makes the film of a memory with frames of this size, item by item. A run that was interrupted goes on
 * behind the parts that it has finished, unless there is something else to show meanwhile. Where hardware
 * fails, the film is made again by software.
 */
export const createFilmWork =
  (frame: Size, findEncoders: typeof probeEncoders): RunWork =>
  async (ctx, run, memory) => {
    requireExportSpace(ctx, FILM_SPACE_BYTES);
    const plan = await choosePlan(ctx, memory);
    const [best = SOFTWARE] = await findEncoders();
    try {
      return await makeFilm(ctx, run, memory, { plan, frame, encoder: best });
    } catch (error) {
      if (!(error instanceof HardwareFailed)) throw error;
      ctx.log.warn('a film is made by software, since hardware failed', { error });
      return makeFilm(ctx, run, memory, { plan, frame, encoder: SOFTWARE });
    }
  };

type Means = Pick<FilmWork, 'plan' | 'frame' | 'encoder'>;

/** Returns the bytes of the film. */
async function makeFilm(
  ctx: RunCtx,
  run: Parameters<RunWork>[1],
  memory: OwnMemory,
  means: Means,
): Promise<number> {
  const language = pickLanguage(run.language);
  await makeExportFolder(ctx.paths);
  const folder = getWorkFolder(ctx.paths, run.id);
  const { title } = memory;
  const { plan, frame, encoder } = means;
  await openWorkFolder(folder, {
    version: VERSION,
    plan,
    frame,
    language,
    title,
    encoder: encoder.name,
  });
  await saveRunSources(ctx, run.id, new Set(plan.map(({ asset }) => asset.id)));
  const names = await renderParts(ctx, run.id, {
    ...means,
    memory,
    language,
    folder,
  });
  ctx.restartTimeLimit();
  const part = getPartPath(ctx.paths, run.id);
  await joinFilm(part, { folder, names, title, createdAt: ctx.now(), signal: ctx.signal });
  reach('export.written');
  const { size } = await stat(part);
  await placeFile(ctx.paths, run);
  return size;
}

async function choosePlan({ db, session }: RunCtx, { assetIds }: OwnMemory): Promise<FilmItem[]> {
  const found = await findFilmAssets(db, session, assetIds);
  const plan = planFilm(chooseAssets(assetIds.flatMap((id) => found.get(id) ?? [])));
  if (plan.length === 0) throw new RunFailed('None of the items can be shown in a film');
  return plan;
}

/** Empties the folder unless its parts are of the same plan. */
async function openWorkFolder(folder: string, plan: object): Promise<void> {
  const file = Bun.file(join(folder, 'plan.json'));
  const text = JSON.stringify(plan);
  if ((await file.exists()) && (await file.text()) === text) return;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await Bun.write(join(folder, 'plan.json'), text);
}

/** Returns the names of the parts in order. Items that are gone, or cannot be decoded, are skipped. */
async function renderParts(ctx: RunCtx, id: string, work: FilmWork): Promise<string[]> {
  const { plan, folder } = work;
  const progress = { total: plan.length - 1, processed: 0, skipped: 0 };
  const names: string[] = [];
  let previous: Layer | undefined;
  for (const [index, item] of plan.entries()) {
    await saveProgress(ctx, id, progress);
    ctx.restartTimeLimit();
    const place = { index, previous, previousName: names.at(-1) };
    const layer = await renderItem(ctx, work, item, place);
    if (layer) {
      if (place.previousName !== undefined) await removeTail(folder, place.previousName);
      names.push(toPartName(index));
      previous = layer;
      reach('export.segment');
    }
    if (item.kind !== 'title') progress[layer ? 'processed' : 'skipped'] += 1;
  }
  await saveProgress(ctx, id, progress);
  if (progress.processed === 0) throw new RunFailed('None of the items can be shown in a film');
  return names;
}

const toPartName = (index: number) => `part-${String(index).padStart(3, '0')}`;

type Place = {
  readonly index: number;
  readonly previous: Layer | undefined;
  readonly previousName: string | undefined;
};

/**
 * Renders the part of an item unless it is there. A video that cannot be decoded is shown by its picture;
 * undefined: the item cannot be shown.
 */
async function renderItem(
  ctx: RunCtx,
  work: FilmWork,
  item: FilmItem,
  place: Place,
): Promise<Layer | undefined> {
  const layer = await prepareLayer(ctx, work, item, place);
  if (!layer) return undefined;
  const { signal } = ctx;
  const { folder, plan, encoder } = work;
  const name = toPartName(place.index);
  const isLast = place.index === plan.length - 1;
  const exists = (file: string) => Bun.file(join(folder, file)).exists();
  try {
    const options = { folder, name, previous: place.previousName, isLast, encoder, signal };
    if (!(await exists(`${name}.mp4`))) await renderSegment(layer, options);
    if (!(await exists(`${name}.pcm`))) await renderSound(layer, options);
    return layer;
  } catch (error) {
    const isVideo = layer.item.kind === 'video';
    if (!(error instanceof MediaError) || !(isVideo || isPermanent(error))) throw error;
    const { id: assetId } = item.asset;
    const { message: reason } = error;
    ctx.log.warn(
      isVideo ? 'a film shows the picture of a video' : 'an item is left out of a film',
      { assetId, reason },
    );
    return isVideo ? renderItem(ctx, work, { ...item, kind: 'still' }, place) : undefined;
  }
}
