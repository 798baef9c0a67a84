import { sql } from 'drizzle-orm';
import { ownAssets } from '../../access/scope.ts';
import type { UserSession } from '../../access/session.ts';
import { isSuppressed } from '../../access/suppression.ts';
import { ownerAssets } from '../../access/unscoped.ts';
import { uuids } from '../../db/arrays.ts';
import type { Db } from '../../db/client.ts';
import { column, type InferRow } from '../../db/columns.ts';
import { queryRows } from '../../db/query.ts';
import { STACK_TOP } from '../stack-members/index.ts';

// Sets that a client of the API has made, by an id of its own. A set is shown while two of its items are in the
// Timeline or archive and the owner has not decided to keep them all.

type Reader = { readonly db: Db; readonly session: UserSession };

const NAMED_MEMBER_COLUMNS = {
  id: column.uuid,
  assetId: column.uuid,
  itemId: column.uuid,
  takenMs: column.float,
  bytes: column.float,
  isDecided: column.boolean,
};

/** A stack counts as one item. */
type NamedMember = InferRow<typeof NAMED_MEMBER_COLUMNS>;

export type NamedSet = {
  readonly id: string;
  /** Sorted. */
  readonly itemIds: readonly string[];
  /** Also those that are not shown, because another one represents their stack. */
  readonly assetIds: readonly string[];
  /** Capture time of the latest item. */
  readonly newestMs: number;
  /** Bytes that deleting all but the largest would free. */
  readonly spareBytes: number;
  /** Nobody has compared them. */
  readonly likeness: 'alike';
};

/** Returns the sets of the caller that are shown; around assets only those that contain one or its stack. */
export async function listNamedSets(
  { db, session }: Reader,
  around?: readonly string[],
): Promise<NamedSet[]> {
  const { userId } = session;
  const isNear = around
    ? sql`and named.set_id in (
      select set_id from duplicate_member where owner_id = ${userId} and asset_id in (
        select near.id from ${ownerAssets} near where near.id = any(${uuids(around)})
        union select near.id from ${ownerAssets} given
        join ${ownerAssets} near on near.stack_id = given.stack_id
        where given.id = any(${uuids(around)})))`
    : sql``;
  const rows = await queryRows(
    db,
    NAMED_MEMBER_COLUMNS,
    sql`
    select named.set_id as id, asset.id as "assetId",
      case when asset.stack_id is null then asset.id else coalesce(${STACK_TOP}, asset.id) end
        as "itemId",
      date_part('epoch', asset.taken_at) * 1000 as "takenMs", asset.file_size::float8 as bytes,
      exists (select from duplicate_decision decision where decision.owner_id = ${userId}
        and decision.fingerprint = named.set_id and decision.sha256 = asset.sha256) as "isDecided"
    from ${ownAssets(db, session, 'library')} join duplicate_member named on named.asset_id = asset.id
    where not (${isSuppressed(session)}) ${isNear}`,
  );
  return [...Map.groupBy(rows, ({ id }) => id)].flatMap(([id, members]) => toNamedSet(id, members));
}

function toNamedSet(id: string, members: readonly NamedMember[]): NamedSet[] {
  const sizes = new Map<string, number>();
  for (const { itemId, bytes } of members) {
    sizes.set(itemId, Math.max(bytes, sizes.get(itemId) ?? 0));
  }
  if (sizes.size < 2 || members.every(({ isDecided }) => isDecided)) return [];
  const bytes = [...sizes.values()];
  return [
    {
      id,
      itemIds: [...sizes.keys()].toSorted(),
      assetIds: members.map(({ assetId }) => assetId),
      newestMs: Math.max(...members.map(({ takenMs }) => takenMs)),
      spareBytes: bytes.reduce((sum, size) => sum + size, 0) - Math.max(...bytes),
      likeness: 'alike',
    },
  ];
}

/** Puts assets of the caller into a set, out of another one, and withdraws the decision about it. */
export async function saveSetMembers(
  { db, session }: Reader,
  setId: string,
  assetIds: readonly string[],
): Promise<void> {
  const { userId } = session;
  await queryRows(
    db,
    sql`
    insert into duplicate_member (asset_id, owner_id, set_id)
    select id, ${userId}, ${setId} from unnest(${uuids(assetIds)}) id order by id
    on conflict (asset_id) do update set set_id = excluded.set_id`,
  );
  await queryRows(
    db,
    sql`delete from duplicate_decision where owner_id = ${userId} and fingerprint = ${setId}`,
  );
}

/** Takes assets of the caller out of their sets. */
export async function removeSetMembers(
  { db, session }: Reader,
  assetIds: readonly string[],
): Promise<void> {
  await queryRows(
    db,
    sql`
    delete from duplicate_member
    where owner_id = ${session.userId} and asset_id = any(${uuids(assetIds)})`,
  );
}
