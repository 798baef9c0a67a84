import { type SQL, sql } from 'drizzle-orm';
import { getFirst } from '../core/required.ts';
import type { Db } from '../db/client.ts';
import { column, type InferRow } from '../db/columns.ts';
import { getRow, queryRows } from '../db/query.ts';

const ORIGINAL_COLUMNS = {
  sha256: column.bytea,
  /** Bytes. */
  size: column.float,
  /** An earlier check did not find these bytes. */
  isMissing: column.boolean,
  /** Key of its object; null: it is a file. */
  objectKey: column.text.orNull,
};

export type OriginalRow = InferRow<typeof ORIGINAL_COLUMNS>;

type Range = {
  readonly after: Uint8Array;
  readonly inclusive: boolean;
  /** Exclusive; undefined: to the last. */
  readonly end?: Uint8Array | undefined;
  readonly limit: number;
};

/** Where originals of uploads are. */
export type OriginalPlaces = 'files' | 'objects' | 'all';

/** A file of ours: those of external libraries are not ours to check, and objects are no files. */
const IS_STORED = sql.raw('path is null and object_key is null');

const IN_PLACE: Readonly<Record<OriginalPlaces, SQL>> = {
  files: IS_STORED,
  objects: sql.raw('object_key is not null'),
  all: sql.raw('path is null'),
};

const COLUMNS = sql.raw(`sha256, size::float8 as size, missing_at is not null as "isMissing",
  object_key as "objectKey"`);

/** Returns originals of uploads in the order of their digests. */
export function listOriginals(
  db: Db,
  range: Range,
  places: OriginalPlaces = 'files',
): Promise<OriginalRow[]> {
  const from = range.inclusive ? sql`sha256 >= ${range.after}` : sql`sha256 > ${range.after}`;
  const until = range.end ? sql`and sha256 < ${range.end}` : sql``;
  return queryRows(
    db,
    ORIGINAL_COLUMNS,
    sql`
    select ${COLUMNS} from original where ${IN_PLACE[places]} and ${from} ${until}
    order by sha256 limit ${range.limit}`,
  );
}

const BATCH = 1000;

/** Yields all of them. */
export async function* iterateOriginals(
  db: Db,
  places: OriginalPlaces,
): AsyncGenerator<OriginalRow, undefined> {
  let after: Uint8Array = new Uint8Array(32);
  let inclusive = true;
  for (;;) {
    const rows = await listOriginals(db, { after, inclusive, limit: BATCH }, places);
    yield* rows;
    const last = rows[BATCH - 1];
    if (!last) return undefined;
    after = last.sha256;
    inclusive = false;
  }
}

export async function findOriginal(db: Db, sha256: Uint8Array): Promise<OriginalRow | undefined> {
  const [row] = await queryRows(
    db,
    ORIGINAL_COLUMNS,
    sql`select ${COLUMNS} from original where ${IS_STORED} and sha256 = ${sha256}`,
  );
  return row;
}

/** Returns the digest of any file; reads the whole table when there is none. */
export async function findAnyOriginal(db: Db): Promise<Uint8Array | undefined> {
  const [row] = await queryRows(
    db,
    { sha256: column.bytea },
    sql`select sha256 from original where ${IS_STORED} limit 1`,
  );
  return row?.sha256;
}

/** Locks an original until commit: uploads and removals of these bytes wait. */
export async function lockOriginal(db: Db, sha256: Uint8Array): Promise<OriginalRow | undefined> {
  const [row] = await queryRows(
    db,
    ORIGINAL_COLUMNS,
    sql`select ${COLUMNS} from original
      where ${IS_STORED} and sha256 = ${sha256} for no key update`,
  );
  return row;
}

/** The row of an original while it is locked. */
export type OriginalState = {
  /** A check has found that its bytes are missing or damaged. */
  readonly isUnverified: boolean;
  /** Key of its object; null: it is a file. */
  readonly objectKey: string | null;
};

const STATE_COLUMNS = {
  isUnverified: column.boolean,
  objectKey: column.text.orNull,
};

/** Returns the state of an original whose row the caller holds. */
export async function readOriginalState(db: Db, sha256: Uint8Array): Promise<OriginalState> {
  const rows = await queryRows(
    db,
    STATE_COLUMNS,
    sql`
    select missing_at is not null as "isUnverified", object_key as "objectKey"
    from original where sha256 = ${sha256}`,
  );
  return getRow(rows);
}

export async function countOriginals(db: Db): Promise<number> {
  const rows = await queryRows(
    db,
    { originals: column.float },
    sql`select count(*)::float8 as originals from original where ${IS_STORED}`,
  );
  return getFirst(rows).originals;
}

/** Returns the bytes of originals. */
export async function sumOriginals(
  db: Db,
  { after, end }: Pick<Range, 'after' | 'end'>,
): Promise<number> {
  const until = end ? sql`and sha256 < ${end}` : sql``;
  const rows = await queryRows(
    db,
    { bytes: column.float },
    sql`
    select coalesce(sum(size), 0)::float8 as bytes from original
    where ${IS_STORED} and sha256 >= ${after} ${until}`,
  );
  return getFirst(rows).bytes;
}

/** Records whether a check has found the right bytes. */
export async function markMissing(db: Db, sha256: Uint8Array, isMissing: boolean): Promise<void> {
  await queryRows(
    db,
    sql`
    update original set missing_at = ${isMissing ? sql`now()` : sql`null`}
    where sha256 = ${sha256} and (missing_at is not null) <> ${isMissing}`,
  );
}

/** Copies that are looked at. */
const MAX_COPIES = 20;

/** Returns the paths of files of external libraries that had these bytes when they were read. */
export async function listExternalCopies(db: Db, sha256: Uint8Array): Promise<string[]> {
  const rows = await queryRows(
    db,
    { path: column.text },
    sql`
    select path from library_file
    where sha256 = ${sha256} and unseen_at is null and not is_sidecar
    order by id limit ${MAX_COPIES}`,
  );
  return rows.map(({ path }) => path);
}
