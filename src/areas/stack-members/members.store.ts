import { checkedAssets } from '../../access/unscoped.ts';
import { type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { uuids } from '../../db/arrays.ts';
import { column } from '../../db/columns.ts';
import { queryRows } from '../../db/query.ts';
import { LockConflict } from '../../db/transaction.ts';

// Members of a stack are collapsed within one scope (timeline, archive, trash, locked). One of them
// represents the others there, also when the primary asset is in another scope.
const TOGETHER = sql`member.stack_id = asset.stack_id
  and stack_scope(member.visibility, member.locked_at, member.trashed_at)
    = stack_scope(asset.visibility, asset.locked_at, asset.trashed_at)`;

/** Number of members of its stack in the scope of "asset"; null without a stack. */
export const STACK_SIZE: SQL = sql`case when asset.stack_id is not null then (
  select count(*) from ${checkedAssets} member where ${TOGETHER}) end`;

/** Id of the member that represents the others in the scope of "asset". */
export const STACK_TOP: SQL = sql`(
  select member.id from ${checkedAssets} member where ${TOGETHER} and not member.is_stack_child limit 1)`;

/**
 * Id of the member that represents the whole "stack" for clients that know one only: the chosen primary
 * asset or, while that is locked, trashed or archived, the first member that is less so. It is locked
 * only when all members are, so it is the same with and without the PIN. When it may have changed,
 * `stack.updated_at` has changed.
 */
export const STACK_PRIMARY: SQL = sql`(
  select member.id from ${checkedAssets} member
  where member.stack_id = stack.id and not member.is_stack_child
  order by member.locked_at is not null, member.trashed_at is not null,
    member.visibility <> 'timeline', member.id = stack.primary_id desc, member.id limit 1)`;

/**
 * Locks `ids` and all members of their stacks in the order of their ids, and returns them. Call it in `inTransaction`
 * before changing or moving stacks: these stacks then do not change until commit, since nobody changes the members of a
 * stack without the locks of all of them. Those of other assets do. Throws LockConflict when others have moved more assets
 * into the stacks meanwhile, and still hold one of them.
 */
export async function lockStackMembers(db: Db, ids: readonly string[]): Promise<string[]> {
  const locked = new Set(await lockInOrder(db, ids, sql`for no key update`));
  // A separate statement, which sees the changes of the transactions that the first has waited for.
  const found = await lockInOrder(db, ids, sql``);
  if (found.every((id) => locked.has(id))) return found;
  // Out of their order, so without a wait.
  const further = await lockInOrder(db, ids, sql`for no key update skip locked`);
  if (further.length < found.length) throw new LockConflict('More assets were stacked meanwhile');
  return further;
}

async function lockInOrder(db: Db, ids: readonly string[], lock: SQL): Promise<string[]> {
  const named = sql`any(${uuids(ids)})`;
  const rows = await queryRows(
    db,
    { id: column.uuid },
    sql`
    select id from ${checkedAssets} where id in (
      select id from ${checkedAssets} where id = ${named}
      union
      select member.id from ${checkedAssets} named join ${checkedAssets} member on member.stack_id = named.stack_id
      where named.id = ${named})
    order by id ${lock}`,
  );
  return rows.map((row) => row.id);
}
