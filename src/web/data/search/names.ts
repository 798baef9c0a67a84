import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { SearchCompletion } from '../../../areas/search/completions/completions.schemas.ts';
import { fold } from '../../../core/fold-text.ts';
import { get } from '../../base/api.ts';
import { getLanguage } from '../../base/i18n.ts';
import { keys } from '../query-keys.ts';
import { searchPath } from './query.ts';

/** Names of the library that what is typed may stand for. */
export const namesQuery = (text: string) =>
  queryOptions({
    queryKey: [...keys.search, 'completions', 'palette', text],
    queryFn: () =>
      get<SearchCompletion[]>('/search/completions', {
        query: text,
        size: 12,
        language: getLanguage(),
      }),
    placeholderData: keepPreviousData,
    enabled: text !== '',
  });

const FOLDERS: Readonly<Partial<Record<SearchCompletion['kind'], string>>> = {
  person: 'people',
  pet: 'pets',
  album: 'albums',
  tag: 'tags',
};

/** Returns the page of a name; for a place or a camera, the search for it. */
export function toNamePath({ kind, id, text }: SearchCompletion): string {
  const folder = FOLDERS[kind];
  return folder && id ? `/${folder}/${id}` : searchPath({ words: text, chosen: [] });
}

/**
 * Returns the items that have each typed word at the beginning of one of theirs, without regard to case and accents:
 * those whose label begins with the text first.
 */
export function filterByText<Item extends { readonly label: string }>(
  items: readonly Item[],
  text: string,
): Item[] {
  const typed = fold(text.trim());
  const words = typed.split(/\s+/);
  return items
    .filter(({ label }) => {
      // Languages without spaces have no beginnings of words.
      const name = ` ${fold(label)}`;
      return words.every(
        (word) => name.includes(` ${word}`) || (/[^\p{ASCII}]/u.test(word) && name.includes(word)),
      );
    })
    .toSorted((a, b) => rank(a.label, typed) - rank(b.label, typed));
}

const rank = (label: string, typed: string): number => (fold(label).startsWith(typed) ? 0 : 1);
