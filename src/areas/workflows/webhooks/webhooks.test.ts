import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { deleteForGood } from '../../../../test/support/deletion.ts';
import { useApp } from '../../../../test/support/database.ts';
import { call, NOW, seed, type TestUser } from '../../../../test/support/harness.ts';
import { jobCtx } from '../../../../test/support/processing.ts';
import {
  listWebhookHosts,
  type Received,
  startReceiver,
  WEBHOOK_SECRET,
} from '../../../../test/support/webhooks.ts';
import {
  addWorkflow,
  own,
  readLog,
  runWorkflows,
  tagAssets,
} from '../../../../test/support/workflows.ts';
import type { FailureRecord, JobPayload } from '../../../jobs/define.ts';
import type { deliverWebhook } from '../jobs.ts';
import type { WorkflowLogEntry } from '../schemas.ts';
import { handleDeliverWebhook } from './webhooks.handlers.ts';

const PLACE = { city: 'Lisbon', country: 'Portugal', latitude: 38.72, longitude: -9.14 };

const { database, app } = await useApp();
let me: TestUser;
let photo: string;
let receiver: ReturnType<typeof startReceiver>;
beforeEach(async () => {
  me = await seed(database).user();
  photo = await seed(database).asset({ ownerId: me.id, exif: PLACE });
  await listWebhookHosts(app, database, '127.0.0.1');
  await database.sql`truncate job`;
  receiver = startReceiver();
});
afterEach(() => receiver.stop());

type Delivery = JobPayload<typeof deliverWebhook>;

/** Runs the workflow for the photo, and returns the deliveries that it enqueued. */
async function trigger(): Promise<Delivery[]> {
  await tagAssets(app, me, [photo]);
  await runWorkflows(database);
  const rows = await database.sql<{ payload: Delivery }[]>`
    with taken as (
      delete from job where name = 'workflows.deliverWebhook' returning id, payload)
    select payload from taken order by id`;
  return rows.map(({ payload }) => payload);
}

const addHook = (url = receiver.url, over: object = {}) =>
  addWorkflow(app, me, [own('webhook', { url, message: 'From {{city}}{{state}}' })], over);
const deliver = (payload: Delivery) => handleDeliverWebhook(jobCtx(database), payload);
type Refusal = { path: (string | number)[]; message: string };
const refuse = async (url: string): Promise<[number, Refusal | undefined]> => {
  const body = {
    trigger: 'AssetTagged',
    steps: [own('notify', { message: 'm' }), own('webhook', { url })],
  };
  const reply = await call(app, 'POST /workflows', { as: me, body });
  return [reply.status, reply.body.errors?.[0]];
};

describe('a delivery', () => {
  test('is a signed message about the item', async () => {
    const id = await addHook(receiver.url, { name: 'Mine' });
    const [payload] = await trigger();
    await deliver(payload!);
    const [{ headers, text }] = receiver.received as [Received];
    const timestamp = headers.get('x-safelight-timestamp')!;
    const expected = new Bun.CryptoHasher('sha256', WEBHOOK_SECRET).update(`${timestamp}.${text}`);
    expect(headers.get('x-safelight-signature')).toBe(`sha256=${expected.digest('hex')}`);
    expect(headers.get('x-safelight-delivery')).toBe(payload!.id);
    expect(headers.get('content-type')).toBe('application/json');
    expect(JSON.parse(text)).toMatchObject({
      id: payload!.id,
      event: 'AssetTagged',
      message: 'From Lisbon',
      workflow: { id, name: 'Mine' },
      asset: { id: photo, type: 'IMAGE', city: 'Lisbon' },
    });
    expect(await readLog(app, me, id)).toMatchObject([{ result: 'completed' }]);
  });

  test('has the same id when the run is repeated', async () => {
    const id = await addHook();
    const [first] = await trigger();
    const [{ runId }] = (await readLog(app, me, id)) as [WorkflowLogEntry];
    await call(app, `POST /workflows/${id}/runs/${runId}/retry`, { as: me });
    await runWorkflows(database);
    const [again, other] = await trigger();
    expect(again!.id).toBe(first!.id);
    expect(other!.id).not.toBe(first!.id);
  });

  test('is not about an item that its owner does not see any more', async () => {
    await addHook();
    const [payload] = await trigger();
    for (const change of [
      () => database.sql`update asset set trashed_at = now() where id = ${photo}`,
      () => database.sql`update asset set trashed_at = null, locked_at = now() where id = ${photo}`,
      () => deleteForGood(database, [photo]),
    ]) {
      await change();
      await deliver(payload!);
    }
    expect(receiver.received).toEqual([]);
  });

  test('of a workflow that is switched off or deleted is dropped', async () => {
    const id = await addHook();
    const [payload] = await trigger();
    await call(app, `PUT /workflows/${id}`, { as: me, body: { enabled: false } });
    await deliver(payload!);
    await call(app, `DELETE /workflows/${id}`, { as: me });
    await deliver(payload!);
    expect(receiver.received).toEqual([]);
  });

  test('follows no redirect, and counts one as a failure', async () => {
    await receiver.stop();
    const other = startReceiver();
    receiver = startReceiver(() => Response.redirect(other.url, 307));
    await addHook();
    const [payload] = await trigger();
    await expect(deliver(payload!)).rejects.toThrow('has answered 307');
    expect(other.received).toEqual([]);
    await other.stop();
  });

  test('reads no more of the answer than its status', async () => {
    await receiver.stop();
    receiver = startReceiver(
      () =>
        new Response(new ReadableStream({ pull: (stream) => stream.enqueue('x'.repeat(9999)) })),
    );
    await addHook();
    const [payload] = await trigger();
    await deliver(payload!);
    expect(receiver.received).toHaveLength(1);
  });

  test('that fails for good is told to the owner, once for many', async () => {
    const id = await addHook();
    const [payload] = await trigger();
    await receiver.stop();
    const errors: unknown[] = [];
    const onFailed = (record: FailureRecord) => void records.push(record);
    const records: FailureRecord[] = [];
    for (let turn = 0; turn < 2; turn++) {
      const now = () => new Date(NOW.getTime() + turn * 31_000);
      await handleDeliverWebhook(jobCtx(database, { onFailed, now }), payload!).catch((error) =>
        errors.push(error),
      );
      await records[turn]!(database.db, errors[turn]);
    }
    const { body } = await call(app, 'GET /notifications', { as: me });
    expect(body).toHaveLength(1);
    expect(body[0].data).toMatchObject({ workflowId: id, count: 2 });
    expect(JSON.stringify(body)).not.toContain('hidden');
  });
});

describe('the list of hosts', () => {
  test('is asked again when the step runs and when it is sent', async () => {
    const id = await addHook();
    const [payload] = await trigger();
    await listWebhookHosts(app, database, '192.0.2.1');
    await expect(deliver(payload!)).rejects.toThrow('has not listed');
    expect(await trigger()).toEqual([]);
    expect((await readLog(app, me, id))[0]).toMatchObject({
      result: 'error',
      error: 'The administrator has not listed 127.0.0.1 as a host for webhooks',
    });
    expect(receiver.received).toEqual([]);
  });

  test('refuses everything else when a workflow is saved, naming the field', async () => {
    await listWebhookHosts(
      app,
      database,
      'localhost',
      'hooks.example.com',
      '198.51.100.0/24',
      '93.184.215.14',
    );
    const { port } = new URL(receiver.url);
    for (const url of [
      receiver.url,
      `http://localhost:${port}/`,
      `https://localhost:${port}/`,
      `http://localhost.:${port}/`,
      `http://[::1]:${port}/`,
      `http://[::ffff:127.0.0.1]:${port}/`,
      `http://2130706433:${port}/`,
      `http://0.0.0.0:${port}/`,
      `http://127.1:${port}/`,
      'http://169.254.169.254/latest/meta-data',
      'http://100.64.0.1/',
      'https://example.com/',
      'https://sub.hooks.example.com/',
      'https://hooks.example.com.evil.example/',
      'https://93.184.215.14@evil.example/',
      'https://me:password@93.184.215.14/',
      'http://93.184.215.14/',
      'ftp://93.184.215.14/',
      'file:///etc/passwd',
      'hooks.example.com',
      '',
    ]) {
      const [status, error] = await refuse(url);
      expect([url, status, error?.path]).toEqual([url, 400, ['steps', 1, 'config', 'url']]);
    }
    expect(await call(app, 'GET /workflows', { as: me })).toMatchObject({ body: [] });
    expect((await refuse('https://93.184.215.14/hook'))[0]).toBe(201);
    expect((await refuse('http://198.51.100.7:8123/api/webhook'))[0]).toBe(201);
  });

  test('is empty at first, and then nobody has webhooks', async () => {
    await database.sql`truncate system_config`;
    expect((await refuse(receiver.url))[1]!.message).toContain('has not listed 127.0.0.1');
  });

  test('is asked when a workflow is changed, too', async () => {
    const id = await addHook();
    const steps = [own('webhook', { url: 'https://example.com/' })];
    const { status } = await call(app, `PUT /workflows/${id}`, { as: me, body: { steps } });
    expect(status).toBe(400);
  });
});

test('a workflow is shared without the addresses of its webhooks', async () => {
  const id = await addHook();
  const { body } = await call(app, `GET /workflows/${id}/share`, { as: me });
  expect(body.steps[0].config).toEqual({ url: '', message: 'From {{city}}{{state}}' });
});
