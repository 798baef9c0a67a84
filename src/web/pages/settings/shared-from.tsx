import { useState } from 'react';
import { formatLongDate } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { attempt, showUndo } from '../../ui/toast.tsx';
import type { Partner } from '../../data/types.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { changePartner } from '../../data/settings/partner-changes.ts';

type FieldsProps = {
  /** YYYY-MM-DD; empty: no day is chosen yet; null: all photos. */
  sharedFrom: string | null;
  onChange: (sharedFrom: string | null) => void;
};

/** Since which day of capture photos are shared. */
export function SharedFromFields({ sharedFrom, onChange }: FieldsProps) {
  return (
    <>
      <label className="check">
        <input
          type="checkbox"
          checked={sharedFrom !== null}
          onChange={(event) => onChange(event.target.checked ? '' : null)}
        />{' '}
        {t('Only photos from a certain day on')}
      </label>
      {sharedFrom !== null && (
        <div className="field">
          <label htmlFor="shared-from">{t('First day')}</label>
          <input
            id="shared-from"
            type="date"
            value={sharedFrom}
            onChange={(event) => onChange(event.target.value)}
          />
        </div>
      )}
    </>
  );
}

/** Opens the dialog that changes since when a partner sees the photos of this account. */
export function SharedFromButton({ partner }: { partner: Partner }) {
  const [isOpen, setIsOpen] = useState(false);
  const { name, sharedFrom } = partner;
  return (
    <>
      <button
        className="button"
        aria-label={`${describe(sharedFrom)}: ${t('Choose which photos {name} sees', { name })}`}
        onClick={() => setIsOpen(true)}
      >
        {describe(sharedFrom)}
      </button>
      {isOpen && <SharedFromDialog partner={partner} onClose={() => setIsOpen(false)} />}
    </>
  );
}

const describe = (sharedFrom: string | undefined) =>
  sharedFrom === undefined
    ? t('all photos')
    : t('since {date}', { date: formatLongDate(new Date(sharedFrom)) });

function SharedFromDialog({ partner, onClose }: { partner: Partner; onClose: () => void }) {
  const { id, name } = partner;
  const before = partner.sharedFrom ?? null;
  const [sharedFrom, setSharedFrom] = useState(before);
  const change = (to: string | null) =>
    attempt(() => changePartner('shared-by', id, { sharedFrom: to }));
  const save = async () => {
    onClose();
    if (!(await change(sharedFrom))) return;
    const text =
      sharedFrom === null
        ? t('{name} sees your timeline', { name })
        : t('{name} sees photos since {date}', {
            name,
            date: formatLongDate(new Date(sharedFrom)),
          });
    showUndo(text, () => change(before));
  };
  return (
    <Dialog title={t('Choose which photos {name} sees', { name })} onClose={onClose}>
      <SharedFromFields sharedFrom={sharedFrom} onChange={setSharedFrom} />
      <p className="muted">
        {t('Earlier photos that {name} has added to albums are removed from them.', { name })}
      </p>
      <div className="dialog-actions">
        <button className="button" onClick={onClose}>
          {t('Cancel')}
        </button>
        <button
          className="button primary"
          disabled={sharedFrom === '' || sharedFrom === before}
          onClick={() => void save()}
        >
          {t('Save')}
        </button>
      </div>
    </Dialog>
  );
}
