import { post } from '../../base/api.ts';
import type {
  FacetField,
  FacetValue,
  Facets,
  Granularity,
  Histogram,
} from '../../../areas/search/counts/counts.schemas.ts';
import type { FilterFields } from '../../../areas/search/match/filter-fields.schemas.ts';
import type { AskResponse } from '../../../areas/search/semantic/smart.schemas.ts';
import { getLanguage, t } from '../../base/i18n.ts';

export type { FacetField, FacetValue, Facets, FilterFields, Granularity, Histogram };
export type Found = AskResponse['assets'];
export type Interpretation = AskResponse['interpretation'];

/** One condition of a search, as it is shown. */
export type Chip = { field: string; label: string; value: unknown };
/** A chip that was read out of the words, and where they stand. */
export type WordChip = Interpretation['chips'][number];

export type Sort = 'best' | 'newest' | 'oldest' | 'recentlyAdded';
const SORTS: ReadonlySet<string> = new Set<Sort>(['best', 'newest', 'oldest', 'recentlyAdded']);
const isSort = (text: string | null): text is Sort => text !== null && SORTS.has(text);

/** A search as its address has it: what was written, and what was chosen besides. */
export type Query = {
  words: string;
  chosen: readonly Chip[];
  /** Results that are less certain, too; without chosen chips. */
  isLessCertain?: boolean;
  /** The order that was chosen. */
  sort?: Sort;
};

export const NO_WORDS: Interpretation = {
  text: null,
  filter: {},
  chips: [],
  unresolved: [],
  engine: 'local',
};

export function readQuery(search: string): Query {
  const params = new URLSearchParams(search);
  const isLessCertain = params.has('less-certain');
  const sort = params.get('sort');
  return {
    words: params.get('q') ?? '',
    chosen: readChips(params.get('x')),
    ...(isLessCertain && { isLessCertain }),
    ...(isSort(sort) && { sort }),
  };
}

function readChips(text: string | null): Chip[] {
  try {
    const list: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(list) ? list.filter(isChip) : [];
  } catch {
    return [];
  }
}
const isChip = (chip: Partial<Chip> | null): chip is Chip =>
  typeof chip?.field === 'string' && typeof chip.label === 'string' && 'value' in chip;

export function searchPath(
  { words, chosen, isLessCertain, sort }: Query,
  photoId?: string,
): string {
  const params = new URLSearchParams();
  if (words) params.set('q', words);
  if (chosen.length > 0) params.set('x', JSON.stringify(chosen));
  else if (isLessCertain) params.set('less-certain', '');
  if (sort) params.set('sort', sort);
  return `/search${photoId ? `/photos/${photoId}` : ''}?${params}`;
}

/** Fields that a search may have several chips of, all of which must hold. */
const SEVERAL = new Set(['personIds', 'tagIds']);

/** Returns the search with a chip, which replaces those of the same field unless it may have several. */
export function withChip(query: Query, chip: Chip): Query {
  const kept = query.chosen.filter(({ field, value }) =>
    SEVERAL.has(chip.field) ? field !== chip.field || value !== chip.value : field !== chip.field,
  );
  return { ...query, chosen: [...kept, chip] };
}

export const withoutChip = (query: Query, chip: Chip): Query => ({
  ...query,
  chosen: query.chosen.filter((other) => other !== chip),
});

/** The words without those that a chip was read from. */
export function removeWords(
  words: string,
  { start, end }: Pick<WordChip, 'start' | 'end'>,
): string {
  return `${words.slice(0, start)} ${words.slice(end)}`.replaceAll(/\s+/g, ' ').trim();
}

/** The words of the chips, with another free text after them. */
export const replaceText = ({ chips }: Interpretation, text: string): string =>
  [...chips.map(({ source }) => source), text.trim()].filter(Boolean).join(' ');

/** Returns the filter for the API: what the words say, and the chosen chips. */
export function toFilter(read: Interpretation, chosen: readonly Chip[]): FilterFields {
  // Its words have no value for the page, only for pages of results.
  const { size: _size, page: _page, cursor: _cursor, ...given } = read.filter;
  const filter: Record<string, unknown> = { ...given };
  for (const { field, value } of chosen) {
    if (field === 'takenAt') {
      const { or, ...others } = given.filter ?? {};
      const keepsOr = read.chips.some((chip) => chip.field === 'birthday') || isOfAnyYear(read, []);
      filter['filter'] = {
        ...others,
        ...(or && keepsOr && { or }),
        takenAt: toRange(value as TakenDays),
      };
    } else if (SEVERAL.has(field)) {
      filter[field] = [...((filter[field] as string[] | undefined) ?? []), value];
    } else filter[field] = value;
  }
  return filter as FilterFields;
}

/** The value of a chip of days, in local time where the pictures were taken, so without an offset. */
type TakenDays = { readonly takenAfter?: string; readonly takenBefore?: string };

/** Returns whether a search is about a month of any year, or a day of it. */
export const isOfAnyYear = ({ chips }: Interpretation, chosen: readonly Chip[]): boolean =>
  chips.some(({ field }) => field === 'takenOn') &&
  ![...chips, ...chosen].some(({ field }) => field === 'takenAt');

/** Returns a chip of a whole year. */
export const toYearChip = (year: string): Chip => ({
  ...toDaysChip(`${year}-01-01`, `${year}-12-31`),
  label: year,
});

const toRange = ({ takenAfter, takenBefore }: TakenDays) => ({
  ...(takenAfter && { gte: takenAfter }),
  ...(takenBefore && { lte: takenBefore }),
});

/** Returns whether a chip of the words is replaced by a chosen chip of the same field. */
export const isReplaced = (chip: Chip, chosen: readonly Chip[]): boolean =>
  !SEVERAL.has(chip.field) && chosen.some(({ field }) => field === chip.field);

/** Returns the order of results: without a text there are no best matches. */
export const getSort = ({ text }: Interpretation, sort: Sort | undefined): Sort =>
  text === null ? (sort === 'best' ? 'newest' : (sort ?? 'newest')) : (sort ?? 'best');

/** Has words understood; returns that with the first `size` results. */
export const interpret = (query: string, page: AskedPage): Promise<AskResponse> =>
  post('/search/ask', { query, language: getLanguage(), ...page });
type AskedPage = {
  readonly size: number;
  readonly page?: number;
  readonly lessCertain?: boolean | undefined;
  readonly withExif?: boolean;
};
/** The search whose results are counted: `query` is what the words mean besides the filter. */
export type Counted = FilterFields & {
  readonly query?: string;
  readonly language?: string;
  readonly lessCertain?: boolean | undefined;
};
export const fetchFacets = (filter: Counted, facets: readonly FacetField[], facetSize = 8) =>
  post<Facets>('/search/facets', { ...filter, facets, facetSize });
export const fetchHistogram = (filter: Counted, granularity: Granularity) =>
  post<Histogram>('/search/histogram', { ...filter, granularity });

/** The field of a search that a value of a facet goes into. */
const FIELD_OF: Partial<Record<FacetField, string>> = { people: 'personIds', tags: 'tagIds' };
export const toFacet = (field: string): FacetField =>
  field === 'personIds' ? 'people' : field === 'tagIds' ? 'tags' : (field as FacetField);

/** −1 is what programs write for a picture that was rejected. */
const ratingLabel = (rating: number): string => (rating < 0 ? t('Rejected') : `★ ${rating}`);

export function toChip(field: FacetField, { value, label }: FacetValue): Chip {
  const text = label ?? (field === 'people' ? '' : value) ?? '';
  if (field === 'isFavorite') return { field, label: text, value: value === 'true' };
  if (field === 'rating') return { field, label: ratingLabel(Number(value)), value: Number(value) };
  return { field: FIELD_OF[field] ?? field, label: text, value };
}

/** Returns a chip of whole days, both included, in local time where the pictures were taken. */
export function toDaysChip(from: string, to: string): Chip {
  const value = {
    ...(from && { takenAfter: `${from}T00:00:00.000` }),
    ...(to && { takenBefore: `${to}T23:59:59.999` }),
  };
  const label = from === to ? from : `${from} – ${to}`.trim();
  return { field: 'takenAt', label, value };
}

const DAYS_SHOWN = 100;
const DAY_MS = 86_400_000;

/** Days where the search is about a few weeks, else months. */
export function getGranularity({
  filter: { takenAt: { gte, lte } = {} } = {},
}: FilterFields): Granularity {
  if (!gte) return 'month';
  const days = (Date.parse(lte ?? new Date().toISOString()) - Date.parse(gte)) / DAY_MS;
  return days <= DAYS_SHOWN ? 'day' : 'month';
}
