import { beforeEach, describe, expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { call, type Caller, seed, type TestUser } from '../../../test/support/harness.ts';
import type { Json } from '../../../test/support/json.ts';
import { addWorkflow, core } from '../../../test/support/workflows.ts';

const { database, app } = await useApp();
let me: TestUser;
let stranger: TestUser;
beforeEach(async () => {
  [me, stranger] = [await seed(database).user(), await seed(database).user()];
});

const list = async (query = '', caller: Caller = { as: me }): Promise<Json> =>
  (await call(app, `GET /workflows${query}`, caller)).body;
const create = (body: object, caller: Caller = { as: me }) =>
  call(app, 'POST /workflows', { ...caller, body });

describe('creation', () => {
  test('fills in what is left out', async () => {
    const { status, body } = await create({ trigger: 'AssetCreate' });
    expect([status, body]).toEqual([
      201,
      {
        id: expect.any(String),
        trigger: 'AssetCreate',
        name: null,
        description: null,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
        enabled: true,
        logging: false,
        steps: [],
      },
    ]);
  });

  test('keeps the order and the configuration of the steps', async () => {
    const steps = [
      core('assetFileFilter', { pattern: 'a', matchType: 'exact' }),
      core('assetFavorite', null),
      core('assetArchive', {}, false),
    ];
    const id = await addWorkflow(app, me, steps);
    expect((await call(app, `GET /workflows/${id}`, { as: me })).body.steps).toEqual(steps);
  });

  test('refuses steps that cannot run, naming them', async () => {
    const refused = async (...steps: object[]) => {
      const { status, body } = await create({ trigger: 'AssetCreate', steps });
      expect(status).toBe(400);
      return body.errors.map((error: { path: string[]; message: string }) => [
        error.path.join('.'),
        error.message,
      ]);
    };
    expect(await refused(core('assetFavorite'), core('nothing'))).toEqual([
      ['steps.1.method', 'Unknown method immich-plugin-core#nothing'],
    ]);
    expect((await refused(core('assetFileFilter', {})))[0][0]).toStartWith('steps.0.config');
    expect((await refused(core('assetTypeFilter', { allowedTypes: ['CAT'] })))[0][0]).toBe(
      'steps.0.config.allowedTypes.0',
    );
    const [broken] = await refused(core('assetFileFilter', { pattern: '(', matchType: 'regex' }));
    expect(broken[1]).toStartWith('Invalid expression');
    const [lookahead] = await refused(
      core('assetFileFilter', { pattern: '(?=a)', matchType: 'regex' }),
    );
    expect(lookahead[1]).toStartWith('Invalid expression');
    expect(await list()).toEqual([]);
  });

  test('refuses unknown triggers, too many steps, and keys without the permission', async () => {
    expect((await create({ trigger: 'Never' })).status).toBe(400);
    expect((await create({})).status).toBe(400);
    const steps = Array.from({ length: 101 }, () => core('assetFavorite'));
    expect((await create({ trigger: 'AssetCreate', steps })).status).toBe(400);
    const reader = await seed(database).user(['workflow.read']);
    expect((await create({ trigger: 'AssetCreate' }, { as: reader })).status).toBe(403);
  });
});

describe('the list', () => {
  test('has the own workflows, newest first, by each filter', async () => {
    const first = await addWorkflow(app, me, [], { name: 'one', trigger: 'AssetCreate' });
    await database.sql`update workflow set created_at = created_at - interval '1 day'`;
    const second = await addWorkflow(app, me, [], {
      description: 'text',
      enabled: false,
      logging: false,
    });
    await addWorkflow(app, stranger, [], { name: 'one' });
    const ids = async (query: string) => (await list(query)).map(({ id }: { id: string }) => id);
    expect(await ids('')).toEqual([second, first]);
    expect(await ids('?name=one')).toEqual([first]);
    expect(await ids('?description=text')).toEqual([second]);
    expect(await ids('?enabled=true')).toEqual([first]);
    expect(await ids('?logging=false')).toEqual([second]);
    expect(await ids('?trigger=AssetTagged')).toEqual([second]);
    expect(await ids(`?id=${first}`)).toEqual([first]);
    expect((await call(app, 'GET /workflows?enabled=perhaps', { as: me })).status).toBe(400);
  });
});

describe('a workflow', () => {
  test('is changed member by member', async () => {
    const id = await addWorkflow(app, me, [core('assetFavorite')], { name: 'one' });
    const put = (body: object, caller: Caller = { as: me }) =>
      call(app, `PUT /workflows/${id}`, { ...caller, body });
    expect((await put({ enabled: false })).body).toMatchObject({ name: 'one', enabled: false });
    expect((await put({ name: null, steps: [] })).body).toMatchObject({ name: null, steps: [] });
    expect((await put({ trigger: 'AssetCreate' })).body.trigger).toBe('AssetCreate');
    expect((await put({})).status).toBe(400);
    expect((await put({ steps: [core('nothing')] })).status).toBe(400);
  });

  test('of somebody else reads like an unknown one', async () => {
    const id = await addWorkflow(app, me, []);
    const unknown = crypto.randomUUID();
    for (const [method, path, permission] of [
      ['GET', '', 'workflow.read'],
      ['PUT', '', 'workflow.update'],
      ['DELETE', '', 'workflow.delete'],
      ['GET', '/share', 'workflow.read'],
      ['GET', '/logs', 'workflow.logs'],
    ] as const) {
      const ask = (target: string) =>
        call(app, `${method} /workflows/${target}${path}`, {
          as: stranger,
          ...(method === 'PUT' && { body: { name: 'x' } }),
        });
      const reply = await ask(id);
      expect([reply.status, reply.body.message]).toEqual([
        400,
        `Not found or no ${permission} access`,
      ]);
      expect((await ask(unknown)).body.message).toBe(reply.body.message);
    }
    expect((await list()).length).toBe(1);
  });

  test('is deleted with its log', async () => {
    const id = await addWorkflow(app, me, []);
    expect((await call(app, `DELETE /workflows/${id}`, { as: me })).status).toBe(204);
    expect(await list()).toEqual([]);
  });

  test('EP-026: is shared without ids and default values', async () => {
    const album = { as: me, body: { albumName: 'Trips' } };
    const albumId = (await call(app, 'POST /albums', album)).body.id as string;
    const id = await addWorkflow(app, me, [
      core('assetFileFilter', { pattern: 'a', matchType: 'contains', caseSensitive: true }),
      core('assetAddToAlbums', { albumIds: [albumId], albumName: 'Trips' }, false),
      core('assetFavorite', null),
    ]);
    const { body } = await call(app, `GET /workflows/${id}/share`, { as: me });
    expect(body).toEqual({
      trigger: 'AssetTagged',
      name: null,
      description: null,
      steps: [
        {
          method: 'immich-plugin-core#assetFileFilter',
          config: { pattern: 'a', caseSensitive: true },
        },
        {
          method: 'immich-plugin-core#assetAddToAlbums',
          config: { albumIds: [], albumName: 'Trips' },
          enabled: false,
        },
        { method: 'immich-plugin-core#assetFavorite', config: null },
      ],
    });
    expect(JSON.stringify(body)).not.toContain(albumId);
    expect((await create(body)).status).toBe(201);
  });
});

test('AU-008: the triggers need no permission', async () => {
  const caller = await seed(database).user(['asset.read']);
  const { status, body } = await call(app, 'GET /workflows/triggers', { as: caller });
  expect([status, body]).toEqual([
    200,
    ['AssetCreate', 'AssetMetadataExtraction', 'AssetTagged'].map((trigger) => ({
      trigger,
      types: ['AssetV1'],
    })),
  ]);
  expect((await call(app, 'GET /workflows/triggers')).status).toBe(401);
});
