import { and, type SQL, sql } from 'drizzle-orm';
import type { UserSession } from './session.ts';
import { uuids } from '../db/arrays.ts';
import { joinWithOr } from '../db/query.ts';

/** Rule of an account that hides matching items: preferences group lockedContent. */
export type ContentRule = {
  readonly kind: 'person' | 'pet' | 'tag' | 'album' | 'date';
  readonly targetId?: string | null | undefined;
  /** MM-dd, of any year. */
  readonly date?: string | null | undefined;
};

type RuleHolder = Pick<UserSession, 'userId' | 'contentRules'>;

/**
 * True when an active rule of the account matches a row of a subquery named "asset". Checks every row: for
 * listings, most of whose rows stay.
 */
export const isSuppressed = (session: RuleHolder): SQL =>
  joinWithOr(
    sql`false`,
    isOnDays(session),
    ...listRuleSources(session).map(
      ({ assetId, from }) => sql`exists (select 1 ${from} and ${assetId} = asset.id)`,
    ),
  );

/**
 * The same for selecting the few matching items: looks up what the rules name instead of every row. Each
 * of `conditions` selects rows of "asset" that one index covers.
 */
export function isInSuppressedSet(
  session: RuleHolder & Pick<UserSession, 'sharers'>,
  conditions: readonly (SQL | undefined)[],
): SQL {
  const found = [
    ...listRuleSources(session).map(({ assetId, from }) => sql`select ${assetId} ${from}`),
    ...selectByDate(session, conditions),
  ];
  return found.length === 0 ? sql`false` : sql`asset.id in (${sql.join(found, sql` union all `)})`;
}

/** Narrows by the months that contain items: the indexes begin with the month. */
function selectByDate(
  session: RuleHolder & Pick<UserSession, 'sharers'>,
  conditions: readonly (SQL | undefined)[],
): SQL[] {
  const isOnDay = isOnDays(session);
  if (!isOnDay) return [];
  const owners = sql`any(${uuids([session.userId, ...session.sharers])})`;
  const inMonths = sql`asset.local_month = any(array(
    select distinct counted.local_month from asset_count counted where counted.owner_id = ${owners}
      and extract(month from counted.local_month) = any(${toArrayLiteral(listMonths(session))}::numeric[])))`;
  return conditions.map(
    (condition) => sql`select asset.id from asset
      where ${and(sql`asset.owner_id = ${owners}`, condition, inMonths, isOnDay)}`,
  );
}

const listDays = ({ contentRules }: RuleHolder): string[] =>
  contentRules.flatMap(({ kind, date }) => (kind === 'date' && date ? [date] : []));
const listMonths = (session: RuleHolder): string[] => [
  ...new Set(listDays(session).map((day) => String(Number(day.slice(0, 2))))),
];

function isOnDays(session: RuleHolder): SQL | undefined {
  const days = listDays(session);
  if (days.length === 0) return undefined;
  // The month is cheaper to compare than the day, and excludes most rows.
  return sql`(extract(month from asset.local_month) = any(${toArrayLiteral(listMonths(session))}::numeric[])
    and to_char(asset.local_taken_at, 'MM-DD') = any(${toArrayLiteral(days)}::text[]))`;
}

/** Tables in which the assets of a kind of rule are found. */
type RuleSource = { readonly assetId: SQL; readonly from: SQL };

function listRuleSources({ contentRules, userId }: RuleHolder): RuleSource[] {
  return TARGET_KINDS.flatMap((kind) => {
    const targets = toTargetIds(contentRules, kind);
    return targets ? [RULE_SOURCES[kind](targets, userId)] : [];
  });
}

const TARGET_KINDS = ['album', 'person', 'pet', 'tag'] as const;

/** Targets of other accounts match nothing, so that a rule cannot reveal their content. */
const RULE_SOURCES: Record<
  (typeof TARGET_KINDS)[number],
  (targets: SQL, userId: string) => RuleSource
> = {
  album: (targets, userId) => ({
    assetId: sql`member.asset_id`,
    from: sql`from album_asset member where member.album_id in (
      select id from album where id = ${targets} and (owner_id = ${userId}::uuid or exists (
        select 1 from album_user
        where album_user.album_id = album.id and album_user.user_id = ${userId}::uuid)))`,
  }),
  person: (targets, userId) => ({
    assetId: sql`shown.asset_id`,
    from: sql`from face shown where shown.person_id in (${selectMergedPeople(targets, userId)})`,
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

/** Selects the people and those into whom they were merged. */
const selectMergedPeople = (targets: SQL, userId: string): SQL => sql`
  with recursive same as (
    select id, merged_into from person where id = ${targets} and owner_id = ${userId}::uuid
    union select person.id, person.merged_into from person join same on person.id = same.merged_into
  ) select id from same`;

/** Selects the ids of the people that rules name; undefined when there are none. */
export function selectSuppressedPeople({ contentRules, userId }: RuleHolder): SQL | undefined {
  const targets = toTargetIds(contentRules, 'person');
  return targets && selectMergedPeople(targets, userId);
}

/** Returns `any(…)` to compare a column with; undefined when no rule of the kind exists. */
function toTargetIds(rules: readonly ContentRule[], wanted: ContentRule['kind']): SQL | undefined {
  const ids = rules.flatMap(({ kind, targetId }) =>
    kind === wanted && targetId ? [targetId] : [],
  );
  return ids.length === 0 ? undefined : sql`any(${uuids(ids)})`;
}

const toArrayLiteral = (values: readonly string[]) => `{${values.join(',')}}`;
