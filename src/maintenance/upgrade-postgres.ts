import { fstatSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { toStamp } from '../core/dates.ts';
import { reach } from '../core/fault-points.ts';
import type { DataPaths } from '../core/paths.ts';
import type { Cluster, ClusterUpgrade } from '../db/cluster.ts';
import { getDatabaseName } from '../core/postgres-url.ts';
import { getSize, withConnection } from '../db/databases.ts';
import { dumpDatabase, restoreOwnDump } from '../db/dump.ts';
import { disownRunningJobs } from '../jobs/claims.ts';
import { countByAccount } from './counts.store.ts';
import { compareCounts } from './counts.ts';
import { withDump } from './restore.ts';
import { requireDumpSpace, requireSpace } from './space.ts';

type Options = {
  readonly url: string;
  readonly upgrade: Cluster['upgrade'];
  readonly paths: Pick<DataPaths, 'root' | 'backups'>;
  readonly now: Date;
  /** Throws when the application does not work on the new server. */
  readonly check: (url: string) => Promise<void>;
  readonly onTask: (task: 'backup' | 'restore' | 'check', progress?: number) => void;
};

/** The bytes of the new cluster, its log and a dump for each byte of the database. */
const REBUILT_BYTES = 2;
const EMPTY_CLUSTER_BYTES = 128 * 1024 ** 2;

/**
 * Moves the database to a cluster of the newest PostgreSQL that is installed, by a dump, which stays among
 * the backups. The present cluster is not written to, and is kept: what fails leaves it in use.
 */
export async function upgradePostgres(options: Options): Promise<ClusterUpgrade> {
  const { url, upgrade, paths, now, onTask } = options;
  onTask('backup');
  const size = await withConnection(url, (sql) => getSize(sql, getDatabaseName(url)));
  requireSpace('upgrade of PostgreSQL', paths.root, EMPTY_CLUSTER_BYTES + REBUILT_BYTES * size);
  mkdirSync(paths.backups, { recursive: true });
  requireDumpSpace(paths.backups, size);
  const file = join(paths.backups, `safelight-before-${toStamp(now).toLowerCase()}.dump`);
  return upgrade(async ({ from, to, bin }) => {
    const before = await withConnection(from, countByAccount);
    await dumpDatabase(from, file, { bin });
    reach('cluster.dumped');
    await withDump(file, (dump) => {
      const total = fstatSync(dump).size;
      const onBytes = (bytes: number) => onTask('restore', Math.floor((100 * bytes) / total));
      onBytes(0);
      return restoreOwnDump(to, dump, { bin, onBytes });
    });
    // Index-only scans need what autovacuum would find out later.
    await withConnection(to, (sql) => sql`vacuum (analyze)`);
    reach('cluster.restored');
    onTask('check');
    compareCounts('upgrade', before, await withConnection(to, countByAccount));
    await options.check(to);
    await withConnection(to, disownRunningJobs);
  }, now);
}
