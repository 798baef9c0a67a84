import { type SQL, sql } from 'drizzle-orm';
import { checkedAssets } from '../../access/unscoped.ts';
import type { Db } from '../../db/client.ts';
import { anyOfIds } from '../../db/arrays.ts';
import { column, type InferRow } from '../../db/columns.ts';
import { prepareQuery } from '../../db/query.ts';
import { TAG_NAME } from '../../db/tables/tags.ts';
import type { AssetPerson } from './schemas.ts';

// Relations of many assets by set: one statement for each relation, with a row for each tag, person or
// stack that lists its assets. Subqueries for each asset cost the database 40 % more.

/** A row with the ids of the assets that it belongs to. */
export type WithMembers<Row> = Row & { readonly members: readonly string[] };

/** The schema of OWNER_COLUMNS. */
export const OWNER_VIEW = {
  ownerId: column.uuid,
  ownerName: column.text,
  ownerEmail: column.text,
  ownerColor: column.text,
  ownerImage: column.text.orNull,
  ownerChangedAt: column.timestamptz,
};

export type OwnerView = InferRow<typeof OWNER_VIEW>;

/** Columns of app_user named "owner". */
export const OWNER_COLUMNS: SQL = sql.raw(`
  owner.name as "ownerName", owner.email as "ownerEmail", owner.avatar_color as "ownerColor",
  owner.profile_image as "ownerImage", owner.profile_changed_at as "ownerChangedAt"`);

/** The schema of PERSON_COLUMNS. */
export const PERSON_VIEW = {
  id: column.uuid,
  name: column.text,
  birthDate: column.date.orNull,
  isHidden: column.boolean,
  isFavorite: column.boolean,
  color: column.text.orNull,
  thumbnailTag: column.text.orNull,
  /** The face on the thumbnail; null after it was assigned to another person. */
  thumbnailFaceId: column.uuid.orNull,
  updatedAt: column.timestamptz,
};

export type PersonView = Omit<InferRow<typeof PERSON_VIEW>, 'updatedAt'> & {
  /** The builder returns instants as dates, statements as text. */
  readonly updatedAt: Date | string;
};

/** Columns of a table named "person". */
export const PERSON_COLUMNS: SQL =
  sql.raw(`person.id, person.name, person.birth_date as "birthDate",
  person.is_hidden as "isHidden", person.is_favorite as "isFavorite", person.color,
  person.thumbnail_tag as "thumbnailTag", person.thumbnail_face_id as "thumbnailFaceId",
  person.updated_at as "updatedAt"`);

export const toPerson = (row: PersonView): AssetPerson => ({
  id: row.id,
  name: row.name,
  birthDate: row.birthDate,
  isHidden: row.isHidden,
  isFavorite: row.isFavorite,
  thumbnailPath:
    row.thumbnailTag === null || row.thumbnailFaceId === null
      ? ''
      : `/api/people/${row.id}/thumbnail`,
  updatedAt: new Date(row.updatedAt).toISOString(),
  ...(row.color && { color: row.color }),
});

/** Without a top item, which a stack has that is shown, `primaryAssetId` is null. */
export type StackView = { id: string; primaryAssetId: string | null; assetCount: number };

const IDS = anyOfIds(sql.placeholder('ids'));
const VIEWER = sql`${sql.placeholder('viewerId')}::uuid`;
const toIds = (ids: readonly string[]) => `{${ids.join()}}`;

const queryOwners = prepareQuery(
  OWNER_VIEW,
  sql`select owner.id as "ownerId", ${OWNER_COLUMNS} from app_user owner where owner.id = ${IDS}`,
);

export const listOwners = (db: Db, ids: readonly string[]): Promise<OwnerView[]> =>
  queryOwners(db, { ids: toIds(ids) });

const queryStacks = prepareQuery(
  {
    id: column.uuid,
    primaryAssetId: column.uuid.orNull,
    assetCount: column.integer,
    members: column.json<readonly string[]>(),
  },
  sql`select member.stack_id as id,
      (array_agg(member.id) filter (where not member.is_stack_child))[1] as "primaryAssetId",
      count(*)::int as "assetCount", json_agg(member.id) as members
    from ${checkedAssets} member
    where member.stack_id in (
      select named.stack_id from ${checkedAssets} named where named.id = ${IDS})
    group by 1, stack_scope(member.visibility, member.locked_at, member.trashed_at)`,
);

/**
 * Returns the stacks of assets that the session may see, as STACK_TOP and STACK_SIZE tell one; they name members beyond
 * `ids` too.
 */
export const listStacksOfAssets = (db: Db, ids: readonly string[]) =>
  queryStacks(db, { ids: toIds(ids) });

const queryTags = prepareQuery(
  {
    id: column.uuid,
    parentId: column.uuid.orNull,
    name: column.text,
    value: column.text,
    color: column.text.orNull,
    createdAt: column.timestamptz,
    updatedAt: column.timestamptz,
    members: column.json<readonly string[]>(),
  },
  sql`select tag.id, tag.parent_id as "parentId", ${TAG_NAME} as name, tag.value, tag.color,
      tag.created_at as "createdAt", tag.updated_at as "updatedAt",
      json_agg(tag_asset.asset_id) as members
    from tag_asset join tag on tag.id = tag_asset.tag_id
    where tag_asset.asset_id = ${IDS} and tag.owner_id = ${VIEWER}
    group by tag.id order by tag.value`,
);

/** Returns the viewer's tags of assets that the viewer may see, in order. */
export const listTagsOfAssets = (db: Db, viewerId: string | null, ids: readonly string[]) =>
  queryTags(db, { ids: toIds(ids), viewerId });

const queryPeople = prepareQuery(
  { ...PERSON_VIEW, members: column.json<readonly string[]>() },
  sql`select ${PERSON_COLUMNS}, json_agg(shown.asset_id) as members
    from (select distinct asset_id, person_id from face
      where asset_id = ${IDS} and not is_hidden) shown
    join person on person.id = shown.person_id
    where person.owner_id = ${VIEWER}
    group by person.id order by person.name = '', person.name, person.id`,
);

/** Returns the viewer's people on assets that the viewer may see, in order. */
export const listPeopleOnAssets = (db: Db, viewerId: string | null, ids: readonly string[]) =>
  queryPeople(db, { ids: toIds(ids), viewerId });
