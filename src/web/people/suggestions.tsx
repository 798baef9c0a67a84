import { useQuery } from '@tanstack/react-query';
import { ArrowLeftRight } from 'lucide-react';
import { attempt, showUndo } from '../toast.tsx';
import { FaceLink } from './face-link.tsx';
import {
  deleteVerdict,
  getIgnored,
  type MergeVerdict,
  getName,
  putVerdict,
  type Suggestion,
  undoLastCorrection,
} from './people-data.ts';
import { suggestionsQuery } from './queries.ts';
import styles from './people.module.css';

const VERDICTS: readonly { verdict: MergeVerdict; label: string; done: string }[] = [
  { verdict: 'same', label: 'Same person', done: 'Merged into one person' },
  { verdict: 'different', label: 'Different people', done: 'They stay two people' },
  { verdict: 'later', label: 'Ask me later', done: 'You will be asked again in a month' },
  { verdict: 'ignore', label: 'Ignore', done: 'You will not be asked about this person' },
];
const SHOWN = 3;

/** Pairs that look like one person, to be answered one by one. */
export function Suggestions() {
  const { data } = useQuery(suggestionsQuery());
  const list = data?.suggestions.slice(0, SHOWN) ?? [];
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
    <section className={styles.suggestions} aria-label="Possibly the same person">
      <header className="row-head">
        <h2>Is this the same person?</h2>
        {data!.suggestions.length > SHOWN && (
          <span className="muted">{data!.suggestions.length} pairs</span>
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
              aria-label={`${getName(pair.first)} and ${getName(pair.second)}`}
            >
              {VERDICTS.map(({ verdict, label, done }) => (
                <button
                  key={verdict}
                  className={verdict === 'same' ? 'button small primary' : 'button small'}
                  onClick={() => void answer(pair, verdict, done)}
                >
                  {verdict === 'ignore'
                    ? `Ignore ${getIgnored(pair).name || 'the unnamed'}`
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
