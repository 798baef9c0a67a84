import { useQuery } from '@tanstack/react-query';
import { serverConfigQuery } from '../../data/server/queries.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { isReachable, toServerAddress } from './address.ts';
import { AddressCode, AppLinks } from './phone-app.tsx';
import styles from './setup.module.css';
import { t } from '../../base/i18n.ts';

/** Brings the app on a phone to this server. */
function PhoneAppGuide() {
  const { data: config } = useQuery(serverConfigQuery());
  if (!config) return null;
  const address = toServerAddress(config.externalDomain || location.origin);
  return (
    <ol className={styles.phoneGuide}>
      <li>
        <h3>{t('Install the app')}</h3>
        <AppLinks />
      </li>
      <li>
        <h3>{t('Enter the address of this server in it')}</h3>
        {address && <AddressCode address={address} />}
        {address && !isReachable(address) && (
          <p className="muted">
            {t('A phone cannot reach this address. Ask the administrator for the one it reaches.')}
          </p>
        )}
      </li>
      <li>
        <h3>{t('Log in and choose the albums to back up')}</h3>
        <p className="muted">{t('With the email address and password of your account.')}</p>
      </li>
    </ol>
  );
}

export const PhoneAppDialog = ({ onClose }: { onClose: () => void }) => (
  <Dialog title={t('Back up your phone')} onClose={onClose} isWide>
    <p className="muted">{t('The Immich app uploads new photos of a phone automatically.')}</p>
    <PhoneAppGuide />
  </Dialog>
);
