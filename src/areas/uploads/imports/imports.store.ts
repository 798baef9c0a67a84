import { and, desc, inArray, sql } from 'drizzle-orm';
import { ownAssets } from '../../../access/scope.ts';
import type { UserSession } from '../../../access/session.ts';
import type { Db } from '../../../db/client.ts';
import { column } from '../../../db/columns.ts';
import { getRow, queryRows } from '../../../db/query.ts';
import { jobs } from '../../../db/tables/jobs.ts';

// Times are text here: a Date has no microseconds, and the newest asset would be new for ever.

export async function listAccountIds(db: Db): Promise<string[]> {
  const rows = await queryRows(
    db,
    { id: column.uuid },
    sql`select id from app_user where deleted_at is null order by id`,
  );
  return rows.map(({ id }) => id);
}

/** Assets of the library by time of upload, after `since`. */
const newAssets = (db: Db, session: UserSession) =>
  ownAssets(db, session, 'library', { suppressed: 'in' });
const isAfter = (asset: ReturnType<typeof newAssets>, since: string) =>
  sql`${asset.createdAt} > ${since}::timestamptz`;

/** Returns up to where imports of the account were reported. */
export async function findReportedUntil(db: Db, ownerId: string): Promise<string> {
  const [row] = await queryRows(
    db,
    { until: column.text },
    sql`select until::text from reported_import where owner_id = ${ownerId}`,
  );
  return row?.until ?? '-infinity';
}

/** Returns when the latest asset after `since` was uploaded, and whether that is ten minutes ago. */
export async function findLatestUpload(
  db: Db,
  session: UserSession,
  since: string,
): Promise<{ readonly at: string; readonly isQuiet: boolean } | undefined> {
  const asset = newAssets(db, session);
  const [row] = await db
    .select({
      at: sql<string>`${asset.createdAt}::text`,
      isQuiet: sql<boolean>`${asset.createdAt} <= now() - interval '10 minutes'`,
    })
    .from(asset)
    .where(isAfter(asset, since))
    .orderBy(desc(asset.createdAt))
    .limit(1);
  return row;
}

/** Returns whether the metadata or the pictures of an asset after `since` are still to be made. */
export async function isProcessing(db: Db, session: UserSession, since: string): Promise<boolean> {
  const asset = newAssets(db, session);
  const rows = await db
    .select({ id: asset.id })
    .from(asset)
    .innerJoin(jobs, sql`${jobs.uniqueKey} = ${asset.id}::text`)
    .where(
      and(
        isAfter(asset, since),
        inArray(jobs.queue, ['metadataExtraction', 'thumbnailGeneration']),
        inArray(jobs.state, ['waiting', 'running']),
      ),
    )
    .limit(1);
  return rows.length > 0;
}

/** Counts the assets after `since`, up to and including `until`. */
export async function countUploads(
  db: Db,
  session: UserSession,
  { since, until }: { readonly since: string; readonly until: string },
): Promise<number> {
  const asset = newAssets(db, session);
  const row = getRow(
    await db
      .select({ assets: sql`count(*)`.mapWith(Number) })
      .from(asset)
      .where(and(isAfter(asset, since), sql`${asset.createdAt} <= ${until}::timestamptz`)),
  );
  return row.assets;
}

export async function saveReportedUntil(db: Db, ownerId: string, until: string): Promise<void> {
  await queryRows(
    db,
    sql`
    insert into reported_import (owner_id, until) values (${ownerId}, ${until}::timestamptz)
    on conflict (owner_id) do update set until = excluded.until`,
  );
}
