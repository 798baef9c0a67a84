import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { reach } from '../../../../core/fault-points.ts';
import { originalPath } from '../../../../core/paths.ts';
import { MediaError, isPermanent } from '../../../../media/errors.ts';
import { readPictureHeader } from '../../../../media/picture-header.ts';
import { probe } from '../../../../media/probe.ts';
import { type Language, pickLanguage } from '../../../../core/languages.ts';
import type { OwnMemory } from '../../visible.domain.ts';
import { FILM_SPACE_BYTES } from '../domain.ts';
import { getPartPath, getWorkFolder, makeExportFolder, placeFile } from '../export-files.ts';
import { type RunCtx, RunFailed, type RunWork, saveProgress } from '../run.domain.ts';
import { requireExportSpace } from '../space.ts';
import { planMove } from './camera.ts';
import { findFilmAssets } from './film.store.ts';
import { joinFilm } from './join-film.ts';
import { chooseAssets, type FilmItem, planFilm } from './plan.ts';
import { type Layer, renderSegment } from './segment.ts';
import { renderSound } from './sound.ts';
import { composeCaption, drawCaption, drawTitle } from './texts.ts';

/** Of what is rendered: parts that another version has rendered are not used. */
const VERSION = 1;

/**
 * Makes the film of a memory, item by item. A run that was interrupted goes on behind the parts that it
 * has finished, unless there is something else to show meanwhile.
 */
export const makeFilm: RunWork = async (ctx, run, memory) => {
  requireExportSpace(ctx, FILM_SPACE_BYTES);
  const plan = await choosePlan(ctx, memory);
  const language = pickLanguage(run.language);
  await makeExportFolder(ctx.paths);
  const folder = getWorkFolder(ctx.paths, run.id);
  await openWorkFolder(folder, { version: VERSION, plan, language, title: memory.title });
  const { names, assetIds } = await renderParts(ctx, {
    id: run.id,
    plan,
    memory,
    language,
    folder,
  });
  ctx.restartTimeLimit();
  const part = getPartPath(ctx.paths, run.id);
  const { title } = memory;
  await joinFilm(part, { folder, names, title, createdAt: ctx.now(), signal: ctx.signal });
  await requireAllVisible(ctx, assetIds, folder);
  reach('export.written');
  const { size } = await stat(part);
  await placeFile(ctx.paths, run);
  return size;
};

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

type Work = {
  readonly id: string;
  readonly plan: readonly FilmItem[];
  readonly memory: OwnMemory;
  readonly language: Language;
  readonly folder: string;
};

type Parts = { readonly names: string[]; readonly assetIds: Set<string> };

/**
 * Returns the names of the parts in order, and the assets that they show. Items that are gone, or cannot be
 * decoded, are skipped.
 */
async function renderParts(ctx: RunCtx, work: Work): Promise<Parts> {
  const { id, plan, folder } = work;
  const progress = { total: plan.length - 1, processed: 0, skipped: 0 };
  const names: string[] = [];
  const assetIds = new Set<string>();
  let previous: Layer | undefined;
  for (const [index, item] of plan.entries()) {
    await saveProgress(ctx, id, progress);
    ctx.restartTimeLimit();
    const layer = await prepareLayer(ctx, work, item, index, previous);
    const name = `part-${String(index).padStart(3, '0')}`;
    const isLast = index === plan.length - 1;
    const isDone = layer && (await renderPart(ctx, layer, { folder, name, previous, isLast }));
    if (isDone) {
      names.push(name);
      assetIds.add(item.asset.id);
      previous = layer;
      reach('export.segment');
    }
    if (item.kind !== 'title') progress[isDone ? 'processed' : 'skipped'] += 1;
  }
  await saveProgress(ctx, id, progress);
  if (progress.processed === 0) throw new RunFailed('None of the items can be shown in a film');
  return { names, assetIds };
}

type Place = {
  readonly folder: string;
  readonly name: string;
  readonly previous: Layer | undefined;
  readonly isLast: boolean;
};

/** Renders a part unless it is there; false: it cannot be decoded. */
async function renderPart(ctx: RunCtx, layer: Layer, place: Place): Promise<boolean> {
  const { folder, name } = place;
  const { signal } = ctx;
  const [pictures, sound] = [`${name}.mp4`, `${name}.pcm`];
  const exists = (file: string) => Bun.file(join(folder, file)).exists();
  try {
    if (!(await exists(pictures))) {
      await renderSegment(layer, { ...place, name: pictures, signal });
    }
    if (!(await exists(sound))) await renderSound(layer, { ...place, name: sound, signal });
    return true;
  } catch (error) {
    if (!(error instanceof MediaError) || !isPermanent(error)) throw error;
    const { id } = layer.item.asset;
    ctx.log.warn('an item is left out of a film', { assetId: id, reason: error.message });
    return false;
  }
}

/** Undefined: the asset is gone, or its file. */
async function prepareLayer(
  ctx: RunCtx,
  { memory, language, folder }: Work,
  item: FilmItem,
  index: number,
  previous: Layer | undefined,
): Promise<Layer | undefined> {
  const { paths, db, session, signal } = ctx;
  const { asset, kind } = item;
  if (!(await findFilmAssets(db, session, [asset.id])).has(asset.id)) return undefined;
  const picture = join(paths.derived, asset.picture);
  const encoded = asset.encodedVideo && join(paths.derived, asset.encodedVideo);
  const path = kind === 'video' ? (encoded ?? originalPath(paths, asset.sha256)) : picture;
  if (!(await Bun.file(path).exists())) return undefined;
  const found = kind === 'video' ? await probe(path, { signal }).catch(() => undefined) : undefined;
  const size = kind === 'video' ? found?.video : await readPictureHeader(path);
  if (!size) return undefined;
  const caption = composeCaption(asset, language);
  const isRepeated =
    previous !== undefined &&
    previous.item.kind !== 'title' &&
    composeCaption(previous.item.asset, language) === caption;
  const texts =
    kind === 'title'
      ? await drawTitle(folder, memory, signal)
      : isRepeated
        ? []
        : await drawCaption(folder, `caption-${index}`, caption, signal);
  // Boxes of faces belong to the picture without edits.
  const move = planMove(size, asset.isEdited ? [] : asset.faces, index % 2 === 0);
  return { item, path, size, probe: found, move, texts };
}

/** A film must not show items that were locked or deleted while it was made: then it is made anew. */
async function requireAllVisible(
  { db, session }: RunCtx,
  assetIds: ReadonlySet<string>,
  folder: string,
): Promise<void> {
  const ids = [...assetIds];
  const found = await findFilmAssets(db, session, ids);
  if (ids.every((id) => found.has(id))) return;
  await rm(folder, { recursive: true, force: true });
  throw new Error('An item of the film is gone: it is made anew');
}
