import { randomUUIDv7 } from 'bun';
import { asc, eq, getTableColumns, sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { videoEnrichments, videoSpeech, type VideoSpeechRow } from '../../../db/tables/videos.ts';
import type { TranscriptLine } from '../../../inference/index.ts';
import { buildTextVector } from '../../search/index.ts';
import { column } from '../../../db/columns.ts';
import { queryRows } from '../../../db/query.ts';

const { words: _, ...speechColumns } = getTableColumns(videoSpeech);

export const listSpeech = (db: Db, assetId: string): Promise<VideoSpeechRow[]> =>
  db
    .select(speechColumns)
    .from(videoSpeech)
    .where(eq(videoSpeech.assetId, assetId))
    .orderBy(asc(videoSpeech.startMs), asc(videoSpeech.id));

/** Restarts transcription from the beginning; old lines stay until they are replaced. */
export async function resetTranscription(db: Db, assetId: string): Promise<void> {
  await db
    .update(videoEnrichments)
    .set({ heardBy: '', hearingBy: '', heardMs: 0, speechError: null })
    .where(eq(videoEnrichments.assetId, assetId));
}

/** One transcribed piece of the sound. */
export type TranscribedPiece = {
  readonly model: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly lines: readonly TranscriptLine[];
  readonly language: string | undefined;
  /** Last piece of the sound. */
  readonly isEnd: boolean;
  readonly error: string | undefined;
};

/** Replaces the lines of this time range. */
export async function saveTranscribedPiece(
  db: Db,
  assetId: string,
  piece: TranscribedPiece,
): Promise<void> {
  const { model, fromMs, toMs, lines, language, isEnd, error } = piece;
  await queryRows(
    db,
    sql`
    delete from video_speech where asset_id = ${assetId} and start_ms >= ${fromMs}
      ${isEnd ? sql`` : sql`and start_ms < ${toMs}`}`,
  );
  const rows = lines.map((line) => ({
    ...line,
    id: randomUUIDv7(),
    words: buildTextVector({ chosen: [], places: [], names: [], recognised: [line.text] }).vector,
  }));
  await queryRows(
    db,
    sql`
    insert into video_speech
      (id, asset_id, start_ms, end_ms, text, language, confidence, model, words)
    select id, ${assetId}, "startMs", "endMs", text, ${language ?? null}, confidence, ${model},
      words::tsvector
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) line (id uuid, "startMs" int,
      "endMs" int, text text, confidence real, words text)`,
  );
  await db
    .update(videoEnrichments)
    .set({
      hearingBy: isEnd ? '' : model,
      heardMs: toMs,
      ...(language === undefined ? {} : { language }),
      ...(isEnd ? { heardBy: model, speechError: error ?? null } : {}),
    })
    .where(eq(videoEnrichments.assetId, assetId));
}

/** Returns the whole transcript for the search and saves the most frequent language. */
export async function finishTranscription(db: Db, assetId: string): Promise<string> {
  const [row] = await queryRows(
    db,
    { text: column.text.orNull },
    sql`
    with said as (select * from video_speech where asset_id = ${assetId}),
    noted as (
      update video_enrichment
      set language = (select mode() within group (order by language) from said)
      where asset_id = ${assetId}
    )
    select string_agg(text, ' ' order by start_ms) as text from said`,
  );
  return row?.text ?? '';
}

/** Returns videos that this model has not transcribed to their end. */
export async function findUntranscribed(db: Db, model: string, limit: number): Promise<string[]> {
  const left = sql`select asset_id as "assetId" from video_enrichment where status <> 'pending'`;
  const rows = await queryRows(
    db,
    { assetId: column.uuid },
    sql`
    (${left} and heard_by < ${model} limit ${limit})
    union all (${left} and heard_by > ${model} limit ${limit})`,
  );
  return rows.map(({ assetId }) => assetId);
}
