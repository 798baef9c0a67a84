import { type SQL, sql } from 'drizzle-orm';
import { uuids } from '../db/arrays.ts';
import type { Db } from '../db/client.ts';
import type { UserSession } from './session.ts';

// Names tell what is Locked. Without the PIN, people, pets and tags that are only on Locked items are
// unknown.

export type Labeller = Pick<UserSession, 'userId' | 'unlocked'>;

/**
 * Whether a row of "person" of the account is known to it now. Who has no face at all was made by hand,
 * or waits to be tidied away.
 */
export const isKnownPerson = ({ unlocked }: Labeller): SQL =>
  unlocked
    ? sql`true`
    : sql`(exists (select from face join asset on asset.id = face.asset_id
          where face.person_id = person.id and asset.locked_at is null)
        or not exists (select from face where face.person_id = person.id))`;

/** The same of "pet". */
export const isKnownPet = ({ unlocked }: Labeller): SQL =>
  unlocked
    ? sql`true`
    : sql`(exists (select from pet_observation seen join asset on asset.id = seen.asset_id
          where seen.pet_id = pet.id and asset.locked_at is null)
        or not exists (select from pet_observation seen where seen.pet_id = pet.id))`;

/**
 * Returns the tags that are not known: on nothing but Locked items, and those above them that are on
 * nothing and lead to nothing else. Empty tags are known.
 */
export async function listLockedTags(
  db: Db,
  { userId, unlocked }: Labeller,
): Promise<ReadonlySet<string>> {
  if (unlocked) return new Set();
  const locked = await db.execute<{ id: string }>(sql`
    select tag_id as id from (
      select distinct tag_asset.tag_id from asset
      join tag_asset on tag_asset.asset_id = asset.id
      join tag on tag.id = tag_asset.tag_id and tag.owner_id = ${userId}
      where asset.owner_id = ${userId} and asset.locked_at is not null) on_locked
    where not exists (select from tag_asset join asset on asset.id = tag_asset.asset_id
      where tag_asset.tag_id = on_locked.tag_id and asset.locked_at is null)`);
  if (locked.length === 0) return new Set();
  const found = new Set(locked.map(({ id }) => id));
  const children = await listFamily(db, [...found]);
  const hidden = new Set<string>();
  // The deepest first: a tag is known when one below it is.
  for (const { id, childIds, isUsed } of children) {
    const isOnlyLocked = found.has(id) || (!isUsed && childIds.length > 0);
    if (isOnlyLocked && childIds.every((child) => hidden.has(child))) hidden.add(id);
  }
  return hidden;
}

type Relative = { readonly id: string; readonly childIds: readonly string[]; isUsed: boolean };

/** The tags and those above them, children before parents. */
async function listFamily(db: Db, ids: readonly string[]): Promise<Relative[]> {
  const rows = await db.execute<Relative>(sql`
    with recursive above as (
      select id, parent_id, value from tag where id = any(${uuids(ids)})
      union select tag.id, tag.parent_id, tag.value from tag join above on tag.id = above.parent_id
    )
    select id, array(select child.id from tag child where child.parent_id = above.id) as "childIds",
      exists (select from tag_asset where tag_asset.tag_id = above.id) as "isUsed"
    from above order by length(value) desc`);
  return [...rows];
}
