import { useQuery } from '@tanstack/react-query';
import { Monitor, Smartphone, Trash2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import { formatAgo, formatNumber } from '../../base/format.ts';
import { attempt } from '../../ui/toast.tsx';
import type { BackupDevices } from '../../data/types.ts';
import { Confirm } from '../../ui/dialog.tsx';
import { Empty, IconButton, Page } from '../../ui/elements.tsx';
import { backupDevicesQuery, deleteBackupDevice } from '../../data/backup/queries.ts';
import styles from './backup.module.css';
import { t } from '../../base/i18n.ts';

type Device = BackupDevices['items'][number];
const PHONES: readonly Device['platform'][] = ['ios', 'android'];

/** The devices that back up to this account, as they report it themselves. */
export function BackupPage() {
  const { data, error } = useQuery(backupDevicesQuery());
  const [deleting, setDeleting] = useState<Device>();
  useEffect(() => {
    document.title = `${t('Backup devices')} · Safelight`;
  }, []);
  return (
    <Page title={t('Backup devices')}>
      <p className="muted">
        {t(
          'Each device reports its own progress. For a comparison, the device and this server check together what is missing.',
        )}
      </p>
      {error && <p role="alert">{error.message}</p>}
      {data?.items.length === 0 && (
        <Empty
          icon={Smartphone}
          title={t('No device has reported yet')}
          text={t('Switch the backup on in an app that is logged in here, and it shows up.')}
        />
      )}
      <ul className="cards" aria-label={t('Devices')}>
        {data?.items.map((device) => (
          <li key={device.id}>
            <DeviceCard device={device} onForget={() => setDeleting(device)} />
          </li>
        ))}
      </ul>
      {deleting && (
        <Confirm
          title={t('Forget “{name}”?', { name: deleting.name })}
          text={t(
            'Its reports are removed from this list. Photos stay, and so does its login; it comes back when it reports again.',
          )}
          action={t('Forget device')}
          onClose={() => setDeleting(undefined)}
          onConfirm={() =>
            void attempt(() => deleteBackupDevice(deleting.id), t('Device forgotten'))
          }
        />
      )}
    </Page>
  );
}

function DeviceCard({ device, onForget }: { device: Device; onForget: () => void }) {
  const Icon = PHONES.includes(device.platform) ? Smartphone : Monitor;
  const { pendingCount, lastSuccessAt } = device;
  return (
    <article className="card" aria-label={device.name}>
      <header className="card-head">
        <div className={styles.deviceName}>
          <Icon size={22} strokeWidth={1.5} aria-hidden />
          <div>
            <h2>{device.name}</h2>
            <p className="muted">
              {[
                formatPlatform(device),
                t('reported {when}', { when: formatAgo(device.reportedAt) }),
              ].join(' · ')}
            </p>
          </div>
        </div>
        <IconButton
          icon={Trash2}
          label={t('Forget {name}', { name: device.name })}
          onClick={onForget}
        />
      </header>
      <dl className="counts two">
        <div className={pendingCount ? 'count live' : 'count'}>
          <dt>{t('Still to send')}</dt>
          <dd>{pendingCount === null ? t('unknown') : formatNumber(pendingCount)}</dd>
        </div>
        <div className="count">
          <dt>{t('Last backup')}</dt>
          <dd>{lastSuccessAt ? formatAgo(lastSuccessAt) : t('never')}</dd>
        </div>
      </dl>
      <p className="muted">{describeComparison(device)}</p>
    </article>
  );
}

const NAMES: Record<Device['platform'], string> = {
  ios: 'iOS',
  android: t('Android'),
  desktop: t('Computer'),
  web: t('Browser'),
  other: t('Another program'),
};
const formatPlatform = ({ platform, appVersion }: Device): string =>
  [NAMES[platform], appVersion].filter(Boolean).join(' ');

function describeComparison({ lastReconciliation: last }: Device): string {
  if (!last) return t('Never compared with this server.');
  const when = formatAgo(last.completedAt ?? last.checkedAt);
  if (last.missingCount === null)
    return t('A comparison started {when} and has not finished.', { when });
  return last.missingCount === 0
    ? t('Compared {when}: everything is here.', { when })
    : t('Compared {when}: {missingCount, plural, one {# file} other {# files}} not here yet.', {
        when,
        missingCount: last.missingCount,
      });
}
