import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { pauseArchives } from '../../data/move-in/archive-upload.ts';
import { deleteMoveIn } from '../../data/move-in/move-in-data.ts';
import type { MoveIn } from '../../data/types.ts';
import { Confirm } from '../../ui/dialog.tsx';
import { attempt } from '../../ui/toast.tsx';

/** Cancels a move; what was uploaded for it goes with it. */
export function CancelMove({ moveIn }: { moveIn: MoveIn }) {
  const [isAsked, setAsked] = useState(false);
  const cancel = () => {
    pauseArchives();
    return deleteMoveIn(moveIn);
  };
  return (
    <>
      <button className="button" type="button" onClick={() => setAsked(true)}>
        {t('Cancel the move')}
      </button>
      {isAsked && (
        <Confirm
          title={t('Cancel the move?')}
          text={
            moveIn.startedAt === null
              ? t('The uploaded files are removed from the server.')
              : t('What has been copied stays in your library.')
          }
          action={t('Cancel the move')}
          onConfirm={() => void attempt(cancel)}
          onClose={() => setAsked(false)}
        />
      )}
    </>
  );
}
