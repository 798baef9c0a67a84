import { type SQL, sql } from 'drizzle-orm';

// The rules in force, as SQL: they are read with what they hide, in one statement.

const selectTargets = (ownerId: string, column: 'person_id' | 'pet_id'): SQL => sql`
  select ${sql.raw(column)} as id from memory_rule
  where owner_id = ${ownerId}::uuid and ${sql.raw(column)} is not null`;

/** Array of the people that rules name and of those into whom they were merged. */
const selectPeople = (ownerId: string): SQL => sql`array(
  with recursive same as (
    select person.id, person.merged_into from person
    where person.id in (${selectTargets(ownerId, 'person_id')})
    union select person.id, person.merged_into from person join same on person.id = same.merged_into
  ) select id from same)`;

const selectPets = (ownerId: string): SQL => sql`array(${selectTargets(ownerId, 'pet_id')})`;

/** Condition: no rule is about a row of "memory", whose person is `personId`, merged or not. */
export const isWanted = (ownerId: string, personId: SQL): SQL => sql`(
  not exists (select from memory_rule rule where rule.owner_id = ${ownerId}::uuid
    and (rule.memory_type = memory.type or rule.pet_id = memory.pet_id
      or rule.month_day = to_char(memory.memory_at at time zone 'utc', 'MM-DD')))
  and (memory.person_id is null or ${personId} <> all(${selectPeople(ownerId)})))`;

/** Condition: a row of "asset" shows nobody that a rule is about. Without a rule, nobody is looked for. */
export const showsNobodyUnwanted = (ownerId: string): SQL => {
  const [people, pets] = [selectPeople(ownerId), selectPets(ownerId)];
  return sql`(
    (cardinality(${people}) = 0 or not exists (select from face
      where face.asset_id = asset.id and not face.is_hidden and face.person_id = any(${people})))
    and (cardinality(${pets}) = 0 or not exists (select from pet_observation seen
      where seen.asset_id = asset.id and seen.pet_id = any(${pets}))))`;
};
