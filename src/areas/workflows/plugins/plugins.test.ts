import { beforeAll, describe, expect, test } from 'bun:test';
import { useApp } from '../../../../test/support/database.ts';
import { call, seed, type TestUser } from '../../../../test/support/harness.ts';
import type { Json } from '../../../../test/support/json.ts';

const { database, app } = await useApp();
let me: TestUser;
beforeAll(async () => {
  me = await seed(database).user(['plugin.read', 'workflow.create']);
});

const get = async (path: string): Promise<Json> =>
  (await call(app, `GET ${path}` as 'GET /', { as: me })).body;

describe('methods', () => {
  test('are listed with the schema of their configuration', async () => {
    const methods = await get('/plugins/methods');
    const byKey = Object.fromEntries(
      methods.map((method: { key: string }) => [method.key, method]),
    );
    expect(byKey['immich-plugin-core#assetTypeFilter']).toEqual({
      key: 'immich-plugin-core#assetTypeFilter',
      name: 'assetTypeFilter',
      title: 'Filter by asset type',
      description: 'Filter assets by type',
      types: ['AssetV1'],
      hostFunctions: false,
      schema: {
        type: 'object',
        required: ['allowedTypes'],
        properties: {
          allowedTypes: {
            type: 'string',
            array: true,
            enum: ['IMAGE', 'VIDEO', 'AUDIO', 'OTHER'],
            title: 'Asset types',
            description: 'Allowed asset types',
          },
        },
      },
      uiHints: ['Filter'],
    });
    expect(byKey['immich-plugin-core#assetArchive'].uiHints).toEqual([]);
  });

  test('are found by name, plugin and trigger', async () => {
    const keys = async (query: string) =>
      (await get(`/plugins/methods?${query}`)).map(({ name }: { name: string }) => name);
    expect(await keys('name=assetLock')).toEqual(['assetLock']);
    expect(await keys('pluginName=nothing')).toEqual([]);
    expect(await keys('enabled=false')).toEqual([]);
    expect(await keys('trigger=AssetTagged&type=AssetV1')).toContain('assetLock');
    expect((await call(app, 'GET /plugins/methods?trigger=Never', { as: me })).status).toBe(400);
  });
});

test('plugins are listed and read with their methods', async () => {
  const [plugin] = await get('/plugins');
  expect(plugin).toMatchObject({ name: 'immich-plugin-core', version: '2.0.1' });
  expect(await get(`/plugins/${plugin.id}`)).toEqual(plugin);
  expect(await get('/plugins?name=nothing')).toEqual([]);
  const unknown = await call(app, `GET /plugins/${crypto.randomUUID()}`, { as: me });
  expect([unknown.status, unknown.body.message]).toEqual([400, 'Plugin not found']);
});

test('every template can be created as a workflow', async () => {
  const templates = await get('/plugins/templates');
  expect(templates.length).toBeGreaterThan(0);
  for (const { key, title, description, trigger, steps, uiHints } of templates) {
    expect(key).toContain('#');
    expect(uiHints).toBeArray();
    const body = { name: title, description, trigger, steps };
    expect((await call(app, 'POST /workflows', { session: me, body })).status).toBe(201);
  }
});

test('a key without the permission is refused', async () => {
  const other = await seed(database).user(['workflow.read']);
  for (const path of ['/plugins', '/plugins/methods', '/plugins/templates'] as const) {
    expect((await call(app, `GET ${path}`, { as: other })).status).toBe(403);
  }
});
