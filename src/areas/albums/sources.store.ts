import { sql } from 'drizzle-orm';
import { uuids } from '../../db/arrays.ts';
import type { Db } from '../../db/client.ts';
import { column } from '../../db/columns.ts';
import { queryRows } from '../../db/query.ts';

/** The place of an album in another program. */
export type SourceKey = { readonly ownerId: string; readonly source: string; readonly key: string };

const ID = { id: column.uuid };

/** Returns the account's own album that the one of another program is. */
export async function findAlbumId(
  db: Db,
  { ownerId, source, key }: SourceKey,
): Promise<string | undefined> {
  const [row] = await queryRows(
    db,
    ID,
    sql`
    select album.id from album_source join album on album.id = album_id
    where album_source.owner_id = ${ownerId}::uuid and source = ${source} and key = ${key}
      and album.owner_id = ${ownerId}::uuid`,
  );
  return row?.id;
}

/** Returns which of these albums are one of the source. */
export async function filterTaken(
  db: Db,
  source: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const rows = await queryRows(
    db,
    ID,
    sql`
    select album_id as id from album_source
    where source = ${source} and album_id = any(${uuids(ids)})`,
  );
  return new Set(rows.map(({ id }) => id));
}

/** Saves which album here the one of another program is. */
export async function saveSource(
  db: Db,
  { ownerId, source, key }: SourceKey,
  albumId: string,
): Promise<void> {
  await queryRows(
    db,
    sql`
    insert into album_source (owner_id, source, key, album_id)
    values (${ownerId}::uuid, ${source}, ${key}, ${albumId}::uuid)
    on conflict (owner_id, source, key) do update set album_id = excluded.album_id`,
  );
}
