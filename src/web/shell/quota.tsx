import { useQuery } from '@tanstack/react-query';
import { formatBytes, formatPartOfBytes } from '../base/format.ts';
import type { Me } from '../data/types.ts';
import { Progress } from '../ui/elements.tsx';
import { meQuery, storageQuery } from '../data/server/queries.ts';
import styles from './shell.module.css';
import { t } from '../base/i18n.ts';

/** Percentage of used disk space. */
const NEARLY_FULL = 90;

/** Shows the storage that the account uses, with a bar if it has a quota or the disk is nearly full. */
export function Quota({ me }: { me: Me }) {
  const { data: now } = useQuery(meQuery());
  const { data: disk } = useQuery(storageQuery());
  const { quotaSizeInBytes: size, quotaUsageInBytes: used } = now ?? me;
  if (size !== null && size > 0) {
    return (
      <div className={styles.quota}>
        <Progress value={Math.min(1, (used ?? 0) / size)} label={t('Used of your quota')} />
        <p>
          {t('{bytes} of {size} used', {
            bytes: formatPartOfBytes(used ?? 0, size),
            size: formatBytes(size),
          })}
        </p>
      </div>
    );
  }
  // Its room is kept: the entries above it would move.
  if (!disk) return <div className={styles.quota} />;
  if (disk.diskUsagePercentage < NEARLY_FULL) {
    return (
      <div className={styles.quota}>
        <p>{t('{bytes} of your photos', { bytes: formatBytes(used ?? 0) })}</p>
      </div>
    );
  }
  return (
    <div className={styles.quota}>
      <Progress value={disk.diskUsagePercentage / 100} label={t('Used disk space')} />
      <p>
        {t('{library} in your library · {free} of {size} free', {
          library: formatPartOfBytes(used ?? 0, disk.diskSizeRaw),
          free: formatPartOfBytes(disk.diskAvailableRaw, disk.diskSizeRaw),
          size: formatBytes(disk.diskSizeRaw),
        })}
      </p>
    </div>
  );
}
