import { afterEach, beforeEach } from 'bun:test';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Sql } from 'postgres';
import { createLog } from '../../src/core/log.ts';
import { connect } from '../../src/db/address.ts';
import { type Cluster, startCluster } from '../../src/db/cluster.ts';
import { addDatabase } from '../fixtures/data-folder.ts';
import { createMemoryFolder } from './memory-folder.ts';

/** Clusters of a data folder that each test finds with an empty database, and that end with it. */
export function useClusters() {
  let dataDir: string;
  let lines: string[];
  let clusters: Cluster[];
  let pools: Sql[];
  beforeEach(async () => {
    dataDir = join(createMemoryFolder('cluster-test-'), 'data');
    [lines, clusters, pools] = [[], [], []];
    await addDatabase(dataDir);
  });
  afterEach(async () => {
    for (const pool of pools) await pool.end({ timeout: 1 });
    for (const cluster of clusters) await cluster.stop();
    rmSync(join(dataDir, '..'), { recursive: true, force: true });
  });
  const log = createLog({ level: 'debug', format: 'json', write: (line) => lines.push(line) });
  const pool = (url: string): Sql => {
    const sql = connect(url, { max: 2, onnotice: () => {} });
    pools.push(sql);
    return sql;
  };

  return {
    get dataDir() {
      return dataDir;
    },
    log,
    readLog: (): string => lines.join(''),
    pool,
    start: async (folder = dataDir): Promise<Cluster> => {
      const cluster = await startCluster({ dataDir: folder, log });
      clusters.push(cluster);
      return cluster;
    },
    stopLast: async (): Promise<void> => {
      await pools.pop()?.end();
      await clusters.pop()!.stop();
    },
    /** Writes a row and returns the connections that have written it. */
    writeRow: async (url: string): Promise<Sql> => {
      const sql = pool(url);
      await sql`create table kept (id int)`;
      await sql`insert into kept values (1)`;
      return sql;
    },
    listRows: async (url: string) => [...(await pool(url)`select id from kept`)],
  };
}
