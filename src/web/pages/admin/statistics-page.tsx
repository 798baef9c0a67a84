import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { formatBytes, formatMonthLetter, formatNumber } from '../../base/format.ts';
import { storageQuery } from '../../data/server/queries.ts';
import type { ServerStats, Storage, StorageForecast } from '../../data/types.ts';
import { Failure, Page, Progress } from '../../ui/elements.tsx';
import { describeForecast, describeGrowth } from '../../data/admin/forecast-data.ts';
import { forecastQuery, statisticsQuery } from '../../data/admin/queries.ts';
import styles from './statistics.module.css';
import { t } from '../../base/i18n.ts';

/** Items and bytes of every account, and how long the disk lasts. */
export function StatisticsPage() {
  const statistics = useQuery(statisticsQuery());
  const storage = useQuery(storageQuery());
  const forecast = useQuery(forecastQuery());
  const failed = [statistics, storage, forecast].find(({ data, error }) => error && !data);
  return (
    <Page title={t('Statistics')}>
      {failed?.error && <Failure error={failed.error} onRetry={() => void failed.refetch()} />}
      {statistics.data && storage.data && forecast.data && (
        <div className={styles.statistics}>
          <Totals statistics={statistics.data} />
          <Disk storage={storage.data} forecast={forecast.data} />
          <Accounts statistics={statistics.data} />
        </div>
      )}
    </Page>
  );
}

const Totals = ({ statistics: { photos, videos, usage } }: { statistics: ServerStats }) => (
  <dl className="counts">
    {[
      [t('Photos'), formatNumber(photos)],
      [t('Videos'), formatNumber(videos)],
      [t('Size'), formatBytes(usage)],
    ].map(([label, value]) => (
      <div key={label} className="count">
        <dt>{label}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);

function Disk({ storage, forecast }: { storage: Storage; forecast: StorageForecast }) {
  const { diskAvailableRaw, diskSizeRaw, diskUsagePercentage, diskUseRaw } = storage;
  return (
    <section className="card" aria-labelledby="disk">
      <h2 id="disk">{t('Disk')}</h2>
      <Progress value={diskUsagePercentage / 100} label={t('Used disk space')} />
      <p>
        {t('{used} of {size} used, {free} free', {
          used: formatBytes(diskUseRaw),
          size: formatBytes(diskSizeRaw),
          free: formatBytes(diskAvailableRaw),
        })}
      </p>
      <h3>{t('Forecast')}</h3>
      <p>{describeForecast(forecast)}</p>
      {forecast.monthlyBytes !== null && (
        <p className="muted">
          {t('An average of the last months. Of four or more, the largest is left out.')}
        </p>
      )}
      {forecast.months.some(({ bytes }) => bytes !== null) && (
        <>
          <h3>{t('Growth by month')}</h3>
          <Months months={forecast.months} />
        </>
      )}
    </section>
  );
}

function Months({ months }: Pick<StorageForecast, 'months'>) {
  const highest = Math.max(1, ...months.map(({ bytes }) => bytes ?? 0));
  return (
    <ol className={styles.months} aria-label={t('Growth by month')}>
      {months.map(({ month, bytes }) => {
        const text = describeGrowth(month, bytes);
        return (
          <li key={month} title={text}>
            <span className="hidden-title">{text}</span>
            {bytes !== null && (
              <span
                className={styles.bar}
                aria-hidden
                style={{ height: `${(Math.max(0, bytes) / highest) * 100}%` }}
              />
            )}
            <span className={styles.month} aria-hidden>
              {formatMonthLetter(month)}
            </span>
          </li>
        );
      })}
    </ol>
  );
}

const Accounts = ({ statistics: { usageByUser } }: { statistics: ServerStats }) => (
  <section className="card" aria-labelledby="accounts">
    <h2 id="accounts">{t('Accounts')}</h2>
    <table className={styles.accounts}>
      <thead>
        <tr>
          <th scope="col">{t('Account')}</th>
          <th scope="col">{t('Photos')}</th>
          <th scope="col">{t('Videos')}</th>
          <th scope="col">{t('Size')}</th>
        </tr>
      </thead>
      <tbody>
        {usageByUser.map((user) => (
          <tr key={user.userId}>
            <th scope="row">{user.userName}</th>
            <td>{formatNumber(user.photos)}</td>
            <td>{formatNumber(user.videos)}</td>
            <td>
              <Usage user={user} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
    <p className="muted">{t('Without the trash and Locked.')}</p>
    <Link className="button small" href="/admin/users">
      {t('Manage accounts')}
    </Link>
  </section>
);

function Usage({ user }: { user: ServerStats['usageByUser'][number] }) {
  const { usage, quotaSizeInBytes: size, userName } = user;
  if (!size) return formatBytes(usage);
  return (
    <>
      {t('{used} of {size}', { used: formatBytes(usage), size: formatBytes(size) })}
      <Progress
        value={Math.min(1, usage / size)}
        label={t('Quota of {name}', { name: userName })}
      />
    </>
  );
}
