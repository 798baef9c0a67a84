import { useLocation } from 'wouter';
import { useLoad } from '../ui/use-load.ts';
import { MatchLink } from './match-link.tsx';
import { type MomentMatch, searchMoments, secondsOf, TIME_PARAM } from './moment-data.ts';
import styles from './moments.module.css';

type Props = {
  /** What the search is about besides people, places and dates; null: nothing else. */
  text: string | null;
  words: string;
  /** Leads to a photo of this search. */
  hrefOf: (id: string) => string;
};

const SHOWN = 12;

/** Scenes of videos that a search finds: each opens its video at that second. */
export function FoundMoments({ text, words, hrefOf }: Props) {
  const [, navigate] = useLocation();
  // Where nothing is left to look for by its meaning, only what somebody called so counts.
  const search = text === null ? { query: words, kinds: ['manual' as const] } : { query: text };
  const { data } = useLoad(
    () =>
      search.query
        ? searchMoments({ ...search, size: SHOWN })
        : Promise.resolve({ items: [], nextPage: null }),
    `${text} ${words}`,
  );
  if (!data || data.items.length === 0) return null;
  const addressOf = ({ assetId, timeMs }: MomentMatch) => {
    const href = hrefOf(assetId);
    return `${href}${href.includes('?') ? '&' : '?'}${TIME_PARAM}=${secondsOf(timeMs)}`;
  };
  return (
    <section className={styles.foundMoments} aria-label="Moments">
      <h2>Moments in videos</h2>
      <ul className={`${styles.matches} ${styles.inRow}`}>
        {data.items.map((match) => (
          <li key={match.momentId ?? match.frameId}>
            <MatchLink
              match={match}
              href={addressOf(match)}
              onOpen={() => navigate(addressOf(match))}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}
