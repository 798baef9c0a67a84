import { type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { mergeVerdicts, type VerdictRow } from '../../../db/tables/people.ts';
import { column } from '../../../db/columns.ts';
import { getRow, queryRows } from '../../../db/query.ts';

/**
 * CTE: all people of an account with the survivor they are merged into, after any number of merges.
 */
const withSurvivors = (ownerId: string): SQL => sql`recursive standing as (
  select id, id as root from person where owner_id = ${ownerId} and merged_into is null
  union all
  select person.id, standing.root from person join standing on person.merged_into = standing.id)`;

/** Verdicts on two people who are one by now do not hold, nor does "ignore" of a merged person. */
const HOLDS = sql`case verdict when 'ignore' then one.id = one.root else one.root <> other.root end`;

/** Returns the verdicts that hold; those on merged people count for their survivor. */
export async function listVerdicts(db: Db, ownerId: string) {
  return queryRows(
    db,
    {
      lowId: column.uuid,
      highId: column.uuid,
      verdict: column.text.as<VerdictRow['verdict']>(),
      updatedAt: column.timestamptz,
    },
    sql`
    with ${withSurvivors(ownerId)}
    select least(one.root, other.root) as "lowId", greatest(one.root, other.root) as "highId",
      verdict, updated_at as "updatedAt"
    from merge_verdict
    join standing one on one.id = low_id join standing other on other.id = high_id
    where owner_id = ${ownerId} and ${HOLDS}`,
  );
}

export type Pair = { readonly lowId: string; readonly highId: string };

const isPair = ({ lowId, highId }: Pair): SQL => sql`
  least(one.root, other.root) = ${lowId}::uuid and greatest(one.root, other.root) = ${highId}::uuid`;

/**
 * Saves a verdict and returns the one that holds now: "later" keeps an existing "different". The
 * caller has locked both people.
 */
export async function saveVerdict(
  db: Db,
  ownerId: string,
  pair: Pair,
  verdict: VerdictRow['verdict'],
  now: Date,
): Promise<VerdictRow> {
  const standing = verdict === 'later' ? await findDifferent(db, ownerId, pair) : undefined;
  if (standing) return standing;
  const row = getRow(
    await db
      .insert(mergeVerdicts)
      .values({ ownerId, ...pair, verdict, createdAt: now, updatedAt: now })
      .onConflictDoUpdate({
        target: [mergeVerdicts.lowId, mergeVerdicts.highId],
        set: { verdict, updatedAt: now },
      })
      .returning(),
  );
  return row;
}

async function findDifferent(db: Db, ownerId: string, pair: Pair): Promise<VerdictRow | undefined> {
  const [row] = await queryRows(
    db,
    { createdAt: column.timestamptz, updatedAt: column.timestamptz },
    sql`
    with ${withSurvivors(ownerId)}
    select created_at as "createdAt", updated_at as "updatedAt" from merge_verdict
    join standing one on one.id = low_id join standing other on other.id = high_id
    where owner_id = ${ownerId} and verdict = 'different' and ${isPair(pair)}
    order by updated_at desc limit 1`,
  );
  if (!row) return undefined;
  const [createdAt, updatedAt] = [new Date(row.createdAt), new Date(row.updatedAt)];
  return { ownerId, ...pair, verdict: 'different', createdAt, updatedAt };
}

/** Deletes the verdict, also those on people merged into the pair. */
export async function deleteVerdict(db: Db, ownerId: string, pair: Pair): Promise<void> {
  await queryRows(
    db,
    sql`
    with ${withSurvivors(ownerId)}
    delete from merge_verdict using standing one, standing other
    where owner_id = ${ownerId} and one.id = low_id and other.id = high_id and ${HOLDS}
      and ${isPair(pair)}`,
  );
}
