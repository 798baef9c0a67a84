import { and, eq, sql } from 'drizzle-orm';
import { ownAssets, visibleAssets } from '../../../access/scope.ts';
import type { UserSession } from '../../../access/session.ts';
import { texts, uuids } from '../../../db/arrays.ts';
import type { Db } from '../../../db/client.ts';
import { column, type InferRow } from '../../../db/columns.ts';
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

const FILE_COLUMNS = {
  assetId: column.uuid,
  kind: column.text.as<FileRow['kind']>(),
  type: column.text.as<AssetType>(),
  isLocked: column.boolean,
  name: column.text,
  mimeType: column.text,
  size: column.bigint,
  tag: column.text,
  createdAt: column.timestamptz,
};

/** Where an asset has no file, `kind` and all that follows it is null. */
const LISTED_COLUMNS = { ...FILE_COLUMNS, kind: FILE_COLUMNS.kind.orNull };

const COLUMNS =
  sql.raw(`asset.id as "assetId", asset.type, asset.locked_at is not null as "isLocked",
  file.kind, file.name, file.mime_type as "mimeType", file.size, file.tag,
  file.created_at as "createdAt"`);

/** A sidecar tells what viewers may not know, as the place: it is for the owner only. */
const isForViewer = ({ userId }: UserSession) =>
  sql`(file.kind <> 'sidecar' or asset.owner_id = ${userId})`;

const isFile = (row: InferRow<typeof LISTED_COLUMNS>): row is FileRow => row.kind !== null;

/** Returns the files of an asset; undefined if the session may not see it. */
export async function listFiles(
  db: Db,
  session: UserSession,
  assetId: string,
): Promise<FileRow[] | undefined> {
  const rows = await queryRows(
    db,
    LISTED_COLUMNS,
    sql`
    select ${COLUMNS} from ${visibleAssets(db, session, 'any')}
    left join asset_file file on file.asset_id = asset.id
      and file.kind = any(${texts(FILE_KINDS)}) and ${isForViewer(session)}
    where asset.id = ${assetId} order by file.kind`,
  );
  return rows.length === 0 ? undefined : rows.filter(isFile);
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
  const [row] = await queryRows(
    db,
    FILE_COLUMNS,
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
  const [row] = await queryRows(
    db,
    FILE_COLUMNS,
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
