import { sql } from 'drizzle-orm';
import type { Db } from '../db/client.ts';
import type { Session } from './session.ts';

/** Those of `ids` that the session may open: as owner or member, or through the link to the album. */
export async function openAlbumsAmong(
  db: Db,
  session: Session,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (session.kind === 'sharedLink') {
    return new Set(ids.filter((id) => id === session.albumId));
  }
  if (ids.length === 0) return new Set();
  const rows = await db.execute<{ id: string }>(sql`
    select id from album where id = any(${`{${ids.join(',')}}`}::uuid[])
      and (owner_id = ${session.userId} or exists (select 1 from album_user
        where album_user.album_id = album.id and album_user.user_id = ${session.userId}))`);
  return new Set(rows.map((row) => row.id));
}

export const mayOpenAlbum = async (db: Db, session: Session, id: string): Promise<boolean> =>
  (await openAlbumsAmong(db, session, [id])).has(id);
