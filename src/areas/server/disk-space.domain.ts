import type { Db } from '../../db/client.ts';
import { notifyAdmins } from '../notifications/index.ts';
import { formatBytes } from '../../core/byte-format.ts';
import { clearDiskWarning, setDiskWarning } from './store.ts';

/** In bytes. */
export type DiskSpace = {
  readonly size: number;
  readonly available: number;
  /** Uploads stop at it. */
  readonly reserve: number;
};

const LOW_SHARE = 0.05;
/** A disk that changes about the limit is told once: it is better only when it has a tenth more. */
const BETTER = 1.1;

/** Tells administrators of a disk that is nearly full: once, until it is better. */
export async function reportDiskSpace(
  db: Db,
  { size, available, reserve }: DiskSpace,
  now: Date,
): Promise<void> {
  const limit = Math.max(reserve, size * LOW_SHARE);
  if (available >= limit * BETTER) await clearDiskWarning(db);
  if (available >= limit || !(await setDiskWarning(db, now))) return;
  const event = {
    kind: 'diskSpace',
    title: 'Disk nearly full',
    description: `${formatBytes(available)} of ${formatBytes(size)} are left for the library. Uploads stop at ${formatBytes(reserve)}`,
    data: { availableBytes: available, sizeBytes: size, reserveBytes: reserve },
    key: 'disk-space',
  } as const;
  await notifyAdmins(db, event, now);
}
