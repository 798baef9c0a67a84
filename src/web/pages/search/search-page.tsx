import { useQuery } from '@tanstack/react-query';
import { SearchX, SlidersHorizontal } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { FoundMoments } from '../../parts/moments/found-moments.tsx';
import type { Filter, Timeline } from '../../data/timeline/timeline-data.ts';
import { Empty } from '../../ui/elements.tsx';
import { Chips } from './chips.tsx';
import { FacetsPanel } from './facets.tsx';
import { HistogramView } from './histogram.tsx';
import {
  answerQuery,
  type Answer,
  facetsQuery,
  histogramQuery,
} from '../../data/search/queries.ts';
import {
  withChip,
  type Chip,
  type Histogram,
  type Query,
  readQuery,
  searchPath,
  type Sort,
} from '../../data/search/query.ts';
import {
  createLessCertainFetcher,
  createPageFetcher,
  createResults,
} from '../../data/search/results.ts';
import { ResultsView } from '../../parts/results/results-view.tsx';
import { SaveSearch } from './save-search.tsx';
import { PhoneSearch } from '../../parts/search/search-box.tsx';
import styles from '../../parts/results/search.module.css';
import timelineStyles from '../../parts/grid/timeline.module.css';
import { t } from '../../base/i18n.ts';

const SORTS: Readonly<Record<Sort, string>> = {
  best: t('Best matches first'),
  newest: t('Newest first'),
  oldest: t('Oldest first'),
  recentlyAdded: t('Recently added first'),
};

type Props = { sort: Sort; isRanked: boolean; onChange: (sort: Sort) => void };

/** The order of results; the best matches are known of a text only. */
const SortSelect = ({ sort, isRanked, onChange }: Props) => (
  <select
    aria-label={t('Order of the results')}
    className="button small"
    style={{ flexShrink: 1, minWidth: 0 }}
    value={sort}
    onChange={(event) => onChange(event.target.value as Sort)}
  >
    {(Object.keys(SORTS) as Sort[])
      .filter((each) => each !== 'best' || isRanked)
      .map((each) => (
        <option key={each} value={each}>
          {SORTS[each]}
        </option>
      ))}
  </select>
);

const DAYS_BY: Readonly<Record<Sort, Filter['orderBy']>> = {
  best: undefined,
  newest: 'takenAt',
  oldest: 'takenAt',
  recentlyAdded: 'createdAt',
};

/** The results of a search, how its words were understood, and ways to narrow it. */
export function SearchPage({ photoId }: { photoId: string | undefined }) {
  const search = useSearch();
  const [, navigate] = useLocation();
  const query = useMemo(() => readQuery(search), [search]);
  const [isNarrowing, setNarrowing] = useState(() => window.innerWidth > 1100);
  const { data: found, error } = useQuery(answerQuery(query));
  const results = useMemo(() => found && toResults(found), [found]);
  const { data: facets } = useQuery(facetsQuery(found));
  const { data: histogram } = useQuery(histogramQuery(found));
  useEffect(() => {
    document.title = `${query.words || t('Search')} · Safelight`;
  }, [query.words, found]);

  const go = (next: Query) =>
    navigate(next.words || next.chosen.length > 0 ? searchPath(next) : '/explore');
  const narrow = (chip: Chip) => {
    if (window.innerWidth <= 760) setNarrowing(false);
    go(withChip(query, chip));
  };
  const head = (
    <Head query={query} found={found} histogram={histogram} onGo={go} onNarrow={narrow} />
  );
  if (!found || !results) {
    return (
      <div className={`page ${styles.resultsWait}`} aria-busy={!error}>
        {head}
        {error && <p role="alert">{error.message}</p>}
      </div>
    );
  }
  const canBeLessCertain =
    found.read.text !== null && query.chosen.length === 0 && !query.isLessCertain;
  const onLessCertain = canBeLessCertain ? () => go({ ...query, isLessCertain: true }) : undefined;
  return (
    <ResultsView
      key={found.name}
      results={results}
      daysBy={DAYS_BY[found.sort]}
      title={query.words ? t('Search: {words}', { words: query.words }) : t('Search')}
      note={
        <>
          <ResultsHead
            found={found}
            total={facets?.total}
            onSort={(sort) => go({ ...query, sort })}
          />
          {onLessCertain && (found.firstPage?.items.length ?? 0) > 0 && (
            <button className="button small" onClick={onLessCertain}>
              {t('Show less certain results')}
            </button>
          )}
          {!isNarrowing && (
            <button
              className={`button small ${styles.findNarrow}`}
              onClick={() => setNarrowing(true)}
            >
              <SlidersHorizontal size={16} aria-hidden /> {t('Filters')}
            </button>
          )}
        </>
      }
      head={head}
      photoId={photoId}
      toHref={(id) => searchPath(query, id)}
      navigate={navigate}
      aside={
        isNarrowing && (
          <FacetsPanel
            facets={facets}
            filter={found.filter}
            onChoose={narrow}
            onClose={() => setNarrowing(false)}
          />
        )
      }
      empty={<NothingFound text={found.read.text} onLessCertain={onLessCertain} />}
    />
  );
}

type HeadProps = {
  query: Query;
  found: Answer | undefined;
  histogram: Histogram | undefined;
  onGo: (query: Query) => void;
  onNarrow: (chip: Chip) => void;
};

/** The search box, the chips that it was read as, the histogram, and moments that match. */
const Head = ({ query, found, histogram, onGo, onNarrow }: HeadProps) => (
  <header className={styles.findHead}>
    <PhoneSearch />
    {found && <Chips query={query} read={found.read} onChange={onGo} />}
    {found && found.read.unresolved.length > 0 && (
      <p className="muted">
        {t('Not understood: {unresolved}', { unresolved: found.read.unresolved.join(', ') })}
      </p>
    )}
    {found && <SaveSearch query={query} />}
    {histogram && <HistogramView histogram={histogram} onChoose={onNarrow} />}
    {found && query.words && (
      <FoundMoments
        text={found.read.text}
        words={query.words}
        toHref={(id) => searchPath(query, id)}
      />
    )}
  </header>
);

type ResultsHeadProps = {
  found: Answer;
  /** The number of results, also of those that are not loaded. */
  total: number | undefined;
  onSort: (sort: Sort) => void;
};

function ResultsHead({ found, total, onSort }: ResultsHeadProps) {
  const isRanked = found.read.text !== null;
  const count = isRanked ? undefined : total;
  return (
    <>
      <h2>{t('Results')}</h2>
      {count !== undefined && (
        <span data-part="month-count" className={timelineStyles.monthCount}>
          {t('{count, plural, one {# item} other {# items}}', { count })}
        </span>
      )}
      <SortSelect sort={found.sort} isRanked={isRanked} onChange={onSort} />
    </>
  );
}

type NothingFoundProps = {
  /** The words of a semantic search; null without one. */
  text: string | null;
  /** Undefined where there are none, or they are shown already. */
  onLessCertain: (() => void) | undefined;
};

const NothingFound = ({ text, onLessCertain }: NothingFoundProps) => (
  <Empty
    icon={SearchX}
    title={text === null ? t('Nothing found') : t('No results for “{words}”', { words: text })}
    text={t('Remove a part of the search above, or say it in other words.')}
  >
    {onLessCertain && (
      <button className="button" onClick={onLessCertain}>
        {t('Show less certain results')}
      </button>
    )}
  </Empty>
);

/** Results of an answer, which has their first page already; asked for again, it may have changed. */
function toResults({ words, filter, read, firstPage, sort, isLessCertain }: Answer): Timeline {
  const fetchPage =
    isLessCertain && sort === 'best'
      ? createLessCertainFetcher(words)
      : createPageFetcher(filter, read.text, sort, isLessCertain);
  let known = firstPage;
  const name = ['search', filter, read.text, sort, isLessCertain ?? false];
  return createResults(name, (token, size) => {
    const page = token === undefined ? known : undefined;
    known = undefined;
    if (!page) return fetchPage(token, size);
    const next = read.text === null ? page.nextCursor : page.nextPage;
    return Promise.resolve({ items: page.items, next: next ?? undefined });
  });
}
