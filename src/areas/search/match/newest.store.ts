import { type SQL, sql } from 'drizzle-orm';
import { DateTime } from 'luxon';
import { column } from '../../../db/columns.ts';
import { uuids } from '../../../db/arrays.ts';
import { queryLists } from '../../../db/lists.ts';
import { queryRows } from '../../../db/query.ts';
import type { Filter } from './filter.schemas.ts';
import { hasTexts, isLocalTime, MAX_UTC_OFFSET, MAX_UTC_OFFSET_HOURS } from './filter.store.ts';
import { type Matching, type Reader, selectMatching, unionPerOwner } from './matching.store.ts';
import { selectTagTree } from './fields.store.ts';
import { type Bucket, listMonths, sumCounts } from './month-counts.store.ts';
import { toLabelTsquery } from './words.ts';

type NewestItem = { readonly id: string; readonly ownerId: string };

/** Share of the items up to which a window of months is read instead of all matches. */
const MAX_SHARE = 0.5;
/** Items of the first window: a second statement takes longer than so many more. */
const MIN_WINDOW = 1_000;
/** Growth of a window that held none. */
const MAX_GROWTH = 8;
/** Others grow to so many times what would hold enough if older months had as many matches as newer ones. */
const MARGIN = 1.2;

/**
 * Returns the newest matching items, at most `limit`, newest first. `matching` has words or labels. Those that many items
 * have are looked for in the newest months, which the text index knows: all of them would be joined with their assets.
 */
export async function listNewest(
  reader: Reader,
  matching: Matching,
  limit: number,
): Promise<NewestItem[]> {
  const { months, total, isDated, untimed } = await splitTimes(reader, matching);
  // No counts are kept for all states together: the planner decides.
  if (total === 0) return selectNewest(reader, matching, limit);
  if (months.length === 0) return [];
  const { rest, texts } = await estimateSides(reader, untimed, total);
  const sets = selectMemberSets(matching);
  const isFew = rest < FEW_ITEMS;
  const isRarer = rest < texts / (sets.length > 0 ? SET_TEXT_COST : TEXT_COST);
  const ordered = { ...matching, textOrder: isFew || isRarer ? 'last' : 'first' } as const;
  if (isFew || (isRarer && sets.length === 0)) return selectNewest(reader, ordered, limit);
  const most = sumCounts(months) * MAX_SHARE;
  for (let window = takeNewest(months, Math.max(limit, MIN_WINDOW)); sumCounts(window) < most;) {
    const found = await selectNewest(reader, ordered, limit, { months: window, isPart: true });
    if (found.length === limit) return found;
    const growth = Math.min((limit * MARGIN) / found.length, MAX_GROWTH);
    window = takeNewest(months, sumCounts(window) * growth);
  }
  if (isDated) return selectNewest(reader, ordered, limit, { months, isPart: false });
  const memberSets = rest < Math.max(texts, FEW_ITEMS) * MEMBER_COST ? sets : [];
  return selectNewest(reader, { ...ordered, memberSets }, limit);
}

/** So few items are begun with whatever their texts are: the planner takes words that come together for rare. */
const FEW_ITEMS = 2_000;
/** Reading the text of an item takes so many times as long as finding one by the index of texts. */
const TEXT_COST = 5;
/** So many times where the items are those of an album, a tag or a person, whose newest ones an index has. */
const SET_TEXT_COST = 2;
/** Finding the asset of a text takes so many times as long as reading such a member from its index. */
const MEMBER_COST = 15;

/**
 * Returns how many items are expected to match without the text, and how many by it alone. Of an album, `total` are: the
 * planner expects far too few. Of 1,000,000 assets, dogs in a city of 2,000 photos take 34 ms where the texts of few items are
 * read one by one; sofas beside a frequent person 1 s, and 0.2 s by the index of texts.
 */
async function estimateSides(
  reader: Reader,
  { words, labels = [], ...others }: Matching,
  total: number,
): Promise<{ readonly rest: number; readonly texts: number }> {
  const { filter, albums, petIds, enrichment } = others;
  const isPlain = Object.keys(filter).length === (albums ? 1 : 0) && !petIds && !enrichment;
  if (isPlain && !albums) return { rest: Infinity, texts: 0 };
  const queries = [...(words === undefined ? [] : [words]), ...labels.map(toLabelTsquery)];
  const [rest, texts] = await Promise.all([
    isPlain ? total : estimateCount(reader, others),
    estimateRows(reader, sql`select from asset_text where ${hasTexts(queries)}`),
  ]);
  return { rest, texts };
}

type SplitTimes = {
  /** Months that may have items of the times of the filter, newest first. */
  readonly months: readonly Bucket[];
  /** Items of all months. */
  readonly total: number;
  readonly isDated: boolean;
  /** Without the times: the planner takes the conditions that they become for independent, and multiplies their shares. */
  readonly untimed: Matching;
};

async function splitTimes(reader: Reader, matching: Matching): Promise<SplitTimes> {
  const all = await listMonths(reader, matching);
  const { takenAt, takenOn, ...filter } = matching.filter;
  const mayHave = createMonthTest({ takenAt, takenOn }, MAX_UTC_OFFSET_HOURS);
  const have = createMonthTest({ takenAt, takenOn }, 0);
  const months = all
    .filter(({ date }) => mayHave(date))
    // Where only another time zone puts items of a month into the times, hardly any are.
    .map((month) => (have(month.date) ? month : { ...month, count: 0 }));
  const isDated = months.length < all.length;
  return { months, total: sumCounts(all), isDated, untimed: { ...matching, filter } };
}

/** Returns about how many items match; reads no assets. */
export async function estimateMatches(reader: Reader, matching: Matching): Promise<number> {
  const { months, total, isDated, untimed } = await splitTimes(reader, matching);
  if (!isDated) return estimateCount(reader, matching);
  return ((await estimateCount(reader, untimed)) * sumCounts(months)) / total;
}

type DateFilter = { readonly [Name in 'takenAt' | 'takenOn']: Filter[Name] | undefined };

/** Returns a test whether a month may have items of these times where clocks differ from UTC by as many hours. */
function createMonthTest(
  { takenAt, takenOn }: DateFilter,
  offsetHours: number,
): (month: string) => boolean {
  const days = takenOn?.in.map((day) => (day.length === 10 ? day.slice(0, 7) : day.slice(0, 2)));
  const [after, before] = [takenAt?.gte ?? takenAt?.gt, takenAt?.lte ?? takenAt?.lt];
  const first = after === undefined ? -Infinity : toLocalMs(after, -offsetHours);
  const last = before === undefined ? Infinity : toLocalMs(before, offsetHours);
  return (month) => {
    if (days && !days.some((day) => month === day || month.slice(-2) === day)) return false;
    const start = new Date(`${month}-01T00:00Z`);
    const isBehind = start.getTime() > last;
    const isAhead = start.setUTCMonth(start.getUTCMonth() + 1) < first;
    return !isBehind && !isAhead;
  };
}

/** Returns a time by the local clock: of an instant, by the clock that is farthest from UTC. */
const toLocalMs = (time: string, hours: number): number =>
  DateTime.fromISO(time, { zone: 'utc' })
    .plus({ hours: isLocalTime(time) ? 0 : hours })
    .toMillis();

/** Returns the first months that have `count` items together. */
function takeNewest(months: readonly Bucket[], count: number): readonly Bucket[] {
  let sum = 0;
  const end = months.findIndex((month) => (sum += month.count) >= count);
  return end < 0 ? months : months.slice(0, end + 1);
}

/**
 * Selects `asset_id` for the albums, and for each tag and person, that all matching items have, of given months (first
 * days), whose indexes have it. Whose they are is for the conditions to tell.
 */
function selectMemberSets(
  { filter: { tagIds, personIds }, albums }: Matching,
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

type MonthWindow = {
  /** Newest first. */
  readonly months: readonly Bucket[];
  /** Whether older months may have matches, too. */
  readonly isPart: boolean;
};

/** Returns the newest items; of a part of the months, those that no other ones can be newer than. */
function selectNewest(
  reader: Reader,
  matching: Matching,
  limit: number,
  window?: MonthWindow,
): Promise<NewestItem[]> {
  const order = sql`taken_at desc, id desc`;
  const end = sql.raw(`limit ${limit}`);
  const months = window?.months.map(({ date }) => `${date}-01`);
  const within = months
    ? { ...matching, months, memberSets: selectMemberSets(matching, months) }
    : matching;
  const first = window?.isPart ? months?.at(-1) : undefined;
  // Elsewhere the month before may have ended later.
  const only =
    first === undefined
      ? undefined
      : sql`asset.taken_at >= ${`${first}Z`}::timestamptz + ${MAX_UTC_OFFSET}`;
  const items = unionPerOwner(
    within,
    (owner) => sql`select asset.id, asset.owner_id, asset.taken_at
      ${selectMatching(reader, within, owner, { only })} order by ${order} ${end}`,
  );
  return queryLists(
    reader.db,
    ['id', 'ownerId'],
    sql`select id, owner_id as "ownerId" from (${items}) item order by ${order} ${end}`,
  );
}

/** Returns the planner's estimate of the number of matching items; reads no rows. */
const estimateCount = (reader: Reader, matching: Matching): Promise<number> =>
  estimateRows(
    reader,
    unionPerOwner(matching, (owner) => sql`select 1 ${selectMatching(reader, matching, owner)}`),
  );

async function estimateRows({ db }: Reader, statement: SQL): Promise<number> {
  const [row] = await queryRows(
    db,
    { 'QUERY PLAN': column.json<readonly [{ Plan: { 'Plan Rows': number } }]>() },
    sql`explain (format json) ${statement}`,
  );
  return row?.['QUERY PLAN'][0].Plan['Plan Rows'] ?? 0;
}
