import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sql } from 'postgres';
import { openDatabase } from '../../../src/db/client.ts';
import { toDatabaseUrl } from '../../support/harness.ts';
import { acceptFolders } from '../measure.ts';
import { dropLibrary } from '../seed.ts';
import { createMeter, type Meter, OWN_STATEMENT } from './cost.ts';
import { pollUntilIdle, startBinary, type StartedServer, type Target } from './server.ts';

/** A server on a database of the server in TEST_POSTGRES, where nothing happens by itself. */
export type MeteredServer = {
  readonly server: StartedServer;
  readonly meter: Meter;
  /** Has one connection, which the meter leaves out. */
  readonly sql: Sql;
  /** Stops it and removes its database and its folder. */
  readonly close: () => Promise<void>;
};

type MeteredOptions = {
  readonly flags?: readonly string[];
  /** Writes what the data folder has from the beginning. */
  readonly prepare?: (data: string) => void;
};

/** Starts the binary on a database that exists, and waits until it has done what there is to do. */
export async function startMetered(
  target: Target,
  databaseName: string,
  { flags = [], prepare }: MeteredOptions = {},
): Promise<MeteredServer> {
  const data = mkdtempSync(join(tmpdir(), 'figures-'));
  prepare?.(data);
  const databaseUrl = toDatabaseUrl(databaseName);
  await acceptFolders([target.binary], data, databaseUrl);
  const server = await startBinary(target, { data, databaseUrl, flags });
  const { sql, ...database } = openDatabase(databaseUrl, { max: 1 });
  await settle(sql);
  const [backend] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
  const exceptPids = [backend!.pid];
  const meter = await createMeter({ serverPid: server.pid, databaseName, exceptPids });
  return {
    server,
    meter,
    sql,
    async close() {
      await server.stop();
      await meter.close();
      await database.close();
      await dropLibrary(databaseName);
      rmSync(data, { recursive: true, force: true });
    },
  };
}

/** Waits for the work that new rows mean, then keeps periodic jobs from running among the measurements. */
async function settle(sql: Sql): Promise<void> {
  // The first runs of the schedule.
  await Bun.sleep(3000);
  await waitForIdleJobs(sql, 250);
  await sql`update schedule set next_at = now() + interval '1 day'`;
  await waitForIdleJobs(sql, 250);
  await sql.unsafe('vacuum analyze');
  await sql`checkpoint`;
}

/** Waits until no job runs or is due. Throws when that takes too long. */
export const waitForIdleJobs = (sql: Sql, pollMs: number): Promise<void> =>
  pollUntilIdle(pollMs, async () => {
    const [busy] = await sql.unsafe(`select ${OWN_STATEMENT} 1 from job
      where state = 'running' or (state = 'waiting' and run_at <= now()) limit 1`);
    return busy !== undefined;
  });
