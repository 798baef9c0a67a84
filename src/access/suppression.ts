import { and, or, type SQL, sql } from 'drizzle-orm';
import type { UserSession } from './session.ts';
import { uuids } from '../db/arrays.ts';

/** What an account does not want to come across: see the preferences group lockedContent. */
export type ContentRule = {
  readonly kind: 'person' | 'pet' | 'tag' | 'album' | 'date';
  readonly targetId?: string | null | undefined;
  /** MM-dd, of any year. */
  readonly date?: string | null | undefined;
};

type Ruled = Pick<UserSession, 'userId' | 'contentRules'>;

/**
 * Whether an active rule of the account matches a row of a subquery named "asset". Each row is looked
 * up: for listings, of which most rows stay.
 */
export const isSuppressed = (session: Ruled): SQL =>
  or(
    sql`false`,
    isOnDays(session),
    ...matchesOf(session).map(
      ({ assetId, from }) => sql`exists (select 1 ${from} and ${assetId} = asset.id)`,
    ),
  )!;

/**
 * The same, to find the few that are left out of the shelves of the account and its partners: what the
 * rules name is looked up, not each row. A shelf is a condition on "asset" that one index has.
 */
export function isAmongSuppressed(
  session: Ruled & Pick<UserSession, 'sharers'>,
  shelves: readonly (SQL | undefined)[],
): SQL {
  const found = [
    ...matchesOf(session).map(({ assetId, from }) => sql`select ${assetId} ${from}`),
    ...datedIn(session, shelves),
  ];
  return found.length === 0 ? sql`false` : sql`asset.id in (${sql.join(found, sql` union all `)})`;
}

/** By the months in which there is anything: the index of a shelf begins with them. */
function datedIn(
  session: Ruled & Pick<UserSession, 'sharers'>,
  shelves: readonly (SQL | undefined)[],
): SQL[] {
  const isOnDay = isOnDays(session);
  if (!isOnDay) return [];
  const owners = sql`any(${uuids([session.userId, ...session.sharers])})`;
  const inMonths = sql`asset.local_month = any(array(
    select distinct kept.local_month from asset_count kept where kept.owner_id = ${owners}
      and extract(month from kept.local_month) = any(${listOf(monthsOf(session))}::numeric[])))`;
  return shelves.map(
    (shelf) => sql`select asset.id from asset
      where ${and(sql`asset.owner_id = ${owners}`, shelf, inMonths, isOnDay)}`,
  );
}

const daysOf = ({ contentRules }: Ruled): string[] =>
  contentRules.flatMap(({ kind, date }) => (kind === 'date' && date ? [date] : []));
const monthsOf = (session: Ruled): string[] => [
  ...new Set(daysOf(session).map((day) => String(Number(day.slice(0, 2))))),
];

function isOnDays(session: Ruled): SQL | undefined {
  const days = daysOf(session);
  if (days.length === 0) return undefined;
  // Most are of other months: that costs less to see than their days.
  return sql`(extract(month from asset.local_month) = any(${listOf(monthsOf(session))}::numeric[])
    and to_char(asset.local_taken_at, 'MM-DD') = any(${listOf(days)}::text[]))`;
}

/** Where assets are found that a kind of rules matches. */
type Matches = { readonly assetId: SQL; readonly from: SQL };

function matchesOf({ contentRules, userId }: Ruled): Matches[] {
  return KINDS.flatMap((kind) => {
    const targets = targetsOf(contentRules, kind);
    return targets ? [MATCHES[kind](targets, userId)] : [];
  });
}

const KINDS = ['album', 'person', 'pet', 'tag'] as const;

/** What belongs to others matches nothing: no rule tells what is in it. */
const MATCHES: Record<(typeof KINDS)[number], (targets: SQL, userId: string) => Matches> = {
  album: (targets, userId) => ({
    assetId: sql`member.asset_id`,
    from: sql`from album_asset member where member.album_id in (
      select id from album where id = ${targets} and (owner_id = ${userId}::uuid or exists (
        select 1 from album_user
        where album_user.album_id = album.id and album_user.user_id = ${userId}::uuid)))`,
  }),
  person: (targets, userId) => ({
    assetId: sql`shown.asset_id`,
    from: sql`from face shown where shown.person_id in (${mergedFrom(targets, userId)})`,
  }),
  pet: (targets, userId) => ({
    assetId: sql`seen.asset_id`,
    from: sql`from pet_observation seen join pet on pet.id = seen.pet_id
      where pet.owner_id = ${userId}::uuid and pet.id = ${targets}`,
  }),
  tag: (targets, userId) => ({
    assetId: sql`tagged.asset_id`,
    from: sql`from tag_asset tagged where tagged.tag_id in (
      with recursive below as (
        select id from tag where id = ${targets} and owner_id = ${userId}::uuid
        union all select tag.id from tag join below on tag.parent_id = below.id
      ) select id from below)`,
  }),
};

/** The people, and those into whom they were merged since. */
const mergedFrom = (targets: SQL, userId: string): SQL => sql`
  with recursive same as (
    select id, merged_into from person where id = ${targets} and owner_id = ${userId}::uuid
    union select person.id, person.merged_into from person join same on person.id = same.merged_into
  ) select id from same`;

/** Ids of the people whom a rule names; undefined: none is named. */
export function suppressedPeople({ contentRules, userId }: Ruled): SQL | undefined {
  const targets = targetsOf(contentRules, 'person');
  return targets && mergedFrom(targets, userId);
}

/** For `column = …`. */
function targetsOf(rules: readonly ContentRule[], wanted: ContentRule['kind']): SQL | undefined {
  const ids = rules.flatMap(({ kind, targetId }) =>
    kind === wanted && targetId ? [targetId] : [],
  );
  return ids.length === 0 ? undefined : sql`any(${uuids(ids)})`;
}

const listOf = (values: readonly string[]) => `{${values.join(',')}}`;
