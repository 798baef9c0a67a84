import { and, eq, inArray, type SQL, sql } from 'drizzle-orm';
import { backgroundAssets } from '../../../access/unscoped.ts';
import { toHex } from '../../../core/hash.ts';
import { uuids } from '../../../db/arrays.ts';
import type { Db } from '../../../db/client.ts';
import { column, type InferRow } from '../../../db/columns.ts';
import { queryRows } from '../../../db/query.ts';
import { assetFiles } from '../../../db/tables/assets.ts';
import { isIn } from '../scan/scan.store.ts';
import type { ExternalContent } from './intake.store.ts';

/** Records that sidecars of this content were read with the items that they belong to. */
export async function saveSidecarsRead(
  db: Db,
  libraryId: string,
  sidecars: readonly ExternalContent[],
): Promise<void> {
  if (sidecars.length === 0) return;
  await queryRows(
    db,
    sql`
    update library_file set sha256 = decode(item ->> 1, 'hex'), error = null
    from jsonb_array_elements(${JSON.stringify(
      sidecars.map(({ path, sha256, size }) => [path, toHex(sha256), size]),
    )}::jsonb) item
    where library_id = ${libraryId}::uuid and is_sidecar
      and library_file.path = item ->> 0 and library_file.size = (item ->> 2)::bigint`,
  );
}

/** A file that has changed is read without a sidecar that lies beside it no longer. */
export async function deleteSidecars(db: Db, assetIds: readonly string[]): Promise<void> {
  if (assetIds.length === 0) return;
  await db
    .delete(assetFiles)
    .where(and(inArray(assetFiles.assetId, [...assetIds]), eq(assetFiles.kind, 'sidecar')));
}

const SIDECAR_SUBJECT_COLUMNS = {
  path: column.text,
  assetId: column.uuid,
  ownerId: column.uuid,
  /** Whether the last scan found its photo or video: 'missing' when it is known to be gone. */
  state: column.text.as<'there' | 'unseen' | 'missing'>(),
  /** As `asset_file` has them; null without a sidecar. */
  sidecarName: column.text.orNull,
  sidecarTag: column.text.orNull,
};
export type SidecarSubject = InferRow<typeof SIDECAR_SUBJECT_COLUMNS>;

const selectSubjects = (condition: SQL): SQL => sql`
  select file.path, asset.id as "assetId", asset.owner_id as "ownerId",
    case when file.unseen_at is null then 'there' when file.missing_at is null then 'unseen'
      else 'missing' end as state, sidecar.name as "sidecarName", sidecar.tag as "sidecarTag"
  from library_file file join ${backgroundAssets} on asset.id = file.asset_id
    left join asset_file sidecar on sidecar.asset_id = asset.id and sidecar.kind = 'sidecar'
  where ${condition}`;

/** Returns the items in a folder of a library whose file names begin with a text. */
export const listItemsByPrefix = (
  db: Db,
  libraryId: string,
  { folder, prefix }: { readonly folder: string; readonly prefix: string },
): Promise<SidecarSubject[]> => {
  const from = `${folder === '/' ? '' : folder}/${prefix}`;
  return queryRows(
    db,
    SIDECAR_SUBJECT_COLUMNS,
    selectSubjects(sql`file.library_id = ${libraryId}::uuid and file.path >= ${from}
      and file.path < ${`${from}\u{10ffff}`}
      and strpos(substr(file.path, length(${from}) + 1), '/') = 0`),
  );
};

/** Returns those of the items that are in a library. */
export const listItemsById = (
  db: Db,
  libraryId: string,
  assetIds: readonly string[],
): Promise<SidecarSubject[]> =>
  queryRows(
    db,
    SIDECAR_SUBJECT_COLUMNS,
    selectSubjects(
      sql`file.asset_id = any(${uuids(assetIds)}) and file.library_id = ${libraryId}::uuid`,
    ),
  );

type SidecarPage = {
  readonly after: number;
  readonly limit: number;
  /** Only those in it and, if it is deep, below it. */
  readonly folder: { readonly path: string; readonly isDeep: boolean } | undefined;
};

/** Returns a page of the sidecars of a library that the last scan did not find. */
export const listUnseenSidecars = (
  db: Db,
  libraryId: string,
  { after, limit, folder }: SidecarPage,
): Promise<{ readonly id: number; readonly path: string }[]> =>
  queryRows(
    db,
    { id: column.float, path: column.text },
    sql`
    select id::float8 as id, path from library_file
    where library_id = ${libraryId}::uuid and id > ${after}::bigint and unseen_at is not null
      and is_sidecar and ${folder ? isIn(folder) : sql`true`}
    order by id limit ${limit}`,
  );

/** Forgets a sidecar unless a scan has found it again. Returns whether it did. */
export async function deleteUnseenSidecar(db: Db, id: number): Promise<boolean> {
  const rows = await queryRows(
    db,
    sql`
    delete from library_file where id = ${id}::bigint and is_sidecar and unseen_at is not null
    returning id`,
  );
  return rows.length > 0;
}
