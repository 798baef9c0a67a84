import { SearchX, SlidersHorizontal } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { messageOf } from '../api.ts';
import { formatCount } from '../format.ts';
import { FoundMoments } from '../moments/found-moments.tsx';
import type { Timeline } from '../timeline/timeline-data.ts';
import { Empty } from '../ui/parts.tsx';
import { Chips } from './chips.tsx';
import { FACETS, FacetsPanel } from './facets.tsx';
import { HistogramView } from './histogram.tsx';
import {
  ask,
  type Chip,
  choose,
  type Facets,
  fetchFacets,
  fetchHistogram,
  type FilterFields,
  filterOf,
  type Histogram,
  type Interpretation,
  NO_WORDS,
  type Query,
  readQuery,
  searchPath,
} from './query.ts';
import { createResults, type FetchPage, PAGE_SIZE, pagesOf } from './results.ts';
import { ResultsView } from './results-view.tsx';
import { SearchBox } from './search-box.tsx';
import styles from './search.module.css';
import timelineStyles from '../timeline/timeline.module.css';

/** What a search found, what it was taken for, and ways to narrow it. */
export function SearchPage({ photoId }: { photoId: string | undefined }) {
  const search = useSearch();
  const [, navigate] = useLocation();
  const query = useMemo(() => readQuery(search), [search]);
  const [isNarrowing, setNarrowing] = useState(() => window.innerWidth > 1100);
  const { found, error } = useFound(query);
  const { facets, histogram } = useCounts(found);
  useEffect(() => {
    document.title = `${query.words || 'Search'} · Safelight`;
  }, [query.words, found]);

  const go = (next: Query) =>
    navigate(next.words || next.chosen.length > 0 ? searchPath(next) : '/explore');
  const narrow = (chip: Chip) => {
    if (window.innerWidth <= 760) setNarrowing(false);
    go(choose(query, chip));
  };
  const head = (
    <header className={styles.findHead}>
      <SearchBox
        key={search}
        label="Search your photos"
        words={query.words}
        onSearch={(words) => go({ words, chosen: words ? [] : query.chosen })}
      />
      {found && <Chips query={query} read={found.read} onChange={go} />}
      {found && found.read.unresolved.length > 0 && (
        <p className="muted">Not understood: {found.read.unresolved.join(', ')}</p>
      )}
      {histogram && <HistogramView histogram={histogram} onChoose={narrow} />}
      {found && query.words && (
        <FoundMoments
          text={found.read.text}
          words={query.words}
          hrefOf={(id) => searchPath(query, id)}
        />
      )}
    </header>
  );
  if (!found) {
    return (
      <div className={`page ${styles.resultsWait}`} aria-busy={!error}>
        {head}
        {error && <p role="alert">{error}</p>}
      </div>
    );
  }
  const count = found.read.text === null ? facets?.total : undefined;
  const note = (
    <>
      <h2>Results</h2>
      <span data-part="month-count" className={timelineStyles.monthCount}>
        {count === undefined ? 'the most fitting first' : formatCount(count, 'item')}
      </span>
      {!isNarrowing && (
        <button className={`button small ${styles.findNarrow}`} onClick={() => setNarrowing(true)}>
          <SlidersHorizontal size={16} aria-hidden /> Narrow down
        </button>
      )}
    </>
  );
  return (
    <ResultsView
      key={found.name}
      results={found.results}
      title={query.words ? `Search: ${query.words}` : 'Search'}
      note={note}
      head={head}
      photoId={photoId}
      hrefOf={(id) => searchPath(query, id)}
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
      empty={
        <Empty
          icon={SearchX}
          title="Nothing found"
          text="Remove a part of the search above, or say it in other words."
        />
      }
    />
  );
}

type Answer = { name: string; read: Interpretation; filter: FilterFields; results: Timeline };

/** Reads the words once; what is chosen besides is looked up by its own conditions. */
function useFound(query: Query): { found: Answer | undefined; error: string | undefined } {
  const [found, setFound] = useState<Answer>();
  const [error, setError] = useState<string>();
  const name = searchPath(query);
  useEffect(() => {
    let isGone = false;
    setError(undefined);
    const show = (answer: Answer) => {
      if (!isGone) setFound(answer);
    };
    answerTo(query).then(show, (problem: unknown) => {
      if (!isGone) setError(messageOf(problem));
    });
    return () => {
      isGone = true;
    };
  }, [name]);
  return { found, error };
}

async function answerTo(query: Query): Promise<Answer> {
  const answer = query.words ? await ask(query.words, PAGE_SIZE) : undefined;
  const read = answer?.interpretation ?? NO_WORDS;
  const filter = filterOf(read, query.chosen);
  const pages = pagesOf(filter, read.text);
  let first = query.chosen.length === 0 ? answer?.assets : undefined;
  const fetchPage: FetchPage = async (token, size) => {
    // The answer to the question has the first page; asked for again, it may have changed.
    const known = token === undefined ? first : undefined;
    first = undefined;
    if (!known) return pages(token, size);
    const next = read.text === null ? known.nextCursor : known.nextPage;
    return { items: known.items, next: next ?? undefined };
  };
  return {
    name: searchPath(query),
    read,
    filter,
    results: createResults(['search', filter, read.text], fetchPage),
  };
}

const DAYS_SHOWN = 100;
const DAY_MS = 86_400_000;

/** Days where the search is about a few weeks, else months. */
function granularityOf({ filter: { takenAt: { gte, lte } = {} } = {} }: FilterFields) {
  if (!gte) return 'month' as const;
  const days = (Date.parse(lte ?? new Date().toISOString()) - Date.parse(gte)) / DAY_MS;
  return days <= DAYS_SHOWN ? ('day' as const) : ('month' as const);
}

function useCounts(found: Answer | undefined) {
  const [facets, setFacets] = useState<Facets>();
  const [histogram, setHistogram] = useState<Histogram>();
  useEffect(() => {
    if (!found) return;
    let isGone = false;
    const { filter, read } = found;
    const counted = { ...filter, ...(read.text !== null && { query: read.text }) };
    // The pictures are what was asked for: without the counts, the page is still whole.
    void Promise.allSettled([
      fetchFacets(counted, FACETS, 30),
      fetchHistogram(counted, granularityOf(filter)),
    ]).then(([nextFacets, nextHistogram]) => {
      if (isGone) return;
      if (nextFacets.status === 'fulfilled') setFacets(nextFacets.value);
      if (nextHistogram.status === 'fulfilled') setHistogram(nextHistogram.value);
    });
    return () => {
      isGone = true;
    };
  }, [found]);
  return { facets, histogram };
}
