import { and, type SQL, sql } from 'drizzle-orm';
import { listAlbumAssetPages } from '../albums/members/index.ts';
import { albumMembers, visibleAssets } from '../../access/scope.ts';
import type { Session } from '../../access/session.ts';
import type { Db } from '../../db/client.ts';
import { uuids } from '../../db/arrays.ts';

export type Reader = { readonly db: Db; readonly session: Session };

/** Which assets to take: by id, or all that an album or an account shows. */
export type Source =
  | { readonly assetIds: readonly string[] }
  | { readonly albumId: string }
  | { readonly ownerId: string };

export type Item = { id: string; size: number; liveVideoId: string | null };

const BATCH = 10_000;

/** In the order of their ids; the caller has checked who may ask. */
export async function* itemsOf(reader: Reader, source: Source): AsyncGenerator<Item> {
  if ('assetIds' in source) {
    yield* await selectItems(reader, visibleAssets(reader.db, reader.session, 'any'), [
      isAmong(source.assetIds),
    ]);
    return;
  }
  if ('albumId' in source) yield* itemsOfAlbum(reader, source.albumId);
  else yield* itemsOfOwner(reader, source.ownerId);
}

async function* itemsOfAlbum(reader: Reader, albumId: string): AsyncGenerator<Item> {
  for await (const ids of listAlbumAssetPages(reader.db, albumId, BATCH)) {
    const conditions = [isAmong(ids), sql`asset.album_id = ${albumId}::uuid`];
    yield* await selectItems(reader, albumMembers(reader.db, reader.session), conditions);
  }
}

async function* itemsOfOwner(reader: Reader, ownerId: string): AsyncGenerator<Item> {
  let after: string | undefined;
  for (;;) {
    const rows = await selectItems(
      reader,
      ownerBase(reader, ownerId),
      [
        sql`asset.owner_id = ${ownerId}::uuid`,
        after === undefined ? undefined : sql`asset.id > ${after}::uuid`,
      ],
      BATCH,
    );
    yield* rows;
    if (rows.length < BATCH) return;
    after = rows.at(-1)!.id;
  }
}

/** The caller's library, or the Timeline of a partner. */
const ownerBase = ({ db, session }: Reader, ownerId: string) =>
  session.kind === 'user' && session.userId === ownerId
    ? visibleAssets(db, session, 'library')
    : visibleAssets(db, session, 'timeline', { sharers: [ownerId] });

type Base = ReturnType<typeof visibleAssets> | ReturnType<typeof albumMembers>;

/** An original tells where it was taken: not for those who are not to know. */
const MAY_DOWNLOAD: SQL = sql.raw('asset.shows_place');

async function selectItems(
  reader: Reader,
  asset: Base,
  conditions: (SQL | undefined)[],
  limit?: number,
): Promise<Item[]> {
  const rows = await reader.db.execute<Omit<Item, 'size'> & { size: string }>(sql`
    select asset.id, asset.file_size as size, asset.live_video_id as "liveVideoId"
    from ${asset} where ${and(MAY_DOWNLOAD, ...conditions)}
    order by asset.id ${limit === undefined ? sql`` : sql`limit ${limit}`}`);
  return rows.map((row) => ({ ...row, size: Number(row.size) }));
}

const isAmong = (ids: readonly string[]) => sql`asset.id = any(${uuids(ids)})`;

/** Sizes of those that the session may see, by id. */
export async function sizesOf(
  reader: Reader,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map();
  const base = visibleAssets(reader.db, reader.session, 'any');
  const rows = await selectItems(reader, base, [isAmong(ids)]);
  return new Map(rows.map(({ id, size }) => [id, size]));
}

export type StoredFile = {
  id: string;
  fileName: string;
  /** Bytes. */
  size: string;
  /** Hexadecimal. */
  sha256: string;
  /** What the clock showed, as 'YYYY-MM-DD HH:MM:SS': archives know no zones. */
  localTakenAt: string;
  /** The edited picture that goes out instead, relative to the derived folder, and its bytes. */
  editedName: string | null;
  editedSize: string | null;
};

/** Where the originals of those of `ids` lie that the session may see. */
export async function findFiles(
  reader: Reader,
  ids: readonly string[],
  { edited }: { readonly edited: boolean },
) {
  const { db, session } = reader;
  const asset = visibleAssets(db, session, 'any');
  const rows = await db.execute<StoredFile>(sql`
    select asset.id, asset.file_name as "fileName", asset.file_size as size,
      encode(asset.sha256, 'hex') as sha256, asset.local_taken_at::text as "localTakenAt",
      file.name as "editedName", file.size as "editedSize"
    from ${asset} left join asset_file file
      on ${edited} and file.asset_id = asset.id and file.kind = 'edited_fullsize'
    where ${and(isAmong(ids), MAY_DOWNLOAD)}`);
  return new Map(rows.map((row) => [row.id, row]));
}
