import { unscopedAssets as assets } from '../../access/unscoped.ts';
import { and, eq, inArray, type SQL, sql } from 'drizzle-orm';
import { ownAssets } from '../../access/scope.ts';
import type { Session, UserSession } from '../../access/session.ts';
import { STACK_PRIMARY } from './members/members.store.ts';
import type { Db } from '../../db/client.ts';
import { stacks } from '../../db/tables/stacks.ts';
import { uuids } from '../../db/arrays.ts';
import { isBehind } from '../../db/keyset.ts';
import { queryPrepared, queryRows } from '../../db/query.ts';

/** A stack with the members that its owner sees now. */
export type StackView = {
  readonly id: string;
  /** The asset that represents the stack. */
  readonly primaryId: string;
  /** The primary asset first, then by capture time. */
  readonly memberIds: readonly string[];
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
  const isAsked =
    'ids' in filter
      ? sql`stack.id = any(${uuids(filter.ids)})`
      : sql`stack.id in (
          select named.stack_id from ${assets} named where named.id = any(${uuids(filter.assetIds)}))`;
  const wanted = sql`(select * from stack where ${isAsked}) stack`;
  return toStackViews(
    await queryRows<Row>(db, selectStacks(db, session, { wanted, suppressed: 'in' })),
  );
}

const PAGE_SIZE = 500;

/**
 * Yields pages of the caller's stacks, newest first, with their visible members outside the trash.
 * Stacks without such members are omitted.
 */
export async function* listStackPages(
  db: Db,
  session: UserSession,
): AsyncGenerator<StackView[], void> {
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
    const rows: Row[] = await queryPrepared<Row>(
      db,
      selectStacks(db, session, { wanted, suppressed: 'out' }),
    );
    yield toStackViews(rows);
    last = rows.length < PAGE_SIZE ? undefined : rows.at(-1);
  } while (last);
}

type Row = {
  readonly id: string;
  readonly created_at: string;
  readonly primary_id: string | null;
  readonly members: string[] | null;
};

type StackQuery = { readonly wanted: SQL; readonly suppressed: 'in' | 'out' };

/** Selects one row per stack, also for stacks without visible members. */
function selectStacks(db: Db, session: Session, { wanted, suppressed }: StackQuery): SQL {
  const member = ownAssets(db, session, 'any', { suppressed });
  return sql`
    select stack.id, stack.created_at::text, ${STACK_PRIMARY} as primary_id, shown.members
    from ${wanted} cross join lateral (
      select array_agg(asset.id order by asset.taken_at, asset.id) as members
      from ${member} where asset.stack_id = stack.id and asset.trashed_at is null
    ) shown
    order by stack.created_at desc, stack.id desc`;
}

const toStackViews = (rows: readonly Row[]): StackView[] =>
  rows.flatMap(({ id, primary_id, members }) => {
    if (!members) return [];
    // The session may not see the primary asset.
    const primaryId = members.find((member) => member === primary_id) ?? members[0]!;
    const others = members.filter((member) => member !== primaryId);
    return [{ id, primaryId, memberIds: [primaryId, ...others] }];
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
  await db
    .update(assets)
    .set({ stackId: row.id, updatedAt: now })
    .where(sql`${assets.id} = any(${uuids(memberIds)})`);
  return row.id;
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
