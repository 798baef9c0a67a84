import { sql } from 'drizzle-orm';
import type { Db } from '../db/client.ts';

/** Two assets that look the same, by the slots of their vectors. */
export type SlotPair = {
  readonly assetId: string;
  readonly slot: number;
  readonly score: number;
};

/** Playing times of copies differ by less. */
const MOST_MS_APART = 1000;

/**
 * Keeps which assets look like these, instead of what was known before. Only pairs of one account and
 * of one type count, of videos of one length; the members of one stack are one.
 */
export async function replacePairs(
  db: Db,
  modelId: string,
  assetIds: readonly string[],
  pairs: readonly SlotPair[],
): Promise<void> {
  const ids = sql`any(${`{${assetIds.join(',')}}`}::uuid[])`;
  // In one order, also with those who delete them.
  await db.execute(sql`select 1 from asset where id = ${ids} order by id for key share`);
  await db.execute(sql`delete from duplicate_pair where first_id = ${ids} or second_id = ${ids}`);
  if (pairs.length === 0) return;
  await db.execute(sql`
    insert into duplicate_pair (owner_id, first_id, second_id, score)
    select asset.owner_id, least(asset.id, other.id), greatest(asset.id, other.id), max(given.score)
    from jsonb_to_recordset(${JSON.stringify(pairs)}::jsonb)
      given ("assetId" uuid, slot int, score real)
    join asset on asset.id = given."assetId"
    join embedding on embedding.slot = given.slot
      and embedding.model = (select id from embedding_model where model_id = ${modelId})
    join asset other on other.id = embedding.subject_id
    where other.id <> asset.id and other.owner_id = asset.owner_id and other.type = asset.type
      and (asset.type <> 'VIDEO'
        or abs(coalesce(asset.duration_ms, 0) - coalesce(other.duration_ms, 0)) < ${MOST_MS_APART})
    group by 1, 2, 3 order by 2, 3
    on conflict (first_id, second_id) do update set score = excluded.score`);
}
