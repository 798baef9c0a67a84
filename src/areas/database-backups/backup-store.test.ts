import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { configWith } from '../../../test/support/config.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { call, seed, send, testApp, type TestUser } from '../../../test/support/harness.ts';
import { listNotifications } from '../../../test/support/notifications.ts';
import { jobCtx } from '../../../test/support/processing.ts';
import { startS3Server } from '../../../test/support/s3-server.ts';
import { parseS3Address } from '../../core/s3-address.ts';
import { fetchBackup, requireBackup, storeBackups } from '../../maintenance/stored-backups.ts';
import { MARKER } from '../../storage/stored-file.ts';
import { DEFAULTS } from '../system-config/index.ts';
import { handleBackUpDatabase } from './handlers.ts';

const server = startS3Server({ bucket: 'backups' });
const database = await useDatabase();
const settings = {
  ...database.deps.settings,
  backupStore: parseS3Address(`${server.url}/library`),
  backupStoreCredentials: server.credentials,
};
const deps = { ...database.deps, settings };
const app = testApp(database, { settings });
const folder = deps.paths.backups;
let admin: TestUser;
let other: TestUser;
beforeAll(async () => {
  admin = await seed(database).user(['all'], { isAdmin: true });
  other = await seed(database).user();
  const backup = { database: { ...DEFAULTS.backup.database, keepLastAmount: 2 } };
  await call(app, 'PUT /system-config', { as: admin, body: configWith({ backup }) });
});
afterEach(() => {
  server.fault = undefined;
  server.objects.clear();
  rmSync(folder, { recursive: true, force: true });
});
afterAll(() => server.stop());

async function backUpAt(time: string, isManual = false): Promise<void> {
  const ctx = jobCtx(database, { settings, now: () => new Date(time) });
  const effect = await handleBackUpDatabase(ctx, { isManual });
  await database.db.transaction(async (tx) => void (await effect!(tx)));
}
const listStored = () =>
  [...server.objects.keys()].flatMap((key) => /\/([^/]+\.dump)$/.exec(key)?.[1] ?? []).toSorted();
const listShown = async (): Promise<string[]> =>
  (await call(app, 'GET /admin/database-backups', { as: admin })).body.backups.map(
    ({ filename }: { filename: string }) => filename,
  );
const download = (name: string, as: TestUser) =>
  send(app, `GET /admin/database-backups/${name}` as 'GET /', { as });
const lose = () => rmSync(folder, { recursive: true });

test('a dump is in the store, and is listed, downloaded and fetched when the folder is lost', async () => {
  await backUpAt('2026-03-01T02:00:00Z');
  const [name] = readdirSync(folder).filter((file) => file.endsWith('.dump'));
  expect(listStored()).toEqual([name!]);
  expect(await listShown()).toEqual([name!]);
  const bytes = await Bun.file(join(folder, name!)).bytes();
  lose();
  expect(await listShown()).toEqual([name!]);
  const found = await download(name!, admin);
  expect(found.status).toBe(200);
  expect(Buffer.compare(await found.bytes(), bytes)).toBe(0);
  expect((await download(name!, other)).status).toBe(403);
  expect((await call(app, 'GET /admin/database-backups', { as: other })).status).toBe(403);
  const { path, size } = await fetchBackup(deps, name!);
  expect(size).toBe(bytes.length);
  expect(Buffer.compare(await Bun.file(path).bytes(), bytes)).toBe(0);
  await expect(requireBackup(deps, 'safelight-none.dump')).rejects.toMatchObject({
    kind: 'notFound',
  });
});

test('the store keeps as many dumps of the schedule as the folder, and those that were asked for', async () => {
  await backUpAt('2026-03-01T01:00:00Z', true);
  for (const day of [1, 2, 3]) await backUpAt(`2026-03-0${day}T02:00:00Z`);
  const stored = listStored();
  expect(stored).toHaveLength(3);
  expect(stored).toEqual(
    readdirSync(folder)
      .filter((file) => file.endsWith('.dump'))
      .toSorted(),
  );
});

test('a store that is away does not cost the dump, is told, and is made up for', async () => {
  server.fault = () => new Response(null, { status: 403 });
  await backUpAt('2026-03-01T02:00:00Z');
  expect(readdirSync(folder).filter((file) => file.endsWith('.dump'))).toHaveLength(1);
  const told = JSON.stringify(await listNotifications(app, admin));
  expect(told).toContain('the backup store failed');
  expect(await listShown()).toHaveLength(1);
  server.fault = undefined;
  await backUpAt('2026-03-02T02:00:00Z');
  expect(listStored()).toHaveLength(2);
});

test('a damaged dump is refused, and never in the folder', async () => {
  await backUpAt('2026-03-01T02:00:00Z');
  const [name] = listStored();
  const key = [...server.objects.keys()].find((one) => one.endsWith(name!))!;
  const { bytes } = server.objects.get(key)!;
  server.objects.set(key, { bytes: new Uint8Array(bytes.length), modifiedAt: new Date() });
  lose();
  await expect(fetchBackup(deps, name!)).rejects.toThrow('is damaged in the backup store');
  expect(readdirSync(folder)).toEqual([]);
});

test('a store of another library is not written to', async () => {
  const key = `library/${MARKER}`;
  const bytes = new TextEncoder().encode(crypto.randomUUID());
  server.objects.set(key, { bytes, modifiedAt: new Date() });
  const reason = expect.stringContaining('has the backups of another library');
  await expect(storeBackups(deps, 2)).rejects.toMatchObject({ cause: { message: reason } });
  expect(listStored()).toEqual([]);
});

test('a deleted backup is gone from the folder and the store, by an administrator only', async () => {
  await backUpAt('2026-03-01T02:00:00Z');
  await backUpAt('2026-03-02T02:00:00Z');
  const [first, second] = listStored();
  const remove = (names: readonly string[], as: TestUser) =>
    call(app, 'DELETE /admin/database-backups', { as, body: { backups: names } });
  expect((await remove([first!], other)).status).toBe(403);
  expect((await remove([first!, 'safelight-none.dump'], admin)).status).toBe(404);
  expect(listStored()).toEqual([first!, second!]);
  rmSync(join(folder, second!));
  expect((await remove([first!, second!], admin)).status).toBe(200);
  expect(listStored()).toEqual([]);
  expect(await listShown()).toEqual([]);
});
