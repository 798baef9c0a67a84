import { type SQL, sql } from 'drizzle-orm';
import { isOpenAlbum } from '../../../access/albums.ts';
import type { Session } from '../../../access/session.ts';
import { invalidField } from '../../../core/errors.ts';
import { integers, texts, uuids } from '../../../db/arrays.ts';
import type { Filter, FilterBranch } from './filter.schemas.ts';

// The fields of a filter as SQL: columns of a subquery named "asset" joined with asset_exif named "exif", and conditions
// on the albums, tags, people and pets of an item.

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

/** A relation of items: albums, tags, people or pets. `ids` is an array. */
type Membership = {
  /** Condition: the item belongs to any of the ids. */
  readonly isInAny: (ids: SQL) => SQL;
  /** Selects `asset_id` and `member_of` (one of the ids) of all items in any of them. */
  readonly members: (ids: SQL) => SQL;
};

const ALBUMS: Membership = {
  isInAny: (ids) => sql`exists (select 1 from album_asset member
    where member.asset_id = asset.id and member.album_id = any(${ids}))`,
  members: (ids) => sql`select asset_id, album_id as member_of from album_asset
    where album_id = any(${ids})`,
};

/** Returns the clause of `below`, the tags of the owner and those below them: `id`, and `member_of`, one of `ids`. */
export const selectTagTree = (ids: SQL, owner: SQL): SQL => sql`with recursive below as (
    select id, id as member_of from tag where id = any(${ids}) and owner_id = ${owner}
    union all select tag.id, below.member_of from tag join below on tag.parent_id = below.id
  )`;

/** Tags and people are of own items only: those of partners need not be read. */
const isOwnItem = (viewerId: string | undefined): SQL =>
  viewerId === undefined ? sql`false` : sql`asset.owner_id = ${viewerId}::uuid`;

/** Conditions on the viewer's own tags; a tag includes the tags below it. */
function buildTagConditions(
  { tagIds, hasTags }: FilterBranch,
  viewerId: string | undefined,
): SQL[] {
  const owner = sql`${viewerId ?? null}::uuid`;
  const conditions: SQL[] = [];
  if (hasTags) {
    const isTagged = sql`exists (select 1 from tag_asset join tag on tag.id = tag_asset.tag_id
      where tag_asset.asset_id = asset.id and tag.owner_id = ${owner})`;
    conditions.push(hasTags.eq ? isTagged : sql`not ${isTagged}`);
  }
  const tags: Membership = {
    isInAny: (ids) => sql`(${isOwnItem(viewerId)} and exists (
      select 1 from tag_asset where tag_asset.asset_id = asset.id
      and tag_asset.tag_id in (${selectTagTree(ids, owner)} select id from below)))`,
    members: (ids) => sql`${selectTagTree(ids, owner)} select tag_asset.asset_id, below.member_of
      from below join tag_asset on tag_asset.tag_id = below.id`,
  };
  if (tagIds) conditions.push(...buildMembershipConditions(tags, tagIds));
  return conditions;
}

/**
 * Selects `asset_id` and `local_month` of the members of the only set that the filter names, as far as they are the
 * viewer's to know. `rest` follows the conditions.
 */
export function selectMembers(session: Session, filter: Filter, rest: SQL): SQL | undefined {
  const { albumIds, tagIds, personIds, ...others } = filter;
  const named = [albumIds, tagIds, personIds].filter((ids) => ids !== undefined);
  if (named.length !== 1 || Object.keys(others).length > 0) return undefined;
  const viewerId = session.kind === 'user' ? session.userId : null;
  const [albumId, tagId, personId] = [albumIds, tagIds, personIds].map(getOnlyId);
  if (albumId !== undefined) {
    return sql`select asset_id, local_month from album_asset
      where album_id = ${albumId}::uuid and ${isOpenAlbum(session)} and ${rest}`;
  }
  if (tagId !== undefined) {
    return sql`select member.* from (${selectTagTree(uuids([tagId]), sql`${viewerId}::uuid`)}
        select distinct id from below) tag
      cross join lateral (
        select asset_id, local_month from tag_asset where tag_id = tag.id and ${rest}) member`;
  }
  if (personId === undefined) return undefined;
  return sql`select asset_id, local_month from face
    where person_id = (select id from person
        where id = ${personId}::uuid and owner_id = ${viewerId}::uuid)
      and not is_hidden and ${rest}`;
}

function getOnlyId(ids: FilterBranch['albumIds']): string | undefined {
  const [id, ...others] = ids?.all ?? [];
  return others.length === 0 && !ids?.any && !ids?.none ? id : undefined;
}

/** Conditions on the viewer's own people. */
function buildPersonConditions(
  { personIds, hasPeople }: FilterBranch,
  viewerId: string | undefined,
): SQL[] {
  const viewer = sql`${viewerId ?? null}::uuid`;
  const conditions: SQL[] = [];
  if (hasPeople) {
    const hasAny = sql`exists (select 1 from face join person on person.id = face.person_id
      where face.asset_id = asset.id and not face.is_hidden and person.owner_id = ${viewer})`;
    conditions.push(hasPeople.eq ? hasAny : sql`not ${hasAny}`);
  }
  // Joined with person, the planner would take everybody to be on as many items.
  const isWanted = (ids: SQL) => sql`not face.is_hidden and face.person_id = any(${ids})`;
  const people: Membership = {
    isInAny: (ids) => sql`(${isOwnItem(viewerId)}
      and exists (select 1 from face where face.asset_id = asset.id and ${isWanted(ids)}))`,
    members: (ids) => sql`select face.asset_id, face.person_id as member_of from face
      where face.owner_id = ${viewer} and ${isWanted(ids)}`,
  };
  if (personIds) conditions.push(...buildMembershipConditions(people, personIds));
  return conditions;
}

/** Relation to the viewer's own pets. */
function petMembership(viewerId: string | undefined): Membership {
  const seen = sql`from pet_observation seen join pet on pet.id = seen.pet_id`;
  const isOwn = sql`pet.owner_id = ${viewerId ?? null}::uuid`;
  return {
    isInAny: (ids) => sql`exists (select 1 ${seen}
      where seen.asset_id = asset.id and ${isOwn} and pet.id = any(${ids}))`,
    members: (ids) => sql`select seen.asset_id, pet.id as member_of ${seen}
      where ${isOwn} and pet.id = any(${ids})`,
  };
}

/** Up to this number of ids, one condition each lets the planner begin with the rarest. */
const MAX_SEPARATE_CONDITIONS = 4;

/** Returns a condition for each of `all`, `any` and `none`; an empty `any` matches nothing. */
function buildMembershipConditions(
  { isInAny, members }: Membership,
  { all = [], any, none = [] }: NonNullable<FilterBranch['albumIds']>,
): SQL[] {
  const wanted = [...new Set(all.map((value) => value.toLowerCase()))];
  const isInAll =
    wanted.length <= MAX_SEPARATE_CONDITIONS
      ? wanted.map((value) => isInAny(uuids([value])))
      : [
          sql`asset.id in (select asset_id from (${members(uuids(wanted))}) member
            group by asset_id having count(distinct member_of) = ${wanted.length}::int)`,
        ];
  return [
    ...isInAll,
    ...(any ? [any.length === 0 ? sql`false` : isInAny(uuids(any))] : []),
    ...(none.length > 0 ? [sql`not ${isInAny(uuids(none))}`] : []),
  ];
}

/** Returns the conditions on albums and on the viewer's own tags, people and pets. */
export const buildMemberConditions = (
  branch: FilterBranch,
  viewerId: string | undefined,
): SQL[] => [
  ...(branch.albumIds ? buildMembershipConditions(ALBUMS, branch.albumIds) : []),
  ...buildTagConditions(branch, viewerId),
  ...buildPersonConditions(branch, viewerId),
  ...(branch.petIds ? buildMembershipConditions(petMembership(viewerId), branch.petIds) : []),
];
