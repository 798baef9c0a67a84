import { t } from '../i18n.ts';
import type { Sort } from './query.ts';

const SORTS: Readonly<Record<Sort, string>> = {
  best: t('Best matches first'),
  newest: t('Newest first'),
  oldest: t('Oldest first'),
  recentlyAdded: t('Recently added first'),
};

type Props = { sort: Sort; isRanked: boolean; onChange: (sort: Sort) => void };

/** The order of results; the best matches are known of a text only. */
export const SortSelect = ({ sort, isRanked, onChange }: Props) => (
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
