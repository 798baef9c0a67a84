import { useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { MatchLink } from './match-link.tsx';
import { type MomentMatch, TIME_PARAM, toSeconds } from '../../data/moments/moment-data.ts';
import { foundMomentsQuery } from '../../data/moments/queries.ts';
import styles from './moments.module.css';
import { t } from '../../base/i18n.ts';

type Props = {
  /** The part of the words that is about what is seen; null: there is none. */
  text: string | null;
  words: string;
  /** Leads to a photo of this search. */
  toHref: (id: string) => string;
};

/** Scenes of videos that a search finds: each opens its video at that second. */
export function FoundMoments({ text, words, toHref }: Props) {
  const [, navigate] = useLocation();
  const { data } = useQuery(foundMomentsQuery(text, words));
  if (!data || data.items.length === 0) return null;
  const toPath = ({ assetId, timeMs }: MomentMatch) => {
    const href = toHref(assetId);
    return `${href}${href.includes('?') ? '&' : '?'}${TIME_PARAM}=${toSeconds(timeMs)}`;
  };
  return (
    <section className={styles.foundMoments} aria-label={t('Moments')}>
      <h2>{t('Moments in videos')}</h2>
      <ul className={`${styles.matches} ${styles.inRow}`}>
        {data.items.map((match) => (
          <li key={match.momentId ?? match.frameId}>
            <MatchLink match={match} href={toPath(match)} onOpen={() => navigate(toPath(match))} />
          </li>
        ))}
      </ul>
    </section>
  );
}
