import { formatNumber } from '../../base/format.ts';
import type { DatabaseChange } from '../../data/types.ts';
import { t } from '../../base/i18n.ts';

const KINDS: Readonly<Record<DatabaseChange['kind'], string>> = {
  accounts: t('Accounts'),
  asset: t('Photos and videos'),
  album: t('Albums'),
  tag: t('Tags'),
  memory: t('Memories'),
  shared_link: t('Shared links'),
};

/** Counts that a restore would change: of the present database, and of the other one. */
export function CountChanges({ changes }: { changes: readonly DatabaseChange[] }) {
  if (changes.length === 0) return null;
  return (
    <dl className="counts two" aria-label={t('Changes')}>
      {changes.map(({ kind, before, now }) => (
        <div key={kind} className="count">
          <dt>{KINDS[kind]}</dt>
          <dd>{`${formatNumber(now)} → ${formatNumber(before)}`}</dd>
        </div>
      ))}
    </dl>
  );
}
