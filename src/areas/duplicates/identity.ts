import type { JobCtx } from '../../jobs/define.ts';
import { computePixelDigest } from '../../media/pixel-digest.ts';
import { withPrivateFile } from '../../media/private-file.ts';
import { ensureScratchFolder, findOriginal } from '../assets/index.ts';
import type { Picture } from './similarity.store.ts';

/** SHA-256 of what is shown of each picture, in hex. */
export type PixelDigests = ReadonlyMap<string, string>;

type PicturePair = readonly [one: Picture, other: Picture];

/** Returns the digests of the pictures of these pairs, which are read in whole where nothing else tells them apart. */
export async function digestPictures(
  ctx: JobCtx,
  pairs: readonly PicturePair[],
): Promise<PixelDigests> {
  const digests = new Map<string, string>();
  for (const picture of new Set(pairs.filter(mayBeIdentical).flat())) {
    const digest = picture.pixels ?? (await readDigest(ctx, picture));
    if (digest) digests.set(picture.assetId, digest);
  }
  return digests;
}

/** Returns whether nobody could tell one from the other, and nothing is lost with one. */
export function areIdentical(digests: PixelDigests, [one, other]: PicturePair): boolean {
  if (!mayBeIdentical([one, other])) return false;
  const digest = digests.get(one.assetId);
  return (
    one.sha256 === other.sha256 || (digest !== undefined && digest === digests.get(other.assetId))
  );
}

const mayBeIdentical = ([one, other]: PicturePair): boolean =>
  !one.isEdited &&
  !other.isEdited &&
  one.liveVideoId === other.liveVideoId &&
  one.type === other.type &&
  one.width === other.width &&
  one.height === other.height;

async function readDigest(ctx: JobCtx, picture: Picture): Promise<string | undefined> {
  if (picture.type !== 'IMAGE') return undefined;
  const { assetId, fileName, sha256 } = picture;
  await using original = await findOriginal(ctx, sha256);
  if (!original) return undefined;
  try {
    const tempDir = await ensureScratchFolder(ctx.paths);
    const bytes = await withPrivateFile(original.path, tempDir, (path) =>
      computePixelDigest(path, { fileName, tempDir, signal: ctx.signal }),
    );
    return bytes && Buffer.from(bytes).toString('hex');
  } catch (error) {
    ctx.signal.throwIfAborted();
    ctx.log.warn('cannot compare all pixels of a picture', { assetId, error });
    return undefined;
  }
}
