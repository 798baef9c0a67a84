import { type SQL, sql } from 'drizzle-orm';
import { ownAssets } from '../../../access/scope.ts';
import type { UserSession } from '../../../access/session.ts';
import { checkedAssets } from '../../../access/unscoped.ts';
import { uuids } from '../../../db/arrays.ts';
import type { Db } from '../../../db/client.ts';
import { column } from '../../../db/columns.ts';
import { queryPrepared, queryRows } from '../../../db/query.ts';
import { dot, readEmbeddings } from '../../../inference/index.ts';
import type { Facts, FactGroup, Similarity } from './facts.ts';
import type { EncodedSentence } from './sentences.ts';

const PAIR_COLUMNS = { assetId: column.uuid, id: column.uuid };

const PAIRS: Readonly<Record<FactGroup, (ids: readonly string[]) => ReturnType<typeof sql>>> = {
  tags: (ids) => sql`
    with recursive named as (
      select tag_asset.asset_id, tag.id, tag.parent_id
      from tag_asset join tag on tag.id = tag_asset.tag_id where tag_asset.asset_id = any(${uuids(ids)})
      union
      select named.asset_id, tag.id, tag.parent_id from named join tag on tag.id = named.parent_id)
    select asset_id as "assetId", id from named`,
  albums: (ids) => sql`
    select asset_id as "assetId", album_id as id from album_asset where asset_id = any(${uuids(ids)})`,
  people: (ids) => sql`
    select distinct asset_id as "assetId", person_id as id from face
    where asset_id = any(${uuids(ids)}) and person_id is not null and not is_hidden`,
  pets: (ids) => sql`
    select distinct asset_id as "assetId", pet_id as id from pet_observation
    where asset_id = any(${uuids(ids)}) and pet_id is not null`,
};

const COLUMNS = {
  id: column.uuid,
  description: column.text,
  text: column.text,
  state: column.text.orNull,
  rating: column.integer.orNull,
  type: column.text.as<'IMAGE' | 'VIDEO' | 'AUDIO' | 'OTHER'>(),
  fileName: column.text,
  fileSize: column.float,
  visibility: column.text.as<'timeline' | 'archive' | 'hidden'>(),
  isFavorite: column.boolean,
  uploadedFrom: column.text,
  localTakenAt: column.text,
  width: column.integer.orNull,
  height: column.integer.orNull,
  durationMs: column.integer.orNull,
  latitude: column.float.orNull,
  longitude: column.float.orNull,
  city: column.text.orNull,
  country: column.text.orNull,
  lensModel: column.text.orNull,
  make: column.text.orNull,
  model: column.text.orNull,
  timeZone: column.text.orNull,
  takenMs: column.float,
};

/**
 * Returns the facts of those of the assets that the account has and sees without the PIN, outside of the
 * trash.
 */
export const readFacts = (
  db: Db,
  session: UserSession,
  assetIds: readonly string[],
  groups: ReadonlySet<FactGroup>,
  sentences: readonly EncodedSentence[] = [],
): Promise<Map<string, Facts>> =>
  readFactsFrom(db, sql`${ownAssets(db, session, 'library')}`, assetIds, groups, sentences);

/** The same for all of the assets, whoever sees them: nothing of it may be shown or acted on. */
export const readAllFacts = (
  db: Db,
  assetIds: readonly string[],
  groups: ReadonlySet<FactGroup>,
): Promise<Map<string, Facts>> => readFactsFrom(db, sql`${checkedAssets}`, assetIds, groups, []);

async function readFactsFrom(
  db: Db,
  source: SQL,
  assetIds: readonly string[],
  groups: ReadonlySet<FactGroup>,
  sentences: readonly EncodedSentence[],
): Promise<Map<string, Facts>> {
  const rows = await queryPrepared(
    db,
    COLUMNS,
    sql`
    select asset.id, asset.type, asset.file_name as "fileName", asset.file_size::float8 as "fileSize",
      asset.visibility, asset.is_favorite as "isFavorite",
      to_char(asset.local_taken_at, 'YYYY-MM-DD"T"HH24:MI:SS') as "localTakenAt",
      date_part('epoch', asset.taken_at) * 1000 as "takenMs", asset.width, asset.height,
      asset.duration_ms as "durationMs", exif.make, exif.model, exif.lens_model as "lensModel",
      exif.time_zone as "timeZone", exif.latitude, exif.longitude, exif.city, exif.state, exif.country,
      coalesce(exif.description, '') as description, exif.rating,
      coalesce(document.folded, '') as text, coalesce(asset.uploaded_from, '') as "uploadedFrom"
    from ${source}
    left join asset_exif exif on exif.asset_id = asset.id
    left join document on document.asset_id = asset.id
    where asset.id = any(${uuids(assetIds)})`,
  );
  const found = rows.map((row) => row.id);
  const members = new Map<FactGroup, Map<string, Set<string>>>();
  for (const group of groups) members.set(group, await readPairs(db, group, found));
  const pick = (group: FactGroup, id: string) => members.get(group)?.get(id) ?? new Set<string>();
  const similarities = await readSimilarities(db, found, sentences);
  return new Map(
    rows.map(({ takenMs, ...row }) => [
      row.id,
      {
        ...row,
        takenAt: new Date(takenMs),
        tags: pick('tags', row.id),
        albums: pick('albums', row.id),
        people: pick('people', row.id),
        pets: pick('pets', row.id),
        similarities: similarities.get(row.id) ?? new Map<string, Similarity>(),
      },
    ]),
  );
}

async function readSimilarities(
  db: Db,
  assetIds: readonly string[],
  sentences: readonly EncodedSentence[],
): Promise<Map<string, ReadonlyMap<string, Similarity>>> {
  const [model] = sentences;
  if (!model) return new Map();
  const stored = await readEmbeddings(db, model.modelId, assetIds);
  const vectors = new Map(stored.map(({ subjectId, vector }) => [subjectId, vector]));
  const compare = (id: string, { vector, typical }: EncodedSentence): Similarity => {
    const own = vectors.get(id);
    return { cosine: own ? dot(own, vector) : -1, typical };
  };
  return new Map(
    assetIds.map((id) => [
      id,
      new Map(sentences.map((sentence) => [sentence.text, compare(id, sentence)])),
    ]),
  );
}

async function readPairs(
  db: Db,
  group: FactGroup,
  assetIds: readonly string[],
): Promise<Map<string, Set<string>>> {
  const members = new Map<string, Set<string>>();
  if (assetIds.length === 0) return members;
  for (const { assetId, id } of await queryRows(db, PAIR_COLUMNS, PAIRS[group](assetIds))) {
    const known = members.get(assetId);
    if (known) known.add(id);
    else members.set(assetId, new Set([id]));
  }
  return members;
}

/**
 * Returns which of the recognition tasks have been done for each asset, also in vain. Faces count once it is
 * known whose they are.
 */
export async function readDoneTasks(
  db: Db,
  assetIds: readonly string[],
  tasks: ReadonlySet<string>,
): Promise<Map<string, Set<string>>> {
  const done = new Map<string, Set<string>>();
  if (tasks.size === 0 || assetIds.length === 0) return done;
  const rows = await queryRows(
    db,
    { assetId: column.uuid, task: column.text },
    sql`
    select asset_id as "assetId", task from asset_analysis
    where asset_id = any(${uuids(assetIds)}) and task = any(${`{${[...tasks].join(',')}}`}::text[])
      and not (task = 'faces' and exists (
        select from face where face.asset_id = asset_analysis.asset_id and face.clustered_at is null))`,
  );
  for (const { assetId, task } of rows) {
    const known = done.get(assetId);
    if (known) known.add(task);
    else done.set(assetId, new Set([task]));
  }
  return done;
}
