import type { FilterBranch } from '../match/filter.schemas.ts';
import type { FilterFields } from '../match/filter-fields.schemas.ts';
import type { DurationFilter } from './duration-keywords.ts';
import type { Chip } from './scanner.ts';

/** Local times without an offset, both included. */
export type Instants = { readonly takenAfter?: string; readonly takenBefore?: string };

/** Fields with several values per item. */
const LIST_FIELDS: ReadonlySet<string> = new Set([
  'albumIds',
  'captureTypes',
  'personIds',
  'petIds',
  'tagIds',
]);
type Exclusion = { readonly none: readonly string[] } | { readonly notIn: readonly string[] };

const isExclusion = (value: unknown): value is Exclusion =>
  typeof value === 'object' && value !== null && ('none' in value || 'notIn' in value);

/** Returns the value of a chip that excludes what `value` selects. */
export function negate(field: string, value: unknown): unknown {
  if (typeof value === 'boolean') return !value;
  const list = [value].flat() as string[];
  return LIST_FIELDS.has(field) ? { none: list } : { notIn: list };
}

type Filter = Record<string, unknown>;
/** Adds the values of one field to the filter, or to the members beside it. */
type Combine = (values: readonly unknown[], filter: Filter, fields: Filter) => void;

const toAny =
  (field: string): Combine =>
  (values, filter) =>
    void (filter[field] = { any: values.flat() });
const toFlag =
  (field: string): Combine =>
  ([value], filter) =>
    void (filter[field] = { eq: value });

const COMBINE: Readonly<Record<string, Combine>> = {
  albumIds: toAny('albumIds'),
  captureTypes: toAny('captureTypes'),
  isEdited: toFlag('isEdited'),
  isOwn: toFlag('isOwn'),
  duration: (values, filter) => {
    filter['duration'] = Object.assign({}, ...(values as DurationFilter[])) as DurationFilter;
  },
  // A name shared by several matches any of them; several names must all match.
  personIds: (values, filter, fields) => {
    const isSure = values.every((value) => !Array.isArray(value) || value.length === 1);
    if (isSure) fields['personIds'] = toUnique(values);
    else filter['personIds'] = { any: toUnique(values) };
  },
  petIds: (values, filter) => {
    const isSure = values.every((value) => !Array.isArray(value));
    filter['petIds'] = { [isSure ? 'all' : 'any']: toUnique(values) };
  },
  tagIds: (values, _, fields) => void (fields['tagIds'] = toUnique(values)),
  takenAt: (values, filter) => addDays(values as Instants[], filter),
  takenOn: (values, filter) => void (filter['takenOn'] = { in: toUnique(values) }),
};

const toUnique = (values: readonly unknown[]): unknown[] => [...new Set(values.flat())];

/**
 * Combines chips into a filter: several values of a field are alternatives where nothing else is said. `namesakes` are
 * alternatives to the date that they are called like.
 */
export function toFilterFields(
  chips: readonly Chip[],
  namesakes: readonly FilterBranch[] = [],
): FilterFields {
  const [fields, filter]: [Filter, Filter] = [{}, {}];
  const values = Map.groupBy(
    chips.filter(({ value }) => !isExclusion(value)),
    ({ field }) => field,
  );
  const birthdays = values.get('birthday')?.flatMap(({ value }) => value as Instants[]);
  values.delete('birthday');
  for (const [field, list] of values) {
    const given = list.map(({ value }) => value);
    const unique = toUnique(given);
    if (COMBINE[field]) COMBINE[field](given, filter, fields);
    else if (unique.length === 1) fields[field] = unique[0];
    else filter[field] = { in: unique };
  }
  separateDates(filter, values);
  if (birthdays)
    addBirthdays(
      birthdays,
      filter,
      (values.get('takenAt') ?? []) as readonly { value: Instants }[],
    );
  else if (namesakes.length > 0) addNamesakes(namesakes, filter);
  for (const { field, value } of chips) {
    if (!isExclusion(value)) continue;
    const known = filter[field] as Record<string, readonly string[]> | undefined;
    const [[name, list]] = Object.entries(value) as [[string, readonly string[]]];
    filter[field] = { ...known, [name]: [...(known?.[name] ?? []), ...list] };
  }
  if (Object.keys(filter).length > 0) fields['filter'] = filter;
  return fields as FilterFields;
}

/** Adds alternatives to the one date of a filter; several dates have theirs already. */
function addNamesakes(namesakes: readonly FilterBranch[], filter: Filter): void {
  const { or, takenAt, takenOn } = filter;
  if (or !== undefined || (takenAt !== undefined && takenOn !== undefined)) return;
  delete filter['takenAt'];
  delete filter['takenOn'];
  filter['or'] = [takenAt === undefined ? { takenOn } : { takenAt }, ...namesakes];
}

const toRange = ({ takenAfter, takenBefore }: Instants) => ({
  takenAt: { ...(takenAfter && { gte: takenAfter }), ...(takenBefore && { lte: takenBefore }) },
});

function addDays(ranges: readonly Instants[], filter: Filter): void {
  const [range, ...others] = ranges;
  if (range && others.length === 0) Object.assign(filter, toRange(range));
  else filter['or'] = ranges.map(toRange);
}

const overlaps = (one: Instants, other: Instants): boolean =>
  (one.takenAfter ?? '') <= (other.takenBefore ?? '9999') &&
  (other.takenAfter ?? '') <= (one.takenBefore ?? '9999');

/** Returns whether days of a range are in a month of any year ('08'), such a day ('08-24') or that of one year. */
function hasDays({ takenAfter, takenBefore }: Instants, name: string): boolean {
  if (!takenAfter || !takenBefore) return true;
  if (name.length > 5) return overlaps({ takenAfter, takenBefore }, toWholeDays(name, name));
  const [first, last] = [takenAfter, takenBefore].map((at) => Number(at.slice(0, 4)));
  if (first === undefined || last === undefined || last - first > 1) return true;
  const [from, to] = name.length === 2 ? [`${name}-01`, `${name}-31`] : [name, name];
  return [first, last].some((year) =>
    overlaps({ takenAfter, takenBefore }, toWholeDays(`${year}-${from}`, `${year}-${to}`)),
  );
}

const toWholeDays = (from: string, to: string): Instants => ({
  takenAfter: `${from}T00:00:00.000`,
  takenBefore: `${to}T23:59:59.999`,
});

/** Months of any year narrow the dates that they are in, 'last year in August', and are alternatives to others. */
function separateDates(filter: Filter, values: ReadonlyMap<string, readonly Chip[]>): void {
  const [ranges, names] = ['takenAt', 'takenOn'].map((field) =>
    (values.get(field) ?? []).map(({ value }) => value),
  ) as [Instants[], (string | string[])[]];
  if (ranges.length === 0 || names.length === 0) return;
  if (ranges.some((range) => names.flat().some((name) => hasDays(range, name)))) return;
  const { takenOn } = filter;
  delete filter['takenAt'];
  delete filter['takenOn'];
  filter['or'] = [...ranges.map(toRange), { takenOn }];
}

/** A filter has at most as many alternatives; of more birthdays, the latest. */
const MAX_ALTERNATIVES = 50;

/** Replaces the dates by the birthdays in them: 'Anna's birthday 2023'. Without any, nothing matches. */
function addBirthdays(
  birthdays: readonly Instants[],
  filter: Filter,
  dates: readonly { readonly value: Instants }[],
): void {
  const meant = birthdays.filter(
    (day) => dates.length === 0 || dates.some(({ value }) => overlaps(day, value)),
  );
  const [date] = dates;
  delete filter['or'];
  if (meant.length > 0) delete filter['takenAt'];
  else if (date) Object.assign(filter, toRange(date.value));
  filter['or'] = (meant.length > 0 ? meant : birthdays)
    .toSorted((a, b) => ((a.takenAfter ?? '') < (b.takenAfter ?? '') ? -1 : 1))
    .slice(-MAX_ALTERNATIVES)
    .map(toRange);
}
