import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withConnection } from '../../src/db/databases.ts';
import { signUp } from '../e2e/server.ts';
import { startBalancer } from './balancer.ts';
import { createDatabase, dropDatabase, toDatabaseUrl } from './harness.ts';
import { serveFrom } from './served.ts';
import { until } from './until.ts';

const NEXT = join(import.meta.dir, '../fixtures/next-version.ts');

/** `current` is this version; the others are those of the fixture. */
type Version = 'current' | 'online' | 'contract' | 'offline';

/** Two servers of this version behind a load balancer, to be replaced by newer ones. */
export async function startRollingLibrary() {
  const folder = mkdtempSync(join(tmpdir(), 'rolling-'));
  const name = await createDatabase('rolling');
  const url = toDatabaseUrl(name);
  const flags = ['--data', join(folder, 'data'), '--database-url', url, '--drain', '3'];
  const balancer = startBalancer();
  const newer = (version: Exclude<Version, 'current'>) =>
    serveFrom(folder, [], [process.execPath, NEXT, version]);
  const starters = {
    current: serveFrom(folder),
    online: newer('online'),
    contract: newer('contract'),
    offline: newer('offline'),
  };

  const logs: (readonly { readonly level: string }[])[] = [];

  async function add(version: Version) {
    const server = await starters[version].serve(...flags);
    logs.push(server.lines);
    balancer.add(server.url);
    return server;
  }

  let servers = [await add('current'), await add('current')];
  const untilBothReady = () => until(() => balancer.countReady() === 2);
  await untilBothReady();
  const { apiKey } = await signUp(servers[0]!.url);
  return {
    folder,
    flags,
    balancer,
    apiKey,
    /** Returns the errors that the servers have logged. */
    listErrors: () => logs.flat().filter(({ level }) => level === 'error'),
    /** Starts a server of which nobody expects that it serves. */
    spawn: (version: Version) =>
      starters[version].spawn('serve', '--port', '0', '--host', '127.0.0.1', ...flags),
    query: <T extends object>(text: string): Promise<T[]> =>
      withConnection(url, async (sql) => [...(await sql.unsafe<T[]>(text))]),
    /** Replaces the servers one after the other; `onMixed` is called whenever one has been. */
    async replaceAll(version: Version, onMixed: () => Promise<void>): Promise<void> {
      for (const { url: before, child } of servers) {
        child.kill('SIGTERM');
        await child.exited;
        balancer.remove(before);
        servers = [...servers.filter((one) => one.url !== before), await add(version)];
        await untilBothReady();
        await onMixed();
      }
    },
    async stop(): Promise<void> {
      for (const starter of Object.values(starters)) await starter.stopAll();
      await balancer.stop();
      await dropDatabase(name);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
