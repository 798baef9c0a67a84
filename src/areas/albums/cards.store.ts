import { inArray } from 'drizzle-orm';
import { openAlbumsAmong } from '../../access/albums.ts';
import type { Session } from '../../access/session.ts';
import type { Db } from '../../db/client.ts';
import { albums } from '../../db/tables/albums.ts';
import { coversOf, summarize } from './store.ts';

export type AlbumCard = {
  readonly title: string;
  /** Items that the album shows. */
  readonly count: number;
  readonly coverAssetId: string | null;
};

/** The albums among `ids` that the session may open. */
export async function albumCards(
  db: Db,
  session: Session,
  ids: readonly string[],
): Promise<Map<string, AlbumCard>> {
  const open = [...(await openAlbumsAmong(db, session, ids))];
  if (open.length === 0) return new Map();
  const rows = await db
    .select({ id: albums.id, title: albums.name })
    .from(albums)
    .where(inArray(albums.id, open));
  const summaries = await summarize(db, open);
  const covers = await coversOf(db, open);
  return new Map(
    rows.map(({ id, title }) => [
      id,
      { title, count: summaries.get(id)?.assetCount ?? 0, coverAssetId: covers.get(id) ?? null },
    ]),
  );
}
