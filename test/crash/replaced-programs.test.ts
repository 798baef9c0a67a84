import { afterAll, afterEach, expect } from 'bun:test';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { addDatabase } from '../fixtures/data-folder.ts';
import { createMemoryFolder } from '../support/memory-folder.ts';
import { mountPostgresCopy, replaceLibrary } from '../support/replaced-postgres.ts';
import { isReady, serveFrom } from '../support/served.ts';
import { openProgress, makeSlowFiles, uploadFiles } from '../e2e/ingest.ts';
import { runningCluster } from '../../src/db/cluster.ts';
import { signUp, until } from '../e2e/server.ts';
import { TIMEOUT_MS } from '../e2e/stage.ts';
import { skipWithout } from '../support/requirements.ts';

// An upgrade of Debian's PostgreSQL replaces its libraries below a running server: each new session fails to load
// them, until the server of before has ended.

const REPLACED = 'the program of the database was replaced';
const folder = createMemoryFolder('replaced-');
const prefix = mountPostgresCopy(folder);
const servers = serveFrom(folder, prefix);
afterEach(() => servers.stopAll());
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Adds tags from four clients until `stop`, which returns the statuses of the answers. */
function startWrites(url: string, headers: Record<string, string>) {
  let isOver = false;
  const statuses: number[] = [];
  const write = async () => {
    while (!isOver) {
      const body = JSON.stringify({ name: crypto.randomUUID() });
      const json = { ...headers, 'content-type': 'application/json' };
      const { status } = await fetch(`${url}/api/tags`, { method: 'POST', headers: json, body });
      statuses.push(status);
    }
  };
  const running = Array.from({ length: 4 }, write);
  return {
    async stop(): Promise<readonly number[]> {
      isOver = true;
      await Promise.all(running);
      return statuses;
    },
  };
}

skipWithout('mount namespaces').test(
  'a server whose PostgreSQL is upgraded below it starts the new one by itself, and loses nothing',
  async () => {
    const dataDir = join(folder, 'data');
    await addDatabase(dataDir);
    const { url, lines } = await servers.serve('--data', dataDir);
    const { apiKey } = await signUp(url);
    const files = await makeSlowFiles();
    await uploadFiles(url, apiKey, files);
    const headers = { 'x-api-key': apiKey };
    const count = () => lines.filter(({ message }) => message.startsWith(REPLACED)).length;
    const writes = startWrites(url, headers);
    await replaceLibrary(folder, async () => {
      await until('the broken program', async () => count() === 1);
    });
    await until('the new program', async () => count() === 2);
    expect((await writes.stop()).filter((status) => status !== 201 && status !== 503)).toEqual([]);
    const ask = () => fetch(`${url}/api/server/about`, { headers });
    await until('the server', async () => (await ask()).status === 200);
    await uploadFiles(url, apiKey, files);
    const progress = openProgress({ databaseUrl: runningCluster(dataDir)! });
    await progress.untilDone();
    const { all, broken } = await progress.count();
    expect([all, broken]).toEqual([2 * files.length, []]);
    expect(await progress.countFailed()).toBe(0);
    await progress.close();
    await until('the server', () => isReady(url));
  },
  TIMEOUT_MS,
);
