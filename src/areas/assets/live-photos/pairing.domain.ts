import type { Db } from '../../../db/client.ts';
import { getLiveStem, listOtherHalfNames } from '../../../media/live-photo-halves.ts';
import type { AssetForMetadata } from '../exif/metadata.store.ts';
import { showVideo } from './live-photo-video.store.ts';
import { belongTogether, findPairs, type Pairing } from './pairing.ts';
import {
  findHalves,
  findHalvesByName,
  findOwnPairs,
  lockHalves,
  pairHalves,
  unpairStill,
} from './pairing.store.ts';

/**
 * Locks the live photo that the asset may be a half of, before its row. Returns what pairs its halves once
 * the metadata is saved: by ContentIdentifier, and files of external libraries also by name.
 */
export async function preparePairing(tx: Db, asset: AssetForMetadata, cid: string | undefined) {
  const { id, ownerId, libraryId, folder, fileName } = asset;
  const others = libraryId ? listOtherHalfNames(fileName) : [];
  if (cid) await lockHalves(tx, ownerId, cid);
  if (others.length > 0) await lockHalves(tx, ownerId, `${folder}/${getLiveStem(fileName)}`);
  // A file of an external library may have had other content.
  const isReplaced = libraryId !== null && asset.metadataReadAt === null;
  return async (now: Date): Promise<void> => {
    if (isReplaced) await endFormerPairs(tx, id, now);
    const found = cid ? findPairs(await findHalves(tx, { id, ownerId }, cid)) : undefined;
    if (found) await savePairing(tx, found, now);
    if (others.length === 0 || (found && found.pairs.length > 0)) return;
    const halves = await findHalvesByName(tx, asset, [fileName, ...others]);
    await savePairing(tx, findPairs(halves), now);
  };
}

/** The video of a photo that has another content now is an item again, unless they belong together still. */
async function endFormerPairs(tx: Db, id: string, now: Date): Promise<void> {
  for (const { still, video } of await findOwnPairs(tx, id)) {
    if (belongTogether(still, video)) continue;
    await unpairStill(tx, still.id, now);
    await showVideo(tx, video.id, still, now);
  }
}

async function savePairing(tx: Db, { pairs, bereft, released }: Pairing, now: Date): Promise<void> {
  for (const { id } of bereft) await unpairStill(tx, id, now);
  for (const { still, videoId } of pairs) await pairHalves(tx, still, videoId, now);
  for (const { videoId, from } of released) await showVideo(tx, videoId, from, now);
}
