import { afterAll, beforeEach, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useDatabase } from '../../test/support/database.ts';
import { startS3Server } from '../../test/support/s3-server.ts';
import { until } from '../../test/support/until.ts';
import { dataPaths } from '../core/paths.ts';
import { closeStores, getStoreFault, MARKER, openStores } from './stores.ts';
import { refuseWithoutStores, watchStores } from './watch.ts';

const server = startS3Server();
const database = await useDatabase();
const { sql } = database;
const paths = dataPaths(await mkdtemp(join(tmpdir(), 'watch-')));
const deps = {
  ...database.deps,
  paths,
  settings: { ...database.deps.settings, ...server.settings },
};
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
const getStatus = () =>
  refuseWithoutStores(paths, new Request('http://localhost/api/users/me'))?.status ?? 200;

test('nothing is served while the object store is not that of the library', async () => {
  await sql`update instance set object_store_marked_at = now()`;
  ({ stop } = watchStores(deps, () => {}));
  await until(() => getStatus() === 503, 10_000);
  expect(getStoreFault(paths)).toContain('is not the object store of this library');
  mark(crypto.randomUUID());
  await until(() => getStoreFault(paths)?.includes('belongs to another library') === true, 10_000);
  const [{ id } = { id: '' }] = await sql<{ id: string }[]>`select id from instance`;
  mark(id);
  await until(() => getStatus() === 200, 10_000);
});
