import { Search, X } from 'lucide-react';
import { type RefObject, useId, useRef } from 'react';
import { useLocation, useSearch } from 'wouter';
import { useDraft } from '../../ui/use-draft.ts';
import { useKeyListener } from '../../ui/use-key-listener.ts';
import { PHONE, useMediaQuery } from '../../ui/use-media-query.ts';
import { useMyId } from '../../data/session/session.ts';
import { readQuery, searchPath } from '../../data/search/query.ts';
import { rememberSearch } from '../../data/session/recent-searches.ts';
import { Suggestions, useSuggestions } from './suggestions.tsx';
import styles from './search-box.module.css';
import { t } from '../../base/i18n.ts';

type Props = {
  words: string;
  onSearch: (words: string) => void;
  label: string;
};

/** A line for a question in plain words. */
function SearchBox({ words, onSearch, label }: Props) {
  const [text, setText] = useDraft(words);
  const input = useRef<HTMLInputElement>(null);
  const form = useRef<HTMLFormElement>(null);
  const listId = useId();
  const accountId = useMyId();
  useSlash(input);
  const [, navigate] = useLocation();
  const search = (entered: string, path?: string) => {
    setText(entered);
    if (entered && !path) rememberSearch(accountId, entered);
    if (path) navigate(path);
    else onSearch(entered);
    input.current?.blur();
  };
  const { list, chosen, show, choose, onKey } = useSuggestions(text, search);
  return (
    <form
      ref={form}
      className={`search-box ${styles.searchBox}`}
      role="search"
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        search(text.trim());
      }}
    >
      <Search size={18} aria-hidden />
      <input
        ref={input}
        type="text"
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={list.length > 0}
        aria-controls={list.length > 0 ? listId : undefined}
        aria-activedescendant={chosen >= 0 ? `${listId}-${chosen}` : undefined}
        enterKeyHint="search"
        aria-label={label}
        placeholder={t('Search')}
        autoComplete="off"
        maxLength={500}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          show(true);
        }}
        onFocus={() => show(true)}
        onBlur={() => show(false)}
        onKeyDown={(event) => {
          event.stopPropagation();
          if (onKey(event)) event.preventDefault();
          else if (event.key === 'Escape') event.currentTarget.blur();
        }}
      />
      {text ? (
        <button
          type="button"
          className="icon-button small"
          aria-label={t('Clear the search')}
          onClick={() => {
            setText('');
            onSearch('');
          }}
        >
          <X size={16} aria-hidden />
        </button>
      ) : (
        <kbd aria-hidden>/</kbd>
      )}
      <Suggestions id={listId} list={list} chosen={chosen} onChoose={choose} below={form} />
    </form>
  );
}

/** The key of search pages everywhere. */
function useSlash(input: RefObject<HTMLInputElement | null>): void {
  useKeyListener((event) => {
    const isElsewhere = (event.target as HTMLElement).closest?.(
      'input, textarea, select, dialog, [role=dialog]',
    );
    if (event.key !== '/' || isElsewhere || event.ctrlKey || event.metaKey || event.altKey) return;
    if (!input.current?.checkVisibility()) return;
    event.preventDefault();
    input.current.focus();
    input.current.select();
  });
}

/** The search of the library; on the page of results it shows their words. */
export function LibrarySearch() {
  const [path, navigate] = useLocation();
  const search = useSearch();
  const isResults = path.startsWith('/search');
  const query = readQuery(isResults ? search : '');
  return (
    <SearchBox
      key={isResults ? search : ''}
      label={t('Search your photos')}
      words={query.words}
      onSearch={(words) => {
        const chosen = words ? [] : query.chosen;
        if (words || chosen.length > 0) navigate(searchPath({ words, chosen }));
        else if (isResults) navigate('/explore');
      }}
    />
  );
}

/** The same on a page for phones, which have no bar above. */
export const PhoneSearch = () => useMediaQuery(PHONE) && <LibrarySearch />;
