import { beforeAll, describe, expect, test } from 'bun:test';
import compat from '../../test/contract/compat.json' with { type: 'json' };
import specification from '../../test/contract/operations.json' with { type: 'json' };
import { unconnectedApp } from '../../test/contract/report.ts';
import { useApp } from '../../test/support/database.ts';
import { call, seed, send, type TestUser } from '../../test/support/harness.ts';
import { unlock } from '../../test/support/household.ts';
import { isExtension } from './extensions.ts';

const { database, app } = await useApp({}, { connections: 1 });
let user: TestUser;
let nobody: TestUser;
beforeAll(async () => {
  user = await seed(database).user(['all'], { isAdmin: true });
  await unlock(database, user);
  nobody = await seed(database).user(['apiKey.read']);
});

const toPathShape = (path: string) => path.replaceAll(/:\w+|\{\w+\}/g, '{}');
const shared = [
  ...specification.operations.filter(({ immich }) => immich !== 'absent'),
  ...compat.operations,
];
const IMMICH = new Set(shared.map(({ method, path }) => `${method} ${toPathShape(path)}`));
const named = (path: string) => `http://localhost${path.replaceAll('{}', crypto.randomUUID())}`;

const BUILT = unconnectedApp()
  .routes.filter(({ hooks }) => hooks.detail?.operationId)
  .map(({ method, path }) => ({ method, path: toPathShape(path) }));
const EXTENSIONS = BUILT.filter(({ method, path }) => !IMMICH.has(`${method} ${path}`));

describe('an operation is an extension where Immich has none', () => {
  test('as the contract says, also of those that are to come', () => {
    const wrong = specification.operations.filter(
      ({ method, path, immich }) =>
        isExtension({ method, url: named(toPathShape(path)) }) !== (immich === 'absent'),
    );
    expect(wrong.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  });

  test('of all that is built', () => {
    const wrong = BUILT.filter(
      ({ method, path }) =>
        isExtension({ method, url: named(path) }) === IMMICH.has(`${method} ${path}`),
    );
    expect(wrong).toEqual([]);
  });
});

async function ask({ method, path }: { method: string; path: string }, caller: object) {
  const filled = path.replace('/api', '').replaceAll('{}', () => crypto.randomUUID());
  const { status, body } = await call(app, `${method} ${filled}` as 'GET /', {
    ...caller,
    ...(method !== 'GET' && method !== 'HEAD' && { body: { surprise: true } }),
  });
  return { status, code: body?.code };
}

/** Operations that stream their body have problem types of their own. */
const STREAMED = '/api/assets/uploads';
const CODES = new Set(specification.enums.ErrorCode.values);
const DEFAULT: Readonly<Record<number, readonly string[]>> = {
  400: ['validation_failed', 'no_access'],
  401: ['unauthenticated', 'elevation_required'],
  403: ['missing_permission', 'admin_required', 'session_required'],
  404: ['not_found'],
};

describe('an error of an extension has a code', () => {
  const plain = EXTENSIONS.filter(
    ({ method, path }) => method !== 'HEAD' && !path.startsWith(STREAMED),
  );
  for (const operation of plain) {
    test(`${operation.method} ${operation.path}`, async () => {
      for (const caller of [{}, { as: nobody }, { session: user }]) {
        const { status, code } = await ask(operation, caller);
        if (status < 400) continue;
        expect([status, DEFAULT[status]?.includes(code) ?? CODES.has(code)]).toEqual([
          status,
          true,
        ]);
      }
    });
  }
});

describe("an error of an Immich operation has exactly Immich's members", () => {
  const theirs = BUILT.filter(
    ({ method, path }) => method !== 'HEAD' && IMMICH.has(`${method} ${path}`),
  );
  for (const { method, path } of theirs) {
    test(`${method} ${path}`, async () => {
      const filled = path.replace('/api', '').replaceAll('{}', () => crypto.randomUUID());
      for (const caller of [{}, { as: nobody }, { session: user }]) {
        const body = method === 'GET' ? {} : { body: { surprise: true } };
        const reply = await call(app, `${method} ${filled}` as 'GET /', { ...caller, ...body });
        if (reply.status < 400) continue;
        const { message, errors = [], ...rest } = reply.body;
        expect([typeof message, rest]).toEqual(['string', {}]);
        for (const error of errors) {
          expect(Object.keys(error).toSorted()).toEqual(['code', 'message', 'path']);
        }
      }
    });
  }
});

test('what is wrong is named beside the code, also before a body is read', async () => {
  const page = await call(app, 'GET /documents?page=x', { as: user });
  expect(page.body).toMatchObject({ code: 'validation_failed', errors: [{ path: ['page'] }] });
  const text = { as: user, headers: { 'content-type': 'text/plain' }, body: new Uint8Array([1]) };
  const refused = await send(app, 'POST /archive-operations', text);
  expect([refused.status, (await refused.json()).code]).toEqual([415, 'unsupported_media_type']);
  const unknown = await call(app, `GET /documents/${crypto.randomUUID()}`, { as: user });
  expect([unknown.status, unknown.body.code]).toEqual([404, 'not_found']);
});
