import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatInstant } from '../format.ts';
import { attempt } from '../toast.tsx';
import type { RollBack } from '../types.ts';
import { Dialog } from '../ui/dialog.tsx';
import { rollBackQuery, startRollBack } from './backups-data.ts';
import { CountChanges } from './count-changes.tsx';
import { t } from '../i18n.ts';

/** Goes back to the database from before the last update or restore; nothing where none is kept. */
export function RollBackButton() {
  const { data } = useQuery(rollBackQuery());
  const [isAsked, setAsked] = useState(false);
  if (!data?.replacedAt) return null;
  return (
    <>
      <button className="button" onClick={() => setAsked(true)}>
        {t('Roll back …')}
      </button>
      {isAsked && (
        <RollBackDialog
          replacedAt={data.replacedAt}
          changes={data.changes}
          onClose={() => setAsked(false)}
        />
      )}
    </>
  );
}

type Props = { replacedAt: string; changes: RollBack['changes']; onClose: () => void };

function RollBackDialog({ replacedAt, changes, onClose }: Props) {
  return (
    <Dialog
      title={t('Roll back to {when}?', { when: formatInstant(replacedAt) })}
      onClose={onClose}
    >
      <p className="muted">
        {t(
          'The database goes back to how it was before the last update or restore. Everything that was changed since is lost; files of photos stay on the disk. The present database is kept for 7 days. Nobody can use the server until it is done.',
        )}
      </p>
      <CountChanges changes={changes} />
      <div className="dialog-actions">
        <button className="button" onClick={onClose}>
          {t('Cancel')}
        </button>
        <button className="button danger" onClick={() => void attempt(startRollBack)}>
          {t('Roll back')}
        </button>
      </div>
    </Dialog>
  );
}
