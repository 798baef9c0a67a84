import { describe, expect, test } from 'bun:test';
import { call, seed } from '../../../test/support/harness.ts';
import { unlock } from '../../../test/support/household.ts';
import {
  toBuckets,
  DEVICES,
  filterBucket,
  setUpReconciliation,
} from '../../../test/support/reconciling.ts';

const server = setUpReconciliation();
const { differing, history, newDevice, register, send, start } = server;

const V1 = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';
const NIL = '00000000-0000-0000-0000-000000000000';
const MAX = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

describe('who may', () => {
  test('AU-013: only a session whose PIN was entered', async () => {
    const { me, runId, hashes } = await differing();
    await server.database.sql`update session set elevated_until = null where user_id = ${me.id}`;
    const routes = [
      [`GET ${DEVICES}/${me.deviceId}/reconciliations`, undefined],
      [`POST ${DEVICES}/${me.deviceId}/reconciliations`, { buckets: toBuckets(hashes) }],
      [
        `POST ${DEVICES}/${me.deviceId}/reconciliations/${runId}/buckets`,
        { index: 1, hashes: filterBucket(hashes, 1) },
      ],
    ] as const;
    for (const [route, body] of routes) {
      for (const caller of [{ session: me }, { as: me }]) {
        expect(await call(server.app, route, { ...caller, body })).toMatchObject({
          status: 401,
          body: { code: 'elevation_required' },
        });
      }
      expect((await call(server.app, route, { body })).status).toBe(401);
    }
    // A key beside the unlocked session must hold the permission.
    await unlock(server.database, me);
    const narrow = await seed(server.database).user(['user.read']);
    await server.database.sql`update api_key set user_id = ${me.id} where user_id = ${narrow.id}`;
    for (const [route, body] of routes) {
      expect((await call(server.app, route, { session: me, as: narrow, body })).status).toBe(403);
    }
  });

  test('AU-014: not while hidden content is filtered', async () => {
    const { me, hashes, send: sendBucket } = await differing();
    const body = { lockedContent: { filterEnabled: true } };
    await call(server.app, 'PUT /users/me/preferences', { session: me, body });
    const refused = { status: 403, body: { code: 'hidden_content_filter_active' } };
    expect(await start(me, hashes)).toMatchObject(refused);
    expect(await sendBucket(1)).toMatchObject(refused);
    const route = `GET ${DEVICES}/${me.deviceId}/reconciliations` as const;
    expect(await call(server.app, route, { session: me })).toMatchObject(refused);
    const off = { lockedContent: { filterEnabled: false } };
    await call(server.app, 'PUT /users/me/preferences', { session: me, body: off });
    expect((await sendBucket(1)).status).toBe(200);
  });

  test('only the owner of the device, with a run of that device', async () => {
    const { me, runId, hashes } = await differing();
    const stranger = await newDevice();
    const notFound = { status: 404, body: { code: 'not_found' } };
    const own = filterBucket(hashes, 1);
    expect(await start({ ...stranger, deviceId: me.deviceId }, hashes)).toMatchObject(notFound);
    expect(await send(stranger, runId, 1, own)).toMatchObject(notFound);
    const asOwner = { ...stranger, deviceId: me.deviceId };
    expect(await send(asOwner, runId, 1, own)).toMatchObject(notFound);
    const second = { ...me, deviceId: await register(me, 'second') };
    expect(await send(second, runId, 1, own)).toMatchObject(notFound);
    expect((await send(me, runId, 1, own)).status).toBe(200);
  });

  test('ID-003: an id of any version is unknown, not malformed', async () => {
    const { me, runId, hashes } = await differing();
    const own = filterBucket(hashes, 1);
    const notFound = { status: 404, body: { code: 'not_found' } };
    for (const id of [V1, crypto.randomUUID(), Bun.randomUUIDv7(), NIL, MAX]) {
      expect(await send(me, id, 1, own)).toMatchObject(notFound);
      expect(await send({ ...me, deviceId: id }, runId, 1, own)).toMatchObject(notFound);
    }
    expect((await send(me, 'x', 1, own)).status).toBe(400);
  });

  test('not with a removed device, until it is back', async () => {
    const { me, hashes, send: sendBucket } = await differing();
    await call(server.app, `DELETE ${DEVICES}/${me.deviceId}`, { as: me });
    const notFound = { status: 404, body: { code: 'not_found' } };
    expect(await start(me, hashes)).toMatchObject(notFound);
    expect(await sendBucket(1)).toMatchObject(notFound);
    expect((await history(me)).total).toBe(1);
    await register(me, 'k');
    expect((await sendBucket(1)).status).toBe(200);
  });
});
