import type { Log } from '../../src/core/log.ts';
import { type Cluster, startCluster } from '../../src/db/cluster.ts';
import { openDatabase } from '../../src/db/client.ts';

const MODULE = 'pg_stat_statements';

/**
 * Starts a PostgreSQL of the measurements, with the settings of the product. It counts statements if it has
 * the module for that, which every package of Debian has.
 */
export async function startBenchCluster(dataDir: string, log: Log): Promise<Cluster> {
  const cluster = await startCluster({ dataDir, log });
  const { sql, ...database } = openDatabase(cluster.url, { max: 1 });
  const [found] = await sql`select 1 from pg_available_extensions where name = ${MODULE}`;
  if (found) await sql.unsafe(`alter system set shared_preload_libraries = '${MODULE}'`);
  await database.close();
  if (!found) return cluster;
  // The module is loaded at the start of the server only.
  await cluster.stop();
  const counting = await startCluster({ dataDir, log });
  const admin = openDatabase(counting.url, { max: 1 });
  await admin.sql.unsafe(`alter system set ${MODULE}.track_planning = on`);
  await admin.sql`select pg_reload_conf()`;
  await admin.close();
  return counting;
}
