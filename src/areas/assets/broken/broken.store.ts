import { type SQL, sql } from 'drizzle-orm';
import { ownAssets } from '../../../access/scope.ts';
import { backgroundAssets } from '../../../access/unscoped.ts';
import type { Session } from '../../../access/session.ts';
import type { Db } from '../../../db/client.ts';
import { column, type InferRow } from '../../../db/columns.ts';
import { isBehind, type Position } from '../../../db/keyset.ts';
import { getRow, queryRows } from '../../../db/query.ts';

type Reader = { readonly db: Db; readonly session: Session };

const COLUMNS = {
  id: column.uuid,
  key: column.text,
  type: column.text,
  fileName: column.text,
  fileSize: column.bigint,
  createdAt: column.timestamptz,
  updatedAt: column.timestamptz,
  reason: column.text,
  isLocked: column.boolean,
};

/** Returns the caller's assets whose files could not be decoded, the latest uploads first. */
export const listBrokenPage = (
  reader: Reader,
  { after, limit }: { after: Position | undefined; limit: number },
): Promise<InferRow<typeof COLUMNS>[]> => {
  const behind =
    after &&
    isBehind({
      columns: [sql`asset.created_at`, sql`asset.id`],
      values: [sql`${after.value}::timestamptz`, sql`${after.id}::uuid`],
      direction: 'desc',
    });
  return queryRows(
    reader.db,
    COLUMNS,
    sql`
    select asset.id, asset.created_at::text as key, asset.type, asset.file_name as "fileName",
      asset.file_size as "fileSize", asset.created_at as "createdAt", asset.updated_at as "updatedAt",
      asset.broken_reason as reason, asset.locked_at is not null as "isLocked"
    ${selectBroken(reader)} ${behind ? sql`and ${behind}` : sql``}
    order by asset.created_at desc, asset.id desc limit ${limit}`,
  );
};

export async function countBroken(reader: Reader): Promise<number> {
  const row = getRow(
    await queryRows(
      reader.db,
      { count: column.bigint },
      sql`select count(*) as count ${selectBroken(reader)}`,
    ),
  );
  return Number(row.count);
}

/** Counts those of all accounts, without what is in Locked. */
export async function countAllBroken(db: Db): Promise<number> {
  const rows = await queryRows(
    db,
    { count: column.bigint },
    sql`select count(*) as count from ${backgroundAssets}
      where ${IS_BROKEN} and asset.locked_at is null`,
  );
  return Number(getRow(rows).count);
}

/** The video half of a live photo is hidden: its still stands for it. */
const IS_BROKEN = sql`asset.broken_reason is not null and asset.trashed_at is null
  and asset.visibility in ('timeline', 'archive')`;

const selectBroken = ({ db, session }: Reader): SQL => sql`
  from ${ownAssets(db, session, 'any', { suppressed: 'out' })}
  where ${IS_BROKEN}`;
