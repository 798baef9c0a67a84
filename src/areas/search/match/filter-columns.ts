import { type SQL, sql } from 'drizzle-orm';
import type { Session } from '../../../access/session.ts';
import { invalidField } from '../../../core/errors.ts';
import { integers, texts, uuids } from '../../../db/arrays.ts';

// Columns of a subquery named "asset" joined with asset_exif named "exif", by the fields of the filter.

/** Converts values of the request to SQL parameters; throws 400 for invalid ones. */
type Bind = {
  readonly one: (value: unknown, path: string) => SQL;
  readonly many: (values: readonly unknown[], path: string) => SQL;
};

const text: Bind = {
  one: (value) => sql`${value}`,
  many: (values) => texts(values.map(String)),
};
const integer: Bind = {
  one: (value, path) => sql`${requireInteger(value, path)}::bigint`,
  many: (values) => integers(values.map(Number)),
};

function requireInteger(value: unknown, path: string): number {
  if (Number.isSafeInteger(value)) return value as number;
  throw invalidField(path, 'Invalid input: expected int, received number');
}

/** Inlines a word of a closed list, so that partial indexes apply. */
const literal = (value: unknown) => `'${String(value).replaceAll(/\W/g, '')}'`;
const word: Bind = {
  one: (value) => sql.raw(literal(value)),
  many: (values) => sql.raw(`array[${[...new Set(values)].map(literal).join(',')}]`),
};
const instant: Bind = {
  one: (value) => sql`${new Date(String(value)).toISOString()}::timestamptz`,
  many: (values) => texts(values.map(String)),
};
const id: Bind = {
  one: (value) => sql`${value}::uuid`,
  many: (values) => uuids(values.map(String)),
};
const checksum: Bind = {
  one: (value, path) => sql`decode(${toHex(value, path)}, 'hex')`,
  many: (values, path) => sql`array(select decode(hex, 'hex')
    from unnest(${texts(values.map((value) => toHex(value, path)))}) hex)`,
};

function toHex(value: unknown, path: string): string {
  const given = String(value);
  const hex = /^[0-9a-f]{40}$/i.test(given) ? given : Buffer.from(given, 'base64').toString('hex');
  if (hex.length !== 40) throw invalidField(path, 'Not a SHA-1 checksum');
  return hex;
}

const column = (expression: string, bind: Bind = text, isNull = `${expression} is null`) => ({
  expression: sql.raw(expression),
  bind,
  isNull: sql.raw(isNull),
});
export type Column = ReturnType<typeof column>;

const PATH_BY_DATE = `(to_char(asset.local_taken_at, '/YYYY/MM/') || asset.file_name)`;
const VIRTUAL_PATH = sql.raw(PATH_BY_DATE);

const COLUMNS = {
  city: column('exif.city'),
  country: column('exif.country'),
  state: column('exif.state'),
  make: column('exif.make'),
  model: column('exif.model'),
  lensModel: column('exif.lens_model'),
  description: column('exif.description'),
  rating: column('exif.rating', integer, '(exif.rating is null or exif.rating = 0)'),
  originalFileName: column('asset.file_name'),
  originalPath: column(PATH_BY_DATE),
  checksum: column('asset.sha1', checksum),
  id: column('asset.id', id),
  libraryId: column('asset.library_id', id),
  // File paths are not exposed: no value matches.
  encodedVideoPath: column('null::text'),
  duration: column('asset.duration_ms', integer),
  fileSizeInBytes: column('asset.file_size', integer),
  takenAt: column('asset.taken_at', instant),
  createdAt: column('asset.created_at', instant),
  updatedAt: column('asset.updated_at', instant),
  trashedAt: column('asset.trashed_at', instant),
  type: column('asset.type', word),
  visibility: column(`(case when asset.locked_at is null then asset.visibility else 'locked' end)`),
} as const;

export type ColumnName = keyof typeof COLUMNS;
type Columns = Record<ColumnName, Column>;

/** For owners who hide places: no place, and no instant that would reveal the time zone. */
const LOCAL_AS_UTC = `asset.local_taken_at at time zone 'utc'`;
const COLUMNS_WITHOUT_PLACES: Columns = {
  ...COLUMNS,
  city: column('null::text'),
  country: column('null::text'),
  state: column('null::text'),
  takenAt: column(`(${LOCAL_AS_UTC})`, instant),
};
const COLUMNS_BY_ASSET: Columns = {
  ...COLUMNS,
  city: column('(case when asset.shows_place then exif.city end)'),
  country: column('(case when asset.shows_place then exif.country end)'),
  state: column('(case when asset.shows_place then exif.state end)'),
  takenAt: column(
    `(case when asset.shows_place then asset.taken_at else ${LOCAL_AS_UTC} end)`,
    instant,
  ),
};

/** The viewer, and whether the owner of the items shows places. */
export type Viewpoint = {
  readonly session: Session;
  /** For all items; undefined when it differs by asset. */
  readonly seesPlaces: boolean | undefined;
};

export function selectColumns({ session, seesPlaces }: Viewpoint): Columns {
  const columns =
    seesPlaces === undefined ? COLUMNS_BY_ASSET : seesPlaces ? COLUMNS : COLUMNS_WITHOUT_PLACES;
  if (session.kind !== 'user') return columns;
  // As `viewPath` shows it: the folder of a library to its owner only.
  const expression = sql`(case when asset.folder <> '' and asset.owner_id = ${session.userId}::uuid
    then rtrim(asset.folder, '/') || '/' || asset.file_name else ${VIRTUAL_PATH} end)`;
  return { ...columns, originalPath: { ...columns.originalPath, expression } };
}
