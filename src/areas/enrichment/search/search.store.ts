import { and, type SQL, sql } from 'drizzle-orm';
import { ownAssets } from '../../../access/scope.ts';
import type { UserSession } from '../../../access/session.ts';
import type { Db } from '../../../db/client.ts';
import type { MomentKind } from '../../../db/tables/videos.ts';
import { uuids } from '../../../db/arrays.ts';
import { column, type InferRow } from '../../../db/columns.ts';
import { queryRows } from '../../../db/query.ts';

export type Reader = { readonly db: Db; readonly session: UserSession };

export type SearchFilter = {
  readonly assetIds?: readonly string[] | undefined;
  readonly kinds?: readonly MomentKind[] | undefined;
};

/** Selects the caller's own videos in Timeline and archive that can be shown. */
function selectVideos({ db, session }: Reader, { assetIds }: SearchFilter): SQL {
  const conditions = [
    sql`asset.type = 'VIDEO'`,
    sql`asset.broken_reason is null`,
    ...(assetIds ? [sql`asset.id = any(${uuids(assetIds)})`] : []),
  ];
  return sql`select asset.id from ${ownAssets(db, session, 'library')} where ${and(...conditions)}`;
}

const MATCH_COLUMNS = {
  assetId: column.uuid,
  momentId: column.uuid.orNull,
  frameId: column.uuid.orNull,
  timeMs: column.integer,
  title: column.text.orNull,
  caption: column.text.orNull,
  transcript: column.text.orNull,
};
export type MatchRow = InferRow<typeof MATCH_COLUMNS>;

/** A transcript line with the frame shown at that time. */
const SPEECH_COLUMNS = { ...MATCH_COLUMNS, lineId: column.uuid, rank: column.float };
export type SpeechRow = InferRow<typeof SPEECH_COLUMNS>;

/** Returns moments that match a tsquery, best first. */
export async function findByWords(
  reader: Reader,
  query: string,
  { assetIds, kinds }: SearchFilter,
  limit: number,
): Promise<(MatchRow & { readonly rank: number })[]> {
  return queryRows(
    reader.db,
    { ...MATCH_COLUMNS, rank: column.float },
    sql`
    select moment.asset_id as "assetId", moment.id as "momentId", moment.frame_id as "frameId",
      coalesce(frame.at_ms, moment.start_ms) as "timeMs", moment.title, moment.caption,
      moment.transcript, ts_rank(moment.words, ${query}::tsquery) as rank
    from video_moment moment left join video_frame frame on frame.id = moment.frame_id
    where moment.words @@ ${query}::tsquery
      and moment.asset_id in (${selectVideos(reader, { assetIds })})
      ${kinds ? sql`and moment.kind = any(${`{${kinds.join(',')}}`}::text[])` : sql``}
    order by rank desc, moment.id limit ${limit}`,
  );
}

/** Returns transcript lines that match a tsquery, best first. */
export async function findInSpeech(
  reader: Reader,
  query: string,
  { assetIds }: SearchFilter,
  limit: number,
): Promise<SpeechRow[]> {
  return queryRows(
    reader.db,
    SPEECH_COLUMNS,
    sql`
    select line.*, frame.id as "frameId", moment.id as "momentId", moment.title, moment.caption
    from (
      select id as "lineId", asset_id as "assetId", start_ms as "timeMs", text as transcript,
        ts_rank(words, ${query}::tsquery) as rank
      from video_speech
      where words @@ ${query}::tsquery and asset_id in (${selectVideos(reader, { assetIds })})
      order by rank desc, id limit ${limit}
    ) line
    left join lateral (
      select id from video_frame
      where asset_id = line."assetId" and line."timeMs" between start_ms and end_ms
      order by rank limit 1
    ) frame on true
    left join video_moment moment on moment.frame_id = frame.id and moment.kind = 'generated'
    order by line.rank desc, line."lineId"`,
  );
}

/** Returns whether any searchable moment or line matches a tsquery. */
export async function hasMatch(
  reader: Reader,
  query: string,
  { assetIds, kinds }: SearchFilter,
  isSpoken: boolean,
): Promise<boolean> {
  const inVideos = sql`words @@ ${query}::tsquery
    and asset_id in (${selectVideos(reader, { assetIds })})`;
  const [row] = await queryRows(
    reader.db,
    { has: column.boolean },
    sql`
    select exists (
      select from video_moment where ${inVideos}
        ${kinds ? sql`and kind = any(${`{${kinds.join(',')}}`}::text[])` : sql``}
    ) ${isSpoken ? sql`or exists (select from video_speech where ${inVideos})` : sql``} as has`,
  );
  return row?.has ?? false;
}

/** Returns the vector slots of searchable frames as packed big-endian int32, without `except`. */
export async function selectFrameSlots(
  reader: Reader,
  modelId: string,
  { assetIds }: SearchFilter,
  except?: string,
): Promise<Uint8Array> {
  const [row] = await queryRows(
    reader.db,
    { slots: column.bytea.orNull },
    sql`
    select string_agg(int4send(embedding.slot), ''::bytea) as slots
    from (${selectVideos(reader, { assetIds })}) video
    join video_frame frame on frame.asset_id = video.id
    join embedding on embedding.subject_id = frame.id
    where embedding.model = (select id from embedding_model where model_id = ${modelId})
      ${except ? sql`and frame.id <> ${except}` : sql``}`,
  );
  return row?.slots ?? new Uint8Array(0);
}

/** Returns searchable frames by vector slot, with the moment generated from each. */
export async function findFramesBySlot(
  reader: Reader,
  modelId: string,
  { assetIds }: SearchFilter,
  slots: readonly number[],
): Promise<Map<number, MatchRow>> {
  if (slots.length === 0) return new Map();
  const rows = await queryRows(
    reader.db,
    { ...MATCH_COLUMNS, slot: column.integer },
    sql`
    select embedding.slot, frame.asset_id as "assetId", moment.id as "momentId",
      frame.id as "frameId", frame.at_ms as "timeMs", moment.title, moment.caption,
      null as transcript
    from embedding join video_frame frame on frame.id = embedding.subject_id
    left join video_moment moment on moment.frame_id = frame.id
      and moment.asset_id = frame.asset_id and moment.kind = 'generated'
    where embedding.model = (select id from embedding_model where model_id = ${modelId})
      and embedding.slot = any(${`{${slots.join(',')}}`}::int[])
      and frame.asset_id in (${selectVideos(reader, { assetIds })})`,
  );
  return new Map(rows.map(({ slot, ...row }) => [slot, row]));
}
