import { t } from '../../base/i18n.ts';
import { describeReason, isUnderWay, startMoveIn } from '../../data/move-in/move-in-data.ts';
import type { MoveIn } from '../../data/types.ts';
import { Progress } from '../../ui/elements.tsx';
import { attempt } from '../../ui/toast.tsx';
import { CancelMove } from './cancel-move.tsx';

/** ZIP files are unpacked on the server, before anybody knows what is in them. */
export function UnpackStep({ moveIn }: { moveIn: MoveIn }) {
  const isRunning = isUnderWay(moveIn);
  return (
    <>
      <div role="status">
        <h2>{isRunning ? t('Unpacking …') : t('The move was interrupted')}</h2>
      </div>
      <Progress value={moveIn.archives?.unpacked} label={t('Unpacking')} />
      {moveIn.reason && <p>{describeReason(moveIn.reason)}</p>}
      {isRunning && (
        <p className="muted">{t('You can close this page: the server goes on by itself.')}</p>
      )}
      <div className="dialog-actions">
        <CancelMove moveIn={moveIn} />
        {!isRunning && (
          <button
            className="button primary"
            onClick={() => void attempt(() => startMoveIn(moveIn))}
          >
            {t('Continue')}
          </button>
        )}
      </div>
    </>
  );
}
