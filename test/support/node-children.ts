import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { App } from '../../src/app.ts';
import { firstLine } from '../crash/child.ts';
import type { TestDatabase } from './harness.ts';
import type { Client } from './resumable.ts';
import type { S3Server } from './s3-server.ts';
import { until } from './until.ts';

export type NodeChild = {
  readonly id: string;
  readonly url: string;
  readonly pid: number;
  readonly dataDir: string;
  /** For the functions that call an API. */
  readonly app: App;
  toClient(key: string): Client;
  /** Resolves when the others know that it is gone, which they hear at once. */
  kill(): Promise<void>;
};

/**
 * Servers in processes of their own on one library: each has a folder of its own for everything but its originals, which
 * are in the object store where one is given.
 */
export function createNodeChildren(
  { deps, sql }: Pick<TestDatabase, 'deps' | 'sql'>,
  store?: Pick<S3Server, 'url' | 'credentials'>,
) {
  const { databaseUrl } = deps.settings;
  const folders: string[] = [];
  const running: Bun.Subprocess[] = [];

  function addFolder(): string {
    // On the disk of the originals: a file is linked to them.
    const folder = mkdtempSync(join(dirname(deps.settings.dataDir), 'node-'));
    folders.push(folder);
    for (const name of ['originals', 'derived'] as const) {
      mkdirSync(deps.paths[name], { recursive: true });
      symlinkSync(deps.paths[name], join(folder, name));
    }
    return folder;
  }

  async function start(dataDir = addFolder(), port = 0): Promise<NodeChild> {
    // Not a bundle: it starts the program in other roles, whose sources are beside its own.
    const script = join(import.meta.dir, '../crash/node-child.ts');
    const objectStore = store ? [store.url, store.credentials] : [];
    const place = [databaseUrl ?? '', dataDir, String(port), ...objectStore];
    const command = [process.execPath, script, ...place];
    const child = Bun.spawn(['setpriv', '--pdeathsig', 'KILL', '--', ...command], {
      stdout: 'pipe',
      stderr: 'inherit',
    });
    running.push(child);
    const { url } = JSON.parse(await firstLine(child.stdout)) as { url: string };
    const isAlive = sql`address = ${url} and state = 'ready'`;
    const find = async () => (await sql`select id from node where ${isAlive}`)[0]?.['id'];
    await until(async () => (await find()) !== undefined);
    // The others have heard of it with their next heartbeat.
    await Bun.sleep(300);
    const id = await find();
    const handle = (request: Request) => {
      const { pathname, search } = new URL(request.url);
      return fetch(new Request(`${url}${pathname}${search}`, request));
    };
    return {
      id,
      url,
      dataDir,
      pid: child.pid,
      app: { handle } as unknown as App,
      toClient: (key) => ({ port: Number(new URL(url).port), key }),
      async kill() {
        child.kill('SIGKILL');
        await child.exited;
        await sql`update node set state = 'gone' where id = ${id}`;
        await Bun.sleep(300);
      },
    };
  }

  return {
    start,
    async stopAll(): Promise<void> {
      for (const child of running) {
        child.kill('SIGKILL');
        await child.exited;
      }
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    },
  };
}
