import { afterAll, beforeAll, expect, test } from 'bun:test';
import { DATES, photoForm, randomFileBytes } from '../../../../test/support/forms.ts';
import { type FormServer, openFormServer } from '../../../../test/support/form-server.ts';
import { until } from '../../../../test/support/until.ts';

let server: FormServer;
beforeAll(async () => {
  server = await openFormServer();
});
afterAll(() => server.close());

test('a client that disconnects leaves no file and no row', async () => {
  await server.leavesNothing(async () => {
    const form = photoForm(randomFileBytes(3_000_000));
    const head = `x-api-key: ${server.alice.key}\r\ncontent-length: ${form.length}`;
    await server.rawUpload(head, [form.subarray(0, 2_000_000)], true);
    await until(async () => (await server.listIncoming()).length === 0);
  });
});

test('refuses an unsupported file before its body is complete', async () => {
  await server.leavesNothing(async () => {
    const form = photoForm(randomFileBytes(500_000), [], 'a.exe');
    const head = `x-api-key: ${server.alice.key}\r\ncontent-length: ${form.length}`;
    const { status, received } = await server.rawUpload(head, [form.subarray(0, 1000)]);
    expect(status).toBe(400);
    expect(received).toContain('Unsupported file type a.exe');
  });
});

test('a connection is reusable after an accepted or refused upload', async () => {
  const url = `${server.url}/api/assets`;
  for (const [name, status] of [
    ['a.jpg', 201],
    ['a.exe', 400],
    ['b.jpg', 201],
  ] as const) {
    const body = new FormData();
    body.set('assetData', new Blob([Buffer.from(randomFileBytes(900_000))]), name);
    for (const { name: field, value } of DATES) body.set(field, value!);
    const reply = await fetch(url, {
      method: 'POST',
      headers: { 'x-api-key': server.alice.key },
      body,
    });
    expect(reply.status).toBe(status);
    await reply.json();
  }
});
