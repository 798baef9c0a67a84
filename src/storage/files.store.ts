import { sql, type SQL } from 'drizzle-orm';
import { texts, uuids } from '../db/arrays.ts';
import type { Db } from '../db/client.ts';
import { column, type InferRow } from '../db/columns.ts';
import { getRow, queryRows } from '../db/query.ts';
import { parseFileKey } from './stored-file.ts';

// The rows that name files other than originals. The table of each has the name in a column of its own.

const NAMED_FILE_COLUMNS = {
  /** Asset, frame, person or account. */
  id: column.uuid,
  /** Kind of an asset's file, as 'thumbnail'; else empty. */
  kind: column.text,
  /** Name of the file, or key of its object; of a person's file empty. */
  name: column.text,
  /** Changes with the bytes. */
  tag: column.text,
};

export type NamedFile = InferRow<typeof NAMED_FILE_COLUMNS> & { readonly owner: FileOwner };

const OWNERS = {
  asset: {
    table: sql.raw('asset_file'),
    columns: sql.raw('asset_id as id, kind, name, tag'),
    id: sql.raw('asset_id'),
    kind: sql.raw('kind'),
    name: sql.raw('name'),
    tag: sql.raw('tag'),
    isFile: sql.raw("name !~ '^derived/'"),
  },
  frame: {
    table: sql.raw('video_frame'),
    columns: sql.raw("id, '' as kind, name, tag"),
    id: sql.raw('id'),
    kind: sql.raw("''::text"),
    name: sql.raw('name'),
    tag: sql.raw('tag'),
    isFile: sql.raw("name !~ '^derived/'"),
  },
  person: {
    table: sql.raw('person'),
    columns: sql.raw(
      "id, '' as kind, coalesce(thumbnail_object, '') as name, thumbnail_tag as tag",
    ),
    id: sql.raw('id'),
    kind: sql.raw("''::text"),
    name: sql.raw('thumbnail_object'),
    tag: sql.raw('thumbnail_tag'),
    isFile: sql.raw('thumbnail_object is null and thumbnail_tag is not null'),
  },
  account: {
    table: sql.raw('app_user'),
    columns: sql.raw("id, '' as kind, profile_image as name, '' as tag"),
    id: sql.raw('id'),
    kind: sql.raw("''::text"),
    name: sql.raw('profile_image'),
    tag: sql.raw("''::text"),
    isFile: sql.raw("profile_image !~ '^profiles/'"),
  },
} as const;

export type FileOwner = keyof typeof OWNERS;
export const FILE_OWNERS = ['asset', 'frame', 'person', 'account'] as const;

const isObject = ({ name }: (typeof OWNERS)[FileOwner]): SQL =>
  sql`${name} ~ '^(derived|profiles)/'`;

type FilePlace = 'files' | 'objects';
/** Keyset of the rows of an owner. */
export type FilePosition = Pick<NamedFile, 'id' | 'kind'>;

const PAGE_SIZE = 500;

/** Returns the next rows whose files are in the data folder, or in the object store; none after the last. */
export async function listFilePage(
  db: Db,
  owner: FileOwner,
  { place, after }: { readonly place: FilePlace; readonly after: FilePosition | undefined },
): Promise<NamedFile[]> {
  const { table, columns, id, kind, isFile } = OWNERS[owner];
  const where = place === 'files' ? isFile : isObject(OWNERS[owner]);
  const rows = await queryRows(
    db,
    NAMED_FILE_COLUMNS,
    sql`
    select ${columns} from ${table} where ${where}
      ${after ? sql`and (${id}, ${kind}) > (${after.id}::uuid, ${after.kind})` : sql``}
    order by ${id}, ${kind} limit ${PAGE_SIZE}`,
  );
  return rows.map((row) => ({ ...row, owner }));
}

/** Yields the rows whose files are in the data folder, or in the object store. */
export async function* iterateFiles(
  db: Db,
  owner: FileOwner,
  place: FilePlace,
): AsyncGenerator<NamedFile> {
  let after: NamedFile | undefined;
  do {
    const rows = await listFilePage(db, owner, { place, after });
    yield* rows;
    after = rows.at(-1);
  } while (after);
}

/** Returns a file of the folder of derived files, which may be missing. Reads whole tables when none is named. */
export async function findDerivedFile(db: Db): Promise<NamedFile | undefined> {
  for (const owner of ['person', 'frame', 'asset'] as const) {
    const { table, columns, isFile } = OWNERS[owner];
    const [file] = await queryRows(
      db,
      NAMED_FILE_COLUMNS,
      sql`select ${columns} from ${table} where ${isFile} limit 1`,
    );
    if (file) return { ...file, owner };
  }
  return undefined;
}

/** Whether the file of this owner and kind is still one of the data folder. */
export async function isNamedFile(
  db: Db,
  { owner, id, kind }: Pick<NamedFile, 'owner' | 'id' | 'kind'>,
): Promise<boolean> {
  const { table, isFile, ...columns } = OWNERS[owner];
  const rows = await queryRows(
    db,
    sql`
    select from ${table}
    where ${columns.id} = ${id}::uuid and ${columns.kind} = ${kind} and ${isFile}`,
  );
  return rows.length > 0;
}

/** Gives a file another name; null: that of a person's file. Returns false when the file is another one meanwhile. */
export async function renameFile(
  db: Db,
  { owner, id, kind, name, tag }: NamedFile,
  to: string | null,
): Promise<boolean> {
  const table = OWNERS[owner];
  const renamed = await queryRows(
    db,
    { id: column.uuid },
    sql`
    update ${table.table} set ${table.name} = ${to}
    where ${table.id} = ${id}::uuid and ${table.kind} = ${kind} and ${table.tag} = ${tag}
      and coalesce(${table.name}, '') = ${name}
    returning ${table.id} as id`,
  );
  return renamed.length > 0;
}

/** Returns the files of a slice (two hex digits of the owner's id) that are objects. */
export async function listNamedFiles(db: Db, prefix: string): Promise<NamedFile[]> {
  const first = `${prefix}000000-0000-0000-0000-000000000000`;
  const last = `${prefix}ffffff-ffff-ffff-ffff-ffffffffffff`;
  const pages = FILE_OWNERS.map(async (owner) => {
    const { table, columns, id } = OWNERS[owner];
    // The objects of frames are named after their videos.
    const of = owner === 'frame' ? sql.raw('asset_id') : id;
    const rows = await queryRows(
      db,
      NAMED_FILE_COLUMNS,
      sql`
      select ${columns} from ${table}
      where ${of} between ${first}::uuid and ${last}::uuid and ${isObject(OWNERS[owner])}`,
    );
    return rows.map((row): NamedFile => ({ ...row, owner }));
  });
  return (await Promise.all(pages)).flat();
}

/** Returns those of these keys that no row names and no deletion. */
export async function filterUnknownFiles(db: Db, keys: readonly string[]): Promise<string[]> {
  const known = keys.filter((key) => parseFileKey(key) !== undefined);
  const ids = known.map((key) => parseFileKey(key)?.id ?? '');
  if (known.length === 0) return [];
  const rows = await queryRows(
    db,
    { key: column.text },
    sql`
    select key from unnest(${texts(known)}, ${uuids(ids)}) given (key, id)
    where not exists (select from object_deletion where object_deletion.key = given.key)
      and not exists (select from asset_file where asset_id = given.id and name = given.key)
      and not exists (select from video_frame where asset_id = given.id and name = given.key)
      and not exists (select from person where person.id = given.id and thumbnail_object = given.key)
      and not exists (select from app_user where app_user.id = given.id and profile_image = given.key)
      and not exists (select from operation_file where operation_file.id = given.id and object_key = given.key)`,
  );
  return rows.map(({ key }) => key);
}

const COUNT_COLUMNS = { files: column.float, objects: column.float };

/** Counts derived files, sidecars and pictures of accounts by place. */
export async function countFilePlaces(db: Db): Promise<InferRow<typeof COUNT_COLUMNS>> {
  const sums = { files: 0, objects: 0 };
  for (const owner of FILE_OWNERS) {
    const { table, isFile } = OWNERS[owner];
    const [row] = await queryRows(
      db,
      COUNT_COLUMNS,
      sql`
      select count(*) filter (where ${isFile})::float8 as files,
        count(*) filter (where ${isObject(OWNERS[owner])})::float8 as objects from ${table}`,
    );
    sums.files += row?.files ?? 0;
    sums.objects += row?.objects ?? 0;
  }
  return sums;
}

const SUM_COLUMNS = {
  files: column.float,
  /** Bytes. */
  fileBytes: column.float,
  objects: column.float,
  /** Bytes. */
  objectBytes: column.float,
  /** Objects that are to be deleted. */
  deletions: column.float,
};

/** Returns how many originals are files of the data folder, and how many are objects. */
export const sumPlaces = async (db: Db): Promise<InferRow<typeof SUM_COLUMNS>> =>
  getRow(
    await queryRows(
      db,
      SUM_COLUMNS,
      sql`
      select count(*) filter (where object_key is null)::float8 as files,
        coalesce(sum(size) filter (where object_key is null), 0)::float8 as "fileBytes",
        count(object_key)::float8 as objects,
        coalesce(sum(size) filter (where object_key is not null), 0)::float8 as "objectBytes",
        (select count(*)::float8 from object_deletion) as deletions
      from original where path is null`,
    ),
  );
