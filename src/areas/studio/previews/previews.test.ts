import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { call, type Caller, seed, send, type TestUser } from '../../../../test/support/harness.ts';
import type { Json } from '../../../../test/support/json.ts';
import { openStudio, type Studio } from '../../../../test/support/studio.ts';
import { until } from '../../../../test/support/until.ts';
import { getRenderFolder } from './files.ts';

let studio: Studio;
let me: TestUser;
beforeAll(async () => {
  studio = await openStudio();
});
afterAll(() => studio.close());
beforeEach(async () => {
  me = await seed(studio.database).user(['all']);
});

const half = { numerator: 1, denominator: 2 };
const viewport = { width: 320, height: 192 };

async function makeProject(name = 'short.mp4') {
  const assetId = await studio.add(me, name);
  return { ...(await studio.makeProject(me, [assetId])), assetId };
}
const ask = (projectId: string, over: object = {}, caller: Caller = { as: me }) =>
  call(studio.app, 'POST /studio/previews', {
    ...caller,
    body: { projectId, revision: 1, time: half, quality: 'standard', viewport, ...over },
  });
const get = (id: string, query = '', caller: Caller = { as: me }) =>
  call(studio.app, `GET /studio/previews/${id}${query}`, caller);
const wait = (id: string, query = '', caller: Caller = { as: me }) =>
  call(studio.app, `GET /studio/previews/${id}/outcome${query}`, caller);
/** As a client does: again on a slow machine. */
async function waitToEnd(id: string) {
  let body: Json;
  do ({ body } = await wait(id));
  while (['queued', 'rendering'].includes(body.status));
  return body;
}
const retire = (id: string, query = '', caller: Caller = { as: me }) =>
  call(studio.app, `DELETE /studio/previews/${id}${query}`, caller);
const getFrame = (id: string, query = '', caller: Caller = { as: me }) =>
  send(studio.app, `GET /studio/previews/${id}/frame${query}`, caller);
const hasFolder = (renderId: string) =>
  existsSync(getRenderFolder(studio.database.deps.paths, renderId));

describe('a preview', () => {
  test('is rendered, and its frame is served with a tag of its revision', async () => {
    const project = await makeProject();
    const { status, body } = await ask(project.id);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      isShared: false,
      preview: {
        projectId: project.id,
        revision: 1,
        time: half,
        quality: 'standard',
        viewport,
        status: 'queued',
        entityTag: null,
        consumerRequestId: null,
        operationId: body.operationId,
        currentRevision: 1,
        readyAt: null,
        receipt: { deliveryRetiredAt: null, rendererReleasedAt: null, remainingConsumers: 1 },
        error: null,
      },
    });
    const { id } = body.preview;
    expect((await getFrame(id)).status).toBe(404);
    await studio.render(body.operationId);
    const ready = (await get(id)).body;
    expect(ready).toMatchObject({ status: 'ready', readyAt: expect.any(String) });
    expect(ready.entityTag).toMatch(/^"[0-9a-f]{8}-r1-[0-9a-f]{16}"$/);
    const frame = await getFrame(id);
    expect(frame.headers.get('etag')).toBe(ready.entityTag);
    expect(frame.headers.get('content-type')).toBe('image/jpeg');
    const picture = await sharp(await frame.bytes()).metadata();
    expect([picture.width, picture.height]).toEqual([320, 192]);
    const again = await getFrame(id, '', {
      as: me,
      headers: { 'if-none-match': ready.entityTag },
    });
    expect(again.status).toBe(304);
  });

  test('EP-017: identical requests share one rendering', async () => {
    const project = await makeProject();
    const first = (await ask(project.id)).body;
    const time = { numerator: 2, denominator: 4 };
    const second = (await ask(project.id, { time })).body;
    expect([first.isShared, second.isShared]).toEqual([false, true]);
    expect(second.operationId).toBe(first.operationId);
    expect(second.preview.time).toEqual(half);
    const others = [{ quality: 'draft' }, { viewport: { width: 100, height: 100 } }];
    for (const over of others) expect((await ask(project.id, over)).body.isShared).toBe(false);
    await studio.render(first.operationId);
    const third = (await ask(project.id)).body;
    expect(third).toMatchObject({ isShared: true, operationId: null });
    expect(third.preview.status).toBe('ready');
  });

  test('EP-018: one of a superseded revision is refused with the current one', async () => {
    const project = await makeProject();
    await studio.storeRevision(me, project);
    const { status, body } = await ask(project.id);
    expect(status).toBe(409);
    expect(body).toMatchObject({ code: 'revision_superseded', currentRevision: 2 });
    expect((await ask(project.id, { revision: 3 })).status).toBe(409);
  });

  test('ST-089: ends when a newer revision is stored', async () => {
    const project = await makeProject();
    const { preview, operationId } = (await ask(project.id)).body;
    await studio.storeRevision(me, project);
    expect((await get(preview.id)).body).toMatchObject({
      status: 'cancelled',
      revision: 1,
      currentRevision: 2,
    });
    await studio.render(operationId);
    const { body } = await get(preview.id);
    expect(body.status).toBe('cancelled');
    expect(body.receipt.rendererReleasedAt).toEqual(expect.any(String));
    expect(hasFolder(operationId)).toBe(false);
  });

  test('ER-011: the frame of a superseded revision is refused with the current one', async () => {
    const project = await makeProject();
    const { preview, operationId } = (await ask(project.id)).body;
    await studio.render(operationId);
    await studio.storeRevision(me, project);
    const reply = await getFrame(preview.id);
    expect(reply.status).toBe(409);
    expect(await reply.json()).toMatchObject({ code: 'revision_superseded', currentRevision: 2 });
  });

  test('ST-090: retired while it is rendered: its folder stays until the renderer has ended', async () => {
    const project = await makeProject('long.mp4');
    const time = { numerator: 19, denominator: 1 };
    const { preview, operationId } = (await ask(project.id, { time, quality: 'full' })).body;
    const rendering = studio.render(operationId);
    await until(() => hasFolder(operationId));
    const { receipt, status } = (await retire(preview.id)).body;
    expect(status).toBe('retired');
    expect(receipt).toEqual({
      deliveryRetiredAt: expect.any(String),
      rendererReleasedAt: null,
      remainingConsumers: 0,
    });
    expect(hasFolder(operationId)).toBe(true);
    await rendering;
    expect(hasFolder(operationId)).toBe(false);
    const { body } = await get(preview.id);
    expect(body.receipt.rendererReleasedAt).toEqual(expect.any(String));
    expect((await getFrame(preview.id)).status).toBe(404);
  });

  test('ST-091: another consumer of the same rendering is still served', async () => {
    const project = await makeProject();
    const [first, second] = [(await ask(project.id)).body, (await ask(project.id)).body];
    await studio.render(first.operationId);
    expect((await retire(first.preview.id)).body.receipt.remainingConsumers).toBe(1);
    expect((await getFrame(first.preview.id)).status).toBe(404);
    expect((await getFrame(second.preview.id)).status).toBe(200);
    expect((await get(second.preview.id)).body.receipt.remainingConsumers).toBe(1);
    const last = (await retire(second.preview.id)).body;
    expect(last.receipt).toMatchObject({ rendererReleasedAt: null, remainingConsumers: 0 });
    await studio.render(first.operationId);
    expect(hasFolder(first.operationId)).toBe(false);
    expect((await get(second.preview.id)).body.receipt.rendererReleasedAt).not.toBeNull();
    expect((await ask(project.id)).body.isShared).toBe(false);
  });

  test('can be waited for until it is ready, retired or superseded', async () => {
    const project = await makeProject();
    const [first, second] = [(await ask(project.id)).body, (await ask(project.id)).body];
    const [ready, retired] = [waitToEnd(first.preview.id), waitToEnd(second.preview.id)];
    await retire(second.preview.id);
    expect((await retired).status).toBe('retired');
    await studio.render(first.operationId);
    expect(await ready).toMatchObject({ id: first.preview.id, status: 'ready' });
    const third = (await ask(project.id, { quality: 'draft' })).body;
    const superseded = waitToEnd(third.preview.id);
    await studio.storeRevision(me, project);
    expect(await superseded).toMatchObject({ status: 'cancelled', currentRevision: 2 });
  });

  test('that nobody renders is still queued after the wait', async () => {
    const project = await makeProject();
    const { preview } = (await ask(project.id)).body;
    expect((await wait(preview.id)).body.status).toBe('queued');
  });

  test('that a video cannot give is failed, with its reason', async () => {
    const assetId = await studio.add(me, 'broken.mp4');
    const project = await studio.makeProject(me, [assetId]);
    const { preview, operationId } = (await ask(project.id)).body;
    await studio.render(operationId);
    expect((await get(preview.id)).body).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('ff'),
    });
    expect(hasFolder(operationId)).toBe(false);
  });
});

describe('a scoped preview', () => {
  const consumerRequestId = '00000000-0000-0000-0000-000000000000';
  const other = '11111111-1111-1111-8111-111111111111';
  const mine = `?consumerRequestId=${consumerRequestId}`;

  test('is seen by its consumer only', async () => {
    const project = await makeProject();
    const { preview, operationId } = (await ask(project.id, { consumerRequestId })).body;
    await studio.render(operationId);
    expect((await get(preview.id, mine)).body.consumerRequestId).toBe(consumerRequestId);
    expect((await getFrame(preview.id, mine)).status).toBe(200);
    for (const query of ['', `?consumerRequestId=${other}`]) {
      expect((await get(preview.id, query)).status).toBe(404);
      expect((await wait(preview.id, query)).status).toBe(404);
      expect((await getFrame(preview.id, query)).status).toBe(404);
    }
  });

  test('is retired by the consumer and the operation that it was admitted with', async () => {
    const project = await makeProject();
    const { preview, operationId } = (await ask(project.id, { consumerRequestId })).body;
    const named = `${mine}&expectedOperationId=`;
    for (const query of ['', mine, `?expectedOperationId=${operationId}`, named])
      expect([query, (await retire(preview.id, query)).status]).toEqual([query, 400]);
    const strange = `?consumerRequestId=${other}&expectedOperationId=${operationId}`;
    for (const query of [strange, `${named}null`, `${named}${other}`]) {
      const { status, body } = await retire(preview.id, query);
      expect([status, body.code]).toEqual([409, 'stale_revision']);
    }
    expect((await get(preview.id, mine)).body.status).toBe('queued');
    expect((await retire(preview.id, `${named}${operationId}`)).body.status).toBe('retired');
  });

  test('that never waited is named by null', async () => {
    const project = await makeProject();
    await studio.render((await ask(project.id)).body.operationId);
    const { preview, operationId } = (await ask(project.id, { consumerRequestId })).body;
    expect(operationId).toBeNull();
    expect((await retire(preview.id, mine)).status).toBe(400);
    const { body } = await retire(preview.id, `${mine}&expectedOperationId=null`);
    expect(body).toMatchObject({ status: 'retired', receipt: { remainingConsumers: 1 } });
  });
});

describe('nobody else', () => {
  test('sees a preview, its frame or its project', async () => {
    const project = await makeProject();
    const { preview, operationId } = (await ask(project.id)).body;
    await studio.render(operationId);
    const stranger = { as: await seed(studio.database).user(['all'], { isAdmin: true }) };
    expect((await ask(project.id, {}, stranger)).status).toBe(404);
    expect((await get(preview.id, '', stranger)).status).toBe(404);
    expect((await wait(preview.id, '', stranger)).status).toBe(404);
    expect((await getFrame(preview.id, '', stranger)).status).toBe(404);
    expect((await retire(preview.id, '', stranger)).status).toBe(404);
    const key = { as: await seed(studio.database).user(['asset.read']) };
    expect((await get(preview.id, '', key)).status).toBe(403);
  });

  test('gets a frame with items that were locked, trashed or whose file is gone', async () => {
    const project = await makeProject();
    const { sql } = studio.database;
    for (const [column, quality] of [
      ['locked_at', 'standard'],
      ['trashed_at', 'draft'],
    ] as const) {
      const { preview, operationId } = (await ask(project.id, { quality })).body;
      await studio.render(operationId);
      await sql`update asset set ${sql(column)} = now() where id = ${project.assetId}`;
      const reply = await getFrame(preview.id);
      expect([column, reply.status]).toEqual([column, 409]);
      expect((await reply.json()).code).toBe('source_unavailable');
      expect((await ask(project.id, { quality })).body.code).toBe('source_unavailable');
      expect((await get(preview.id)).body).toMatchObject({
        status: 'failed',
        error: 'An item of it is not available any more',
      });
      await studio.clean(0);
      await studio.render(operationId);
      expect(hasFolder(operationId)).toBe(false);
      // The same frame is rendered again, and not shown again.
      await sql`update asset set ${sql(column)} = null where id = ${project.assetId}`;
      expect((await getFrame(preview.id)).status).toBe(404);
      const again = (await ask(project.id, { quality })).body;
      expect(again.isShared).toBe(false);
      await studio.render(again.operationId);
      expect((await getFrame(again.preview.id)).status).toBe(200);
    }
  });

  test('of an album sees items in a shared project that they may not see by themselves', async () => {
    const project = await makeProject();
    const friend = await seed(studio.database).user(['all']);
    const shared = await studio.share(me, friend, project);
    expect(
      (await ask(shared.id, { revision: shared.revision }, { as: friend })).body,
    ).toMatchObject({ code: 'source_unavailable' });
  });
});

test('previews that were forgotten are retired, and folders that no row explains are deleted', async () => {
  const project = await makeProject();
  const { preview, operationId } = (await ask(project.id)).body;
  await studio.render(operationId);
  const stray = getRenderFolder(studio.database.deps.paths, Bun.randomUUIDv7());
  await Bun.write(join(stray, 'frame.jpg'), 'x');
  await studio.clean(1);
  expect([existsSync(stray), hasFolder(operationId)]).toEqual([false, true]);
  expect((await get(preview.id)).body.status).toBe('ready');
  await studio.clean(7 * 3600);
  await studio.render(operationId);
  expect((await get(preview.id)).body.status).toBe('retired');
  expect(hasFolder(operationId)).toBe(false);
});
