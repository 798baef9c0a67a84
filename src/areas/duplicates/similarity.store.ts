import { unscopedAssets } from '../../access/unscoped.ts';
import { sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { uuids } from '../../db/arrays.ts';

/** Two assets with near vectors: one by its id, the other by its slot. */
export type SlotPair = {
  readonly assetId: string;
  readonly slot: number;
  /** Cosine. */
  readonly score: number;
};

/** Two assets that may look the same, the smaller id first. */
export type Candidate = {
  readonly firstId: string;
  readonly secondId: string;
  readonly score: number;
};
/** `sameness`: of the edges in both; null where nothing is known of them. */
export type MeasuredPair = Candidate & { readonly sameness: number | null };

/** Playing times of copies differ by less. */
const MAX_DURATION_DIFFERENCE_MS = 1000;

/** Each pair once. Only those of one account and of one type count, of videos of one length. */
export async function listCandidates(
  db: Db,
  modelId: string,
  pairs: readonly SlotPair[],
): Promise<Candidate[]> {
  if (pairs.length === 0) return [];
  const rows = await db.execute<Candidate>(sql`
    select least(asset.id, other.id) as "firstId", greatest(asset.id, other.id) as "secondId",
      max(given.score) as score
    from jsonb_to_recordset(${JSON.stringify(pairs)}::jsonb)
      given ("assetId" uuid, slot int, score real)
    join ${unscopedAssets} on asset.id = given."assetId"
    join embedding on embedding.slot = given.slot
      and embedding.model = (select id from embedding_model where model_id = ${modelId})
    join ${unscopedAssets} other on other.id = embedding.subject_id
    where other.id <> asset.id and other.owner_id = asset.owner_id and other.type = asset.type
      and (asset.type <> 'VIDEO'
        or abs(coalesce(asset.duration_ms, 0) - coalesce(other.duration_ms, 0)) < ${MAX_DURATION_DIFFERENCE_MS})
    group by 1, 2 order by 1, 2`);
  return [...rows];
}

export type StoredOutline = {
  readonly assetId: string;
  /** Of the thumbnail that is shown, relative to the derived folder; null: there is none yet. */
  readonly thumbnail: string | null;
  /** Kept from an earlier comparison. */
  readonly light: Uint8Array | null;
};

/** What is known of these pictures to compare them by. */
export async function listOutlines(db: Db, assetIds: readonly string[]): Promise<StoredOutline[]> {
  if (assetIds.length === 0) return [];
  const rows = await db.execute<StoredOutline>(sql`
    select asset.id as "assetId", outline.light, (
      select file.name from asset_file file
      where file.asset_id = asset.id and file.kind in ('edited_thumbnail', 'thumbnail')
      order by file.kind = 'edited_thumbnail' desc limit 1) as thumbnail
    from ${unscopedAssets} left join picture_outline outline on outline.asset_id = asset.id
    where asset.id = any(${uuids(assetIds)})`);
  return [...rows];
}

/**
 * Keeps which assets look like these, instead of what was known before, and by which outlines. What is
 * gone meanwhile is left out.
 */
export async function replacePairs(
  db: Db,
  assetIds: readonly string[],
  pairs: readonly MeasuredPair[],
  outlines: ReadonlyMap<string, Uint8Array>,
): Promise<void> {
  const ids = sql`any(${uuids(assetIds)})`;
  const all = [...assetIds, ...pairs.flatMap(({ firstId, secondId }) => [firstId, secondId])];
  // In one order, also with those who delete them.
  await db.execute(sql`
    select 1 from ${unscopedAssets} where id = any(${uuids([...new Set(all)])}) order by id for key share`);
  await db.execute(sql`delete from duplicate_pair where first_id = ${ids} or second_id = ${ids}`);
  if (pairs.length === 0) return;
  const kept = [...outlines].map(([id, light]) => ({
    id,
    light: Buffer.from(light).toString('hex'),
  }));
  await db.execute(sql`
    insert into picture_outline (asset_id, light)
    select asset.id, decode(given.light, 'hex')
    from jsonb_to_recordset(${JSON.stringify(kept)}::jsonb) given (id uuid, light text)
    join ${unscopedAssets} on asset.id = given.id order by 1
    on conflict (asset_id) do update set light = excluded.light`);
  await db.execute(sql`
    insert into duplicate_pair (owner_id, first_id, second_id, score, sameness)
    select asset.owner_id, asset.id, other.id, given.score, given.sameness
    from jsonb_to_recordset(${JSON.stringify(pairs)}::jsonb)
      given ("firstId" uuid, "secondId" uuid, score real, sameness real)
    join ${unscopedAssets} on asset.id = given."firstId" join ${unscopedAssets} other on other.id = given."secondId"
    where other.owner_id = asset.owner_id order by 2, 3
    on conflict (first_id, second_id)
      do update set score = excluded.score, sameness = excluded.sameness`);
}
