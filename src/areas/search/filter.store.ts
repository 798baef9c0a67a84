import { and, or, type SQL, sql } from 'drizzle-orm';
import { invalidField } from '../../core/errors.ts';
import type { Filter, FilterBranch } from './filter.schemas.ts';
import { recognisedQuery } from './words.ts';

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

/** Turns a value of the request into SQL; throws when it is none. */
type Bind = (value: unknown, path: string) => SQL;

const plain: Bind = (value) => sql`${value}`;
/** One of few words that the schema lists: written out, so that partial indexes are considered. */
const word: Bind = (value) => sql.raw(`'${String(value).replaceAll(/\W/g, '')}'`);
const instant: Bind = (value, path) => {
  const time = new Date(String(value));
  if (Number.isNaN(time.getTime())) throw invalidField(path, 'Not a date');
  return sql`${time.toISOString()}::timestamptz`;
};
const id: Bind = (value, path) => sql`${uuidOf(value, path)}::uuid`;
const checksum: Bind = (value, path) => {
  const text = String(value);
  const hex = /^[0-9a-f]{40}$/i.test(text) ? text : Buffer.from(text, 'base64').toString('hex');
  if (hex.length !== 40) throw invalidField(path, 'Not a SHA-1 checksum');
  return sql`decode(${hex}, 'hex')`;
};

function uuidOf(value: unknown, path: string): string {
  const text = String(value);
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return text.toLowerCase();
  throw invalidField(path, 'Not an identifier');
}

const column = (text: string, bind: Bind = plain, isNull = `${text} is null`) => ({
  expression: sql.raw(text),
  bind,
  isNull: sql.raw(isNull),
});
type Column = ReturnType<typeof column>;

const COMPARED = {
  city: column('exif.city'),
  country: column('exif.country'),
  state: column('exif.state'),
  make: column('exif.make'),
  model: column('exif.model'),
  lensModel: column('exif.lens_model'),
  description: column('exif.description'),
  rating: column('exif.rating', plain, '(exif.rating is null or exif.rating = 0)'),
  originalFileName: column('asset.file_name'),
  originalPath: column(`(to_char(asset.local_taken_at, '/YYYY/MM/') || asset.file_name)`),
  checksum: column('asset.sha1', checksum),
  id: column('asset.id', id),
  libraryId: column('null::uuid', id),
  // Where files lie is nobody's business: no path ever matches.
  encodedVideoPath: column('null::text'),
  fileSizeInBytes: column('asset.file_size'),
  takenAt: column('asset.taken_at', instant),
  createdAt: column('asset.created_at', instant),
  updatedAt: column('asset.updated_at', instant),
  trashedAt: column('asset.trashed_at', instant),
  type: column('asset.type', word),
  visibility: column(`(case when asset.locked_at is null then asset.visibility else 'locked' end)`),
} as const;

/** Where a partner hides its places, its items have none. */
const PLACES: ReadonlySet<string> = new Set(['city', 'country', 'state']);
const NOWHERE = column('null::text');

/** Who looks, and at whose items. */
export type Viewpoint = {
  /** May call things favorites; undefined for a guest, who has none. */
  readonly viewerId: string | undefined;
  readonly seesPlaces: boolean;
};

const IN_ALBUM = sql.raw(
  'exists (select 1 from album_asset member where member.asset_id = asset.id)',
);
const FACTS = {
  hasAlbums: IN_ALBUM,
  isOffline: sql`false`,
  isMotion: sql`asset.live_video_id is not null`,
  isEncoded: sql.raw(`exists (select 1 from asset_file file
    where file.asset_id = asset.id and file.kind = 'encoded_video')`),
} as const;

/** Without these fields, asset_exif is not joined. */
const FROM_EXIF: ReadonlySet<string> = new Set([
  'city',
  'country',
  'state',
  'make',
  'model',
  'lensModel',
  'description',
  'rating',
] satisfies (keyof typeof COMPARED)[]);

export const readsExif = ({ or: branches = [], ...filter }: Filter): boolean =>
  [filter, ...branches].some((branch) => Object.keys(branch).some((name) => FROM_EXIF.has(name)));

/** All that the filter asks for. */
export function conditionsOf({ or: branches, ...filter }: Filter, view: Viewpoint): SQL[] {
  const conditions = branchConditions(filter, view, 'filter');
  if (branches && branches.length > 0) {
    const choices = branches.map((branch, index) =>
      and(...branchConditions(branch, view, `filter.or.${index}`), sql`true`),
    );
    conditions.push(or(...choices)!);
  }
  return conditions;
}

function branchConditions(branch: FilterBranch, view: Viewpoint, path: string): SQL[] {
  const conditions: SQL[] = [];
  const { viewerId } = view;
  for (const [name, known] of Object.entries(COMPARED)) {
    const given = branch[name as keyof typeof COMPARED] as Comparison | undefined;
    if (name === 'takenAt' && given) conditions.push(...capturedAt(given));
    const compared = !view.seesPlaces && PLACES.has(name) ? NOWHERE : known;
    if (given)
      conditions.push(...comparisons(compared, instantsIn(name, given), `${path}.${name}`));
  }
  for (const [name, fact] of Object.entries(FACTS)) {
    const given = branch[name as keyof typeof FACTS];
    if (given) conditions.push(given.eq ? fact : sql`not ${fact}`);
  }
  if (branch.isFavorite) {
    const own = sql`(asset.is_favorite and asset.owner_id is not distinct from ${viewerId ?? null}::uuid)`;
    conditions.push(branch.isFavorite.eq ? own : sql`not ${own}`);
  }
  if (branch.albumIds) {
    conditions.push(...memberships(isInAlbums, branch.albumIds, `${path}.albumIds`));
  }
  conditions.push(...tagConditions(branch, viewerId, path));
  conditions.push(...personConditions(branch, viewerId, path));
  const { petIds } = branch;
  if (petIds) conditions.push(...memberships(isOfPets(viewerId), petIds, `${path}.petIds`));
  if (branch.ocr) conditions.push(hasWords(recognisedQuery(branch.ocr.matches)));
  return conditions;
}

const RANGES = ['gt', 'gte', 'lt', 'lte'] as const;
/** Without an offset: what the clock showed where a picture was taken. */
const isOfClock = (value: unknown): boolean =>
  typeof value === 'string' && /T[\d:.]+$/.test(value) && !Number.isNaN(Date.parse(`${value}Z`));

const instantsIn = (name: string, given: Comparison): Comparison =>
  name === 'takenAt'
    ? Object.fromEntries(Object.entries(given).filter(([, value]) => !isOfClock(value)))
    : given;

/** In hours: how far a clock is from UTC at most, to either side. */
const FURTHEST = 15;

/** By the clock of the place; the instant, which the lists are ordered by, is near it. */
function capturedAt(given: Comparison): SQL[] {
  return RANGES.filter((name) => isOfClock(given[name])).map((name) => {
    const clock = new Date(`${String(given[name])}Z`).toISOString().slice(0, -1);
    const isLeast = name === 'gt' || name === 'gte';
    const around = sql`${clock}::timestamp at time zone 'utc'
      ${sql.raw(`${isLeast ? '-' : '+'} interval '${FURTHEST} hours'`)}`;
    return sql`(asset.local_taken_at ${OPERATORS[name]} ${clock}::timestamp
      and asset.taken_at ${isLeast ? sql`>=` : sql`<=`} ${around})`;
  });
}

function comparisons({ expression, bind, isNull }: Column, given: Comparison, path: string): SQL[] {
  const list = (values: readonly unknown[]) =>
    sql.join(
      values.map((value) => bind(value, path)),
      sql`, `,
    );
  const isIn = (values: readonly unknown[]) =>
    values.length === 0 ? sql`false` : sql`${expression} in (${list(values)})`;
  const conditions: (SQL | undefined)[] = [
    given.eq === undefined
      ? undefined
      : given.eq === null
        ? isNull
        : sql`${expression} = ${bind(given.eq, path)}`,
    given.ne === undefined
      ? undefined
      : given.ne === null
        ? sql`not ${isNull}`
        : sql`${expression} is distinct from ${bind(given.ne, path)}`,
    given.in && isIn(given.in),
    given.notIn && sql`(${isIn(given.notIn)}) is not true`,
    ...RANGES.map((name) =>
      given[name] === undefined
        ? undefined
        : sql`${expression} ${OPERATORS[name]} ${bind(given[name], path)}`,
    ),
    given.like === undefined ? undefined : sql`${expression} ilike ${`%${escaped(given.like)}%`}`,
    given.notLike === undefined
      ? undefined
      : sql`(${expression} ilike ${`%${escaped(given.notLike)}%`}) is not true`,
    given.startsWith === undefined
      ? undefined
      : sql`${expression} ilike ${`${escaped(given.startsWith)}%`}`,
    given.endsWith === undefined
      ? undefined
      : sql`${expression} ilike ${`%${escaped(given.endsWith)}`}`,
  ];
  return conditions.filter((condition) => condition !== undefined);
}

const OPERATORS = { gt: sql`>`, gte: sql`>=`, lt: sql`<`, lte: sql`<=` } as const;

/** What the caller typed is text, not a pattern. */
const escaped = (text: string) => text.replaceAll(/[\\%_]/g, String.raw`\$&`);

/** `query` as PostgreSQL writes a tsquery; undefined when it has no words, which nothing matches. */
export const hasWords = (query: string | undefined): SQL =>
  query === undefined
    ? sql`false`
    : sql`asset.id in (select asset_id from asset_text where words @@ ${query}::tsquery)`;

type IsIn = (ids: readonly SQL[]) => SQL;

const isInAlbums: IsIn = (ids) => sql`exists (select 1 from album_asset member
  where member.asset_id = asset.id and member.album_id in (${sql.join([...ids], sql`, `)}))`;

/** Tags are the viewer's own; asking for one also finds what has a tag below it. */
function tagConditions(
  { tagIds, hasTags }: FilterBranch,
  viewerId: string | undefined,
  path: string,
): SQL[] {
  const owner = sql`${viewerId ?? null}::uuid`;
  const conditions: SQL[] = [];
  if (hasTags) {
    const isTagged = sql`exists (select 1 from tag_asset join tag on tag.id = tag_asset.tag_id
      where tag_asset.asset_id = asset.id and tag.owner_id = ${owner})`;
    conditions.push(hasTags.eq ? isTagged : sql`not ${isTagged}`);
  }
  const isTaggedWith: IsIn = (ids) => sql`exists (select 1 from tag_asset
    where tag_asset.asset_id = asset.id and tag_asset.tag_id in (
      with recursive below as (
        select id from tag where id in (${sql.join([...ids], sql`, `)}) and owner_id = ${owner}
        union all select tag.id from tag join below on tag.parent_id = below.id
      ) select id from below))`;
  if (tagIds) conditions.push(...memberships(isTaggedWith, tagIds, `${path}.tagIds`));
  return conditions;
}

/** People are the viewer's own. */
function personConditions(
  { personIds, hasPeople }: FilterBranch,
  viewerId: string | undefined,
  path: string,
): SQL[] {
  const isShown = sql`face.asset_id = asset.id and not face.is_hidden
    and person.owner_id = ${viewerId ?? null}::uuid`;
  const faces = sql`select 1 from face join person on person.id = face.person_id`;
  const conditions: SQL[] = [];
  if (hasPeople) {
    const hasAny = sql`exists (${faces} where ${isShown})`;
    conditions.push(hasPeople.eq ? hasAny : sql`not ${hasAny}`);
  }
  const isOf: IsIn = (ids) =>
    sql`exists (${faces} where ${isShown} and person.id in (${sql.join([...ids], sql`, `)}))`;
  if (personIds) conditions.push(...memberships(isOf, personIds, `${path}.personIds`));
  return conditions;
}

/** Pets are the viewer's own. */
const isOfPets =
  (viewerId: string | undefined): IsIn =>
  (ids) => sql`exists (select 1 from pet_observation seen join pet on pet.id = seen.pet_id
    where seen.asset_id = asset.id and pet.owner_id = ${viewerId ?? null}::uuid
      and pet.id in (${sql.join([...ids], sql`, `)}))`;

function memberships(
  isIn: IsIn,
  { all = [], any, none = [] }: NonNullable<FilterBranch['albumIds']>,
  path: string,
): SQL[] {
  const bound = (ids: readonly string[]) => ids.map((value) => id(value, path));
  return [
    ...bound(all).map((one) => isIn([one])),
    ...(any ? [any.length === 0 ? sql`false` : isIn(bound(any))] : []),
    ...(none.length > 0 ? [sql`not ${isIn(bound(none))}`] : []),
  ];
}
