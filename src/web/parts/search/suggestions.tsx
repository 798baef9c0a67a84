import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import {
  Bookmark,
  CalendarDays,
  Camera,
  GalleryVerticalEnd,
  History,
  type LucideIcon,
  MapPin,
  PawPrint,
  ScanSearch,
  Tag,
  Trash2,
  User,
} from 'lucide-react';
import { type KeyboardEvent, type RefObject, useState } from 'react';
import type { SearchCompletion } from '../../../areas/search/completions/completions.schemas.ts';
import { get } from '../../base/api.ts';
import { getLanguage, t } from '../../base/i18n.ts';
import { FacePicture } from '../people/face-link.tsx';
import { keys } from '../../data/query-keys.ts';
import { useMyId } from '../../data/session/session.ts';
import { useDebounced } from '../../ui/use-debounced.ts';
import { forgetSearches, listRecentSearches } from '../../data/session/recent-searches.ts';
import { filterByText } from '../../data/search/names.ts';
import { type SavedSearch, savedSearchesQuery, toSavedPath } from './saved-searches.ts';
import styles from './suggestions.module.css';

type Suggestion = Omit<SearchCompletion, 'kind'> & {
  readonly kind: SearchCompletion['kind'] | 'saved' | 'recent' | 'forget';
  /** Its address, where it is more than words. */
  readonly path?: string;
};

const ICONS: Readonly<Record<Suggestion['kind'], LucideIcon>> = {
  person: User,
  pet: PawPrint,
  album: GalleryVerticalEnd,
  place: MapPin,
  tag: Tag,
  label: ScanSearch,
  camera: Camera,
  date: CalendarDays,
  saved: Bookmark,
  recent: History,
  forget: Trash2,
};
const KINDS: Readonly<Record<Suggestion['kind'], string>> = {
  person: t('Person'),
  pet: t('Pet'),
  album: t('Album'),
  place: t('Place'),
  tag: t('Tag'),
  label: t('Seen in the picture'),
  camera: t('Camera'),
  date: t('Date'),
  saved: t('Saved search'),
  recent: t('Recent search'),
  forget: '',
};

const completionsQuery = (query: string) =>
  queryOptions({
    queryKey: [...keys.search, 'completions', query],
    queryFn: () =>
      get<SearchCompletion[]>('/search/completions', { query, language: getLanguage() }),
    placeholderData: keepPreviousData,
  });

/** Time that nobody types in, before suggestions are asked for. */
const PAUSE_MS = 120;

/** As many saved searches are suggested for what is typed, and without it. */
const [FEW, SEVERAL] = [2, 6];

const toSuggestion = (search: SavedSearch): Suggestion => ({
  kind: 'saved',
  label: search.name,
  text: search.words,
  id: search.id,
  path: toSavedPath(search),
});

/** Suggestions for what is typed: saved searches and names of the library; without anything typed, recent searches, too. */
function useList(text: string, isOpen: boolean): readonly Suggestion[] {
  const accountId = useMyId();
  const typed = useDebounced(text.trimStart(), PAUSE_MS);
  const isTyped = text.trim() !== '' && typed !== '';
  const { data = [] } = useQuery({ ...completionsQuery(typed), enabled: isOpen && isTyped });
  const { data: saved = [] } = useQuery({ ...savedSearchesQuery(), enabled: isOpen });
  if (!isOpen) return [];
  const named = saved.map(toSuggestion);
  if (isTyped) return [...filterByText(named, typed).slice(0, FEW), ...data];
  const recent = text.trim() === '' ? listRecentSearches(accountId) : [];
  const first = text.trim() === '' ? named.slice(0, SEVERAL) : [];
  if (recent.length === 0) return first;
  return [
    ...first,
    ...recent.map((words) => ({ kind: 'recent' as const, label: words, text: words })),
    { kind: 'forget', label: t('Clear recent searches'), text: '' },
  ];
}

/** The state of a combobox: its suggestions, and the one that the keys have chosen. */
export function useSuggestions(text: string, onChoose: (text: string, path?: string) => void) {
  const [isOpen, setOpen] = useState(false);
  const [at, setAt] = useState(-1);
  const accountId = useMyId();
  const list = useList(text, isOpen);
  const chosen = at < list.length ? at : -1;
  const selected = list[chosen];
  const show = (next: boolean) => {
    setOpen(next);
    setAt(-1);
  };
  const choose = (suggestion: Suggestion) => {
    show(false);
    if (suggestion.kind === 'forget') forgetSearches(accountId);
    else onChoose(suggestion.text, suggestion.path);
  };
  /** Returns whether the key was for the suggestions. */
  const onKey = ({ key }: KeyboardEvent): boolean => {
    const count = list.length;
    if (key === 'ArrowDown' && count === 0) show(true);
    else if (key === 'ArrowDown') setAt(chosen + 1 < count ? chosen + 1 : -1);
    else if (key === 'ArrowUp' && count > 0) setAt(chosen < 0 ? count - 1 : chosen - 1);
    else if (key === 'Escape' && count > 0) show(false);
    else if (key === 'Enter' && selected) choose(selected);
    else return false;
    return true;
  };
  return { list, chosen, show, choose, onKey };
}

type Props = {
  id: string;
  list: readonly Suggestion[];
  chosen: number;
  onChoose: (suggestion: Suggestion) => void;
  /** The element that they stand below. */
  below: RefObject<HTMLElement | null>;
};

export function Suggestions({ id, list, chosen, onChoose, below }: Props) {
  if (list.length === 0) return null;
  return (
    <ul
      id={id}
      role="listbox"
      aria-label={t('Suggestions')}
      className={styles.suggestions}
      ref={(node) => {
        if (node && below.current) placeBelow(node, below.current);
      }}
    >
      {list.map((suggestion, index) => {
        const { kind, label, person, path } = suggestion;
        const Icon = ICONS[kind];
        return (
          <li
            key={`${kind} ${label} ${path}`}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === chosen}
            // The focus stays in the line.
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => onChoose(suggestion)}
          >
            {person ? <FacePicture person={person} /> : <Icon size={18} aria-hidden />}
            <span>{label}</span>
            <small>{KINDS[kind]}</small>
          </li>
        );
      })}
    </ul>
  );
}

function placeBelow({ style }: HTMLElement, element: HTMLElement): void {
  const { left, bottom, width } = element.getBoundingClientRect();
  Object.assign(style, { left: `${left}px`, top: `${bottom}px`, minWidth: `${width}px` });
}
