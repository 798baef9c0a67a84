import { type SQL, sql } from 'drizzle-orm';
import { uuids } from '../db/arrays.ts';
import type { Db } from '../db/client.ts';
import type { UserSession } from './session.ts';
import { column, type InferRow } from '../db/columns.ts';
import { queryPrepared, queryRows } from '../db/query.ts';

// Labels reveal Locked content. Without the PIN, people, pets and tags that occur on Locked items only
// are hidden.

export type LabelViewer = Pick<UserSession, 'userId' | 'unlocked'>;

/** True for a row of "person" that may be shown now. A person without faces was created by hand. */
export const isKnownPerson = ({ unlocked }: LabelViewer): SQL =>
  unlocked
    ? sql`true`
    : sql`(exists (select from face join asset on asset.id = face.asset_id
          where face.person_id = person.id and asset.locked_at is null)
        or not exists (select from face where face.person_id = person.id))`;

/** The same for "pet". */
export const isKnownPet = ({ unlocked }: LabelViewer): SQL =>
  unlocked
    ? sql`true`
    : sql`(exists (select from pet_observation seen join asset on asset.id = seen.asset_id
          where seen.pet_id = pet.id and asset.locked_at is null)
        or not exists (select from pet_observation seen where seen.pet_id = pet.id))`;

/**
 * Returns the ids of the hidden tags: those on Locked items only, and ancestors without items of their own
 * all of whose children are hidden. Empty tags are shown.
 */
export async function listLockedTags(
  db: Db,
  { userId, unlocked }: LabelViewer,
): Promise<ReadonlySet<string>> {
  if (unlocked) return new Set();
  const locked = await queryPrepared(
    db,
    { id: column.uuid },
    sql`
    select tag_id as id from (
      select distinct tag_asset.tag_id from asset
      join tag_asset on tag_asset.asset_id = asset.id
      join tag on tag.id = tag_asset.tag_id and tag.owner_id = ${userId}
      where asset.owner_id = ${userId} and asset.locked_at is not null) on_locked
    where not exists (select from tag_asset join asset on asset.id = tag_asset.asset_id
      where tag_asset.tag_id = on_locked.tag_id and asset.locked_at is null)`,
  );
  if (locked.length === 0) return new Set();
  const found = new Set(locked.map(({ id }) => id));
  const children = await listWithAncestors(db, [...found]);
  const hidden = new Set<string>();
  // Deepest first: a tag is shown when one of its children is.
  for (const { id, childIds, isUsed } of children) {
    const isOnlyLocked = found.has(id) || (!isUsed && childIds.length > 0);
    if (isOnlyLocked && childIds.every((child) => hidden.has(child))) hidden.add(id);
  }
  return hidden;
}

const TAG_NODE_COLUMNS = { id: column.uuid, childIds: column.uuidArray, isUsed: column.boolean };

type TagNode = InferRow<typeof TAG_NODE_COLUMNS>;

/** Returns the tags and their ancestors, children before parents. */
async function listWithAncestors(db: Db, ids: readonly string[]): Promise<TagNode[]> {
  return queryRows(
    db,
    TAG_NODE_COLUMNS,
    sql`
    with recursive above as (
      select id, parent_id, value from tag where id = any(${uuids(ids)})
      union select tag.id, tag.parent_id, tag.value from tag join above on tag.id = above.parent_id
    )
    select id, array(select child.id from tag child where child.parent_id = above.id) as "childIds",
      exists (select from tag_asset where tag_asset.tag_id = above.id) as "isUsed"
    from above order by length(value) desc`,
  );
}
