import { and, type SQL, sql } from 'drizzle-orm';
import { receivesPlacelessCopies } from '../assets/index.ts';
import { listAlbumAssetPages } from '../albums/contents/index.ts';
import { albumMembers, visibleAssets } from '../../access/scope.ts';
import type { Session } from '../../access/session.ts';
import type { Db } from '../../db/client.ts';
import { uuids } from '../../db/arrays.ts';
import { column, type InferRow } from '../../db/columns.ts';
import { queryRows } from '../../db/query.ts';

export type DownloadReader = { readonly db: Db; readonly session: Session };

/** Selects assets by id, or all of an album or a user. */
export type DownloadSource =
  | { readonly assetIds: readonly string[] }
  | { readonly albumId: string }
  | { readonly ownerId: string };

export type DownloadItem = { id: string; size: number; liveVideoId: string | null };

const BATCH_SIZE = 10_000;

/** Yields downloadable assets in the order of their ids. Does not check access to albums and users. */
export async function* listItems(
  reader: DownloadReader,
  source: DownloadSource,
): AsyncGenerator<DownloadItem> {
  if ('assetIds' in source) {
    yield* await selectItems(reader, visibleAssets(reader.db, reader.session, 'any'), [
      isAmong(source.assetIds),
    ]);
    return;
  }
  if ('albumId' in source) yield* listAlbumItems(reader, source.albumId);
  else yield* listOwnerItems(reader, source.ownerId);
}

async function* listAlbumItems(
  reader: DownloadReader,
  albumId: string,
): AsyncGenerator<DownloadItem> {
  for await (const ids of listAlbumAssetPages(reader.db, albumId, BATCH_SIZE)) {
    const conditions = [isAmong(ids), sql`asset.album_id = ${albumId}::uuid`];
    yield* await selectItems(reader, albumMembers(reader.db, reader.session), conditions);
  }
}

async function* listOwnerItems(
  reader: DownloadReader,
  ownerId: string,
): AsyncGenerator<DownloadItem> {
  let after: string | undefined;
  for (;;) {
    const rows = await selectItems(
      reader,
      selectOwnerBase(reader, ownerId),
      [
        sql`asset.owner_id = ${ownerId}::uuid`,
        after === undefined ? undefined : sql`asset.id > ${after}::uuid`,
      ],
      BATCH_SIZE,
    );
    yield* rows;
    after = rows[BATCH_SIZE - 1]?.id;
    if (after === undefined) return;
  }
}

/** Returns the caller's library, or a partner's timeline. */
const selectOwnerBase = ({ db, session }: DownloadReader, ownerId: string) =>
  session.kind === 'user' && session.userId === ownerId
    ? visibleAssets(db, session, 'library')
    : visibleAssets(db, session, 'timeline', { sharers: [ownerId] });

type Base = ReturnType<typeof visibleAssets> | ReturnType<typeof albumMembers>;

/** Originals reveal the place: viewers must be allowed to know it, or receive copies without it. */
const isDownloadable = (reader: DownloadReader): SQL =>
  sql.raw(receivesPlacelessCopies(reader) ? 'true' : 'asset.shows_place');

async function selectItems(
  reader: DownloadReader,
  asset: Base,
  conditions: (SQL | undefined)[],
  limit?: number,
): Promise<DownloadItem[]> {
  const rows = await queryRows(
    reader.db,
    { id: column.uuid, liveVideoId: column.uuid.orNull, size: column.bigint },
    sql`
    select asset.id, asset.file_size as size, asset.live_video_id as "liveVideoId"
    from ${asset} where ${and(isDownloadable(reader), ...conditions)}
    order by asset.id ${limit === undefined ? sql`` : sql`limit ${limit}`}`,
  );
  return rows.map((row) => ({ ...row, size: Number(row.size) }));
}

const isAmong = (ids: readonly string[]) => sql`asset.id = any(${uuids(ids)})`;

/** Returns the sizes in bytes of those that the session may see, by id. */
export async function findSizes(
  reader: DownloadReader,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map();
  const base = visibleAssets(reader.db, reader.session, 'any');
  const rows = await selectItems(reader, base, [isAmong(ids)]);
  return new Map(rows.map(({ id, size }) => [id, size]));
}

const STORED_FILE_COLUMNS = {
  id: column.uuid,
  fileName: column.text,
  /** Bytes. */
  size: column.bigint,
  /** Hexadecimal. */
  sha256: column.text,
  /** A check has found that its bytes are missing or damaged. */
  isDamaged: column.boolean,
  /** Its file in an external library, if only that has it. */
  externalPath: column.text.orNull,
  /** Key of its object; null: it is a file. */
  objectKey: column.text.orNull,
  /** Local time as 'YYYY-MM-DD HH:MM:SS': ZIP entries have no time zone. */
  localTakenAt: column.text,
  /** The picture to send instead, edited or without metadata, relative to the derived folder; its size in bytes. */
  editedName: column.text.orNull,
  editedSize: column.bigint.orNull,
};

export type ArchivedFile = InferRow<typeof STORED_FILE_COLUMNS>;

/** Returns the files of those of `ids` that the session may see, by id. */
export async function findFiles(
  reader: DownloadReader,
  ids: readonly string[],
  { edited }: { readonly edited: boolean },
) {
  const { db, session } = reader;
  const asset = visibleAssets(db, session, 'any');
  const rows = await queryRows(
    db,
    STORED_FILE_COLUMNS,
    sql`
    select asset.id, asset.file_name as "fileName", asset.file_size as size,
      encode(asset.sha256, 'hex') as sha256, original.path as "externalPath",
      original.object_key as "objectKey", original.missing_at is not null as "isDamaged",
      asset.local_taken_at::text as "localTakenAt",
      file.name as "editedName", file.size as "editedSize"
    from ${asset} join original on original.sha256 = asset.sha256
    left join asset_file file
      on ${edited} and file.asset_id = asset.id and file.kind = 'edited_fullsize'
    where ${and(isAmong(ids), isDownloadable(reader))}`,
  );
  return new Map(rows.map((row) => [row.id, row]));
}
