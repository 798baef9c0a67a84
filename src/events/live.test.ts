import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { type FormPart, photoForm, randomFileBytes, upload } from '../../test/support/forms.ts';
import {
  call,
  NOW,
  seed,
  testApp,
  type TestDatabase,
  testDatabase,
} from '../../test/support/harness.ts';
import { type Household, seedHousehold } from '../../test/support/household.ts';
import {
  type Client,
  type ConnectOptions,
  type Event,
  startLiveServer,
  withBearer,
} from '../../test/support/live-clients.ts';
import { until } from '../../test/support/until.ts';
import { silentLog } from '../core/log.ts';
import { startListener } from '../http/listener.ts';

let database: TestDatabase;
let live: Awaited<ReturnType<typeof startLiveServer>>;
let house: Household;
beforeAll(async () => {
  database = await testDatabase();
  house = await seedHousehold(database);
  live = await startLiveServer(database);
});
afterEach(() => live.hangUp());
afterAll(async () => {
  expect(await live.stop()).toBe('clean');
  await database.close();
});

const connect = (way: ConnectOptions) => live.connect(way);
const received = (...clients: Client[]) => live.received(...clients);

describe('connecting', () => {
  test('succeeds with every credential that clients use, and sends the server version', async () => {
    const me = await seed(database).user();
    const ways: ConnectOptions[] = [
      withBearer(me),
      { headers: { 'x-api-key': me.key } },
      { headers: { cookie: `immich_access_token=${me.token}` } },
      { headers: { cookie: `immich_access_token=${me.token}`, origin: live.url } },
      { query: { sessionKey: me.token } },
      { query: { apiKey: me.key } },
    ];
    for (const way of ways) expect((await connect(way)).socket.connected).toBe(true);
  });

  test('without a credential, with a shared link, with a key without asset.read, and from other origins it ends at once, and says why', async () => {
    const narrow = await seed(database).user(['album.read']);
    const gone = await seed(database).user();
    await database.sql`update session set expires_at = ${NOW.toISOString()} where user_id = ${gone.id}`;
    const ways: ConnectOptions[] = [
      {},
      { headers: { authorization: 'Bearer wrong' } },
      { headers: { 'x-api-key': 'wrong' } },
      { query: { slug: 'album' } },
      { headers: { 'x-api-key': narrow.key } },
      withBearer(gone),
      {
        headers: {
          cookie: `immich_access_token=${house.owner.token}`,
          origin: 'http://evil.example',
        },
      },
    ];
    for (const way of ways) {
      const { events, reason } = await live.knock(way);
      expect([events, reason]).toEqual([[['error', 'unauthorized']], 'io server disconnect']);
    }
  });

  test('clients that tell nothing are disconnected, and there are so many strangers and no more', async () => {
    const silent: WebSocket[] = [];
    const open = () => {
      const socket = new WebSocket(
        `${live.url.replace('http', 'ws')}/api/socket.io/?EIO=4&transport=websocket`,
      );
      silent.push(socket);
      return new Promise<boolean>((resolve) => {
        socket.addEventListener('open', () => resolve(true));
        socket.addEventListener('close', () => resolve(false));
      });
    };
    for (let at = 0; at < 100; at++) expect(await open()).toBe(true);
    expect(await open()).toBe(false);
    // Accounts have their own.
    expect((await connect(withBearer(house.owner))).socket.connected).toBe(true);
    for (const socket of silent) socket.close();
    await until(open);
  });

  test('clients connect again by themselves when the server ends, and learn of maintenance mode', async () => {
    const other = await startLiveServer(database);
    const client = await other.connect(withBearer(house.owner));
    const left = Promise.withResolvers<string>();
    client.socket.on('disconnect', (reason) => left.resolve(reason));
    await other.enterMaintenance();
    expect(await client.until('AppRestartV1')).toEqual([
      ['AppRestartV1', { isMaintenanceMode: true }],
    ]);
    expect(await left.promise).toStartWith('transport');
    await other.stop();
  });

  test('upgrades no other path', async () => {
    const me = await seed(database).user();
    const headers = { authorization: `Bearer ${me.token}` };
    const { promise, resolve } = Promise.withResolvers<number>();
    const socket = new WebSocket(`${live.url.replace('http', 'ws')}/api/assets`, {
      headers,
    } as unknown as string);
    socket.addEventListener('close', (event) => resolve(event.code));
    expect(await promise).not.toBe(1000);
  });
});

describe('a change of an asset', () => {
  const three = async () => {
    const [me, other] = [await seed(database).user(), await seed(database).user()];
    const [mine, mineToo, others] = [
      await connect(withBearer(me)),
      await connect({ headers: { 'x-api-key': me.key } }),
      await connect(withBearer(other)),
    ];
    return { me, clients: [mine, mineToo, others] as const };
  };
  const names = (events: Event[]) =>
    events.map(([name, ...args]) =>
      `${name} ${args.map((arg) => (typeof arg === 'string' ? arg : (arg.id ?? arg.asset?.id ?? JSON.stringify(arg)))).join(' ')}`.trim(),
    );

  test('is sent to all clients of the owner and to nobody else', async () => {
    const { me, clients } = await three();
    const id = await seed(database).asset({ ownerId: me.id, exif: { make: 'Canon' } });
    const { sql } = database;
    const set = (change: string) => sql.unsafe(`update asset set ${change} where id = '${id}'`);
    const steps: [() => Promise<unknown>, string[]][] = [
      [() => set(`thumbhash = '\\x01', width = 4, height = 3`), []],
      [
        () => set('metadata_read_at = now()'),
        [`on_upload_success ${id}`, `AssetUploadReadyV2 ${id}`],
      ],
      [() => set(`file_name = 'b.jpg'`), [`on_asset_update ${id}`]],
      [() => set('metadata_read_at = now()'), []],
      [() => set(`thumbhash = '\\x02'`), [`on_asset_update ${id}`, `AssetEditReadyV2 ${id}`]],
      [() => set(`visibility = 'archive'`), [`on_asset_update ${id}`]],
      [() => set('trashed_at = now()'), [`on_asset_trash ["${id}"]`]],
      [() => set('trashed_at = null'), [`on_asset_restore ["${id}"]`]],
      [() => set(`visibility = 'hidden'`), [`on_asset_hidden ${id}`]],
      [() => sql`delete from asset where id = ${id}`, [`on_asset_delete ${id}`]],
    ];
    for (const [change, expected] of steps) {
      await change();
      const [first, second, third] = await received(...clients);
      expect(names(first!)).toEqual(expected);
      expect(names(second!)).toEqual(expected);
      expect(third).toEqual([]);
    }
  });

  test('a finished upload is sent with all fields that the phone app and the page display', async () => {
    const { me, clients } = await three();
    const id = await seed(database).asset({ ownerId: me.id, exif: { make: 'Canon' } });
    await database.sql`
      update asset set thumbhash = '\\x01', metadata_read_at = now() where id = ${id}`;
    const [events, , none] = await received(...clients);
    expect(names(events!)).toEqual([`on_upload_success ${id}`, `AssetUploadReadyV2 ${id}`]);
    expect(events![0]![1]).toMatchObject({ id, exifInfo: { make: 'Canon' } });
    expect(events![1]![1]).toMatchObject({
      asset: { id, thumbhash: 'AQ==', visibility: 'timeline' },
      exif: { assetId: id, make: 'Canon' },
    });
    expect(none).toEqual([]);

    await database.sql`insert into asset_edit (asset_id, position, action, parameters)
      values (${id}, 0, 'rotate', '{"angle": 90}')`;
    await database.sql`update asset set thumbhash = '\\x02' where id = ${id}`;
    const [edited] = await received(clients[0]);
    expect(names(edited!)).toEqual([`on_asset_update ${id}`, `AssetEditReadyV2 ${id}`]);
    expect(edited![1]![1].edit).toMatchObject([{ assetId: id, action: 'rotate', sequence: 0 }]);
  });

  test('an upload is finished after both thumbnail and metadata jobs, in any order', async () => {
    const { me, clients } = await three();
    const [picture, metadata] = [`thumbhash = '\\x01'`, 'metadata_read_at = now()'];
    for (const steps of [
      [picture, metadata],
      [metadata, picture],
    ]) {
      const id = await seed(database).asset({ ownerId: me.id });
      const told: string[][] = [];
      for (const step of steps) {
        await database.sql.unsafe(`update asset set ${step} where id = '${id}'`);
        told.push(names((await received(clients[0]))[0]!));
      }
      expect(told).toEqual([[], [`on_upload_success ${id}`, `AssetUploadReadyV2 ${id}`]]);
    }
  });

  test('the deletion of a live photo is sent for its hidden part too', async () => {
    const { me, clients } = await three();
    const app = testApp(database);
    const send = async (name: string, fields: readonly FormPart[] = []) =>
      (await upload(app, photoForm(randomFileBytes(), fields, name), { as: me })).body.id as string;
    const video = await send('a.mov');
    const still = await send('a.heic', [{ name: 'livePhotoVideoId', value: video }]);
    expect(names((await received(clients[0]))[0]!)).toEqual([`on_asset_hidden ${video}`]);
    const body = { ids: [still], force: true };
    expect((await call(app, 'DELETE /assets', { as: me, body })).status).toBe(204);
    const [mine, , others] = await received(...clients);
    expect(names(mine!).sort()).toEqual(
      [`on_asset_delete ${still}`, `on_asset_delete ${video}`].sort(),
    );
    expect(others).toEqual([]);
  });

  test('locking an asset sends its removal and nothing afterwards', async () => {
    const { me, clients } = await three();
    const id = await seed(database).asset({ ownerId: me.id, thumbhash: new Uint8Array([1]) });
    await database.sql`update session set elevated_until = ${new Date(NOW.getTime() + 60_000).toISOString()}`;
    for (const change of [`locked_at = now()`, `file_name = 'c.jpg'`, `thumbhash = '\\x09'`]) {
      await database.sql.unsafe(`update asset set ${change} where id = '${id}'`);
    }
    const [events] = await received(clients[0]);
    expect(names(events!)).toEqual([`on_asset_hidden ${id}`]);
    await database.sql`delete from asset where id = ${id}`;
    expect(await received(clients[0])).toEqual([[]]);
  });

  test('a change of very many assets is sent as one summary event', async () => {
    const { me, clients } = await three();
    await database.sql`
      with file as (
        insert into original (sha256, size) select sha256(convert_to(${me.id} || n, 'utf8')), 1
        from generate_series(1, 1600) n returning sha256)
      insert into asset (owner_id, type, sha256, sha1, file_name, file_size, taken_at, local_taken_at,
        file_modified_at, thumbhash)
      select ${me.id}, 'IMAGE', sha256, substring(sha256 for 20), 'a', 1, now(), now(), now(), '\\x01'
      from file`;
    await database.sql`update asset set is_favorite = true where owner_id = ${me.id}`;
    expect((await received(clients[0]))[0]).toEqual([['on_library_update']]);
    const { sql } = database;
    await sql`update asset set trashed_at = now() where id in (
      select id from asset where owner_id = ${me.id} limit 400)`;
    const trashed = (await received(clients[0]))[0]!;
    expect(trashed.map(([name, ids]) => [name, ids.length])).toEqual([
      ['on_asset_trash', 150],
      ['on_asset_trash', 150],
      ['on_asset_trash', 100],
    ]);
  });

  test('is sent on commit: a rolled back change sends nothing', async () => {
    const { me, clients } = await three();
    const id = await seed(database).asset({ ownerId: me.id, thumbhash: new Uint8Array([1]) });
    await database.sql
      .begin(async (tx) => {
        await tx`update asset set trashed_at = now() where id = ${id}`;
        throw new Error('no');
      })
      .catch(() => {});
    expect(await received(clients[0])).toEqual([[]]);
  });
});

test('an album change is sent to all who may open it, a stack change to its owner', async () => {
  const { owner, member, stranger, albumId, ids } = house;
  const clients = [
    await connect(withBearer(owner)),
    await connect(withBearer(member)),
    await connect(withBearer(stranger)),
  ] as const;
  await database.sql`delete from album_asset where asset_id = ${ids.video}`;
  expect(await received(...clients)).toEqual([
    [['on_album_update', albumId]],
    [['on_album_update', albumId]],
    [],
  ]);
  await database.sql`update stack set updated_at = now() where owner_id = ${owner.id}`;
  expect(await received(...clients)).toEqual([[['on_asset_stack_update']], [], []]);
});

test('an account has so many connections and no more, others have theirs, and a closed one is free again', async () => {
  const [me, other] = [await seed(database).user(), await seed(database).user()];
  const clients: Client[] = [];
  for (let at = 0; at < 100; at++) clients.push(await connect(withBearer(me)));
  const refused = await fetch(`${live.url}/api/socket.io/?EIO=4&transport=websocket`, {
    headers: {
      ...withBearer(me).headers,
      connection: 'upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': btoa('0123456789abcdef'),
    },
  });
  expect([refused.status, await refused.json()]).toEqual([
    429,
    { message: 'An account can have at most 100 live connections' },
  ]);
  expect((await connect(withBearer(other))).socket.connected).toBe(true);
  clients[0]!.socket.disconnect();
  await until(() =>
    connect(withBearer(me)).then(
      () => true,
      () => false,
    ),
  );
});

test('a deleted session is notified and disconnected', async () => {
  const me = await seed(database).user();
  const client = await connect(withBearer(me));
  const [row] = await database.sql`delete from session where user_id = ${me.id} returning id`;
  expect(await client.until('on_session_delete')).toEqual([['on_session_delete', row!['id']]]);
  if (client.socket.connected) {
    await new Promise<void>((resolve) => client.socket.on('disconnect', () => resolve()));
  }
  expect(client.socket.connected).toBe(false);
});

test('an API key that is deleted or changed is disconnected at once, and others stay', async () => {
  const { sql } = database;
  const friend = await seed(database).user();
  for (const change of ['delete', 'update']) {
    const me = await seed(database).user();
    const client = await connect({ headers: { 'x-api-key': me.key } });
    const others = [
      await connect(withBearer(me)),
      await connect({ headers: { 'x-api-key': friend.key } }),
    ];
    await sql`update api_key set name = 'other' where user_id = ${me.id}`;
    expect(client.socket.connected).toBe(true);
    if (change === 'delete') await sql`delete from api_key where user_id = ${me.id}`;
    else await sql`update api_key set permissions = '{album.read}' where user_id = ${me.id}`;
    await until(async () => !client.socket.connected);
    expect(others.map(({ socket }) => socket.connected)).toEqual([true, true]);
  }
});

test('sends no NOTIFY without connected clients', async () => {
  const me = await seed(database).user();
  const heard: string[] = [];
  const listening = await database.sql.listen('live', (payload) => void heard.push(payload));
  const id = await seed(database).asset({ ownerId: me.id, thumbhash: new Uint8Array([1]) });
  await database.sql`update asset set trashed_at = now() where id = ${id}`;
  await connect(withBearer(me)).then(received);
  expect(heard.map((text) => JSON.parse(text).event)).toEqual(['config']);
  await listening.unlisten();
});

test('a listener without live events refuses the connection at once', async () => {
  const app = testApp(database);
  const plain = await startListener({
    fetch: (request) => app.fetch(request),
    host: '127.0.0.1',
    port: 0,
    log: silentLog,
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  const socket = new WebSocket(`${plain.url.replace('http', 'ws')}/api/socket.io/?EIO=4`);
  socket.addEventListener('close', () => resolve());
  await promise;
  await plain.stop(1000);
});

test('an open connection does not extend the unlocked time of its session', async () => {
  const me = await seed(database).user();
  const until = new Date(NOW.getTime() + 60_000);
  await database.sql`
    update session set elevated_until = ${until.toISOString()} where user_id = ${me.id}`;
  // Every renewal asks who the client is, in the same way as the connection did.
  for (let n = 0; n < 3; n++) await connect(withBearer(me));
  const [row] = await database.sql`select elevated_until from session where user_id = ${me.id}`;
  expect(new Date(row!['elevated_until'] as string)).toEqual(until);
  // Activity of its owner extends it.
  const headers = { authorization: `Bearer ${me.token}` };
  expect((await fetch(`${live.url}/api/tags`, { headers })).status).toBe(200);
  const [slid] = await database.sql`select elevated_until from session where user_id = ${me.id}`;
  expect(new Date(slid!['elevated_until'] as string).getTime()).toBeGreaterThan(until.getTime());
});
