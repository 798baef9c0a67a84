import { or, type SQL, sql } from 'drizzle-orm';

/** What an account does not want to come across: see the preferences group lockedContent. */
export type ContentRule = {
  readonly kind: 'person' | 'pet' | 'tag' | 'album' | 'date';
  readonly targetId?: string | null | undefined;
  /** MM-dd, of any year. */
  readonly date?: string | null | undefined;
};

/** Whether one of the rules of this account matches a row of a subquery named "asset". */
export function isSuppressed(rules: readonly ContentRule[], userId: string): SQL {
  const targets = (kind: ContentRule['kind']) =>
    rules.flatMap((rule) => (rule.kind === kind && rule.targetId ? [rule.targetId] : []));
  const [tagIds, albumIds] = [targets('tag'), targets('album')];
  const [personIds, petIds] = [targets('person'), targets('pet')];
  const days = rules.flatMap((rule) => (rule.kind === 'date' && rule.date ? [rule.date] : []));
  return or(
    sql`false`,
    days.length > 0
      ? sql`to_char(asset.local_taken_at, 'MM-DD') = any(${listOf(days)}::text[])`
      : undefined,
    albumIds.length > 0
      ? sql`exists (select 1 from album_asset member
          where member.asset_id = asset.id and member.album_id = any(${listOf(albumIds)}::uuid[]))`
      : undefined,
    personIds.length > 0
      ? sql`exists (select 1 from face join person on person.id = face.person_id
          where face.asset_id = asset.id and person.owner_id = ${userId}::uuid
            and person.id = any(${listOf(personIds)}::uuid[]))`
      : undefined,
    petIds.length > 0
      ? sql`exists (select 1 from pet_observation seen join pet on pet.id = seen.pet_id
          where seen.asset_id = asset.id and pet.owner_id = ${userId}::uuid
            and pet.id = any(${listOf(petIds)}::uuid[]))`
      : undefined,
    tagIds.length > 0
      ? sql`exists (select 1 from tag_asset
          where tag_asset.asset_id = asset.id and tag_asset.tag_id in (
            with recursive below as (
              select id from tag
              where id = any(${listOf(tagIds)}::uuid[]) and owner_id = ${userId}::uuid
              union all select tag.id from tag join below on tag.parent_id = below.id
            ) select id from below))`
      : undefined,
  )!;
}

const listOf = (values: readonly string[]) => `{${values.join(',')}}`;
