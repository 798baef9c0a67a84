import { Smartphone } from 'lucide-react';
import { useState } from 'react';
import { lazyComponent } from '../../ui/lazy.tsx';
import { t } from '../../base/i18n.ts';

/** How a phone is connected. */
export const PhoneAppDialog = lazyComponent(() =>
  import('./phone-app-dialog.tsx').then((module) => module.PhoneAppDialog),
);

/** The way to the app for a phone: on the empty timeline of a new account, and in the settings. */
export function PhoneAppButton() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button className="button" onClick={() => setOpen(true)}>
        <Smartphone size={18} aria-hidden /> {t('Back up your phone')}
      </button>
      {isOpen && <PhoneAppDialog onClose={() => setOpen(false)} />}
    </>
  );
}
