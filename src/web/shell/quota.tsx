import { get } from '../api.ts';
import { formatBytes } from '../format.ts';
import type { Me, Storage } from '../types.ts';
import { Progress } from '../ui/parts.tsx';
import { useLoad } from '../ui/use-load.ts';
import styles from './shell.module.css';

const EVERY_MS = 60_000;

/** How much of one's own quota is used, or of the disk when there is none. */
export function Quota({ me }: { me: Me }) {
  const own = useLoad(() => get<Me>('/users/me'), me.id, EVERY_MS);
  const disk = useLoad(() => get<Storage>('/server/storage'), me.id, EVERY_MS);
  const { quotaSizeInBytes: size, quotaUsageInBytes: used } = own.data ?? me;
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
  if (!disk.data) return null;
  return (
    <div className={styles.quota}>
      <Progress value={disk.data.diskUsagePercentage / 100} label="Used disk space" />
      <p>
        {disk.data.diskUse} of {disk.data.diskSize} used
      </p>
    </div>
  );
}
