import { desc, eq, inArray, sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { queryRows, getRow } from '../../db/query.ts';
import { deduplicationPlans, type PlanRow } from '../../db/tables/physical-deduplication.ts';

export async function insertPlan(
  db: Db,
  plan: typeof deduplicationPlans.$inferInsert,
): Promise<string> {
  const row = getRow(await db.insert(deduplicationPlans).values(plan).returning());
  return row.id;
}

/** Returns the plan that was asked for last, whatever became of it. */
export async function findNewestPlan(db: Db): Promise<PlanRow | undefined> {
  const [row] = await db
    .select()
    .from(deduplicationPlans)
    .orderBy(...NEWEST)
    .limit(1);
  return row;
}

const NEWEST = [desc(deduplicationPlans.createdAt), desc(deduplicationPlans.id)];
/** That of the latest plan with copies; there is one such plan at most, besides applied ones. */
const READY = ['previewed', 'reviewed', 'applying', 'applied'] as const;

/** Returns the latest plan that was made. */
export async function findReadyPlan(db: Db): Promise<PlanRow | undefined> {
  const [row] = await db
    .select()
    .from(deduplicationPlans)
    .where(inArray(deduplicationPlans.status, [...READY]))
    .orderBy(...NEWEST)
    .limit(1);
  return row;
}

export async function lockPlan(db: Db, id: string): Promise<PlanRow | undefined> {
  const [row] = await db
    .select()
    .from(deduplicationPlans)
    .where(eq(deduplicationPlans.id, id))
    .for('no key update');
  return row;
}

export async function updatePlan(db: Db, id: string, change: Partial<PlanRow>): Promise<void> {
  await db.update(deduplicationPlans).set(change).where(eq(deduplicationPlans.id, id));
}

/** Sets the plans that a new one replaces, and forgets their copies. */
export async function supersedeOthers(db: Db, id: string): Promise<void> {
  await queryRows(
    db,
    sql`
    with superseded as (
      update deduplication_plan set status = 'superseded'
      where id <> ${id}::uuid and status in ('previewed', 'reviewed') returning id
    )
    delete from deduplication_copy copy using deduplication_plan plan
    where plan.id = copy.plan_id and (
      plan.id in (select id from superseded)
      -- Copies that were not applied are of no use any more.
      or plan.id <> ${id}::uuid and plan.status = 'applied' and copy.state is null
        and copy.id <> copy.group_id)`,
  );
}
