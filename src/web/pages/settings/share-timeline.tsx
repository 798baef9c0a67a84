import { useState } from 'react';
import { attempt, showUndo } from '../../ui/toast.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { addPartner, removePartner } from '../../data/settings/partner-changes.ts';
import { SharedFromFields } from './shared-from.tsx';
import { t } from '../../base/i18n.ts';

type Props = { person: { readonly id: string; readonly name: string }; onClose: () => void };

/** Asks before the whole timeline is shown to somebody. */
export function ShareTimelineDialog({ person: { id, name }, onClose }: Props) {
  const [hidesPlaces, setHidesPlaces] = useState(false);
  const [sharedFrom, setSharedFrom] = useState<string | null>(null);
  const share = async () => {
    onClose();
    const isShared = await attempt(() =>
      addPartner(id, { hidesPlaces, ...(sharedFrom && { sharedFrom }) }),
    );
    if (isShared)
      showUndo(t('{name} sees your timeline', { name }), () =>
        attempt(() => removePartner(id), t('Not shared with {name}', { name })),
      );
  };
  return (
    <Dialog title={t('Share your timeline with {name}?', { name })} onClose={onClose}>
      <p className="muted">
        {t(
          '{name} will see all photos on your timeline, also those that you add later. Your archive and Locked stay yours.',
          { name },
        )}
      </p>
      <label className="check">
        <input
          type="checkbox"
          checked={hidesPlaces}
          onChange={(event) => setHidesPlaces(event.target.checked)}
        />{' '}
        {t('Hide where the photos were taken')}
      </label>
      <SharedFromFields sharedFrom={sharedFrom} onChange={setSharedFrom} />
      <div className="dialog-actions">
        <button className="button" onClick={onClose}>
          {t('Cancel')}
        </button>
        <button
          className="button primary"
          disabled={sharedFrom === ''}
          onClick={() => void share()}
        >
          {t('Share')}
        </button>
      </div>
    </Dialog>
  );
}
