import { afterAll, beforeAll, beforeEach, expect } from 'bun:test';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sha256 } from '../../src/core/hash.ts';
import { silentLog } from '../../src/core/log.ts';
import { dataPaths } from '../../src/core/paths.ts';
import { connect } from '../../src/db/address.ts';
import { type Cluster, startCluster } from '../../src/db/cluster.ts';
import { originalPath } from '../../src/storage/stored-file.ts';
import { addDatabase } from '../fixtures/data-folder.ts';
import { runCommand } from './command-line.ts';
import { createMemoryFolder } from './memory-folder.ts';

/**
 * Makes a library with one account and a running database for the tests of this file, on which they run commands. Each
 * test begins without originals, backups and tags.
 */
export function useCommandLibrary() {
  const folder = createMemoryFolder('command-library-');
  const dataDir = join(folder, 'data');
  const paths = dataPaths(dataDir);
  let cluster: Cluster;
  const start = async () => {
    cluster = await startCluster({ dataDir, durability: 'none', log: silentLog });
  };
  const safelight = (...args: string[]) => runCommand(folder, [...args, '--data', dataDir]);

  /** Rows of the last of these statements. */
  async function query(text: string): Promise<Record<string, unknown>[]> {
    const sql = connect(cluster.url, { max: 1, onnotice: () => {} });
    try {
      return [...(await sql.unsafe(text))] as Record<string, unknown>[];
    } finally {
      await sql.end();
    }
  }

  /** Adds an original with its file, and returns the path of it. */
  async function addOriginal(text: string): Promise<string> {
    const digest = sha256(text);
    const path = originalPath(paths, digest);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    const hex = Buffer.from(digest).toString('hex');
    await query(`insert into original (sha256, size) values ('\\x${hex}', ${text.length})`);
    return path;
  }

  beforeAll(async () => {
    await addDatabase(dataDir);
    await start();
    const created = await safelight('admin', 'create', 'ada@example.org');
    expect(created).toMatchObject({ code: 0, err: '' });
  });
  afterAll(async () => {
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    for (const path of [paths.backups, paths.originals])
      rmSync(path, { recursive: true, force: true });
    await query('delete from original; delete from tag');
  });
  return {
    folder,
    dataDir,
    paths,
    start,
    stop: () => cluster.stop(),
    safelight,
    query,
    addOriginal,
  };
}
