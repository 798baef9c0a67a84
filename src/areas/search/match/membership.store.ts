import { type SQL, sql } from 'drizzle-orm';
import { uuids } from '../../../db/arrays.ts';
import type { Filter, FilterBranch } from './filter.schemas.ts';

/**
 * A relation of items of a subquery named "asset": albums, tags, people or pets. `ids` is an array.
 */
type Membership = {
  /** Condition: the item belongs to any of the ids. */
  readonly isInAny: (ids: SQL) => SQL;
  /** Selects `asset_id` and `member_of` (one of the ids) of all items in any of them. */
  readonly members: (ids: SQL) => SQL;
};

export const ALBUMS: Membership = {
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
export function buildTagConditions(
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

type Searched = { readonly filter: Filter; readonly albums?: readonly string[] | undefined };

/**
 * Selects `asset_id` for the albums, and for each tag and person, that all matching items have, of given months (first
 * days), whose indexes have it. Whose they are is for the conditions to tell.
 */
export function selectMemberSets(
  { filter: { tagIds, personIds }, albums }: Searched,
  months?: readonly string[],
): SQL[] {
  const isWithin = months ? sql`local_month = any(${`{${months.join()}}`}::date[])` : sql`true`;
  const owner = (id: string) => sql`(select owner_id from tag where id = ${id}::uuid)`;
  const ofAlbums = sql`select asset_id from album_asset
    where ${isWithin} and album_id = any(${uuids(albums ?? [])})`;
  const ofTags = (tagIds?.all ?? []).map(
    (id) => sql`select asset_id from tag_asset where ${isWithin}
      and tag_id in (${selectTagTree(uuids([id]), owner(id))} select id from below)`,
  );
  const ofPeople = (personIds?.all ?? []).map(
    (id) => sql`select asset_id from face
      where ${isWithin} and person_id = ${id}::uuid and not is_hidden`,
  );
  return [...(albums ? [ofAlbums] : []), ...ofTags, ...ofPeople];
}

/** Conditions on the viewer's own people. */
export function buildPersonConditions(
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
export function petMembership(viewerId: string | undefined): Membership {
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
export function buildMembershipConditions(
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
