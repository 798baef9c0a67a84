import { type SQL, sql } from 'drizzle-orm';
import { ownAssets } from '../../../access/scope.ts';
import { texts } from '../../../db/arrays.ts';
import { column, type InferRow } from '../../../db/columns.ts';
import { queryRows } from '../../../db/query.ts';
import { getNamePattern } from '../../../media/file-names.ts';
import { showsNobodyUnwanted } from '../show-less/rules.store.ts';
import type { Reader } from '../store.ts';
import type { Db } from '../../../db/client.ts';
import type { PictureQuality } from '../../../media/quality.ts';
import { backgroundAssets } from '../../../access/unscoped.ts';

const CANDIDATE_COLUMNS = {
  id: column.uuid,
  /** Subject of the query: the reason for which it may be shown. */
  subject: column.text,
  isVideo: column.boolean,
  /** Local capture time as if it were UTC. */
  takenMs: column.float,
  isFavorite: column.boolean,
  /** 0 to 5 */
  rating: column.integer,
  namedFaces: column.integer,
  /** A face is cut by the edge of the picture. */
  isFaceCut: column.boolean,
  /** In the derived folder. */
  thumbnail: column.text,
  thumbnailTag: column.text,
  /** Null: not measured. */
  sharpness: column.float.orNull,
  exposure: column.float.orNull,
  city: column.text.orNull,
  state: column.text.orNull,
  country: column.text.orNull,
};

/** A picture or video that a memory may show. */
export type Candidate = InferRow<typeof CANDIDATE_COLUMNS>;

/** Pictures of one subject that are looked at: favorites first, the others by chance, as ids are random. */
const MAX_SAMPLE = 3000;
/** The largest number of these that are worth a place. */
const MAX_CANDIDATES = 150;

/** A PNG without a camera is a screenshot or a drawing. */
const IS_SCREENSHOT = sql`(asset.file_name ~* ${getNamePattern('screenshot')}
  or (asset.file_name ~* '[.]png$' and exif.model is null))`;

const SHOWS_HIDDEN_PERSON = sql`exists (
  select from face join person on person.id = face.person_id
  where face.asset_id = asset.id and not face.is_hidden and person.is_hidden)`;

/**
 * Letters and digits that make a picture a document. Measured: signs, shop fronts and labels within photos
 * have at most 35, pages, notes, receipts and letters at least 130; what looks like a menu behind somebody
 * (300) is lost.
 */
export const DOCUMENT_CHARACTERS = 60;

/** Much text, or fields that the owner has confirmed. A picture with a sign is none. */
const IS_DOCUMENT = sql`exists (
  select from document where document.asset_id = asset.id
    and (length(regexp_replace(document.folded, '\\s', '', 'g')) >= ${DOCUMENT_CHARACTERS}
      or exists (select from document_field field
        where field.asset_id = document.asset_id and field.action <> 'dismiss')))`;

/** A new picture may yet turn out to be a document, or to show somebody; two days are enough to know. */
const isWaiting = (now: Date): SQL => sql`(
  asset.created_at > ${now.toISOString()}::timestamptz - interval '2 days'
  and exists (select from analysis_model model where model.task in ('faces', 'text', 'feature')
    and not exists (select from asset_analysis done
      where done.asset_id = asset.id and done.task = model.task)))`;

/** Condition on rows of "asset" and "exif": worth a place in a memory. */
const isUsable = ({ session }: Reader, now: Date): SQL => sql`(
  asset.type in ('IMAGE', 'VIDEO') and not asset.is_stack_child
  and coalesce(exif.rating, 0) >= 0 and not ${IS_SCREENSHOT}
  and not ${IS_DOCUMENT} and not ${SHOWS_HIDDEN_PERSON}
  and ${showsNobodyUnwanted(session.userId)} and not ${isWaiting(now)})`;

/** Faces as near to the edge are cut by it. */
const EDGE = 0.005;

const FACTS = sql`asset.id, asset.type = 'VIDEO' as "isVideo",
  date_part('epoch', asset.local_taken_at) * 1000 as "takenMs",
  asset.is_favorite as "isFavorite", coalesce(exif.rating, 0) as rating,
  (select count(*)::int from face join person on person.id = face.person_id
    where face.asset_id = asset.id and not face.is_hidden and person.name <> '') as "namedFaces",
  exists (select from face where face.asset_id = asset.id and not face.is_hidden
    and (x1 <= ${EDGE} or y1 <= ${EDGE} or x2 >= 1 - ${EDGE}::float8 or y2 >= 1 - ${EDGE}::float8))
    as "isFaceCut",
  thumbnail.name as thumbnail, thumbnail.tag as "thumbnailTag",
  quality.sharpness, quality.exposure, exif.city, exif.state, exif.country`;

type CandidatesQuery = {
  /** Names: the column given.subject. */
  readonly subjects: readonly string[];
  /** On a row of "asset", about one subject: which pictures it has, by an index. */
  readonly condition: SQL;
  /** On rows of "asset" and "exif": which of them show it. */
  readonly filter?: SQL;
  readonly now: Date;
};

/**
 * Returns the candidates for each subject, the same on each run of a day. A picture is checked only until
 * there are enough: "offset 0" keeps the planner from checking all of them before the limit.
 */
export const listCandidates = (
  { db, session }: Reader,
  { subjects, condition, filter = sql`true`, now }: CandidatesQuery,
): Promise<Candidate[]> =>
  queryRows(
    db,
    CANDIDATE_COLUMNS,
    sql`
    select given.subject, picked.* from unnest(${texts(subjects)}) given (subject)
    cross join lateral (
      select usable.* from (
        select asset.id from ${ownAssets(db, session, 'timeline')} where ${condition}
        order by asset.is_favorite desc, asset.id limit ${MAX_SAMPLE}) sample
      cross join lateral (
        select ${FACTS} from ${ownAssets(db, session, 'timeline')}
        left join asset_exif exif on exif.asset_id = asset.id
        join lateral (
          select file.name, file.tag from asset_file file
          where file.asset_id = asset.id and file.kind in ('edited_thumbnail', 'thumbnail')
          order by file.kind = 'edited_thumbnail' desc limit 1) thumbnail on true
        left join picture_quality quality
          on quality.asset_id = asset.id and quality.thumbnail_tag = thumbnail.tag
        where asset.id = sample.id and ${filter} and ${isUsable({ db, session }, now)}
        offset 0) usable
      limit ${MAX_CANDIDATES}) picked`,
  );

/** Condition: taken on the local day that is the subject. */
export const IS_OF_DAY = sql`(
  asset.local_month = date_trunc('month', given.subject::date)::date
  and asset.local_taken_at >= given.subject::date
  and asset.local_taken_at < given.subject::date + 1)`;

/** Returns the year of the earliest picture on the Timeline. */
export async function findFirstYear({ db, session }: Reader): Promise<number | undefined> {
  const [row] = await queryRows(
    db,
    { year: column.integer.orNull },
    sql`
    select extract(year from min(asset.local_month))::int as year
    from ${ownAssets(db, session, 'timeline')}`,
  );
  return row?.year ?? undefined;
}

/** Condition: taken in the local year that is the subject. */
export const IS_OF_YEAR = sql`(
  asset.local_month >= make_date(given.subject::int, 1, 1)
  and asset.local_month <= make_date(given.subject::int, 12, 1))`;

/** Days after the first upload within which a library is new. */
const NEW_DAYS = 14;

/** Condition: the account has pictures, all of which came lately. */
export const isNewLibrary = (ownerId: SQL, now: Date): SQL => sql`(
  exists (select from ${backgroundAssets} where asset.owner_id = ${ownerId})
  and not exists (select from ${backgroundAssets} where asset.owner_id = ${ownerId}
    and asset.created_at < ${now.toISOString()}::timestamptz - ${NEW_DAYS} * interval '1 day'))`;

/** Returns whether the account has pictures, all of which came lately. */
export async function hasNewLibrary({ db, session }: Reader, now: Date): Promise<boolean> {
  const isNew = isNewLibrary(sql`${session.userId}::uuid`, now);
  const [row] = await queryRows(db, { isNew: column.boolean }, sql`select ${isNew} as "isNew"`);
  return row?.isNew === true;
}

/** Returns whether the Timeline has anything, and anything that models have not yet seen. */
export async function findProgress(
  { db, session }: Reader,
  now: Date,
): Promise<{ hasAny: boolean; isWaiting: boolean }> {
  const timeline = ownAssets(db, session, 'timeline');
  const [row] = await queryRows(
    db,
    { hasAny: column.boolean, isWaiting: column.boolean },
    sql`select exists (select from ${timeline}) as "hasAny",
      exists (select from ${timeline} where ${isWaiting(now)}) as "isWaiting"`,
  );
  return row ?? { hasAny: false, isWaiting: false };
}

export type MeasuredPicture = PictureQuality & { readonly id: string; readonly tag: string };

/** Stores the quality of pictures; those that were deleted meanwhile are left out. */
export async function saveQualities(db: Db, measured: readonly MeasuredPicture[]): Promise<void> {
  if (measured.length === 0) return;
  await queryRows(
    db,
    sql`
    insert into picture_quality (asset_id, thumbnail_tag, sharpness, exposure)
    select asset.id, given.tag, given.sharpness, given.exposure
    from jsonb_to_recordset(${JSON.stringify(measured)}::jsonb)
      given (id uuid, tag text, sharpness real, exposure real)
    join ${backgroundAssets} on asset.id = given.id order by 1
    on conflict (asset_id) do update set thumbnail_tag = excluded.thumbnail_tag,
      sharpness = excluded.sharpness, exposure = excluded.exposure`,
  );
}
