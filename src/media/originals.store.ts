import { sql } from 'drizzle-orm';
import { getFirst } from '../core/required.ts';
import type { Db } from '../db/client.ts';
import { column, type InferRow } from '../db/columns.ts';
import { queryRows } from '../db/query.ts';

const ORIGINAL_COLUMNS = {
  sha256: column.bytea,
  /** Bytes. */
  size: column.float,
  /** An earlier check did not find these bytes. */
  isMissing: column.boolean,
};

export type OriginalRow = InferRow<typeof ORIGINAL_COLUMNS>;

type Range = {
  readonly after: Uint8Array;
  readonly inclusive: boolean;
  /** Exclusive; undefined: to the last. */
  readonly end?: Uint8Array | undefined;
  readonly limit: number;
};

/** Files of external libraries are not ours to check. */
const IS_STORED = sql.raw('path is null');

const COLUMNS = sql.raw(`sha256, size::float8 as size, missing_at is not null as "isMissing"`);

/** Returns originals of our store in the order of their digests. */
export function listOriginals(db: Db, range: Range): Promise<OriginalRow[]> {
  const from = range.inclusive ? sql`sha256 >= ${range.after}` : sql`sha256 > ${range.after}`;
  const until = range.end ? sql`and sha256 < ${range.end}` : sql``;
  return queryRows(
    db,
    ORIGINAL_COLUMNS,
    sql`
    select ${COLUMNS} from original where ${IS_STORED} and ${from} ${until}
    order by sha256 limit ${range.limit}`,
  );
}

export async function findOriginal(db: Db, sha256: Uint8Array): Promise<OriginalRow | undefined> {
  const [row] = await queryRows(
    db,
    ORIGINAL_COLUMNS,
    sql`select ${COLUMNS} from original where ${IS_STORED} and sha256 = ${sha256}`,
  );
  return row;
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
