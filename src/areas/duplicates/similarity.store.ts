import { IS_EDITED } from '../../access/edited.ts';
import { backgroundAssets } from '../../access/unscoped.ts';
import { sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { uuids } from '../../db/arrays.ts';
import { column, type InferRow } from '../../db/columns.ts';
import { queryRows } from '../../db/query.ts';
import type { PictureLooks } from '../../media/outline.ts';

/** Two assets with similar vectors: one by id, the other by vector slot. */
export type SlotPair = {
  readonly assetId: string;
  readonly slot: number;
  /** Cosine similarity. */
  readonly score: number;
};

const CANDIDATE_COLUMNS = { firstId: column.uuid, secondId: column.uuid, score: column.float };

/** Two assets that may be duplicates, the smaller id first. */
export type Candidate = InferRow<typeof CANDIDATE_COLUMNS>;
export type MeasuredPair = Candidate & {
  /** Overlap of the edge maps, 0 to 1; null when unknown. */
  readonly sameness: number | null;
  /** The same bytes or pixels. */
  readonly isIdentical: boolean;
  /** Share of what both pictures have that is the same; null where neither is part of the other. */
  readonly commonPart: number | null;
};

const MAX_DURATION_DIFFERENCE_MS = 1000;

/** Returns each pair once: of one account, of one type, videos of about the same duration. */
export async function listCandidates(
  db: Db,
  modelId: string,
  pairs: readonly SlotPair[],
): Promise<Candidate[]> {
  if (pairs.length === 0) return [];
  return queryRows(
    db,
    CANDIDATE_COLUMNS,
    sql`
    select least(asset.id, other.id) as "firstId", greatest(asset.id, other.id) as "secondId",
      max(given.score) as score
    from jsonb_to_recordset(${JSON.stringify(pairs)}::jsonb)
      given ("assetId" uuid, slot int, score real)
    join ${backgroundAssets} on asset.id = given."assetId"
    join embedding on embedding.slot = given.slot
      and embedding.model = (select id from embedding_model where model_id = ${modelId})
    join ${backgroundAssets} other on other.id = embedding.subject_id
    where other.id <> asset.id and other.owner_id = asset.owner_id and other.type = asset.type
      and (asset.type <> 'VIDEO'
        or abs(coalesce(asset.duration_ms, 0) - coalesce(other.duration_ms, 0)) < ${MAX_DURATION_DIFFERENCE_MS})
    group by 1, 2 order by 3 desc, 1, 2`,
  );
}

const PICTURE_COLUMNS = {
  assetId: column.uuid,
  type: column.text.as<'IMAGE' | 'VIDEO'>(),
  /** Hash of the original, in hex. */
  sha256: column.text,
  fileName: column.text,
  width: column.integer.orNull,
  height: column.integer.orNull,
  liveVideoId: column.uuid.orNull,
  isEdited: column.boolean,
  /** Stored SHA-256 of all pixels, in hex. */
  pixels: column.text.orNull,
  /** Thumbnail file relative to the derived folder; null when there is none yet. */
  thumbnail: column.text.orNull,
  /** Stored outline and patches. */
  light: column.bytea.orNull,
  patches: column.bytea.orNull,
};

export type Picture = InferRow<typeof PICTURE_COLUMNS>;

/** Returns these pictures with what is stored of their looks. */
export async function listPictures(db: Db, assetIds: readonly string[]): Promise<Picture[]> {
  if (assetIds.length === 0) return [];
  return queryRows(
    db,
    PICTURE_COLUMNS,
    sql`
    select asset.id as "assetId", asset.type, encode(asset.sha256, 'hex') as sha256,
      asset.file_name as "fileName", asset.width, asset.height,
      asset.live_video_id as "liveVideoId",
      ${IS_EDITED} as "isEdited",
      outline.light, outline.patches, encode(outline.pixels, 'hex') as pixels, (
      select file.name from asset_file file
      where file.asset_id = asset.id and file.kind in ('edited_thumbnail', 'thumbnail')
      order by file.kind = 'edited_thumbnail' desc limit 1) as thumbnail
    from ${backgroundAssets} left join picture_outline outline on outline.asset_id = asset.id
    where asset.id = any(${uuids(assetIds)})`,
  );
}

/** By asset: what is new; digests in hex, also of others. */
export type StoredLooks = {
  readonly looks: ReadonlyMap<string, PictureLooks>;
  readonly digests: ReadonlyMap<string, string>;
};

/**
 * Replaces the similar pairs of these assets and stores their looks. Deleted assets are omitted.
 */
export async function replacePairs(
  db: Db,
  assetIds: readonly string[],
  pairs: readonly MeasuredPair[],
  { looks, digests }: StoredLooks,
): Promise<void> {
  const ids = sql`any(${uuids(assetIds)})`;
  const paired = pairs.flatMap(({ firstId, secondId }) => [firstId, secondId]);
  const all = [...assetIds, ...paired, ...looks.keys(), ...digests.keys()];
  // Locked in the same order as deletions, to avoid deadlocks.
  await queryRows(
    db,
    sql`
    select 1 from ${backgroundAssets} where id = any(${uuids([...new Set(all)])}) order by id for key share`,
  );
  await queryRows(
    db,
    sql`delete from duplicate_pair where first_id = ${ids} or second_id = ${ids}`,
  );
  const kept = [...looks].map(([id, { light, patches }]) => ({
    id,
    light: Buffer.from(light).toString('hex'),
    patches: Buffer.from(patches).toString('hex'),
    pixels: digests.get(id) ?? null,
  }));
  await queryRows(
    db,
    sql`
    insert into picture_outline (asset_id, light, patches, pixels)
    select asset.id, decode(given.light, 'hex'), decode(given.patches, 'hex'),
      decode(given.pixels, 'hex')
    from jsonb_to_recordset(${JSON.stringify(kept)}::jsonb)
      given (id uuid, light text, patches text, pixels text)
    join ${backgroundAssets} on asset.id = given.id order by 1
    on conflict (asset_id) do update set light = excluded.light, patches = excluded.patches,
      pixels = excluded.pixels`,
  );
  await saveDigests(db, digests);
  if (pairs.length === 0) return;
  await queryRows(
    db,
    sql`
    insert into duplicate_pair (owner_id, first_id, second_id, score, sameness, is_identical,
      common_part)
    select asset.owner_id, asset.id, other.id, given.score, given.sameness, given."isIdentical",
      given."commonPart"
    from jsonb_to_recordset(${JSON.stringify(pairs)}::jsonb)
      given ("firstId" uuid, "secondId" uuid, score real, sameness real, "isIdentical" boolean,
        "commonPart" real)
    join ${backgroundAssets} on asset.id = given."firstId" join ${backgroundAssets} other on other.id = given."secondId"
    where other.owner_id = asset.owner_id order by 2, 3
    on conflict (first_id, second_id)
      do update set score = excluded.score, sameness = excluded.sameness,
        is_identical = excluded.is_identical, common_part = excluded.common_part`,
  );
}

async function saveDigests(db: Db, digests: ReadonlyMap<string, string>): Promise<void> {
  if (digests.size === 0) return;
  const rows = [...digests].map(([id, pixels]) => ({ id, pixels }));
  await queryRows(
    db,
    sql`
    update picture_outline set pixels = decode(given.pixels, 'hex')
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) given (id uuid, pixels text)
    where picture_outline.asset_id = given.id and picture_outline.pixels is null`,
  );
}
