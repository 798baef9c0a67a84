import { and, eq, inArray, isNull, lt, sql } from 'drizzle-orm';
import { uuids } from '../../../db/arrays.ts';
import type { Db } from '../../../db/client.ts';
import { column } from '../../../db/columns.ts';
import { queryRows } from '../../../db/query.ts';
import { hasJob } from '../../../jobs/queue.ts';
import {
  type StudioDocument,
  type StudioPreviewRow,
  studioPreviews,
  studioProjects,
  type StudioRenderRow,
  studioRenders,
  studioRevisions,
} from '../../../db/tables/studio.ts';

type RenderState = StudioRenderRow['state'];

/** Locks the render of this key that is under way or ready. */
export async function lockActiveRender(
  db: Db,
  renderKey: string,
): Promise<StudioRenderRow | undefined> {
  const [row] = await db
    .select()
    .from(studioRenders)
    .where(
      and(
        eq(studioRenders.renderKey, renderKey),
        sql`${studioRenders.state} in ('queued', 'rendering', 'ready')`,
        isNull(studioRenders.releasedAt),
      ),
    )
    .for('update');
  return row;
}

/** Inserts a render unless there is one of its key under way or ready. */
export async function insertRender(
  db: Db,
  values: typeof studioRenders.$inferInsert,
): Promise<StudioRenderRow | undefined> {
  const [row] = await db.insert(studioRenders).values(values).onConflictDoNothing().returning();
  return row;
}

export async function lockRender(db: Db, id: string): Promise<StudioRenderRow | undefined> {
  const [row] = await db.select().from(studioRenders).where(eq(studioRenders.id, id)).for('update');
  return row;
}

export type RenderChange = Partial<
  Pick<StudioRenderRow, 'state' | 'error' | 'readyAt' | 'releasedAt'>
>;

/** Changes a render that is in one of the states. Returns undefined for any other. */
export async function changeRender(
  db: Db,
  id: string,
  from: readonly RenderState[],
  change: RenderChange,
): Promise<StudioRenderRow | undefined> {
  const [row] = await db
    .update(studioRenders)
    .set(change)
    .where(and(eq(studioRenders.id, id), inArray(studioRenders.state, [...from])))
    .returning();
  return row;
}

/** Cancels what is not ready yet of the revisions before `revision`. */
export async function cancelRenders(db: Db, projectId: string, revision: number): Promise<void> {
  await db
    .update(studioRenders)
    .set({ state: 'cancelled' })
    .where(
      and(
        eq(studioRenders.projectId, projectId),
        Number.isFinite(revision) ? lt(studioRenders.revision, revision) : undefined,
        inArray(studioRenders.state, ['queued', 'rendering']),
      ),
    );
}

export async function getRenderState(db: Db, id: string): Promise<RenderState | undefined> {
  const [row] = await db
    .select({ state: studioRenders.state })
    .from(studioRenders)
    .where(eq(studioRenders.id, id));
  return row?.state;
}

export async function findDocument(
  db: Db,
  { projectId, revision }: Pick<StudioRenderRow, 'projectId' | 'revision'>,
): Promise<StudioDocument | undefined> {
  const [row] = await db
    .select({ document: studioRevisions.document })
    .from(studioRevisions)
    .where(and(eq(studioRevisions.projectId, projectId), eq(studioRevisions.revision, revision)));
  return row?.document;
}

export async function insertPreview(
  db: Db,
  values: typeof studioPreviews.$inferInsert,
): Promise<StudioPreviewRow> {
  const [row] = await db.insert(studioPreviews).values(values).returning();
  if (!row) throw new Error('insert returned no row');
  return row;
}

/** A preview with its frame, and how many previews of that are not retired. */
export type PreviewRow = {
  readonly preview: StudioPreviewRow;
  readonly render: StudioRenderRow;
  readonly currentRevision: number;
  readonly remainingConsumers: number;
};

/** Returns a preview of the account, with project and frame. */
export async function findPreview(
  db: Db,
  accountId: string,
  id: string,
): Promise<PreviewRow | undefined> {
  const [row] = await db
    .select({
      preview: studioPreviews,
      render: studioRenders,
      currentRevision: studioProjects.headRevision,
      remainingConsumers: countConsumers(db, studioRenders.id),
    })
    .from(studioPreviews)
    .innerJoin(studioRenders, eq(studioRenders.id, studioPreviews.renderId))
    .innerJoin(studioProjects, eq(studioProjects.id, studioRenders.projectId))
    .where(and(eq(studioPreviews.id, id), eq(studioPreviews.accountId, accountId)));
  return row;
}

/** Whether a preview is not retired and its frame neither ready nor over. */
export async function isUnderWay(db: Db, id: string): Promise<boolean> {
  const rows = await queryRows(
    db,
    sql`
    select from studio_preview join studio_render on studio_render.id = render_id
    where studio_preview.id = ${id}::uuid and retired_at is null and state in ('queued', 'rendering')`,
  );
  return rows.length > 0;
}

/** Counts the previews of a frame that are not retired, also as a part of a query. */
export const countConsumers = (db: Db, renderId: string | typeof studioRenders.id) =>
  db.$count(
    studioPreviews,
    and(eq(studioPreviews.renderId, renderId), isNull(studioPreviews.retiredAt)),
  );

export async function retirePreview(db: Db, id: string, now: Date): Promise<void> {
  await db
    .update(studioPreviews)
    .set({ retiredAt: now })
    .where(and(eq(studioPreviews.id, id), isNull(studioPreviews.retiredAt)));
}

/** Retires previews that were made before, and returns the frames that are over or that nobody wants any more. */
export async function retireForgotten(db: Db, before: Date, now: Date): Promise<string[]> {
  await db
    .update(studioPreviews)
    .set({ retiredAt: now })
    .where(and(lt(studioPreviews.createdAt, before), isNull(studioPreviews.retiredAt)));
  const isUnwanted = sql`not exists (
    select from studio_preview where render_id = studio_render.id and retired_at is null)`;
  await db.execute(sql`
    update studio_render set state = 'cancelled'
    where state in ('queued', 'rendering') and ${isUnwanted}`);
  // A running job releases its frame itself, once it has ended.
  const rows = await queryRows(
    db,
    { id: column.uuid },
    sql`
    select id from studio_render
    where released_at is null and (state in ('failed', 'cancelled') or ${isUnwanted})
      and not ${hasJob('studio.renderFrame', sql`studio_render.id::text`)}`,
  );
  return rows.map(({ id }) => id);
}

/** Deletes frames that were released before, with their previews. */
export async function deleteReleased(db: Db, before: Date): Promise<void> {
  await db.delete(studioRenders).where(lt(studioRenders.releasedAt, before));
}

/** Returns those of `ids` that have no row. */
export async function listUnknownRenders(db: Db, ids: readonly string[]): Promise<string[]> {
  const rows = await queryRows(
    db,
    { id: column.uuid },
    sql`
    select id from unnest(${uuids(ids)}) as folder (id)
    where not exists (select from studio_render where studio_render.id = folder.id)`,
  );
  return rows.map(({ id }) => id);
}
