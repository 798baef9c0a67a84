import { sql } from 'drizzle-orm';
import { openAlbumsAmong } from '../../access/albums.ts';
import { albumMembers } from '../../access/scope.ts';
import type { Session } from '../../access/session.ts';
import type { Db } from '../../db/client.ts';

export type AlbumCard = {
  readonly title: string;
  /** Items that the album shows. */
  readonly count: number;
  /** The chosen cover where it is still shown, else the newest item. */
  readonly coverAssetId: string | null;
};

/** The albums among `ids` that the session may open. Reads every item of them, once. */
export async function albumCards(
  db: Db,
  session: Session,
  ids: readonly string[],
): Promise<Map<string, AlbumCard>> {
  const open = [...(await openAlbumsAmong(db, session, ids))];
  if (open.length === 0) return new Map();
  const rows = await db.execute<{ id: string; title: string; count: string; cover: string | null }>(
    // One album at a time: together, they would look like most of the library to the planner.
    sql`select album.id, album.name as title, shown.count, shown.cover
      from album cross join lateral (
        select count(*) as count, (array_agg(asset.id order by
          asset.id = album.cover_id desc, asset.local_taken_at desc, asset.id desc))[1] as cover
        from ${albumMembers(db)} where asset.album_id = album.id) shown
      where album.id = any(${`{${open.join(',')}}`}::uuid[])`,
  );
  return new Map(
    rows.map(({ id, title, count, cover }) => [
      id,
      { title, count: Number(count), coverAssetId: cover },
    ]),
  );
}
