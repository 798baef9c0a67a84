import { isMachineFault } from '../../../../jobs/machine-faults.ts';
import { MediaError, isPermanent } from '../../../../media/errors.ts';
import { probe, type VideoStream } from '../../../../media/probe.ts';
import { findHeldOriginal } from '../../../assets/index.ts';
import { requireDecodable, type Source } from '../../../studio/index.ts';
import type { RunCtx } from '../run.domain.ts';
import { toShown } from './document.ts';
import { findStill, locatePicture, type SizedItem } from './items.domain.ts';
import type { FilmItem } from './plan.ts';
import * as storage from '../../../../storage/index.ts';

/** Items that are looked at. */
const AT_ONCE = 2;

/** An item with the file that shows it. */
export type FoundItem = SizedItem & { readonly source: Source };

/**
 * Returns the items that can be shown. A video without a file, too large to decode beside other work, or that cannot
 * be decoded, is shown by its picture. `folder` gets what is remembered of videos.
 */
export async function findSources(
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
