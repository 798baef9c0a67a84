import { type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { mergeVerdicts, type VerdictRow } from '../../../db/tables/people.ts';

/** Everyone of an account, with the one whom they are by now, after any number of merges. */
const withSurvivors = (ownerId: string): SQL => sql`recursive standing as (
  select id, id as root from person where owner_id = ${ownerId} and merged_into is null
  union all
  select person.id, standing.root from person join standing on person.merged_into = standing.id)`;

/** Of two who became one nothing holds any more; nor whom to ignore, after a merge. */
const HOLDS = sql`case verdict when 'ignore' then one.id = one.root else one.root <> other.root end`;

/** What was said of somebody who was merged since counts for the one who stayed. */
export async function listVerdicts(db: Db, ownerId: string) {
  const rows = await db.execute<{
    lowId: string;
    highId: string;
    verdict: VerdictRow['verdict'];
    updatedAt: string;
  }>(sql`
    with ${withSurvivors(ownerId)}
    select least(one.root, other.root) as "lowId", greatest(one.root, other.root) as "highId",
      verdict, updated_at as "updatedAt"
    from merge_verdict
    join standing one on one.id = low_id join standing other on other.id = high_id
    where owner_id = ${ownerId} and ${HOLDS}`);
  return [...rows];
}

export type Pair = { readonly lowId: string; readonly highId: string };

const isPair = ({ lowId, highId }: Pair): SQL => sql`
  least(one.root, other.root) = ${lowId}::uuid and greatest(one.root, other.root) = ${highId}::uuid`;

/**
 * "Later" leaves a standing "different" as it is, also one said of somebody who was merged since.
 * Answers what holds now. Both are locked: nobody says anything else meanwhile.
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
  const [row] = await db
    .insert(mergeVerdicts)
    .values({ ownerId, ...pair, verdict, createdAt: now, updatedAt: now })
    .onConflictDoUpdate({
      target: [mergeVerdicts.lowId, mergeVerdicts.highId],
      set: { verdict, updatedAt: now },
    })
    .returning();
  return row!;
}

async function findDifferent(db: Db, ownerId: string, pair: Pair): Promise<VerdictRow | undefined> {
  const [row] = await db.execute<{ createdAt: string; updatedAt: string }>(sql`
    with ${withSurvivors(ownerId)}
    select created_at as "createdAt", updated_at as "updatedAt" from merge_verdict
    join standing one on one.id = low_id join standing other on other.id = high_id
    where owner_id = ${ownerId} and verdict = 'different' and ${isPair(pair)}
    order by updated_at desc limit 1`);
  if (!row) return undefined;
  const [createdAt, updatedAt] = [new Date(row.createdAt), new Date(row.updatedAt)];
  return { ownerId, ...pair, verdict: 'different', createdAt, updatedAt };
}

/** Also what was said of those who were merged into them. */
export async function deleteVerdict(db: Db, ownerId: string, pair: Pair): Promise<void> {
  await db.execute(sql`
    with ${withSurvivors(ownerId)}
    delete from merge_verdict using standing one, standing other
    where owner_id = ${ownerId} and one.id = low_id and other.id = high_id and ${HOLDS}
      and ${isPair(pair)}`);
}
