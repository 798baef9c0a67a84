import { and, eq, sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { mergeVerdicts, type VerdictRow } from '../../db/tables/people.ts';

/** What was said of somebody who was merged since counts for the one who stayed. */
export async function listVerdicts(db: Db, ownerId: string) {
  const rows = await db.execute<{
    lowId: string;
    highId: string;
    verdict: VerdictRow['verdict'];
    updatedAt: string;
  }>(sql`
    select least(low, high) as "lowId", greatest(low, high) as "highId", verdict,
      updated_at as "updatedAt"
    from (
      select coalesce(one.merged_into, one.id) as low, coalesce(other.merged_into, other.id) as high,
        merge_verdict.verdict, merge_verdict.updated_at
      from merge_verdict
      join person one on one.id = low_id join person other on other.id = high_id
      where merge_verdict.owner_id = ${ownerId}
        and (verdict <> 'ignore' or one.merged_into is null)
    ) said`);
  return [...rows];
}

export type Pair = { readonly lowId: string; readonly highId: string };

/** "Later" leaves a standing "different" as it is. Answers what holds now. */
export async function saveVerdict(
  db: Db,
  ownerId: string,
  { lowId, highId }: Pair,
  verdict: VerdictRow['verdict'],
  now: Date,
): Promise<VerdictRow> {
  const [row] = await db
    .insert(mergeVerdicts)
    .values({ ownerId, lowId, highId, verdict, createdAt: now, updatedAt: now })
    .onConflictDoUpdate({
      target: [mergeVerdicts.lowId, mergeVerdicts.highId],
      set: { verdict, updatedAt: now },
      setWhere: verdict === 'later' ? sql`${mergeVerdicts.verdict} <> 'different'` : sql`true`,
    })
    .returning();
  if (row) return row;
  const [standing] = await db
    .select()
    .from(mergeVerdicts)
    .where(and(eq(mergeVerdicts.lowId, lowId), eq(mergeVerdicts.highId, highId)));
  return standing!;
}

export async function deleteVerdict(db: Db, ownerId: string, pair: Pair): Promise<void> {
  await db
    .delete(mergeVerdicts)
    .where(
      and(
        eq(mergeVerdicts.ownerId, ownerId),
        eq(mergeVerdicts.lowId, pair.lowId),
        eq(mergeVerdicts.highId, pair.highId),
      ),
    );
}
