import { and, eq, isNull, type SQL, sql } from 'drizzle-orm';
import { isKnownPerson, type LabelViewer } from '../../access/locked-labels.ts';
import { ownAssets } from '../../access/scope.ts';
import type { UserSession } from '../../access/session.ts';
import { selectSuppressedPeople } from '../../access/suppression.ts';
import type { Db } from '../../db/client.ts';
import { faces, people, type PersonRow } from '../../db/tables/people.ts';
import { PERSON_COLUMNS, PERSON_VIEW, type PersonView } from '../assets/index.ts';
import { uuids } from '../../db/arrays.ts';
import { column } from '../../db/columns.ts';
import { hasWordStart } from '../../db/folded.ts';
import { getRow, queryPrepared, queryRows } from '../../db/query.ts';
import { OWNERS } from '../../read-cache/responses.ts';

/** Condition: a person of the account that this session may know. */
const isOwn = (owner: LabelViewer) =>
  and(eq(people.ownerId, owner.userId), isNull(people.mergedInto), isKnownPerson(owner));

export type ListedPerson = PersonView & { readonly faces: number };

const DEFAULT_MINIMUM_FACES = 3;

/** Scalar subquery: the number of faces that an unnamed person needs to be listed. */
export const selectMinimumFaces = (ownerId: string): SQL => sql`(
  select greatest(1, coalesce((preferences -> 'people' ->> 'minimumFaces')::bigint,
    ${sql.raw(String(DEFAULT_MINIMUM_FACES))}))
  from app_user where id = ${ownerId})`;

/** The part of the list of people of an account that the change log does not tell, for a memory. */
export const MINIMUM_FACES: SQL = sql`(
  select preferences -> 'people' ->> 'minimumFaces' from app_user where id = any(${OWNERS}))`;

/**
 * Condition on "person" of `selectVisiblePeople`. A person without any face was created by hand and
 * appears only in the list.
 */
export const hasEnoughFaces = (ownerId: string): SQL => sql`(person.name <> '' or person.faces = 0
  or person.faces >= ${selectMinimumFaces(ownerId)})`;

/**
 * Subquery of people with a visible face, and of people created by hand without any face. Excludes
 * people who appear only on trashed or Locked items, and those excluded by a content rule.
 */
export const selectVisiblePeople = ({ db, session }: Reader) => sql`(
  select person.*, coalesce(counted.faces, 0)::int as faces
  from person left join (
    select person_id, sum(faces::int) as faces from (${selectFaceCounts({ db, session })}) known
    group by person_id
  ) counted on counted.person_id = person.id
  where person.owner_id = ${session.userId} and person.merged_into is null
    and ${isNotSuppressed(session)}
    and (counted.faces > 0 or ((person.is_manual or person.name <> '')
      and not exists (select from face where face.person_id = person.id))))`;

/** Condition: no content rule of the account excludes "person". */
export const isNotSuppressed = (session: UserSession): SQL => {
  const named = selectSuppressedPeople(session);
  return named ? sql`person.id not in (${named})` : sql`true`;
};

/** Selects face counts per person, minus what active content rules exclude. */
const selectFaceCounts = ({ db, session }: Reader): SQL => {
  const kept = sql`select person_id, faces from person_count where owner_id = ${session.userId}`;
  if (session.contentRules.length === 0) return kept;
  const suppressed = ownAssets(db, session, 'library', { suppressed: 'only' });
  return sql`${kept} union all
    select face.person_id, -count(*) from ${suppressed} join face on face.asset_id = asset.id
    where face.person_id is not null and not face.is_hidden group by face.person_id`;
};

export type Reader = { readonly db: Db; readonly session: UserSession };
export type PageWindow = { readonly limit: number; readonly offset: number };
export type ListOptions = {
  readonly withHidden: boolean;
};

/**
 * Sort key as one number, because thousands of people are compared by it: visible, favorite, named,
 * then most faces.
 */
const SORT_KEY = sql.raw(`(person.is_hidden::int::bigint << 42)
  + ((not person.is_favorite)::int::bigint << 41) + ((person.name = '')::int::bigint << 40)
  - person.faces`);

const BY_NAME = sql.raw('fold_text(person.name), person.name');

export type PeoplePage = {
  readonly people: ListedPerson[];
  /** Includes people with too few faces for the list, as does `hidden`. */
  readonly total: number;
  readonly hidden: number;
  /** Number of people on all pages of the list. */
  readonly listed: number;
};

export async function listPeople(
  { db, session }: Reader,
  { withHidden, limit, offset }: ListOptions & PageWindow,
): Promise<PeoplePage> {
  const rows = await queryPrepared(
    db,
    {
      hidden: column.integer,
      total: column.integer,
      listed: column.integer,
      people: column.json<ListedPerson[]>().orNull,
    },
    sql`
    with listed as materialized (
      select person.id, person.name, person.is_hidden, person.faces, ${SORT_KEY} as place,
        (${withHidden} or not person.is_hidden) and ${hasEnoughFaces(session.userId)} as is_shown
      from ${selectVisiblePeople({ db, session })} person
    ),
    chosen as (
      select id, faces, place from listed where is_shown
      order by place, fold_text(name), name, id limit ${limit} offset ${offset}
    ),
    page as (
      select ${PERSON_COLUMNS}, chosen.faces from chosen join person on person.id = chosen.id
      order by chosen.place, ${BY_NAME}, person.id
    )
    select count(*)::int as total, (count(*) filter (where is_hidden))::int as hidden,
      (count(*) filter (where is_shown))::int as listed,
      (select json_agg(page) from page) as people from listed`,
  );
  const row = getRow(rows);
  return { ...row, people: row.people ?? [] };
}

const LISTED_PERSON_COLUMNS = { ...PERSON_VIEW, faces: column.integer };

/**
 * Returns all visible people, in no order, for rankings by the caller. `isEnough`: only those with
 * enough faces for the list; `isNamed`: only those with a name.
 */
export async function listAllVisible(
  { db, session }: Reader,
  {
    withHidden,
    isEnough = false,
    isNamed = false,
  }: ListOptions & { readonly isEnough?: boolean; readonly isNamed?: boolean },
): Promise<ListedPerson[]> {
  const enough = isEnough ? hasEnoughFaces(session.userId) : sql`true`;
  const named = isNamed ? sql`person.name <> ''` : sql`true`;
  return queryPrepared(
    db,
    LISTED_PERSON_COLUMNS,
    sql`
    select ${PERSON_COLUMNS}, person.faces from ${selectVisiblePeople({ db, session })} person
    where (${withHidden} or not person.is_hidden) and ${enough} and ${named}`,
  );
}

/** Returns people with a name, or a word of it, that begins with `name`; at most 1000. */
export async function findPeopleByName(
  { db, session }: Reader,
  name: string,
  { withHidden }: ListOptions,
): Promise<ListedPerson[]> {
  return queryRows(
    db,
    LISTED_PERSON_COLUMNS,
    sql`
    select ${PERSON_COLUMNS}, person.faces from ${selectVisiblePeople({ db, session })} person
    where (${withHidden} or not person.is_hidden)
      and ${hasWordStart(sql`person.name`, name)}
    order by person.is_hidden, person.is_favorite desc, person.faces desc, ${BY_NAME}, person.id
    limit 1000`,
  );
}

export async function findPerson(
  db: Db,
  owner: LabelViewer,
  id: string,
): Promise<PersonRow | undefined> {
  const [row] = await db
    .select()
    .from(people)
    .where(and(isOwn(owner), eq(people.id, id)));
  return row;
}

/**
 * Locks the people until the transaction ends, ordered by id. Unknown and foreign ids are omitted.
 */
export async function lockPeople(
  db: Db,
  owner: LabelViewer,
  ids: readonly string[],
): Promise<Map<string, PersonRow>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .select()
    .from(people)
    .where(and(isOwn(owner), sql`${people.id} = any(${uuids(ids)})`))
    .orderBy(people.id)
    .for('update');
  return new Map(rows.map((row) => [row.id, row]));
}

export type NewPerson = Pick<
  typeof people.$inferInsert,
  'name' | 'birthDate' | 'color' | 'isHidden' | 'isFavorite' | 'isManual'
>;

export async function insertPerson(db: Db, ownerId: string, values: NewPerson): Promise<PersonRow> {
  const row = getRow(
    await db
      .insert(people)
      .values({ ownerId, ...values })
      .returning(),
  );
  return row;
}

export type PersonChange = Partial<NewPerson & Pick<PersonRow, 'coverFaceId' | 'mergedInto'>>;

export async function updatePerson(
  db: Db,
  id: string,
  change: PersonChange,
  now: Date,
): Promise<PersonRow> {
  const row = getRow(
    await db
      .update(people)
      .set({ ...change, updatedAt: now })
      .where(eq(people.id, id))
      .returning(),
  );
  return row;
}

/**
 * Deletes people; their faces stay unassigned, and the owner's decisions about them are dropped.
 */
export async function deletePeople(db: Db, ids: readonly string[], now: Date): Promise<void> {
  await db
    .update(faces)
    .set({
      personId: null,
      decidedBy: 'machine',
      clusteredAt: now,
      revision: sql`${faces.revision} + 1`,
      updatedAt: now,
    })
    .where(sql`${faces.personId} = any(${uuids(ids)})`);
  await db.delete(people).where(sql`${people.id} = any(${uuids(ids)})`);
}

/** Returns the number of Timeline items that show the person. */
export async function countAssets({ db, session }: Reader, id: string): Promise<number> {
  const [row] = await queryRows(
    db,
    { assets: column.integer },
    sql`
    select count(distinct asset.id)::int as assets
    from ${ownAssets(db, session, 'timeline')} join face on face.asset_id = asset.id
    where face.person_id = ${id} and not face.is_hidden`,
  );
  return row?.assets ?? 0;
}

/** Returns the largest visible face of the person on the asset. */
export async function findShownFace(
  db: Db,
  personId: string,
  assetId: string,
): Promise<string | undefined> {
  const [row] = await queryRows(
    db,
    { id: column.uuid },
    sql`
    select id from shown_face where person_id = ${personId} and asset_id = ${assetId}
    order by (x2 - x1) * (y2 - y1) desc, id limit 1`,
  );
  return row?.id;
}

export async function findPeopleById(
  db: Db,
  owner: LabelViewer,
  ids: readonly string[],
): Promise<Map<string, PersonRow>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .select()
    .from(people)
    .where(and(isOwn(owner), sql`${people.id} = any(${uuids(ids)})`));
  return new Map(rows.map((row) => [row.id, row]));
}
