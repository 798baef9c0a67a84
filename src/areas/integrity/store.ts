import { randomUUIDv7 } from 'bun';
import { and, asc, count, eq, gt, inArray, ne, sql } from 'drizzle-orm';
import { texts } from '../../db/arrays.ts';
import type { Db } from '../../db/client.ts';
import { column } from '../../db/columns.ts';
import { getRow, queryRows } from '../../db/query.ts';
import { integrityChecks, integrityReports, type ReportType } from '../../db/tables/integrity.ts';

export type Report = typeof integrityReports.$inferSelect;
/** A file with a fault. Paths are relative to the data folder. */
export type Finding = {
  readonly path: string;
  readonly copyPath?: string | undefined;
  /** Only the trash has it: an entry that is there stays, and none is added. */
  readonly isInTrash?: boolean;
};
export type CheckRow = typeof integrityChecks.$inferSelect;
export type Scan = CheckRow & { readonly scanId: string; readonly startedAt: Date };

export const listReports = (
  db: Db,
  type: ReportType,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<Report[]> =>
  db
    .select()
    .from(integrityReports)
    .where(and(eq(integrityReports.type, type), after ? gt(integrityReports.id, after) : undefined))
    .orderBy(asc(integrityReports.id))
    .limit(limit);

export async function countReports(db: Db): Promise<Map<ReportType, number>> {
  const rows = await db
    .select({ type: integrityReports.type, reports: count() })
    .from(integrityReports)
    .groupBy(integrityReports.type);
  return new Map(rows.map((row) => [row.type, row.reports]));
}

export async function findReport(db: Db, id: string): Promise<Report | undefined> {
  const [row] = await db.select().from(integrityReports).where(eq(integrityReports.id, id));
  return row;
}

export async function deleteReports(db: Db, ids: readonly string[]): Promise<void> {
  await db.delete(integrityReports).where(inArray(integrityReports.id, [...ids]));
}

/** Returns how many of the findings are new. One that was known keeps its id. */
export async function saveFindings(
  db: Db,
  { type, scanId }: Pick<Scan, 'type' | 'scanId'>,
  findings: readonly Finding[],
  now: Date,
): Promise<number> {
  if (findings.length === 0) return 0;
  const rows = findings.map(({ path, copyPath = null, isInTrash = false }) => ({
    id: randomUUIDv7(),
    path,
    copyPath,
    isInTrash,
  }));
  const saved = await queryRows(
    db,
    { is_new: column.boolean },
    sql`
    insert into integrity_report as report (id, type, path, copy_path, scan_id, created_at)
    select id, ${type}, path, "copyPath", ${scanId}::uuid, ${now.toISOString()}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      found (id uuid, path text, "copyPath" text, "isInTrash" boolean)
    where not "isInTrash" or exists (
      select from integrity_report known where known.type = ${type} and known.path = found.path)
    on conflict (type, path) do update
      set scan_id = excluded.scan_id, copy_path = excluded.copy_path
    returning xmax = 0 as is_new`,
  );
  return saved.filter((row) => row.is_new).length;
}

export async function deleteSolved(
  db: Db,
  type: ReportType,
  paths: readonly string[],
): Promise<void> {
  if (paths.length === 0) return;
  await queryRows(
    db,
    sql`delete from integrity_report where type = ${type} and path = any(${texts(paths)})`,
  );
}

export const listChecks = (db: Db): Promise<CheckRow[]> => db.select().from(integrityChecks);

export async function getCheck(db: Db, type: ReportType): Promise<CheckRow> {
  const row = getRow(await db.select().from(integrityChecks).where(eq(integrityChecks.type, type)));
  return row;
}

/** Starts a scan from the beginning. */
export async function startScan(db: Db, type: ReportType, now: Date): Promise<Scan> {
  const [row] = await db
    .update(integrityChecks)
    .set({ ...NO_SCAN, scanId: randomUUIDv7(), startedAt: now })
    .where(eq(integrityChecks.type, type))
    .returning();
  return row as Scan;
}

const NO_SCAN = {
  scanId: null,
  startedAt: null,
  cursor: null,
  checked: 0,
  unreadable: 0,
  candidates: [],
};

/** Forgets how far a scan has come: the next one starts from the beginning. */
export async function abandonScan(db: Db, type: ReportType): Promise<void> {
  await db.update(integrityChecks).set(NO_SCAN).where(eq(integrityChecks.type, type));
}

/** Saves how far a scan has come. */
export async function saveProgress(
  db: Db,
  { type, cursor, checked, unreadable, candidates }: Scan,
): Promise<void> {
  await db
    .update(integrityChecks)
    .set({ cursor, checked, unreadable, candidates })
    .where(eq(integrityChecks.type, type));
}

/** Ends a scan that has seen all files: what it has not found is solved. */
export async function completeScan(
  db: Db,
  { type, scanId }: Pick<Scan, 'type' | 'scanId'>,
  now: Date,
): Promise<void> {
  await db
    .delete(integrityReports)
    .where(and(eq(integrityReports.type, type), ne(integrityReports.scanId, scanId)));
  await db
    .update(integrityChecks)
    .set({ ...NO_SCAN, completedAt: now })
    .where(eq(integrityChecks.type, type));
}

/** Returns those of the jobs that are running or about to. */
export async function listActiveJobs(
  db: Db,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await queryRows(
    db,
    { name: column.text },
    sql`
    select distinct name from job
    where queue = 'integrityCheck' and state in ('waiting', 'running') and name = any(${texts(names)})`,
  );
  return new Set(rows.map((row) => row.name));
}

/** Returns those of these assets that a running job is about: it may be about to record a derived file. */
export async function listBusyAssets(db: Db, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await queryRows(
    db,
    { id: column.text },
    sql`
    select distinct payload ->> 'assetId' as id from job
    where state = 'running' and payload ->> 'assetId' = any(${texts(ids)})`,
  );
  return new Set(rows.map((row) => row.id));
}
