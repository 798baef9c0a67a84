import { and, desc, eq, inArray, lt, sql } from 'drizzle-orm';
import { seesSources } from '../../../access/composites.ts';
import type { UserSession } from '../../../access/session.ts';
import { uuids } from '../../../db/arrays.ts';
import type { Db } from '../../../db/client.ts';
import { column } from '../../../db/columns.ts';
import { queryRows } from '../../../db/query.ts';
import { hasJob } from '../../../jobs/queue.ts';
import { studioExports, type StudioExportRow } from '../../../db/tables/studio.ts';

const ACTIVE = ['queued', 'rendering'] as const;

/** Films that wait for their download. */
const isDownloadable = and(
  eq(studioExports.state, 'ready'),
  eq(studioExports.destination, 'download'),
);

export async function insertExport(
  db: Db,
  values: typeof studioExports.$inferInsert,
): Promise<StudioExportRow> {
  const [row] = await db.insert(studioExports).values(values).returning();
  if (!row) throw new Error('insert returned no row');
  return row;
}

/**
 * Lets films be made in turn among accounts: the first of each account by time, the second after the first of
 * all, and so on. Call it when a film is ordered or over. The next of an account joins the end of the line.
 */
export async function rankWaiting(db: Db, accountId?: string): Promise<void> {
  const isConcerned = accountId ? sql`and account_id = ${accountId}::uuid` : sql``;
  // A job that is claimed meanwhile needs no place.
  await db.execute(sql`
    with ranked as (
      select id::text as key, (1 - row_number() over (
        partition by account_id order by state = 'queued', id))::smallint as priority
      from studio_export where state in ('queued', 'rendering') ${isConcerned}
    ), moved as (
      select job.id, ranked.priority from ranked join job
        on job.name = 'studio.exportProject' and job.unique_key = ranked.key
      where job.state = 'waiting' and job.priority <> ranked.priority
      for update of job skip locked
    )
    update job set priority = moved.priority,
      run_at = case when moved.priority = 0 then greatest(job.run_at, now()) else job.run_at end
    from moved where job.id = moved.id`);
}

type ExportOrder = Pick<
  StudioExportRow,
  'accountId' | 'projectId' | 'revision' | 'destination' | 'width' | 'height'
>;

/** Returns the export of this order that is not over. */
export async function findActive(db: Db, order: ExportOrder): Promise<StudioExportRow | undefined> {
  const { accountId, projectId, revision, destination, height } = order;
  const [row] = await db
    .select()
    .from(studioExports)
    .where(
      and(
        eq(studioExports.accountId, accountId),
        eq(studioExports.projectId, projectId),
        eq(studioExports.revision, revision),
        eq(studioExports.destination, destination),
        eq(studioExports.height, height),
        inArray(studioExports.state, [...ACTIVE]),
      ),
    );
  return row;
}

const MAX_LISTED = 100;

/** The account's own, newest first. */
export const listExports = (
  db: Db,
  accountId: string,
  projectId: string,
): Promise<StudioExportRow[]> =>
  db
    .select()
    .from(studioExports)
    .where(and(eq(studioExports.accountId, accountId), eq(studioExports.projectId, projectId)))
    .orderBy(desc(studioExports.id))
    .limit(MAX_LISTED);

/** Returns an export of the account. */
export async function findExport(
  db: Db,
  accountId: string,
  id: string,
): Promise<StudioExportRow | undefined> {
  const [row] = await db
    .select()
    .from(studioExports)
    .where(and(eq(studioExports.id, id), eq(studioExports.accountId, accountId)));
  return row;
}

export type ExportChange = Partial<
  Pick<StudioExportRow, 'state' | 'progress' | 'error' | 'size' | 'assetId' | 'endedAt'>
>;

/** Changes an export that is in one of the states; another follows one that is over. Returns undefined for any other. */
export async function changeExport(
  db: Db,
  id: string,
  from: readonly StudioExportRow['state'][],
  change: ExportChange,
): Promise<StudioExportRow | undefined> {
  const [row] = await db
    .update(studioExports)
    .set(change)
    .where(and(eq(studioExports.id, id), inArray(studioExports.state, [...from])))
    .returning();
  if (row?.endedAt) await rankWaiting(db, row.accountId);
  return row;
}

/** A film that waits for its download. */
export type Downloadable = Pick<StudioExportRow, 'id' | 'projectId'> & {
  /** Whether the session may see all its assets. */
  readonly isSeen: boolean;
};

/** Returns the films of an account, or that one, that wait for their download. */
export async function listDownloadable(
  db: Db,
  session: UserSession,
  id?: string,
): Promise<Downloadable[]> {
  return db
    .select({
      id: studioExports.id,
      projectId: studioExports.projectId,
      isSeen: sql<boolean>`${seesSources(db, session, 'studio_export')}`,
    })
    .from(studioExports)
    .where(
      and(
        eq(studioExports.accountId, session.userId),
        isDownloadable,
        id === undefined ? undefined : eq(studioExports.id, id),
      ),
    );
}

/** Returns the accounts that have films which wait for their download. */
export async function listAccountsWithFilms(db: Db): Promise<string[]> {
  const rows = await db
    .selectDistinct({ accountId: studioExports.accountId })
    .from(studioExports)
    .where(isDownloadable);
  return rows.map(({ accountId }) => accountId);
}

export async function isRendering(db: Db, id: string): Promise<boolean> {
  const rows = await queryRows(
    db,
    sql`select from studio_export where id = ${id}::uuid and state = 'rendering'`,
  );
  return rows.length > 0;
}

/** Deletes an export of the account that is over. */
export async function deleteOver(db: Db, id: string): Promise<void> {
  await db
    .delete(studioExports)
    .where(and(eq(studioExports.id, id), sql`${studioExports.endedAt} is not null`));
}

export async function deleteEnded(db: Db, before: Date): Promise<void> {
  await db.delete(studioExports).where(lt(studioExports.endedAt, before));
}

/** Returns those that are not over and have no job: it was deleted, or failed with its process. */
export async function listAbandoned(db: Db): Promise<string[]> {
  const rows = await queryRows(
    db,
    { id: column.uuid },
    sql`
    select id from studio_export
    where state in ('queued', 'rendering')
      and not ${hasJob('studio.exportProject', sql`studio_export.id::text`)}`,
  );
  return rows.map(({ id }) => id);
}

/** Returns those of `ids` that are neither ready for download nor under way. */
export async function listUnwanted(db: Db, ids: readonly string[]): Promise<string[]> {
  const rows = await queryRows(
    db,
    { id: column.uuid },
    sql`
    select id from unnest(${uuids(ids)}) as folder (id)
    where not exists (
      select from studio_export where studio_export.id = folder.id and (
        state in ('queued', 'rendering') or (state = 'ready' and destination = 'download')))`,
  );
  return rows.map(({ id }) => id);
}
