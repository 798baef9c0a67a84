import { keepPreviousData, type QueryClient, queryOptions, skipToken } from '@tanstack/react-query';
import { getLanguage } from '../../base/i18n.ts';
import { fetchPeople } from '../people/people-data.ts';
import { keys } from '../query-keys.ts';
import { FACETS } from './facet-names.ts';
import {
  type Chip,
  type Counted,
  type FacetField,
  fetchFacets,
  fetchHistogram,
  type FilterFields,
  type Found,
  getGranularity,
  getSort,
  type Interpretation,
  interpret,
  NO_WORDS,
  type Query,
  searchPath,
  type Sort,
  toFacet,
  toFilter,
} from './query.ts';
import { PAGE_SIZE } from './results.ts';

export type Answer = {
  name: string;
  words: string;
  read: Interpretation;
  filter: FilterFields;
  /** The first page of results, where the words alone are searched for. */
  firstPage: Found | undefined;
  sort: Sort;
  isLessCertain?: boolean;
};

/** The same words mean the same for so long, also when other conditions are chosen. */
const MEANING_MS = 5 * 60_000;

const wordsQuery = (words: string, lessCertain?: boolean) =>
  queryOptions({
    queryKey: [...keys.search, 'words', words, lessCertain ?? false],
    queryFn: () => interpret(words, { size: PAGE_SIZE, lessCertain, withExif: true }),
  });

const getMeaning = async (client: QueryClient, words: string): Promise<Interpretation> =>
  words
    ? (await client.fetchQuery({ ...wordsQuery(words), staleTime: MEANING_MS })).interpretation
    : NO_WORDS;

/** The meaning of a search. The last answer stays on the screen until the next one is here. */
export const answerQuery = (query: Query) =>
  queryOptions({
    queryKey: [...keys.search, 'answer', searchPath(query)],
    queryFn: async ({ client }): Promise<Answer> => {
      const name = searchPath(query);
      const isLessCertain = query.isLessCertain === true && query.chosen.length === 0;
      if (!query.words || query.chosen.length > 0 || query.sort) {
        const read = await getMeaning(client, query.words);
        const filter = toFilter(read, query.chosen);
        const sort = getSort(read, query.sort);
        return {
          name,
          words: query.words,
          read,
          filter,
          firstPage: undefined,
          sort,
          isLessCertain,
        };
      }
      const asked = wordsQuery(query.words, isLessCertain);
      const answer = await client.fetchQuery({ ...asked, staleTime: 0 });
      const read = answer.interpretation;
      const filter = toFilter(read, query.chosen);
      const [firstPage, sort] = [answer.assets, getSort(read, undefined)];
      return { name, words: query.words, read, filter, firstPage, sort, isLessCertain };
    },
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
  });

const FACET_SIZE = 30;

const toCounted = ({
  filter,
  read,
  isLessCertain,
}: Pick<Answer, 'filter' | 'read' | 'isLessCertain'>): Counted => ({
  ...filter,
  ...(read.text !== null && {
    query: read.text,
    language: getLanguage(),
    lessCertain: isLessCertain,
  }),
});

export function facetsQuery(answer: Answer | undefined) {
  const counted = answer && toCounted(answer);
  return queryOptions({
    queryKey: [...keys.search, 'facets', counted ?? null],
    queryFn: counted ? () => fetchFacets(counted, FACETS, FACET_SIZE) : skipToken,
    placeholderData: keepPreviousData,
  });
}

export function histogramQuery(answer: Answer | undefined) {
  const counted = answer && toCounted(answer);
  return queryOptions({
    queryKey: [...keys.search, 'histogram', counted ?? null],
    queryFn: answer
      ? () => fetchHistogram(toCounted(answer), getGranularity(answer.filter))
      : skipToken,
    placeholderData: keepPreviousData,
  });
}

const MOST_VALUES = 100;

/** The values that a chip could have instead of its own, in a search without it. */
export const chipValuesQuery = (chip: Chip, rest: Query) =>
  queryOptions({
    queryKey: [...keys.search, 'values', chip.field, searchPath(rest)],
    queryFn: async ({ client }) => {
      const read = await getMeaning(client, rest.words);
      const field: FacetField = toFacet(chip.field);
      const { facets } = await fetchFacets(toFilter(read, rest.chosen), [field], MOST_VALUES);
      return facets[0]?.values.filter(({ value }) => value !== null) ?? [];
    },
  });

/** The years that a search has results of, the latest first. */
export const yearsQuery = (query: Query) =>
  queryOptions({
    queryKey: [...keys.search, 'years', searchPath(query)],
    queryFn: async ({ client }) => {
      const read = await getMeaning(client, query.words);
      const filter = toFilter(read, query.chosen);
      const { buckets } = await fetchHistogram(
        toCounted({ filter, read, isLessCertain: query.isLessCertain === true }),
        'year',
      );
      return buckets.toReversed();
    },
  });

/** More than this are seldom told apart by their pictures. */
const PICTURED = 500;

/** People who have a picture, also hidden ones. */
export const picturedPeopleQuery = () =>
  queryOptions({
    queryKey: [...keys.people, 'pictured'],
    queryFn: async () => (await fetchPeople({ size: PICTURED, withHidden: true })).people,
  });
