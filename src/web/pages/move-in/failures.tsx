import { useInfiniteQuery } from '@tanstack/react-query';
import { FileWarning } from 'lucide-react';
import { toUrl } from '../../base/api.ts';
import { t } from '../../base/i18n.ts';
import type { MoveIn } from '../../data/types.ts';
import { describeFileReason } from '../../data/move-in/file-reasons.ts';
import { moveInFailuresQuery } from '../../data/move-in/move-in-data.ts';

/** A link to the list of files that failed, and of those that an export says too little of. */
export const ReportLink = ({ moveIn }: { moveIn: MoveIn }) => (
  <p>
    <a className="button" href={toUrl(`/move-ins/${moveIn.id}/report`)} download>
      {t('Download the list')}
    </a>
  </p>
);

/** Files that could not be taken in, and why. */
export function Failures({ moveIn }: { moveIn: MoveIn }) {
  const { data, hasNextPage, fetchNextPage } = useInfiniteQuery(moveInFailuresQuery(moveIn));
  const failures = data?.pages.flatMap((page) => page.failures) ?? [];
  return (
    <details>
      <summary>
        {t('{count, plural, one {# file} other {# files}} could not be copied', {
          count: moveIn.failures,
        })}
      </summary>
      <ul className="people people-list" aria-label={t('Files that could not be copied')}>
        {failures.map(({ position, name, reason }) => (
          <li key={position}>
            <FileWarning size={20} aria-hidden />
            <span className="person-name">
              {name}
              <small>{describeFileReason(reason)}</small>
            </span>
          </li>
        ))}
      </ul>
      {hasNextPage && (
        <button className="button" onClick={() => void fetchNextPage()}>
          {t('Show more')}
        </button>
      )}
    </details>
  );
}
