import { Archive } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { attempt, showToast } from '../../ui/toast.tsx';
import type { ArchiveOperation } from '../../data/types.ts';
import { Confirm } from '../../ui/dialog.tsx';
import {
  confirmOperation,
  discardOperation,
  prepareOperation,
} from '../../data/archive/operations.ts';
import { t } from '../../base/i18n.ts';

/** Clears the timeline in two steps: the server counts and freezes the set, then a person agrees. */
export function ArchiveAll() {
  const [, navigate] = useLocation();
  const [prepared, setPrepared] = useState<ArchiveOperation>();
  const begin = () =>
    attempt(async () => {
      const operation = await prepareOperation();
      if (operation.total > 0) return setPrepared(operation);
      showToast(t('The timeline is empty.'));
    });
  const agree = (operation: ArchiveOperation) =>
    attempt(async () => {
      await confirmOperation(operation);
      navigate('/archive');
    });
  return (
    <section className="card">
      <h2>{t('Clear the timeline')}</h2>
      <p className="muted">
        {t(
          'Moves everything on the timeline to the archive, so that you start with an empty timeline. It can be undone from there.',
        )}
      </p>
      <button className="button" onClick={() => void begin()}>
        <Archive size={18} aria-hidden /> {t('Archive everything')}
      </button>
      {prepared && (
        <Confirm
          isHarmless
          title={t('Archive {total, plural, one {# item} other {# items}}?', {
            total: prepared.total,
          })}
          text={t(
            'Everything on the timeline is moved to the archive. Later photos, and those in Locked or in the trash, are not affected. Albums do not change.',
          )}
          action={t('Archive {total, plural, one {# item} other {# items}}', {
            total: prepared.total,
          })}
          onClose={(isAgreed) => {
            setPrepared(undefined);
            if (!isAgreed) void discardOperation(prepared);
          }}
          onConfirm={() => void agree(prepared)}
        />
      )}
    </section>
  );
}
