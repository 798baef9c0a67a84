import { useQuery } from '@tanstack/react-query';
import { RefreshCw } from 'lucide-react';
import { useEffect, useEffectEvent, useState } from 'react';
import { formatBytes, formatInstant } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { attempt } from '../../ui/toast.tsx';
import type { StorageUses } from '../../data/types.ts';
import { Failure, Page, Progress } from '../../ui/elements.tsx';
import {
  isMeasuring,
  isOutdated,
  measureAgain,
  storageUsesQuery,
  sumBytes,
  sumKinds,
  TITLES,
  type Use,
} from '../../data/admin/storage-data.ts';
import { Places } from './storage-places.tsx';
import { Removable } from './storage-removable.tsx';
import styles from './storage.module.css';

/** The space that files take, by kind and account, and what can go. */
export function StoragePage() {
  const [requestedAt, setRequestedAt] = useState('');
  const { data, error, refetch } = useQuery(storageUsesQuery(requestedAt));
  const measuredAt = data?.measuredAt;
  const isBusy = isMeasuring(measuredAt, requestedAt);
  const measure = () => attempt(async () => setRequestedAt((await measureAgain()).requestedAt));
  const onFirst = useEffectEvent(() => {
    if (isOutdated(measuredAt)) void measure();
  });
  const isRead = data !== undefined;
  useEffect(() => {
    if (isRead) onFirst();
  }, [isRead]);
  return (
    <Page title={t('Storage')}>
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {data && (
        <>
          <div className={styles.status}>
            <p className="muted" role="status">
              {isBusy || data.measuredAt === null
                ? t('Measuring …')
                : t('Measured: {time}', { time: formatInstant(data.measuredAt) })}
            </p>
            <button className="button small" disabled={isBusy} onClick={() => void measure()}>
              <RefreshCw size={15} aria-hidden /> {t('Measure again')}
            </button>
          </div>
          <div className={styles.storage}>
            <Places />
            {data.measuredAt !== null && (
              <>
                <Kinds uses={sumKinds(data)} />
                <Removable uses={data} onChange={() => void measure()} />
                {data.accounts.length > 0 && <Accounts accounts={data.accounts} />}
              </>
            )}
          </div>
        </>
      )}
    </Page>
  );
}

function Kinds({ uses }: { uses: readonly Use[] }) {
  const total = sumBytes(uses);
  return (
    <section className="card" aria-labelledby="storage-kinds">
      <h2 id="storage-kinds">{t('By kind')}</h2>
      <ul className={styles.kinds}>
        {uses.map(({ kind, bytes }) => (
          <li key={kind}>
            <span>{TITLES[kind]}</span>
            <b>{formatBytes(bytes)}</b>
            <Progress value={total > 0 ? bytes / total : 0} label={TITLES[kind]} />
          </li>
        ))}
      </ul>
      <p>{t('Together: {size}', { size: formatBytes(total) })}</p>
      <p className="muted">
        {t('A file that several accounts have is stored once, and counted for each of them.')}
      </p>
    </section>
  );
}

const Accounts = ({ accounts }: Pick<StorageUses, 'accounts'>) => (
  <section className="card" aria-labelledby="storage-accounts">
    <h2 id="storage-accounts">{t('By account')}</h2>
    <ul className={styles.accounts}>
      {accounts.map(({ userId, userName, uses }) => (
        <li key={userId}>
          <span>{userName}</span>
          <b>{formatBytes(sumBytes(uses))}</b>
          <small className="muted">
            {uses
              .toSorted((a, b) => b.bytes - a.bytes)
              .map(({ kind, bytes }) => `${TITLES[kind]} ${formatBytes(bytes)}`)
              .join(' · ')}
          </small>
        </li>
      ))}
    </ul>
  </section>
);
