import { checkedAssets as assets } from '../../access/unscoped.ts';
import { and, eq, inArray, type SQL, sql } from 'drizzle-orm';
import { ownAssets } from '../../access/scope.ts';
import type { Session, UserSession } from '../../access/session.ts';
import { getFirst } from '../../core/required.ts';
import { STACK_PRIMARY } from '../stack-members/index.ts';
import type { Db } from '../../db/client.ts';
import { stacks } from '../../db/tables/stacks.ts';
import { anyOfIds, uuids } from '../../db/arrays.ts';
import { isBehind } from '../../db/keyset.ts';
import { column, type InferRow } from '../../db/columns.ts';
import { queryPrepared, queryRows } from '../../db/query.ts';
import { bodyName, getAssetId, type ViewOptions } from '../assets/index.ts';

/** A stack with the members that its owner sees now. */
export type StackView = {
  readonly id: string;
  /** The asset that represents the stack. */
  readonly primaryId: string;
  /** The primary asset first, then by capture time. */
  readonly memberIds: readonly string[];
};

/** A StackView with the names of the bodies of its members (`bodyName`) in place of their ids. */
export type ListedStack = Pick<StackView, 'id' | 'primaryId'> & {
  readonly members: readonly string[];
};

export type StackFilter =
  | { readonly ids: readonly string[] }
  /** Stacks of these assets. */
  | { readonly assetIds: readonly string[] };

/** Returns those of the caller's stacks that match and have visible members. */
export async function findStacks(
  db: Db,
  session: Session,
  filter: StackFilter,
): Promise<StackView[]> {
  const wanted = selectWanted(filter);
  const query = selectStacks(db, session, {
    wanted,
    suppressed: 'in',
    member: sql`asset.id`,
  });
  const found = toListedStacks(await queryPrepared(db, COLUMNS, query));
  return found.map(({ members: memberIds, ...stack }) => ({ ...stack, memberIds }));
}

/** Like findStacks, for a listing. */
export async function findListedStacks(
  db: Db,
  session: UserSession,
  filter: StackFilter,
  options: ViewOptions,
): Promise<ListedStack[]> {
  const query = selectListed(db, session, options, {
    wanted: selectWanted(filter),
    suppressed: 'in',
  });
  return toListedStacks(await queryPrepared(db, COLUMNS, query));
}

function selectWanted(filter: StackFilter): SQL {
  const isAsked =
    'ids' in filter
      ? sql`stack.id = ${anyOfIds(filter.ids)}`
      : sql`stack.id in (
          select named.stack_id from ${assets} named where named.id = ${anyOfIds(filter.assetIds)})`;
  return sql`(select * from stack where ${isAsked}) stack`;
}

const PAGE_SIZE = 500;

/**
 * Yields pages of the caller's stacks, newest first, with their visible members outside the trash.
 * Stacks without such members are omitted.
 */
export async function* listStackPages(
  db: Db,
  session: UserSession,
  options: ViewOptions,
): AsyncGenerator<ListedStack[], void> {
  let last: Row | undefined;
  do {
    const rest =
      last &&
      isBehind({
        columns: [sql`created_at`, sql`id`],
        values: [sql`${last.created_at}::timestamptz`, sql`${last.id}::uuid`],
        direction: 'desc',
      });
    const wanted = sql`(
      select * from stack where ${and(sql`owner_id = ${session.userId}::uuid`, rest)}
      order by created_at desc, id desc limit ${sql.raw(String(PAGE_SIZE))}) stack`;
    const rows: Row[] = await queryPrepared(
      db,
      COLUMNS,
      selectListed(db, session, options, { wanted, suppressed: 'out' }),
    );
    yield toListedStacks(rows);
    last = rows.length < PAGE_SIZE ? undefined : rows.at(-1);
  } while (last);
}

const COLUMNS = {
  id: column.uuid,
  created_at: column.text,
  primary_id: column.uuid.orNull,
  /** Separated by commas: the driver reads an array one character at a time. */
  members: column.text.orNull,
};

type Row = InferRow<typeof COLUMNS>;

type StackQuery = { readonly wanted: SQL; readonly suppressed: 'in' | 'out' };

/** Selects one row per stack, also for stacks without visible members. `member`: id or name of its body. */
function selectStacks(
  db: Db,
  session: Session,
  { wanted, suppressed, member }: StackQuery & { readonly member: SQL },
): SQL {
  const asset = ownAssets(db, session, 'any', { suppressed });
  return sql`
    select stack.id, stack.created_at::text, ${STACK_PRIMARY} as primary_id, shown.members
    from ${wanted} cross join lateral (
      select string_agg(${member}::text, ',' order by asset.taken_at, asset.id) as members
      from ${asset} left join asset_exif exif on exif.asset_id = asset.id
      where asset.stack_id = stack.id and asset.trashed_at is null
    ) shown
    order by stack.created_at desc, stack.id desc`;
}

const selectListed = (db: Db, session: UserSession, options: ViewOptions, query: StackQuery): SQL =>
  selectStacks(db, session, { ...query, member: bodyName(options) });

const toListedStacks = (rows: readonly Row[]): ListedStack[] =>
  rows.flatMap(({ id, primary_id, members: list }) => {
    if (!list) return [];
    const members = list.split(',');
    // The session may not see the primary asset.
    const primary =
      members.find((member) => getAssetId(member) === primary_id) ?? getFirst(members);
    const others = members.filter((member) => member !== primary);
    return [{ id, primaryId: getAssetId(primary), members: [primary, ...others] }];
  });

export type StackCandidate = {
  readonly id: string;
  readonly visibility: 'timeline' | 'archive' | 'hidden';
  readonly isLocked: boolean;
  readonly isTrashed: boolean;
};

/** Returns those of `ids` that the caller owns and may see. */
export async function findOwnAssets(db: Db, session: Session, ids: readonly string[]) {
  const asset = ownAssets(db, session, 'any');
  return db
    .select({
      id: asset.id,
      visibility: asset.visibility,
      isLocked: sql<boolean>`${asset.lockedAt} is not null`,
      isTrashed: sql<boolean>`${asset.trashedAt} is not null`,
    })
    .from(asset)
    .where(sql`${asset.id} = any(${uuids(ids)})`) satisfies Promise<StackCandidate[]>;
}

/**
 * Returns the stacks that the owner put one of the assets on top of, or that one of them represents. While the
 * chosen asset is archived, trashed or locked, another one is shown on top; the row still names the chosen one.
 */
export async function listStacksByPrimary(db: Db, ids: readonly string[]): Promise<string[]> {
  const rows = await queryRows(
    db,
    { id: column.uuid },
    sql`
    select id from stack where primary_id = any(${uuids(ids)})
    union
    select stack.id from ${selectWanted({ assetIds: ids })} where ${STACK_PRIMARY} = any(${uuids(ids)})`,
  );
  return rows.map((row) => row.id);
}

/** Lists all members, also those that the session does not see. */
export async function listMemberIds(db: Db, stackIds: readonly string[]): Promise<string[]> {
  const rows = await db
    .select({ id: assets.id })
    .from(assets)
    .where(sql`${assets.stackId} = any(${uuids(stackIds)})`);
  return rows.map((row) => row.id);
}

/**
 * Inserts a stack and moves the members into it. Triggers delete stacks that are left with one member.
 */
export async function insertStack(
  db: Db,
  stack: { readonly ownerId: string; readonly primaryId: string },
  memberIds: readonly string[],
  now: Date,
): Promise<string> {
  const [row] = await db.insert(stacks).values(stack).returning({ id: stacks.id });
  if (!row) throw new Error('insert answered no row');
  await addMembers(db, row.id, memberIds, now);
  return row.id;
}

/** Moves assets into a stack. */
export async function addMembers(
  db: Db,
  id: string,
  assetIds: readonly string[],
  now: Date,
): Promise<void> {
  await db
    .update(assets)
    .set({ stackId: id, updatedAt: now })
    .where(sql`${assets.id} = any(${uuids(assetIds)})`);
}

export async function setPrimary(db: Db, id: string, primaryId: string, now: Date): Promise<void> {
  await db.update(stacks).set({ primaryId, updatedAt: now }).where(eq(stacks.id, id));
}

/** Removes assets from their stacks; triggers update or delete those. */
export async function removeMembers(db: Db, assetIds: readonly string[], now: Date): Promise<void> {
  await db
    .update(assets)
    .set({ stackId: null, isStackChild: false, updatedAt: now })
    .where(and(sql`${assets.id} = any(${uuids(assetIds)})`, sql`${assets.stackId} is not null`));
}

export async function deleteStacks(db: Db, ids: readonly string[]): Promise<void> {
  await db.delete(stacks).where(inArray(stacks.id, [...ids]));
}
