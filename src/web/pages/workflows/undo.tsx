import { Undo2 } from 'lucide-react';
import { t } from '../../base/i18n.ts';
import { attempt } from '../../ui/toast.tsx';
import type { WorkflowBackfill } from '../../data/types.ts';
import { undoBackfill } from '../../data/workflows/queries.ts';

/** Takes back what a run has changed, and tells how that went. */
export function Undo({ backfill }: { backfill: WorkflowBackfill }) {
  const { canUndo, undo } = backfill;
  const hasFailed = undo?.status === 'failed';
  return (
    <>
      {undo && <p aria-live="polite">{describe(undo)}</p>}
      {(canUndo || hasFailed) && (
        <button className="button small" onClick={() => void attempt(() => undoBackfill(backfill))}>
          <Undo2 size={15} aria-hidden /> {hasFailed ? t('Try again') : t('Undo')}
        </button>
      )}
    </>
  );
}

function describe({
  status,
  total,
  restored,
  changed,
  unavailable,
}: NonNullable<WorkflowBackfill['undo']>): string {
  if (status === 'failed') return t('The undo failed');
  if (status === 'running') {
    return t('Undoing: {restored} of {total, plural, one {# change} other {# changes}}', {
      restored,
      total,
    });
  }
  const parts = [
    t('Undone: {restored, plural, one {# change} other {# changes}}', { restored }),
    changed > 0 &&
      t(
        '{changed, plural, one {# was changed again since and stays} other {# were changed again since and stay}}',
        { changed },
      ),
    unavailable > 0 &&
      t('{unavailable, plural, one {# is} other {# are}} in the trash, locked or no longer yours', {
        unavailable,
      }),
  ];
  return parts.filter((part) => part !== false).join(' · ');
}
