import { checkedAssets } from '../../../access/unscoped.ts';
import { sql } from 'drizzle-orm';
import { ownAssets } from '../../../access/scope.ts';
import type { Session } from '../../../access/session.ts';
import { NEXT_ROW_VERSION } from '../../row-versions/index.ts';
import type { Db } from '../../../db/client.ts';
import { canAddToAlbum } from './copy.store.ts';
import { uuids } from '../../../db/arrays.ts';
import { column } from '../../../db/columns.ts';
import { queryRows } from '../../../db/query.ts';

export type AssetCopyRow = {
  readonly isFavorite: boolean;
  readonly description: string | null;
  readonly rating: number | null;
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly city: string | null;
  readonly state: string | null;
  readonly country: string | null;
};

/** Returns those of `ids` that the caller owns and may see, by id. */
export async function findCopies(db: Db, session: Session, ids: readonly string[]) {
  const rows = await queryRows(
    db,
    {
      isFavorite: column.boolean,
      description: column.text.orNull,
      rating: column.integer.orNull,
      latitude: column.float.orNull,
      longitude: column.float.orNull,
      city: column.text.orNull,
      state: column.text.orNull,
      country: column.text.orNull,
      id: column.uuid,
    },
    sql`
    select asset.id, asset.is_favorite as "isFavorite", exif.description, exif.rating,
      exif.latitude, exif.longitude, exif.city, exif.state, exif.country
    from ${ownAssets(db, session, 'any')} left join asset_exif exif on exif.asset_id = asset.id
    where asset.id = any(${uuids(ids)})`,
  );
  return new Map<string, AssetCopyRow>([...rows].map((row) => [row.id, row]));
}

/** All are assets of the user. */
export type AssetMerge = {
  readonly keptIds: readonly string[];
  readonly goneIds: readonly string[];
  readonly userId: string;
  readonly now: Date;
};

/** Adds the assets to the albums that the user may still add to. */
export async function mergeAlbums(
  db: Db,
  { keptIds, goneIds, userId, now }: AssetMerge,
): Promise<void> {
  await queryRows(
    db,
    sql`
    with added as (
      insert into album_asset (album_id, asset_id, added_by)
      select distinct album.id, kept.id, ${userId}::uuid
      from album_asset join album on album.id = album_asset.album_id
      cross join unnest(${uuids(keptIds)}) kept (id)
      where album_asset.asset_id = any(${uuids(goneIds)}) and ${canAddToAlbum(userId)}
      order by album.id, kept.id
      on conflict do nothing
      returning album_id
    )
    update album set updated_at = ${now.toISOString()} where id in (select album_id from added)`,
  );
}

export async function mergeLinks(db: Db, { keptIds, goneIds, userId }: AssetMerge): Promise<void> {
  await queryRows(
    db,
    sql`
    insert into shared_link_asset (link_id, asset_id)
    select distinct link.id, kept.id from shared_link_asset
    join shared_link link on link.id = shared_link_asset.link_id
    cross join unnest(${uuids(keptIds)}) kept (id)
    where shared_link_asset.asset_id = any(${uuids(goneIds)}) and link.owner_id = ${userId}
    order by link.id, kept.id
    on conflict do nothing`,
  );
}

/** Returns the assets that got a tag, once for each. */
export async function mergeTags(
  db: Db,
  { keptIds, goneIds, userId }: AssetMerge,
): Promise<string[]> {
  const rows = await queryRows(
    db,
    { id: column.uuid },
    sql`
    insert into tag_asset (tag_id, asset_id)
    select distinct tag_asset.tag_id, kept.id
    from tag_asset join tag on tag.id = tag_asset.tag_id
    cross join unnest(${uuids(keptIds)}) kept (id)
    where tag_asset.asset_id = any(${uuids(goneIds)}) and tag.owner_id = ${userId}
    order by tag_asset.tag_id, kept.id
    on conflict do nothing returning asset_id as id`,
  );
  return rows.map((row) => row.id);
}

/** Changes `updated_at`, which gives the months of the assets a new version. */
export async function touchAssets(
  db: Db,
  ids: readonly string[],
  { isFavorite, now }: { readonly isFavorite: boolean; readonly now: Date },
): Promise<void> {
  await queryRows(
    db,
    sql`
    update ${checkedAssets} set is_favorite = is_favorite or ${isFavorite}, updated_at = ${now.toISOString()},
      state_revision = ${NEXT_ROW_VERSION}
    where id = any(${uuids(ids)})`,
  );
}

/**
 * Moves the heir into a stack of one of `goneIds`, if it has none and the stack keeps other members.
 * The heir becomes its primary asset if the primary is among `goneIds`.
 */
export async function replaceInStack(
  db: Db,
  heirId: string,
  { goneIds, now }: { readonly goneIds: readonly string[]; readonly now: Date },
): Promise<void> {
  const [found] = await queryRows(
    db,
    { id: column.uuid, isPrimary: column.boolean },
    sql`
    select stack.id, stack.primary_id = any(${uuids(goneIds)}) as "isPrimary"
    from ${checkedAssets} gone join stack on stack.id = gone.stack_id
    where gone.id = any(${uuids(goneIds)})
      and exists (select from ${checkedAssets} heir where heir.id = ${heirId} and heir.stack_id is null)
      and exists (select from ${checkedAssets} member where member.stack_id = stack.id
        and member.trashed_at is null and not member.id = any(${uuids(goneIds)}))
    order by stack.id limit 1`,
  );
  if (!found) return;
  await queryRows(
    db,
    sql`
    update ${checkedAssets} set stack_id = ${found.id}, updated_at = ${now.toISOString()} where id = ${heirId}`,
  );
  if (!found.isPrimary) return;
  await queryRows(
    db,
    sql`
    update stack set primary_id = ${heirId}, updated_at = ${now.toISOString()}
    where id = ${found.id}`,
  );
}
