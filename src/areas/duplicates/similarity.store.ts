import { unscopedAssets } from '../../access/unscoped.ts';
import { sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { uuids } from '../../db/arrays.ts';
import { queryRows } from '../../db/query.ts';

/** Two assets with similar vectors: one by id, the other by vector slot. */
export type SlotPair = {
  readonly assetId: string;
  readonly slot: number;
  /** Cosine similarity. */
  readonly score: number;
};

/** Two assets that may be duplicates, the smaller id first. */
export type Candidate = {
  readonly firstId: string;
  readonly secondId: string;
  readonly score: number;
};
/** `sameness`: overlap of the edge maps, 0 to 1; null when unknown. `isIdentical`: the same bytes or pixels. */
export type MeasuredPair = Candidate & {
  readonly sameness: number | null;
  readonly isIdentical: boolean;
};

const MAX_DURATION_DIFFERENCE_MS = 1000;

/** Returns each pair once: of one account, of one type, videos of about the same duration. */
export async function listCandidates(
  db: Db,
  modelId: string,
  pairs: readonly SlotPair[],
): Promise<Candidate[]> {
  if (pairs.length === 0) return [];
  return queryRows<Candidate>(
    db,
    sql`
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
    group by 1, 2 order by 1, 2`,
  );
}

export type Picture = {
  readonly assetId: string;
  readonly type: 'IMAGE' | 'VIDEO';
  /** Hash of the original, in hex. */
  readonly sha256: string;
  readonly fileName: string;
  readonly width: number | null;
  readonly height: number | null;
  readonly liveVideoId: string | null;
  readonly isEdited: boolean;
  /** Stored SHA-256 of all pixels, in hex. */
  readonly pixels: string | null;
  /** Thumbnail file relative to the derived folder; null when there is none yet. */
  readonly thumbnail: string | null;
  /** Stored outline. */
  readonly light: Uint8Array | null;
};

/** Returns these pictures with what is stored of their looks. */
export async function listPictures(db: Db, assetIds: readonly string[]): Promise<Picture[]> {
  if (assetIds.length === 0) return [];
  return queryRows<Picture>(
    db,
    sql`
    select asset.id as "assetId", asset.type, encode(asset.sha256, 'hex') as sha256,
      asset.file_name as "fileName", asset.width, asset.height,
      asset.live_video_id as "liveVideoId",
      exists (select from asset_edit where asset_edit.asset_id = asset.id) as "isEdited",
      outline.light, encode(outline.pixels, 'hex') as pixels, (
      select file.name from asset_file file
      where file.asset_id = asset.id and file.kind in ('edited_thumbnail', 'thumbnail')
      order by file.kind = 'edited_thumbnail' desc limit 1) as thumbnail
    from ${unscopedAssets} left join picture_outline outline on outline.asset_id = asset.id
    where asset.id = any(${uuids(assetIds)})`,
  );
}

/** By asset; digests in hex. */
export type Looks = {
  readonly outlines: ReadonlyMap<string, Uint8Array>;
  readonly digests: ReadonlyMap<string, string>;
};

/**
 * Replaces the similar pairs of these assets and stores their looks. Deleted assets are omitted.
 */
export async function replacePairs(
  db: Db,
  assetIds: readonly string[],
  pairs: readonly MeasuredPair[],
  { outlines, digests }: Looks,
): Promise<void> {
  const ids = sql`any(${uuids(assetIds)})`;
  const all = [...assetIds, ...pairs.flatMap(({ firstId, secondId }) => [firstId, secondId])];
  // Locked in the same order as deletions, to avoid deadlocks.
  await queryRows(
    db,
    sql`
    select 1 from ${unscopedAssets} where id = any(${uuids([...new Set(all)])}) order by id for key share`,
  );
  await queryRows(
    db,
    sql`delete from duplicate_pair where first_id = ${ids} or second_id = ${ids}`,
  );
  if (pairs.length === 0) return;
  const kept = [...outlines].map(([id, light]) => ({
    id,
    light: Buffer.from(light).toString('hex'),
    pixels: digests.get(id) ?? null,
  }));
  await queryRows(
    db,
    sql`
    insert into picture_outline (asset_id, light, pixels)
    select asset.id, decode(given.light, 'hex'), decode(given.pixels, 'hex')
    from jsonb_to_recordset(${JSON.stringify(kept)}::jsonb)
      given (id uuid, light text, pixels text)
    join ${unscopedAssets} on asset.id = given.id order by 1
    on conflict (asset_id) do update set light = excluded.light, pixels = excluded.pixels`,
  );
  await queryRows(
    db,
    sql`
    insert into duplicate_pair (owner_id, first_id, second_id, score, sameness, is_identical)
    select asset.owner_id, asset.id, other.id, given.score, given.sameness, given."isIdentical"
    from jsonb_to_recordset(${JSON.stringify(pairs)}::jsonb)
      given ("firstId" uuid, "secondId" uuid, score real, sameness real, "isIdentical" boolean)
    join ${unscopedAssets} on asset.id = given."firstId" join ${unscopedAssets} other on other.id = given."secondId"
    where other.owner_id = asset.owner_id order by 2, 3
    on conflict (first_id, second_id)
      do update set score = excluded.score, sameness = excluded.sameness,
        is_identical = excluded.is_identical`,
  );
}
