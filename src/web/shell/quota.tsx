import { useQuery } from '@tanstack/react-query';
import { formatBytes } from '../format.ts';
import type { Me } from '../types.ts';
import { Progress } from '../ui/parts.tsx';
import { meQuery, storageQuery } from './queries.ts';
import styles from './shell.module.css';

/** How much of one's own quota is used, or of the disk when there is none. */
export function Quota({ me }: { me: Me }) {
  const { data: now } = useQuery(meQuery());
  const { data: disk } = useQuery(storageQuery());
  const { quotaSizeInBytes: size, quotaUsageInBytes: used } = now ?? me;
  if (size !== null && size > 0) {
    return (
      <div className={styles.quota}>
        <Progress value={Math.min(1, (used ?? 0) / size)} label="Used of your quota" />
        <p>
          {formatBytes(used ?? 0)} of {formatBytes(size)} used
        </p>
      </div>
    );
  }
  if (!disk) return null;
  return (
    <div className={styles.quota}>
      <Progress value={disk.diskUsagePercentage / 100} label="Used disk space" />
      <p>
        {disk.diskUse} of {disk.diskSize} used
      </p>
    </div>
  );
}
