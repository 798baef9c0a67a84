import { and, asc, eq, getTableColumns, sql } from 'drizzle-orm';
import type { Session } from '../../access/session.ts';
import { visibleAssets } from '../../access/scope.ts';
import type { Db } from '../../db/client.ts';
import {
  type EnrichmentState,
  videoEnrichments,
  type VideoFrameRow,
  videoFrames,
  type VideoMomentRow,
  videoMoments,
} from '../../db/tables/videos.ts';
import { buildTextVector } from '../search/index.ts';
import { column, type InferRow } from '../../db/columns.ts';
import { queryRows } from '../../db/query.ts';
import { deleteEmbeddings } from '../../inference/index.ts';

export type Enrichment = typeof videoEnrichments.$inferSelect;

export async function findEnrichment(db: Db, assetId: string): Promise<Enrichment | undefined> {
  const [row] = await db
    .select()
    .from(videoEnrichments)
    .where(eq(videoEnrichments.assetId, assetId));
  return row;
}

/** Returns the frames by rank. */
export const listFrames = (db: Db, assetId: string): Promise<VideoFrameRow[]> =>
  db.select().from(videoFrames).where(eq(videoFrames.assetId, assetId)).orderBy(videoFrames.rank);

const { words: _, ...momentColumns } = getTableColumns(videoMoments);

export const listMoments = (db: Db, assetId: string): Promise<VideoMomentRow[]> =>
  db
    .select(momentColumns)
    .from(videoMoments)
    .where(eq(videoMoments.assetId, assetId))
    .orderBy(asc(videoMoments.startMs), asc(videoMoments.id));

export async function findMoment(
  db: Db,
  assetId: string,
  id: string,
): Promise<VideoMomentRow | undefined> {
  const [row] = await db
    .select(momentColumns)
    .from(videoMoments)
    .where(and(eq(videoMoments.id, id), eq(videoMoments.assetId, assetId)));
  return row;
}

export type FrameView = VideoFrameRow & { readonly isLocked: boolean };

/** Returns a frame of a video that the session may see. */
export async function findFrame(
  db: Db,
  session: Session,
  id: string,
): Promise<FrameView | undefined> {
  const asset = visibleAssets(db, session, 'any');
  const [row] = await db
    .select({ frame: videoFrames, isLocked: sql<boolean>`${asset.lockedAt} is not null` })
    .from(videoFrames)
    .innerJoin(asset, eq(asset.id, videoFrames.assetId))
    .where(eq(videoFrames.id, id));
  return row && { ...row.frame, isLocked: row.isLocked };
}

export async function saveCover(db: Db, assetId: string, coverMs: number | null): Promise<void> {
  await db
    .insert(videoEnrichments)
    .values({ assetId, coverMs })
    .onConflictDoUpdate({
      target: videoEnrichments.assetId,
      set: { coverMs, updatedAt: sql`now()` },
    });
}

/** Saves the processing state of a video. */
export async function saveState(
  db: Db,
  assetId: string,
  status: EnrichmentState,
  error: string | null = null,
): Promise<void> {
  await db
    .insert(videoEnrichments)
    .values({ assetId, status, error })
    .onConflictDoUpdate({
      target: videoEnrichments.assetId,
      set: { status, error, updatedAt: sql`now()` },
    });
}

/** Replaces the frames; moments generated from the old ones stay until they are replaced. */
export async function replaceFrames(
  db: Db,
  assetId: string,
  source: string,
  frames: readonly VideoFrameRow[],
): Promise<void> {
  const former = await db
    .delete(videoFrames)
    .where(eq(videoFrames.assetId, assetId))
    .returning({ id: videoFrames.id });
  await deleteEmbeddings(
    db,
    former.map(({ id }) => id),
  );
  if (frames.length > 0) await db.insert(videoFrames).values([...frames]);
  const made = { status: 'processing' as const, source, models: '', error: null };
  await db
    .insert(videoEnrichments)
    .values({ assetId, ...made })
    .onConflictDoUpdate({
      target: videoEnrichments.assetId,
      set: { ...made, updatedAt: sql`now()` },
    });
}

export type DescriptionSource = {
  readonly source: string;
  readonly models: string;
  readonly vectorModel: string | null;
  readonly now: Date;
};

/** Replaces the generated moments; manual ones stay. */
export async function replaceGenerated(
  db: Db,
  assetId: string,
  { source, models, vectorModel, now }: DescriptionSource,
  moments: readonly VideoMomentRow[],
): Promise<void> {
  await db
    .delete(videoMoments)
    .where(and(eq(videoMoments.assetId, assetId), eq(videoMoments.kind, 'generated')));
  for (const moment of moments) await insertMoment(db, moment);
  await db.update(videoFrames).set({ vectorModel }).where(eq(videoFrames.assetId, assetId));
  await db
    .update(videoEnrichments)
    .set({ status: 'ready', source, models, generatedAt: now, error: null, updatedAt: now })
    .where(eq(videoEnrichments.assetId, assetId));
}

type MomentTexts = Pick<VideoMomentRow, 'title' | 'caption' | 'transcript'>;

const toWordVector = ({ title, caption, transcript }: MomentTexts) =>
  buildTextVector({
    chosen: [title ?? '', caption ?? ''],
    places: [],
    names: [],
    recognised: [transcript ?? ''],
  }).vector;

export async function insertMoment(db: Db, moment: VideoMomentRow): Promise<void> {
  await db.insert(videoMoments).values(moment);
  await saveWordVector(db, moment);
}

export async function updateMoment(db: Db, moment: VideoMomentRow): Promise<void> {
  const { id, startMs, endMs, title, transcript, updatedAt } = moment;
  await db
    .update(videoMoments)
    .set({ startMs, endMs, title, transcript, updatedAt })
    .where(eq(videoMoments.id, id));
  await saveWordVector(db, moment);
}

const saveWordVector = (db: Db, moment: VideoMomentRow) =>
  queryRows(
    db,
    sql`update video_moment set words = ${toWordVector(moment)}::tsvector where id = ${moment.id}`,
  );

export const deleteMoment = async (db: Db, id: string): Promise<void> => {
  await db.delete(videoMoments).where(eq(videoMoments.id, id));
};

const OUTDATED_VIDEO_COLUMNS = { assetId: column.uuid, status: column.text.as<EnrichmentState>() };
export type OutdatedVideo = InferRow<typeof OUTDATED_VIDEO_COLUMNS>;

/** Returns pending videos, and those that other models have described. */
export async function findOutdatedVideos(
  db: Db,
  models: string,
  limit: number,
): Promise<OutdatedVideo[]> {
  const others = sql`status in ('ready', 'unavailable')`;
  const left = sql`select asset_id as "assetId", status from video_enrichment`;
  return queryRows(
    db,
    OUTDATED_VIDEO_COLUMNS,
    sql`
    (${left} where status = 'pending' and exists (
      select from asset_file file where file.asset_id = video_enrichment.asset_id
        and file.kind = 'preview') order by asset_id limit ${limit})
    ${
      models === ''
        ? sql``
        : sql`union all (${left} where ${others} and models < ${models} limit ${limit})
          union all (${left} where ${others} and models > ${models} limit ${limit})`
    }`,
  );
}
