import { afterAll, beforeAll, expect, test } from 'bun:test';
import { deleteForGood } from '../../test/support/deletion.ts';
import sharp from 'sharp';
import { call, seed, type TestDatabase, testDatabase } from '../../test/support/harness.ts';
import { openClient, startLiveServer, withBearer } from '../../test/support/live-clients.ts';
import { addFace, addPerson } from '../../test/support/people.ts';
import { derivedPath, jobCtx } from '../../test/support/processing.ts';
import { tellAdmins } from '../areas/notifications/index.ts';
import { handleRenderPerson } from '../areas/people/thumbnail/thumbnail.handlers.ts';
import { handleRemoveAccounts } from '../areas/admin-users/removal.handlers.ts';
import { silentLog } from '../core/log.ts';
import { assetFiles } from '../db/tables/assets.ts';
import { startListener } from '../http/listener.ts';
import { createMaintenanceSockets } from '../maintenance/sockets.ts';

// The list of the events that the clients of Immich listen to is a check-list: each is sent by what it is about,
// and received by a client of socket.io.

let database: TestDatabase;
let live: Awaited<ReturnType<typeof startLiveServer>>;
beforeAll(async () => {
  database = await testDatabase();
  live = await startLiveServer(database);
});
afterAll(async () => {
  live.hangUp();
  expect(await live.stop()).toBe('clean');
  await database.close();
});

type Stage = {
  readonly admin: Awaited<ReturnType<ReturnType<typeof seed>['user']>>;
  readonly assetId: string;
};

const set = (change: string) => (stage: Stage) =>
  database.sql.unsafe(`update asset set ${change} where id = '${stage.assetId}'`);

/** The cause of each event, in this order. */
const SENT: Readonly<Record<string, (stage: Stage) => Promise<unknown>>> = {
  // Since the connection.
  on_server_version: async () => {},
  on_upload_success: set(`thumbhash = '\\x01', metadata_read_at = now()`),
  AssetUploadReadyV2: async () => {},
  on_asset_update: set(`file_name = 'b.jpg'`),
  AssetEditReadyV2: set(`thumbhash = '\\x02'`),
  on_asset_trash: set('trashed_at = now()'),
  on_asset_restore: set('trashed_at = null'),
  on_asset_stack_update: ({ admin, assetId }) => createStack(admin, assetId),
  on_person_thumbnail: ({ admin, assetId }) => renderPerson(admin.id, assetId),
  on_asset_hidden: set(`visibility = 'hidden'`),
  on_asset_delete: ({ assetId }) => deleteForGood(database, [assetId]),
  on_album_update: async ({ admin }) => {
    const { body } = await call(live.app, 'POST /albums', { as: admin, body: { albumName: 'A' } });
    await call(live.app, `PATCH /albums/${body.id}`, { as: admin, body: { albumName: 'B' } });
  },
  on_notification: () =>
    database.db.transaction((tx) =>
      tellAdmins(tx, { title: 'Title', description: 'Text' }, new Date()),
    ),
  on_config_update: ({ admin }) =>
    call(live.app, 'POST /system-metadata/admin-onboarding', {
      as: admin,
      body: { isOnboarded: true },
    }),
  on_user_delete: async ({ admin }) => {
    const { id } = await seed(database).user();
    await call(live.app, `DELETE /admin/users/${id}`, { as: admin, body: { force: true } });
    await handleRemoveAccounts(jobCtx(database), {});
  },
  on_session_delete: ({ admin }) => database.sql`delete from session where user_id = ${admin.id}`,
};

/** Nothing here asks the internet whether there is a newer version: the packages of the system do. */
const NOT_SENT = ['on_new_release'];
/** Sent by what replaces the application. */
const OF_MAINTENANCE = ['AppRestartV1', 'MaintenanceStatusV1'];

const EVENTS_OF_IMMICH = [
  'on_upload_success',
  'on_user_delete',
  'on_asset_delete',
  'on_asset_trash',
  'on_asset_update',
  'on_asset_hidden',
  'on_asset_restore',
  'on_asset_stack_update',
  'on_album_update',
  'on_person_thumbnail',
  'on_server_version',
  'on_config_update',
  'on_new_release',
  'on_notification',
  'on_session_delete',
  'AssetUploadReadyV2',
  'AssetEditReadyV2',
  'AppRestartV1',
  'MaintenanceStatusV1',
];

test('every event that the clients of Immich know is sent and received', async () => {
  expect([...Object.keys(SENT), ...OF_MAINTENANCE, ...NOT_SENT].sort()).toEqual(
    EVENTS_OF_IMMICH.toSorted(),
  );
  const admin = await seed(database).user(['all'], { isAdmin: true });
  const stage = { admin, assetId: await seed(database).asset({ ownerId: admin.id }) };
  const client = openClient(live.url, withBearer(admin));
  await client.connected;
  for (const [name, provoke] of Object.entries(SENT)) {
    await provoke(stage);
    const received = await client.until(name);
    expect(received.at(-1)![0]).toBe(name);
  }
});

test('those of maintenance mode are sent and received', async () => {
  const { settings, paths } = database.deps;
  const sockets = createMaintenanceSockets({
    settings,
    paths,
    log: silentLog,
    getStatus: () => ({ action: 'restore_database', task: 'restore', progress: 12 }),
  });
  const listener = await startListener({
    fetch: () => new Response(null, { status: 503 }),
    host: '127.0.0.1',
    port: 0,
    log: silentLog,
    upgrade: sockets.upgrade,
  });
  const client = openClient(listener.url, {});
  await client.connected;
  expect(await client.until('MaintenanceStatusV1')).toEqual([
    [
      'MaintenanceStatusV1',
      { active: true, action: 'restore_database', task: 'restore', progress: 12 },
    ],
  ]);
  await sockets.close({ isMaintenanceMode: false });
  expect(await client.until('AppRestartV1')).toEqual([
    ['AppRestartV1', { isMaintenanceMode: false }],
  ]);
  expect(await listener.stop(2000)).toBe('clean');
});

async function createStack(admin: Stage['admin'], assetId: string): Promise<void> {
  const other = await seed(database).asset({ ownerId: admin.id });
  const body = { assetIds: [assetId, other] };
  const { status } = await call(live.app, 'POST /stacks', { as: admin, body });
  expect(status).toBe(201);
}

async function renderPerson(ownerId: string, assetId: string): Promise<void> {
  const { id } = await addPerson(database, { ownerId });
  await addFace(database, { ownerId, personId: id, assetId });
  const red = { create: { width: 400, height: 300, channels: 3, background: 'red' } } as const;
  const name = `${assetId}-preview.webp`;
  await Bun.write(derivedPath(database, name), await sharp(red).webp().toBuffer());
  await database.db
    .insert(assetFiles)
    .values({ assetId, kind: 'preview', name, mimeType: 'image/webp', size: 1, tag: 't' });
  const effect = await handleRenderPerson(jobCtx(database), { personId: id });
  if (effect) await database.db.transaction((tx) => effect(tx));
}
