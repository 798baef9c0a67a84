import { sql } from 'drizzle-orm';
import { column } from '../db/columns.ts';
import { queryRows } from '../db/query.ts';
import type { Db } from '../db/client.ts';
import { hasPermission, type Permission, requirePermissions } from './permissions.ts';
import type { UserSession } from './session.ts';
import { checkedAssets } from './unscoped.ts';

/** An album or a link that the caller opens to others. */
export type Opened = { readonly albumId: string | null } | { readonly linkId: string };

/**
 * Throws 403 when the caller's API key may not do itself what others may then do with items of somebody else. Items of
 * the caller's account need no more than the permission of the operation, as in Immich.
 */
export async function requireForOthersItems(
  db: Db,
  session: UserSession,
  wanted: readonly Permission[],
  opened: Opened,
): Promise<void> {
  if (wanted.every((permission) => hasPermission(session.permissions, permission))) return;
  if (await hasOthersItems(db, session.userId, opened)) requirePermissions(session, wanted);
}

async function hasOthersItems(db: Db, userId: string, opened: Opened): Promise<boolean> {
  const members =
    'linkId' in opened
      ? sql`shared_link_asset member where member.link_id = ${opened.linkId}`
      : sql`album_asset member where member.album_id = ${opened.albumId}`;
  const rows = await queryRows(
    db,
    { one: column.integer },
    sql`
    select 1 as one from ${checkedAssets} where asset.owner_id <> ${userId}
      and asset.id in (select member.asset_id from ${members}) limit 1`,
  );
  return rows.length > 0;
}
