import { useState } from 'react';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/form.tsx';
import { t } from '../../base/i18n.ts';

type Props = {
  /** The first and the last day that can be gone to, and the one in view: as 2024-07-31. */
  first: string;
  last: string;
  current: string;
  onJump: (day: string) => void;
  onClose: () => void;
};

/** Asks for the day that the timeline goes to. */
export function JumpDialog({ first, last, current, onJump, onClose }: Props) {
  const [day, setDay] = useState(current);
  return (
    <Dialog title={t('Go to a date')} onClose={onClose}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          onClose();
          onJump(day);
        }}
      >
        <Field
          label={t('Date')}
          name="day"
          type="date"
          required
          min={first}
          max={last}
          value={day}
          onChange={(event) => setDay(event.target.value)}
        />
        <div className="form-actions">
          <button type="button" className="button" onClick={onClose}>
            {t('Cancel')}
          </button>
          <button className="button primary">{t('Go')}</button>
        </div>
      </form>
    </Dialog>
  );
}
