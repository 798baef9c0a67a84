import { and, eq, sql } from 'drizzle-orm';
import { ownAssets, visibleAssets } from '../../../access/scope.ts';
import type { UserSession } from '../../../access/session.ts';
import { texts, uuids } from '../../../db/arrays.ts';
import type { Db } from '../../../db/client.ts';
import { queryRows } from '../../../db/query.ts';
import { type AssetType, assetFiles } from '../../../db/tables/assets.ts';
import { FILE_KINDS, type FileRef } from './file-id.ts';

export type FileRow = FileRef & {
  readonly type: AssetType;
  readonly isLocked: boolean;
  /** In the folder of derived files. */
  readonly name: string;
  readonly mimeType: string;
  readonly size: string;
  readonly tag: string;
  readonly createdAt: string;
};

const COLUMNS =
  sql.raw(`asset.id as "assetId", asset.type, asset.locked_at is not null as "isLocked",
  file.kind, file.name, file.mime_type as "mimeType", file.size, file.tag,
  file.created_at as "createdAt"`);

/** A sidecar tells what viewers may not know, as the place: it is for the owner only. */
const isForViewer = ({ userId }: UserSession) =>
  sql`(file.kind <> 'sidecar' or asset.owner_id = ${userId})`;

/** Returns the files of an asset; undefined if the session may not see it. */
export async function listFiles(
  db: Db,
  session: UserSession,
  assetId: string,
): Promise<FileRow[] | undefined> {
  const rows = await queryRows<FileRow | { readonly kind: null }>(
    db,
    sql`
    select ${COLUMNS} from ${visibleAssets(db, session, 'any')}
    left join asset_file file on file.asset_id = asset.id
      and file.kind = any(${texts(FILE_KINDS)}) and ${isForViewer(session)}
    where asset.id = ${assetId} order by file.kind`,
  );
  return rows.length === 0 ? undefined : rows.filter((row) => row.kind !== null);
}

const matchesAny = (refs: readonly FileRef[]) => sql`
  asset.id = any(${uuids(refs.map(({ assetId }) => assetId))})
    and (asset.id, file.kind) in (select * from unnest(
      ${uuids(refs.map(({ assetId }) => assetId))}, ${texts(refs.map(({ kind }) => kind))}))`;

/** Returns that of the files which exists, if the session may see it. */
export async function findFile(
  db: Db,
  session: UserSession,
  refs: readonly FileRef[],
): Promise<FileRow | undefined> {
  const [row] = await queryRows<FileRow>(
    db,
    sql`
    select ${COLUMNS} from ${visibleAssets(db, session, 'any')}
    join asset_file file on file.asset_id = asset.id
    where ${matchesAny(refs)} and ${isForViewer(session)}`,
  );
  return row;
}

/** Returns that of the files which exists, if it is of the caller's own asset. */
export async function findOwnFile(
  db: Db,
  session: UserSession,
  refs: readonly FileRef[],
): Promise<FileRow | undefined> {
  const [row] = await queryRows<FileRow>(
    db,
    sql`
    select ${COLUMNS} from ${ownAssets(db, session, 'any')}
    join asset_file file on file.asset_id = asset.id where ${matchesAny(refs)}`,
  );
  return row;
}

/** Returns false if the file has been replaced meanwhile. */
export async function deleteFile(db: Db, { assetId, kind, name }: FileRow): Promise<boolean> {
  const deleted = await db
    .delete(assetFiles)
    .where(
      and(eq(assetFiles.assetId, assetId), eq(assetFiles.kind, kind), eq(assetFiles.name, name)),
    )
    .returning({ name: assetFiles.name });
  return deleted.length > 0;
}
