import { useQuery } from '@tanstack/react-query';
import type { Preview, ShownValues } from '../../../areas/metadata-changes/schemas.ts';
import { formatDay, formatTime } from '../../base/format.ts';
import type { Change } from '../../data/metadata-edits/change.ts';
import { previewQuery } from '../../data/metadata-edits/edit-data.ts';
import styles from './dialog.module.css';
import { t } from '../../base/i18n.ts';

export const usePreview = (ids: readonly string[], change: Change | undefined) =>
  useQuery(previewQuery(ids, change));

/** Shows the number of items that change, and a few of them before and after. */
export function PreviewList({ data, total }: { data: Preview | undefined; total: number }) {
  if (!data) return null;
  return (
    <section className={styles.preview} aria-label={t('Preview')}>
      <p role="status">
        {data.changed === 0
          ? t('Nothing changes.')
          : t('{total, plural, one {# item changes} other {# items change}}', { total })}
        {data.parts > 0 &&
          ` ${t('{parts, plural, one {With # video of a live photo or item of a stack.} other {With # videos of live photos and items of stacks.}}', { parts: data.parts })}`}
      </p>
      <ul>
        {data.examples.map(({ assetId, originalFileName, before, after }) => (
          <li key={assetId}>
            <strong>{originalFileName}</strong>
            {LINES.map((toLine) => [toLine(before), toLine(after)] as const)
              .filter(([from, to]) => from !== to)
              .map(([from, to]) => (
                <span key={to}>
                  <del>{from}</del> → <ins>{to}</ins>
                </span>
              ))}
          </li>
        ))}
      </ul>
    </section>
  );
}

const LINES: readonly ((values: ShownValues) => string)[] = [
  ({ localDateTime, timeZone }) => {
    const clock = new Date(localDateTime);
    return [formatDay(clock), formatTime(clock), timeZone].filter(Boolean).join(' · ');
  },
  ({ city, state, country, latitude, longitude }) =>
    [city, state, country].filter(Boolean).join(', ') ||
    (latitude === null || longitude === null
      ? t('No place')
      : `${latitude.toFixed(4)}, ${longitude.toFixed(4)}`),
  ({ rating }) =>
    rating === null || rating < 0
      ? t('No rating')
      : t('{stars, plural, one {# star} other {# stars}}', { stars: rating }),
  ({ description }) => description || t('No description'),
];
