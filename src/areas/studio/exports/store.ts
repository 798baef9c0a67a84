import { and, desc, eq, inArray, lt, sql } from 'drizzle-orm';
import { uuids } from '../../../db/arrays.ts';
import type { Db } from '../../../db/client.ts';
import { queryRows } from '../../../db/query.ts';
import { studioExports, type StudioExportRow } from '../../../db/tables/studio.ts';

const ACTIVE = ['queued', 'rendering'] as const;

export async function insertExport(
  db: Db,
  values: typeof studioExports.$inferInsert,
): Promise<StudioExportRow> {
  const [row] = await db.insert(studioExports).values(values).returning();
  if (!row) throw new Error('insert returned no row');
  return row;
}

/** Films of a project are ordered one after the other, until the transaction ends: none is made twice. */
export const lockOrders = (db: Db, projectId: string) =>
  queryRows(
    db,
    sql`select pg_advisory_xact_lock(hashtext('studio_export'), hashtext(${projectId}))`,
  );

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

/** Changes an export that is in one of the states. Returns undefined for any other. */
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
  return row;
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

/** Fails those that are not over and have no job: it was deleted, or failed with its process. */
export async function failAbandoned(db: Db, error: string, now: Date): Promise<void> {
  await db.execute(sql`
    update studio_export set state = 'failed', error = ${error}, ended_at = ${now.toISOString()}
    where state in ('queued', 'rendering') and not exists (
      select from job where name = 'studio.exportProject'
        and unique_key = studio_export.id::text and state in ('waiting', 'running'))`);
}

/** Returns those of `ids` that are neither ready for download nor under way. */
export async function listUnwanted(db: Db, ids: readonly string[]): Promise<string[]> {
  const rows = await queryRows<{ id: string }>(
    db,
    sql`
    select id from unnest(${uuids(ids)}) as folder (id)
    where not exists (
      select from studio_export where studio_export.id = folder.id and (
        state in ('queued', 'rendering') or (state = 'ready' and destination = 'download')))`,
  );
  return rows.map(({ id }) => id);
}
