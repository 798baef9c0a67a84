import { useQuery } from '@tanstack/react-query';
import { ArrowLeftRight } from 'lucide-react';
import { attempt, showUndo } from '../../ui/toast.tsx';
import { FaceLink } from '../../parts/people/face-link.tsx';
import {
  deleteVerdict,
  getIgnored,
  type MergeVerdict,
  getName,
  putVerdict,
  type Suggestion,
  undoLastCorrection,
} from '../../data/people/people-data.ts';
import { suggestionsQuery } from '../../data/people/queries.ts';
import styles from '../../parts/people/people.module.css';
import { t } from '../../base/i18n.ts';

const VERDICTS: readonly { verdict: MergeVerdict; label: string; done: string }[] = [
  { verdict: 'same', label: t('Same person'), done: t('Merged into one person') },
  { verdict: 'different', label: t('Different people'), done: t('They stay two people') },
  { verdict: 'later', label: t('Ask me later'), done: t('You will be asked again in a month') },
  { verdict: 'ignore', label: t('Ignore'), done: t('You will not be asked about this person') },
];
const SHOWN = 3;

/** Pairs that look like one person, to be answered one by one. */
export function Suggestions() {
  const { data } = useQuery(suggestionsQuery());
  const pairs = data?.suggestions ?? [];
  const list = pairs.slice(0, SHOWN);
  if (list.length === 0) return null;

  const answer = async (pair: Suggestion, verdict: MergeVerdict, done: string) => {
    let kept: string | null = null;
    const put = async () => void ({ mergedIntoPersonId: kept } = await putVerdict(pair, verdict));
    if (!(await attempt(put))) return;
    showUndo(done, () =>
      attempt(async () => {
        if (kept) await undoLastCorrection(kept, 'merge');
        else await deleteVerdict(pair, verdict);
      }),
    );
  };
  return (
    <section className={styles.suggestions} aria-label={t('Possibly the same person')}>
      <header className="row-head">
        <h2>{t('Is this the same person?')}</h2>
        {pairs.length > SHOWN && (
          <span className="muted">{t('{count} pairs', { count: pairs.length })}</span>
        )}
      </header>
      <ul className="cards">
        {list.map((pair) => (
          <li key={`${pair.first.id} ${pair.second.id}`} data-part="suggestion" className="card">
            <div className={styles.pair}>
              <FaceLink person={pair.first} />
              <ArrowLeftRight size={18} aria-hidden />
              <FaceLink person={pair.second} />
            </div>
            <div
              className={styles.verdicts}
              role="group"
              aria-label={t('{first} and {second}', {
                first: getName(pair.first),
                second: getName(pair.second),
              })}
            >
              {VERDICTS.map(({ verdict, label, done }) => (
                <button
                  key={verdict}
                  className={verdict === 'same' ? 'button small primary' : 'button small'}
                  onClick={() => void answer(pair, verdict, done)}
                >
                  {verdict === 'ignore'
                    ? t('Ignore {name}', { name: getName(getIgnored(pair)) })
                    : label}
                </button>
              ))}
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
