import { and, or, type SQL, sql } from 'drizzle-orm';
import { isOpenAlbum } from '../../../access/albums.ts';
import type { Session } from '../../../access/session.ts';
import { invalidField } from '../../../core/errors.ts';
import { integers, texts, uuids } from '../../../db/arrays.ts';
import type { Filter, FilterBranch } from './filter.schemas.ts';
import {
  ALBUMS,
  buildMembershipConditions,
  buildPersonConditions,
  petMembership,
  buildTagConditions,
} from './membership.store.ts';
import { toRecognisedTsquery } from './words.ts';

// Conditions on a subquery named "asset" joined with asset_exif named "exif".

type Comparison = {
  readonly eq?: unknown;
  readonly ne?: unknown;
  readonly in?: readonly unknown[];
  readonly notIn?: readonly unknown[];
  readonly gt?: unknown;
  readonly gte?: unknown;
  readonly lt?: unknown;
  readonly lte?: unknown;
  readonly like?: string;
  readonly notLike?: string;
  readonly startsWith?: string;
  readonly endsWith?: string;
};

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
type Column = ReturnType<typeof column>;

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
  rating: column('exif.rating', integer, '(exif.rating is null or exif.rating <= 0)'),
  originalFileName: column('asset.file_name'),
  originalPath: column(PATH_BY_DATE),
  checksum: column('asset.sha1', checksum),
  id: column('asset.id', id),
  libraryId: column('asset.library_id', id),
  // File paths are not exposed: no value matches.
  encodedVideoPath: column('null::text'),
  fileSizeInBytes: column('asset.file_size', integer),
  takenAt: column('asset.taken_at', instant),
  createdAt: column('asset.created_at', instant),
  updatedAt: column('asset.updated_at', instant),
  trashedAt: column('asset.trashed_at', instant),
  type: column('asset.type', word),
  visibility: column(`(case when asset.locked_at is null then asset.visibility else 'locked' end)`),
} as const;

type Columns = Record<keyof typeof COLUMNS, Column>;

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

function selectColumns({ session, seesPlaces }: Viewpoint): Columns {
  const columns =
    seesPlaces === undefined ? COLUMNS_BY_ASSET : seesPlaces ? COLUMNS : COLUMNS_WITHOUT_PLACES;
  if (session.kind !== 'user') return columns;
  // As `viewPath` shows it: the folder of a library to its owner only.
  const expression = sql`(case when asset.folder <> '' and asset.owner_id = ${session.userId}::uuid
    then rtrim(asset.folder, '/') || '/' || asset.file_name else ${VIRTUAL_PATH} end)`;
  return { ...columns, originalPath: { ...columns.originalPath, expression } };
}

/** Membership in albums of others does not count: it is not the viewer's to know. */
const isInOpenAlbum = ({ session }: Viewpoint): SQL => sql`exists (
  select 1 from album_asset where album_asset.asset_id = asset.id and ${isOpenAlbum(session)})`;

const FLAG_CONDITIONS = {
  isDamaged: sql`asset.damage is not null`,
  isOffline: sql`asset.offline_at is not null`,
  isMotion: sql`asset.live_video_id is not null`,
  isEncoded: sql.raw(`exists (select 1 from asset_file file
    where file.asset_id = asset.id and file.kind = 'encoded_video')`),
} as const;

/** Fields that need the join with asset_exif. */
const EXIF_FIELDS: ReadonlySet<string> = new Set([
  'city',
  'country',
  'state',
  'make',
  'model',
  'lensModel',
  'description',
  'rating',
] satisfies (keyof typeof COLUMNS)[]);

export const readsExif = ({ or: branches = [], ...filter }: Filter): boolean =>
  [filter, ...branches].some((branch) => Object.keys(branch).some((name) => EXIF_FIELDS.has(name)));

/** Returns the conditions of a filter; all of them must hold. */
export function buildFilterConditions({ or: branches, ...filter }: Filter, view: Viewpoint): SQL[] {
  const conditions = buildBranchConditions(filter, view, 'filter');
  if (branches && branches.length > 0) {
    const choices = branches.map((branch, index) =>
      and(...buildBranchConditions(branch, view, `filter.or.${index}`), sql`true`),
    );
    conditions.push(or(...choices)!);
  }
  return conditions;
}

function buildBranchConditions(branch: FilterBranch, view: Viewpoint, path: string): SQL[] {
  const conditions: SQL[] = [];
  const viewerId = view.session.kind === 'user' ? view.session.userId : undefined;
  for (const [name, compared] of Object.entries(selectColumns(view))) {
    const given = branch[name as keyof typeof COLUMNS] as Comparison | undefined;
    if (name === 'takenAt' && given) conditions.push(...buildCaptureConditions(given));
    if (given)
      conditions.push(
        ...buildComparisons(compared, omitLocalTimes(name, given), `${path}.${name}`),
      );
  }
  if (branch.hasAlbums) {
    const isIn = isInOpenAlbum(view);
    conditions.push(branch.hasAlbums.eq ? isIn : sql`not ${isIn}`);
  }
  for (const [name, fact] of Object.entries(FLAG_CONDITIONS)) {
    const given = branch[name as keyof typeof FLAG_CONDITIONS];
    if (given) conditions.push(given.eq ? fact : sql`not ${fact}`);
  }
  if (branch.isFavorite) {
    const own = sql`(asset.is_favorite and asset.owner_id is not distinct from ${viewerId ?? null}::uuid)`;
    conditions.push(branch.isFavorite.eq ? own : sql`not ${own}`);
  }
  if (branch.albumIds) {
    conditions.push(...buildMembershipConditions(ALBUMS, branch.albumIds));
  }
  conditions.push(...buildTagConditions(branch, viewerId));
  conditions.push(...buildPersonConditions(branch, viewerId));
  const { petIds } = branch;
  if (petIds) conditions.push(...buildMembershipConditions(petMembership(viewerId), petIds));
  if (branch.ocr) conditions.push(matchesWords(toRecognisedTsquery(branch.ocr.matches)));
  return conditions;
}

const RANGES = ['gt', 'gte', 'lt', 'lte'] as const;
/** Returns whether a timestamp has no offset: the local clock of the place. */
const isLocalTime = (value: unknown): boolean =>
  typeof value === 'string' && /T[\d:.]+$/.test(value) && !Number.isNaN(Date.parse(`${value}Z`));

const omitLocalTimes = (name: string, given: Comparison): Comparison =>
  name === 'takenAt'
    ? Object.fromEntries(Object.entries(given).filter(([, value]) => !isLocalTime(value)))
    : given;

/** Largest offset of a local clock from UTC, in hours. */
const MAX_UTC_OFFSET_HOURS = 15;

/** Compares the local clock, and narrows the indexed instant to the offsets possible for it. */
function buildCaptureConditions(given: Comparison): SQL[] {
  return RANGES.filter((name) => isLocalTime(given[name])).map((name) => {
    const clock = new Date(`${String(given[name])}Z`).toISOString().slice(0, -1);
    const isLeast = name === 'gt' || name === 'gte';
    const around = sql`${clock}::timestamp at time zone 'utc'
      ${sql.raw(`${isLeast ? '-' : '+'} interval '${MAX_UTC_OFFSET_HOURS} hours'`)}`;
    return sql`(asset.local_taken_at ${OPERATORS[name]} ${clock}::timestamp
      and asset.taken_at ${isLeast ? sql`>=` : sql`<=`} ${around})`;
  });
}

function buildComparisons(
  { expression, bind, isNull }: Column,
  given: Comparison,
  path: string,
): SQL[] {
  const isIn = (values: readonly unknown[]) =>
    values.length === 0 ? sql`false` : sql`${expression} = any(${bind.many(values, path)})`;
  const conditions: (SQL | undefined)[] = [
    given.eq === undefined
      ? undefined
      : given.eq === null
        ? isNull
        : sql`${expression} = ${bind.one(given.eq, path)}`,
    given.ne === undefined
      ? undefined
      : given.ne === null
        ? sql`not ${isNull}`
        : sql`${expression} is distinct from ${bind.one(given.ne, path)}`,
    given.in && isIn(given.in),
    given.notIn && sql`(${isIn(given.notIn)}) is not true`,
    ...RANGES.map((name) =>
      given[name] === undefined
        ? undefined
        : sql`${expression} ${OPERATORS[name]} ${bind.one(given[name], path)}`,
    ),
    given.like === undefined
      ? undefined
      : sql`${expression} ilike ${`%${escapeLikePattern(given.like)}%`}`,
    given.notLike === undefined
      ? undefined
      : sql`(${expression} ilike ${`%${escapeLikePattern(given.notLike)}%`}) is not true`,
    given.startsWith === undefined
      ? undefined
      : sql`${expression} ilike ${`${escapeLikePattern(given.startsWith)}%`}`,
    given.endsWith === undefined
      ? undefined
      : sql`${expression} ilike ${`%${escapeLikePattern(given.endsWith)}`}`,
  ];
  return conditions.filter((condition) => condition !== undefined);
}

const OPERATORS = { gt: sql`>`, gte: sql`>=`, lt: sql`<`, lte: sql`<=` } as const;

/** Escapes LIKE wildcards of user input. */
const escapeLikePattern = (text: string) => text.replaceAll(/[\\%_]/g, String.raw`\$&`);

/** Condition for a tsquery; undefined (no words) matches nothing. */
export const matchesWords = (query: string | undefined): SQL =>
  query === undefined
    ? sql`false`
    : sql`asset.id in (select asset_id from asset_text where words @@ ${query}::tsquery)`;
