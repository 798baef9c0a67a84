import { QrCode } from './qr-code.tsx';
import { CopyField } from '../../ui/copy-field.tsx';
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

/** The address that the app asks for, as a code for the camera and as text. */
export const AddressCode = ({ address }: { address: string }) => (
  <div className={styles.connection}>
    <QrCode text={address} label={t('QR code of {address}', { address })} />
    <div className={styles.connectionText}>
      <p>{t('Scan it with the camera of the phone to get the address.')}</p>
      <CopyField value={address} label={t('Address to copy')} />
    </div>
  </div>
);
