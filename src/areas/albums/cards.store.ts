import { filterOpenAlbums } from '../../access/albums.ts';
import type { Session } from '../../access/session.ts';
import type { Db } from '../../db/client.ts';
import { summarize } from './counts.store.ts';

export type AlbumCard = {
  readonly title: string;
  readonly count: number;
  /** The chosen cover if the album shows it, else the newest item. */
  readonly coverAssetId: string | null;
};

/** Returns cards of those albums among `ids` that the session may open. */
export async function getAlbumCards(
  db: Db,
  session: Session,
  ids: readonly string[],
): Promise<Map<string, AlbumCard>> {
  const open = [...(await filterOpenAlbums(db, session, ids))];
  if (open.length === 0) return new Map();
  const summaries = await summarize(db, session, open);
  return new Map(
    [...summaries].map(([id, { name, assetCount, coverId }]) => [
      id,
      { title: name, count: assetCount, coverAssetId: coverId },
    ]),
  );
}
