import { afterAll, beforeEach, expect, test } from 'bun:test';
import type { SQL } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useDatabase } from '../../test/support/database.ts';
import { startS3Server } from '../../test/support/s3-server.ts';
import { until } from '../../test/support/until.ts';
import { seed } from '../../test/support/harness.ts';
import { dataPaths } from '../core/paths.ts';
import { closeStores, getStoreFault, openStores } from './library-folders.ts';
import { MARKER } from './stored-file.ts';
import { refuseWithoutStores } from '../http/failed-response.ts';
import { createJudge, watchStores } from './watch.ts';

const server = startS3Server();
const database = await useDatabase();
const { sql } = database;
const paths = dataPaths(await mkdtemp(join(tmpdir(), 'watch-')));
const deps = {
  ...database.deps,
  paths,
  settings: { ...database.deps.settings, ...server.settings },
};
const dialect = new PgDialect();
let stop = () => {};
beforeEach(async () => {
  stop();
  closeStores(paths);
  expect(await openStores(deps)).toBeUndefined();
});
afterAll(async () => {
  stop();
  closeStores(paths);
  await server.stop();
  await rm(paths.root, { recursive: true, force: true });
});

const mark = (id: string) =>
  server.objects.set(MARKER, { bytes: new TextEncoder().encode(id), modifiedAt: new Date() });
const getStatus = (path = '/timeline/buckets') =>
  refuseWithoutStores(paths, new Request(`http://localhost/api${path}`))?.status ?? 200;

test('no item is served while the object store is not that of the library, but people log in', async () => {
  await sql`update instance set object_store_marked_at = now()`;
  ({ stop } = watchStores(deps, () => {}));
  await until(() => getStatus() === 503, 10_000);
  const needsNoFile = [
    '/auth/login',
    '/users/me',
    '/sessions',
    '/api-keys',
    '/admin/users',
    '/oauth/authorize',
  ];
  expect(needsNoFile.filter((path) => getStatus(path) !== 200)).toEqual([]);
  const needsFiles = [
    '/assets',
    '/assets/1/original',
    '/users/profile-image',
    '/users/1/profile-image',
  ];
  expect(needsFiles.filter((path) => getStatus(path) !== 503)).toEqual([]);
  expect(getStoreFault(paths)).toContain('is not the object store of this library');
  mark(crypto.randomUUID());
  await until(() => getStoreFault(paths)?.includes('belongs to another library') === true, 10_000);
  const [{ id } = { id: '' }] = await sql<{ id: string }[]>`select id from instance`;
  mark(id);
  await until(() => getStatus() === 200, 10_000);
});

const unmounted = `${paths.derived}.unmounted`;

/** A server whose disk is not mounted: below lies an empty folder. */
async function openRefused() {
  const id = await seed(deps).asset({ ownerId: (await seed(deps).user()).id });
  await sql`update original set object_key = encode(sha256, 'hex')`;
  await sql`insert into asset_file values (${id}, 'preview', 'a.jpg', 'image/jpeg', 1, 't')`;
  await rename(paths.derived, unmounted);
  const statements: string[] = [];
  const db = new Proxy(deps.db, {
    get: (own, name, receiver) =>
      name === 'execute'
        ? (query: Parameters<typeof own.execute>[0]) => {
            statements.push(dialect.sqlToQuery(query as SQL).sql);
            return own.execute(query);
          }
        : Reflect.get(own, name, receiver),
  });
  let now = 0;
  const judge = createJudge({ ...deps, db }, () => now);
  return {
    judge,
    /** Judges as often as a server does in this time. Returns the statements that it has sent. */
    async watch(seconds: number): Promise<string[]> {
      statements.length = 0;
      for (const end = now + seconds * 1000; now < end; now += 2000)
        expect(await judge()).toContain('derived is not the folder of this library');
      return [...statements];
    },
    async [Symbol.asyncDispose]() {
      if (existsSync(unmounted)) {
        await rm(paths.derived, { recursive: true, force: true });
        await rename(unmounted, paths.derived);
      }
      await sql`delete from asset`;
      await sql`delete from original`;
    },
  };
}
const countScans = (statements: readonly string[]) =>
  statements.filter((text) =>
    /from (original|asset_file|person|video_frame)\s+where (?!\w*id =)/.test(text),
  ).length;

test('an empty folder that was refused is judged by a file that it lacks, ever more rarely', async () => {
  await using refused = await openRefused();
  const first = await refused.watch(2);
  expect(countScans(first)).toBe(4);
  const later = await refused.watch(600);
  // After 4, 8, 16, 32 s and then each minute: which library it is, and whether that file still belongs into it.
  expect([later.length, countScans(later)]).toEqual([26, 0]);
  await sql`update asset_file set kind = 'thumbnail', name = 'b.jpg'`;
  expect(countScans(await refused.watch(60))).toBe(4);
});

test('the right folder is accepted at once, and an empty one when nothing is in folders any more', async () => {
  await using refused = await openRefused();
  await refused.watch(600);
  await rename(unmounted, paths.derived);
  expect(await refused.judge()).toBeUndefined();
  await rm(paths.derived, { recursive: true });
  expect(await refused.judge()).toContain('is missing');
  await sql`update asset_file set name = 'derived/' || name`;
  await mkdir(paths.derived);
  expect(await refused.judge()).toBeUndefined();
});
