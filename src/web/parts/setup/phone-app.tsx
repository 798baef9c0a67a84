import { Smartphone } from 'lucide-react';
import { CopyField } from '../../ui/copy-field.tsx';
import { NARROW, useMediaQuery } from '../../ui/use-media-query.ts';
import { QrCode } from './qr-code.tsx';
import styles from './setup.module.css';
import { t } from '../../base/i18n.ts';

const APPS = [
  { name: 'App Store', url: 'https://apps.apple.com/app/id1613945652' },
  {
    name: 'Google Play',
    url: 'https://play.google.com/store/apps/details?id=app.alextran.immich',
  },
  { name: 'F-Droid', url: 'https://f-droid.org/packages/app.alextran.immich' },
] as const;

/** Where phones get the app of Immich, which works with this server. */
export const AppLinks = () => (
  <p className={styles.apps}>
    {APPS.map(({ name, url }) => (
      <a key={name} className="button small" href={url} target="_blank" rel="noreferrer">
        {name}
      </a>
    ))}
  </p>
);

/** The phone itself: it cannot scan what it shows. */
const THIS_PHONE = `(pointer: coarse) and ${NARROW}`;
/** The app's own scheme: it opens where it was left, without an address. */
const APP_URL = 'immich://';

/** The address that the app asks for: as a code for the camera and as text, or on the phone itself to be copied. */
export function AddressCode({ address }: { address: string }) {
  const isPhone = useMediaQuery(THIS_PHONE);
  if (isPhone) {
    return (
      <div className={styles.onPhone}>
        <CopyField value={address} label={t('Address to copy')} action={t('Copy address')} />
        <a className="button" href={APP_URL}>
          <Smartphone size={18} aria-hidden /> {t('Open the app')}
        </a>
      </div>
    );
  }
  return (
    <div className={styles.connection}>
      <QrCode text={address} label={t('QR code of {address}', { address })} />
      <div className={styles.connectionText}>
        <p>{t('Scan it with the camera of the phone to get the address.')}</p>
        <CopyField value={address} label={t('Address to copy')} />
      </div>
    </div>
  );
}
