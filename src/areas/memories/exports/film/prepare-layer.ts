import type { Encoder } from '../../../../media/encoders.ts';
import { join } from 'node:path';
import { getOriginalPath } from '../../../assets/index.ts';
import { readPictureHeader } from '../../../../media/picture-header.ts';
import { probe, type VideoStream } from '../../../../media/probe.ts';
import type { Size } from '../../../../media/sizes.ts';
import { buildStillColors } from '../../../../media/still-colors.ts';
import type { Language } from '../../../../core/languages.ts';
import type { OwnMemory } from '../../visible.domain.ts';
import type { RunCtx } from '../run.domain.ts';
import { planMove } from './camera.ts';
import { findFilmAssets } from './film.store.ts';
import type { Layer } from './layer.ts';
import type { FilmItem } from './plan.ts';
import { composeCaptions, drawCaption, drawTitle, type TextFilter } from './texts.ts';

/** A film in the making. */
export type FilmWork = {
  readonly plan: readonly FilmItem[];
  readonly memory: OwnMemory;
  readonly language: Language;
  readonly folder: string;
  readonly frame: Size;
  /** That of all parts. */
  readonly encoder: Encoder;
};

type Place = { readonly index: number; readonly previous: Layer | undefined };

/**
 * Reads the file of an item and writes its texts. Undefined: the asset is gone, or its picture. A video
 * without a file, or too large to decode beside other work, becomes a still.
 */
export async function prepareLayer(
  ctx: RunCtx,
  work: FilmWork,
  item: FilmItem,
  place: Place,
): Promise<Layer | undefined> {
  const { db, session } = ctx;
  if (!(await findFilmAssets(db, session, [item.asset.id])).has(item.asset.id)) return undefined;
  const found =
    (item.kind === 'video' && (await findVideo(ctx, item))) || (await findStill(ctx, item));
  if (!found) return undefined;
  const { faces, isEdited } = item.asset;
  // Boxes of faces belong to the picture without edits.
  const move = planMove(found.size, isEdited ? [] : faces, place.index % 2 === 0);
  const texts = await drawTexts(ctx, work, item, place);
  return { ...found, frame: work.frame, move, texts };
}

/**
 * Of a decoded picture, of which a decoder holds a dozen: 4K with 8 bits. The film shows a larger video
 * by its picture until it has been encoded.
 */
const MAX_PICTURE_BYTES = 13_000_000;
const getPictureBytes = ({ width, height, bitDepth }: VideoStream): number =>
  width * height * 1.5 * (bitDepth > 8 ? 2 : 1);

type Found = Pick<Layer, 'item' | 'path' | 'size' | 'probe' | 'toFilmColors'>;

async function findVideo(
  { db, paths, signal }: RunCtx,
  item: FilmItem,
): Promise<Found | undefined> {
  const { encodedVideo, sha256 } = item.asset;
  const path = encodedVideo
    ? join(paths.derived, encodedVideo)
    : await getOriginalPath({ db, paths }, sha256);
  const found = await probe(path, { signal }).catch(() => undefined);
  signal.throwIfAborted();
  if (!found?.video || getPictureBytes(found.video) > MAX_PICTURE_BYTES) return undefined;
  return { item, path, size: found.video, probe: found, toFilmColors: 'null' };
}

async function findStill({ paths }: RunCtx, item: FilmItem): Promise<Found | undefined> {
  const path = join(paths.derived, item.asset.picture);
  if (!(await Bun.file(path).exists())) return undefined;
  const size = await readPictureHeader(path);
  if (!size) return undefined;
  const kind = item.kind === 'title' ? 'title' : 'still';
  const toFilmColors = await buildStillColors(path, size.format);
  return { item: { ...item, kind }, path, size, probe: undefined, toFilmColors };
}

async function drawTexts(
  { signal }: RunCtx,
  { memory, language, folder }: FilmWork,
  { asset, kind }: FilmItem,
  { index, previous }: Place,
): Promise<TextFilter[]> {
  if (kind === 'title') return drawTitle(folder, memory, signal);
  const captions = composeCaptions(asset, language);
  const isRepeated =
    previous !== undefined &&
    previous.item.kind !== 'title' &&
    composeCaptions(previous.item.asset, language)[0] === captions[0];
  return isRepeated ? [] : drawCaption(folder, `caption-${index}`, captions, signal);
}
