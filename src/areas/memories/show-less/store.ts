import { and, eq, isNull, sql } from 'drizzle-orm';
import { isKnownPerson, isKnownPet } from '../../../access/locked-labels.ts';
import type { UserSession } from '../../../access/session.ts';
import { uuids } from '../../../db/arrays.ts';
import type { Db } from '../../../db/client.ts';
import { column } from '../../../db/columns.ts';
import { queryRows } from '../../../db/query.ts';
import type { MEMORY_RULE_KINDS, MemoryType } from '../../../db/tables/memories.ts';
import { people } from '../../../db/tables/people.ts';
import { pets } from '../../../db/tables/pets.ts';

/** Target of a rule: the member of its kind, null the others. */
export type RuleTarget = {
  readonly kind: (typeof MEMORY_RULE_KINDS)[number];
  readonly personId: string | null;
  readonly petId: string | null;
  readonly date: string | null;
  readonly memoryType: MemoryType | null;
};

/** `createdAt` is PostgreSQL's text. */
export type RuleView = RuleTarget & { readonly id: string; readonly createdAt: string };

/** Person of a row of memory_rule, or the one into whom that person was merged. */
const LIVING_PERSON = sql`(
  with recursive same as (
    select id, merged_into from person where id = memory_rule.person_id
    union all
    select person.id, person.merged_into from person join same on person.id = same.merged_into
  ) select id from same where merged_into is null)`;

/** Returns the rules of an account, oldest first. Rules for people who were merged are one. */
export const listRules = (db: Db, ownerId: string): Promise<RuleView[]> =>
  queryRows(
    db,
    {
      kind: column.text.as<(typeof MEMORY_RULE_KINDS)[number]>(),
      personId: column.text.orNull,
      petId: column.uuid.orNull,
      date: column.text.orNull,
      memoryType: column.text.as<MemoryType>().orNull,
      id: column.uuid,
      createdAt: column.timestamptz,
    },
    sql`
    select * from (
      select distinct on (kind, target) id, kind, case when person_id is not null then target end
        as "personId", pet_id as "petId", month_day as date, memory_type as "memoryType",
        created_at as "createdAt"
      from memory_rule cross join lateral (
        select coalesce(${LIVING_PERSON}::text, pet_id::text, month_day, memory_type) as target) named
      where owner_id = ${ownerId}::uuid
      order by kind, target, created_at, id
    ) rule order by "createdAt", id`,
  );

/** Adds a rule that does not exist yet. */
export async function insertRule(
  db: Db,
  ownerId: string,
  { kind, personId, petId, date, memoryType }: RuleTarget,
  now: Date,
): Promise<void> {
  await queryRows(
    db,
    sql`
    insert into memory_rule (owner_id, kind, person_id, pet_id, month_day, memory_type, created_at)
    values (${ownerId}, ${kind}, ${personId}, ${petId}, ${date}, ${memoryType}, ${now.toISOString()})
    on conflict do nothing`,
  );
}

/** Deletes the rules of a target, for a person also those for people who were merged into it. */
export async function deleteRules(
  db: Db,
  ownerId: string,
  { kind, personId, petId, date, memoryType }: RuleTarget,
): Promise<void> {
  await queryRows(
    db,
    sql`
    delete from memory_rule where owner_id = ${ownerId}::uuid and kind = ${kind}
      and (pet_id = ${petId}::uuid or month_day = ${date}::text or memory_type = ${memoryType}::text
        or person_id = ${personId}::uuid or ${LIVING_PERSON} = ${personId}::uuid)`,
  );
}

export async function isOwnPerson(db: Db, session: UserSession, id: string): Promise<boolean> {
  const person = people;
  const rows = await db
    .select({ id: person.id })
    .from(person)
    .where(
      and(
        eq(person.id, id),
        eq(person.ownerId, session.userId),
        isNull(person.mergedInto),
        isKnownPerson(session),
      ),
    );
  return rows.length > 0;
}

export async function isOwnPet(db: Db, session: UserSession, id: string): Promise<boolean> {
  const rows = await db
    .select({ id: pets.id })
    .from(pets)
    .where(and(eq(pets.id, id), eq(pets.ownerId, session.userId), isKnownPet(session)));
  return rows.length > 0;
}

/** Moves memories about pets, and rules for them, to the pet into which they are merged. */
export async function mergePetMemories(
  db: Db,
  intoId: string,
  others: readonly string[],
): Promise<void> {
  const gone = uuids(others);
  await queryRows(db, sql`update memory set pet_id = ${intoId}::uuid where pet_id = any(${gone})`);
  await queryRows(
    db,
    sql`
    with moved as (
      delete from memory_rule where pet_id = any(${gone}) returning owner_id, created_at
    )
    insert into memory_rule (owner_id, kind, pet_id, created_at)
    select owner_id, 'pet', ${intoId}::uuid, min(created_at) from moved group by owner_id
    on conflict do nothing`,
  );
}
