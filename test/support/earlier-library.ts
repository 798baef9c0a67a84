import { migrations } from '../../migrations/index.ts';
import { silentLog } from '../../src/core/log.ts';
import { startCluster } from '../../src/db/cluster.ts';
import { createEmpty, withAdmin, withConnection } from '../../src/db/databases.ts';
import { migrate } from '../../src/db/migrate.ts';
import { addDatabase } from '../fixtures/data-folder.ts';

export const LIBRARY = 'safelight';
/** The migrations of the first release. */
export const FIRST_RELEASE = migrations.filter(({ name }) => name <= '0033_composites');

/** Runs the work on the database of a data folder, whose server is not running. */
export async function withCluster(
  dataDir: string,
  work: (url: string) => Promise<unknown>,
): Promise<void> {
  const cluster = await startCluster({ dataDir, log: silentLog });
  try {
    await work(cluster.url);
  } finally {
    await cluster.stop();
  }
}

/** Puts a cluster with an empty database of the first release into a data folder: the next start updates it. */
export async function addEarlierDatabase(dataDir: string): Promise<void> {
  await addDatabase(dataDir);
  await withCluster(dataDir, async (url) => {
    await withAdmin(url, (admin) => createEmpty(admin, LIBRARY));
    await withConnection(url, (sql) => migrate(sql, FIRST_RELEASE));
  });
}
