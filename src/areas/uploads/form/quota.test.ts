import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { photoForm, toSha1Hex, randomFileBytes, upload } from '../../../../test/support/forms.ts';
import { type FormServer, openFormServer } from '../../../../test/support/form-server.ts';
import { seed, type TestUser } from '../../../../test/support/harness.ts';

let server: FormServer;
beforeAll(async () => {
  server = await openFormServer();
});
afterAll(() => server.close());

describe('the upload quota', () => {
  const send = (as: TestUser, bytes: Uint8Array, query?: { length: number }) =>
    upload(server.app, photoForm(bytes), {
      as,
      ...(query && { headers: { 'content-length': String(query.length) } }),
    });

  test('includes trashed and hidden assets', async () => {
    const user = await seed(server.database).user(['all'], { quotaBytes: 1000 });
    const { body } = await send(user, randomFileBytes(600));
    await server.database.sql`update asset set trashed_at = now() where id = ${body.id}`;
    const reply = await server.leavesNothing(() => send(user, randomFileBytes(401)));
    expect(reply).toMatchObject({ status: 400, body: { message: 'Quota has been exceeded!' } });
    expect(await send(user, randomFileBytes(400))).toMatchObject({ status: 201 });
  });

  test('does not refuse a duplicate', async () => {
    const user = await seed(server.database).user(['all'], { quotaBytes: 1000 });
    const bytes = randomFileBytes(1000);
    await send(user, bytes);
    expect(await send(user, bytes)).toMatchObject({ status: 400 });
    const headers = { 'x-immich-checksum': toSha1Hex(bytes) };
    const reply = await upload(server.app, photoForm(bytes), { as: user, headers });
    expect(reply).toMatchObject({ status: 200, body: { status: 'duplicate' } });
  });

  test('is not exceeded by concurrent uploads', async () => {
    const user = await seed(server.database).user(['all'], { quotaBytes: 25_000 });
    const replies = await Promise.all(
      Array.from({ length: 6 }, () => send(user, randomFileBytes(10_000))),
    );
    expect(replies.map((reply) => reply.status).toSorted((a, b) => a - b)).toEqual([
      201, 201, 400, 400, 400, 400,
    ]);
    const [used] = await server.database.sql`
      select sum(file_size) as bytes from asset where owner_id = ${user.id}`;
    expect(used).toEqual({ bytes: '20000' });
  });

  test('refuses a body that is too long by its Content-Length alone', async () => {
    const user = await seed(server.database).user(['all'], { quotaBytes: 1000 });
    const { status, received } = await server.rawUpload(
      `x-api-key: ${user.key}\r\nexpect: 100-continue\r\ncontent-length: 50000000`,
      [],
    );
    expect(status).toBe(400);
    expect(received).toContain('Quota has been exceeded!');
    expect(received).not.toContain('100 Continue');
  });
});
