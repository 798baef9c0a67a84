import { useQuery } from '@tanstack/react-query';
import { Monitor, Smartphone, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { formatAgo, formatCount } from '../format.ts';
import { attempt } from '../toast.tsx';
import type { BackupDevices } from '../types.ts';
import { Confirm } from '../ui/dialog.tsx';
import { Empty, IconButton, Page } from '../ui/parts.tsx';
import { backupDevicesQuery, deleteBackupDevice } from './queries.ts';
import styles from './backup.module.css';

type Device = BackupDevices['items'][number];
const PHONES: readonly Device['platform'][] = ['ios', 'android'];

/** The devices that back up to this account, as they report it themselves. */
export function BackupPage() {
  const { data, error } = useQuery(backupDevicesQuery());
  const [deleting, setDeleting] = useState<Device>();
  return (
    <Page title="Backup devices">
      <p className="muted">
        Each device reports by itself how far it is; the numbers are its own. A comparison is made
        by the device and this server together.
      </p>
      {error && <p role="alert">{error.message}</p>}
      {data?.items.length === 0 && (
        <Empty
          icon={Smartphone}
          title="No device has reported yet"
          text="Switch the backup on in an app that is logged in here, and it shows up."
        />
      )}
      <ul className="cards" aria-label="Devices">
        {data?.items.map((device) => (
          <li key={device.id}>
            <DeviceCard device={device} onForget={() => setDeleting(device)} />
          </li>
        ))}
      </ul>
      {deleting && (
        <Confirm
          title={`Forget “${deleting.name}”?`}
          text="Its reports are removed from this list. Photos stay, and so does its login; it comes back when it reports again."
          action="Forget device"
          onClose={() => setDeleting(undefined)}
          onConfirm={() => void attempt(() => deleteBackupDevice(deleting.id), 'Device forgotten')}
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
              {[formatPlatform(device), `reported ${formatAgo(device.reportedAt)}`].join(' · ')}
            </p>
          </div>
        </div>
        <IconButton icon={Trash2} label={`Forget ${device.name}`} onClick={onForget} />
      </header>
      <dl className="counts two">
        <div className={pendingCount ? 'count live' : 'count'}>
          <dt>Still to send</dt>
          <dd>{pendingCount === null ? 'unknown' : pendingCount.toLocaleString()}</dd>
        </div>
        <div className="count">
          <dt>Last backup</dt>
          <dd>{lastSuccessAt ? formatAgo(lastSuccessAt) : 'never'}</dd>
        </div>
      </dl>
      <p className="muted">{describeComparison(device)}</p>
    </article>
  );
}

const NAMES: Record<Device['platform'], string> = {
  ios: 'iOS',
  android: 'Android',
  desktop: 'Computer',
  web: 'Browser',
  other: 'Another program',
};
const formatPlatform = ({ platform, appVersion }: Device): string =>
  [NAMES[platform], appVersion].filter(Boolean).join(' ');

function describeComparison({ lastReconciliation: last }: Device): string {
  if (!last) return 'Never compared with this server.';
  const when = formatAgo(last.completedAt ?? last.checkedAt);
  if (last.missingCount === null) return `A comparison began ${when} and is not through.`;
  return last.missingCount === 0
    ? `Compared ${when}: everything is here.`
    : `Compared ${when}: ${formatCount(last.missingCount, 'file')} not here yet.`;
}
