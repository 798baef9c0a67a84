import { useState } from 'react';
import { ApiError } from '../../base/api.ts';
import { createPin, removePin, replacePin, usePinStatus } from '../../data/locked/pin.ts';
import { showToast } from '../../ui/toast.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Form, useForm } from '../../ui/form.tsx';
import { t } from '../../base/i18n.ts';

const PIN = { inputMode: 'numeric', pattern: '\\d{6}', maxLength: 6, minLength: 6 } as const;

/** The PIN that photos in Locked are behind. */
export function PinSettings() {
  const { data: status } = usePinStatus();
  const [open, setOpen] = useState<'set' | 'remove'>();
  const close = () => setOpen(undefined);
  return (
    <section className="card">
      <h2>{t('PIN')}</h2>
      <p className="muted">{t('Six digits that are asked for before locked photos are shown.')}</p>
      <div className="card-actions">
        <button className="button" disabled={!status} onClick={() => setOpen('set')}>
          {status?.pinCode ? t('Change the PIN') : t('Set a PIN')}
        </button>
        {status?.pinCode && (
          <button className="button" onClick={() => setOpen('remove')}>
            {t('Remove the PIN')}
          </button>
        )}
      </div>
      {open === 'set' && <SetPin hasPin={status?.pinCode ?? false} onClose={close} />}
      {open === 'remove' && <RemovePin onClose={close} />}
    </section>
  );
}

/** Changes are confirmed by the password, so that a forgotten PIN can be replaced. */
const PasswordField = () => (
  <Field
    label={t('Your password')}
    name="password"
    type="password"
    required
    autoFocus
    autoComplete="current-password"
  />
);

function SetPin({ hasPin, onClose }: { hasPin: boolean; onClose: () => void }) {
  const form = useForm(async ({ pinCode = '', again, password = '' }) => {
    if (pinCode !== again) {
      throw new ApiError(400, '', { again: t('The two PINs are not the same.') });
    }
    if (hasPin) await replacePin(pinCode, password);
    else await createPin(pinCode);
    showToast(t('The PIN is set'), 'success');
    onClose();
  });
  const common = { type: 'password', required: true, autoComplete: 'off', className: 'pin' };
  return (
    <Dialog title={hasPin ? t('Change the PIN') : t('Set a PIN')} onClose={onClose}>
      <Form state={form} action={t('Set the PIN')}>
        {hasPin && <PasswordField />}
        <Field label={t('New PIN')} name="pinCode" {...common} {...PIN} />
        <Field
          label={t('PIN again')}
          name="again"
          error={form.fields['again']}
          {...common}
          {...PIN}
        />
      </Form>
    </Dialog>
  );
}

function RemovePin({ onClose }: { onClose: () => void }) {
  const form = useForm(async ({ password = '' }) => {
    await removePin(password);
    showToast(t('The PIN is removed'), 'success');
    onClose();
  });
  return (
    <Dialog title={t('Remove the PIN')} onClose={onClose}>
      <p className="muted">
        {t('Locked photos stay locked. To see them again you set a new PIN.')}
      </p>
      <Form state={form} action={t('Remove the PIN')}>
        <PasswordField />
      </Form>
    </Dialog>
  );
}
