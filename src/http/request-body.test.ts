import { beforeAll, describe, expect, test } from 'bun:test';
import { useApp } from '../../test/support/database.ts';
import { seed, send, type TestUser } from '../../test/support/harness.ts';
import { MAX_ANONYMOUS_BYTES, MAX_BODY_BYTES, readJson } from './request-body.ts';

const { database, app } = await useApp();
let me: TestUser;
beforeAll(async () => {
  me = await seed(database).user();
});

/** A request whose body tells how much of it has been read. */
function streamed(path: string, bytes: number, headers: Record<string, string> = {}) {
  const read = { bytes: 0 };
  const chunk = new Uint8Array(16 * 1024).fill(0x20);
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (read.bytes >= bytes) return controller.close();
        read.bytes += chunk.length;
        controller.enqueue(chunk);
      },
    },
    { highWaterMark: 0 },
  );
  const request = new Request(`http://localhost/api${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  return { read, answer: async () => app.handle(request) };
}

test('a body is not read before authentication', async () => {
  for (const headers of [{}, { authorization: 'Bearer x' }, { 'x-api-key': 'x' }]) {
    const { read, answer } = streamed('/tags', 1024 * 1024, headers);
    expect((await answer()).status).toBe(401);
    expect(read.bytes).toBe(0);
  }
  const limited = await seed(database).user(['tag.read']);
  const { read, answer } = streamed('/tags', 1024 * 1024, { 'x-api-key': limited.key });
  expect((await answer()).status).toBe(403);
  expect(read.bytes).toBe(0);
});

test('limits public bodies to 64 KiB, others to 10 MiB', async () => {
  const login = streamed('/auth/login', 1024 * 1024);
  expect((await login.answer()).status).toBe(413);
  expect(login.read.bytes).toBeLessThanOrEqual(MAX_ANONYMOUS_BYTES + 32 * 1024);
  const tags = streamed('/tags', 2 * MAX_BODY_BYTES, { 'x-api-key': me.key });
  expect((await tags.answer()).status).toBe(413);
  expect(tags.read.bytes).toBeLessThanOrEqual(MAX_BODY_BYTES + 32 * 1024);
});

const read = (text: string | Uint8Array<ArrayBuffer>, maxBytes = MAX_BODY_BYTES) =>
  readJson(
    new Request('http://localhost/', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: text,
    }),
    maxBytes,
  );
const refusal = (text: string | Uint8Array<ArrayBuffer>) =>
  read(text).then(
    () => 'taken',
    (error: Error) => error.message,
  );

describe('a body whose structure would cost more than its bytes is refused before it is parsed', () => {
  test('nested too deeply', async () => {
    const TOO_DEEP = 'The body is nested deeper than 64 levels';
    expect(await refusal('['.repeat(64) + ']'.repeat(64))).toBe('taken');
    expect(await refusal('['.repeat(65) + ']'.repeat(65))).toBe(TOO_DEEP);
    expect(await refusal('['.repeat(9_000_000))).toBe(TOO_DEEP);
    expect(await refusal('{"a":'.repeat(100_000))).toBe(TOO_DEEP);
    expect(
      await refusal(JSON.stringify({ a: '['.repeat(1000), b: String.raw`\"[[`, '{{{': 1 })),
    ).toBe('taken');
    expect(await refusal(`["\\\\",${'['.repeat(64)}${']'.repeat(64)}]`)).toBe(TOO_DEEP);
  });

  test('of too many pieces', async () => {
    const TOO_MANY = 'The body has more than 250000 objects and lists';
    expect(await refusal(`[${'{},'.repeat(300_000)}{}]`)).toBe(TOO_MANY);
    expect(await refusal(`[${'{},'.repeat(240_000)}{}]`)).toBe('taken');
    const MANY_VALUES = 'The body has more than 500000 values';
    expect(await refusal(`[${'1,'.repeat(500_001)}1]`)).toBe(MANY_VALUES);
    expect(await refusal(JSON.stringify([','.repeat(1_000_000)]))).toBe('taken');
  });

  test('that is no JSON, or no UTF-8', async () => {
    for (const text of ['{', '"', '{"a":1}x', "{'a':1}", 'NaN', '"\\"', ' ']) {
      expect([text, await refusal(text)]).toEqual([text, 'Malformed request body']);
    }
    expect(await refusal(new Uint8Array([0x22, 0xff, 0x22]))).toBe('Malformed request body');
  });
});

test('parses large bodies one by one, and small ones in between', async () => {
  const large = JSON.stringify({ ids: Array.from({ length: 20_000 }, () => crypto.randomUUID()) });
  const done: string[] = [];
  const note = (name: string) => () => void done.push(name);
  await Promise.all([
    read(large).then(note('large')),
    read(large).then(note('large')),
    read(large).then(note('large')),
    read('{"a":1}').then(note('small')),
  ]);
  expect(done[0]).toBe('small');
  expect(done).toHaveLength(4);
});

test('an empty body counts as no body, whatever its content type', async () => {
  const empty = { as: me, headers: { 'content-type': 'text/plain', 'content-length': '0' } };
  const reply = await send(app, 'POST /tags', { ...empty, body: new Uint8Array(0) });
  expect(reply.status).toBe(400);
  expect(await reply.json()).toEqual({
    message: 'Validation failed',
    errors: [
      {
        code: 'invalid_type',
        path: [],
        message: 'Invalid input: expected object, received undefined',
      },
    ],
  });
});
