import type { Ctx } from '../../core/context.ts';
import { formatCsvLine } from '../../core/csv.ts';
import { invalidField } from '../../core/errors.ts';
import type { Db } from '../../db/client.ts';
import type { ReportType } from '../../db/tables/integrity.ts';
import { createUnknownEntryError, type EntryFile, findEntryFile } from './entry-file.ts';
import { checkChecksums, checkMissing, checkUntracked } from './jobs.ts';
import type { CheckRuns, ReportPage, ReportQuery, Summary } from './schemas.ts';
import * as store from './store.ts';
import { parseOriginal, toHashes } from './checks/untracked.ts';
import { findItemsByOriginal } from '../trash/index.ts';

/** Most entries of a page, whatever is asked for. */
const MAX_PAGE = 10_000;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

export async function listReport(
  { db }: Ctx,
  { type, cursor, limit: wanted }: ReportQuery,
): Promise<ReportPage> {
  if (cursor !== undefined && !UUID.test(cursor)) throw invalidField('cursor', 'Invalid cursor');
  const limit = Math.min(wanted, MAX_PAGE);
  const rows = await store.listReports(db, type, { after: cursor, limit: limit + 1 });
  const items = await toEntries(db, rows.slice(0, limit));
  const last = rows.length > limit ? items.at(-1) : undefined;
  return { items, ...(last && { nextCursor: last.id }) };
}

/** Returns the entries as they are sent, with the items that they are about. */
async function toEntries(db: Db, rows: readonly store.Report[]): Promise<ReportPage['items']> {
  const items = await findItemsByOriginal(db, toHashes(rows.map(({ path }) => path)));
  return rows.map(({ id, path, type, createdAt }) => ({
    id,
    path,
    type,
    assetId: items.get(parseOriginal(path) ?? '') ?? null,
    fileAssetId: null,
    createdAt: createdAt.toISOString(),
  }));
}

export async function getSummary({ db }: Ctx): Promise<Summary> {
  const counts = await store.countReports(db);
  const get = (type: ReportType) => counts.get(type) ?? 0;
  return {
    untracked_file: get('untracked_file'),
    missing_file: get('missing_file'),
    checksum_mismatch: get('checksum_mismatch'),
  };
}

const JOBS: Readonly<Record<ReportType, string>> = {
  untracked_file: checkUntracked.name,
  missing_file: checkMissing.name,
  checksum_mismatch: checkChecksums.name,
};

export async function getRuns({ db }: Ctx): Promise<CheckRuns> {
  const checks = new Map((await store.listChecks(db)).map((row) => [row.type, row]));
  const active = await store.listActiveJobs(db, Object.values(JOBS));
  const get = (type: ReportType) => ({
    lastCompletedAt: checks.get(type)?.completedAt?.toISOString() ?? null,
    isRunning: active.has(JOBS[type]),
  });
  return {
    untracked_file: get('untracked_file'),
    missing_file: get('missing_file'),
    checksum_mismatch: get('checksum_mismatch'),
  };
}

/** Returns the untracked or damaged file of an entry. Throws 404 when there is none. */
export async function getEntryFile({ db, paths }: Ctx, id: string): Promise<EntryFile> {
  const entry = await store.findReport(db, id);
  const file = entry && (await findEntryFile(paths, entry.path));
  if (!file || entry.type === 'missing_file') throw createUnknownEntryError();
  return file;
}

const CSV_BATCH = 1000;
/** As Immich writes it. */
const NO_ID = 'null';

/** Yields a report as CSV (RFC 4180): the columns of Immich, and then ours. */
export async function* renderCsv(db: Db, type: ReportType): AsyncGenerator<string, void> {
  yield formatCsvLine(['id', 'type', 'assetId', 'fileAssetId', 'path', 'copyPath', 'createdAt']);
  let after: string | undefined;
  for (;;) {
    const rows = await store.listReports(db, type, { after, limit: CSV_BATCH });
    const entries = await toEntries(db, rows);
    const lines = entries.map(({ id, assetId, fileAssetId, path, createdAt }, index) => {
      const ids = [id, type, assetId ?? NO_ID, fileAssetId ?? NO_ID];
      return formatCsvLine([...ids, path, rows[index]?.copyPath ?? '', createdAt]);
    });
    if (lines.length > 0) yield lines.join('');
    after = rows[CSV_BATCH - 1]?.id;
    if (after === undefined) return;
  }
}
