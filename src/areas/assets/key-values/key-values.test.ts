import { describe, expect, test } from 'bun:test';
import { useHousehold } from '../../../../test/support/database.ts';
import { call, type Caller, NOW, seed } from '../../../../test/support/harness.ts';

const { database, app, house, me } = await useHousehold();

const add = () => seed(database).asset({ ownerId: me.id });
type Item = { assetId: string; key: string; value?: object };
const put = (items: readonly Item[], caller: Caller = { as: me }) =>
  call(app, 'PUT /assets/metadata', { ...caller, body: { items } });
const remove = (items: readonly Item[], caller: Caller = { as: me }) =>
  call(app, 'DELETE /assets/metadata', { ...caller, body: { items } });
const listKeys = async (id: string, caller: Caller = { as: me }): Promise<string[]> =>
  (await call(app, `GET /assets/${id}/metadata`, caller)).body.map(
    (entry: { key: string }) => entry.key,
  );

describe('PUT and DELETE of metadata for many assets', () => {
  test('stores values and returns them in order; the last of two values for one key wins', async () => {
    const [first, second] = [await add(), await add()];
    await put([{ assetId: first, key: 'a', value: { old: true } }]);
    const reply = await put([
      { assetId: second, key: 'b', value: { n: 1 } },
      { assetId: first, key: 'a', value: { n: 2 } },
      { assetId: first.toUpperCase(), key: 'a', value: { n: 3 } },
      { assetId: first, key: 'b', value: {} },
    ]);
    const updatedAt = NOW.toISOString();
    expect(reply).toMatchObject({ status: 200 });
    expect(reply.body).toEqual([
      { assetId: second, key: 'b', value: { n: 1 }, updatedAt },
      { assetId: first, key: 'a', value: { n: 3 }, updatedAt },
      { assetId: first, key: 'b', value: {}, updatedAt },
    ]);
    expect(await listKeys(first)).toEqual(['a', 'b']);
    const { body } = await call(app, `GET /assets/${first}/metadata/a`, { as: me });
    expect(body).toEqual({ key: 'a', value: { n: 3 }, updatedAt });
  });

  test('deletes values by pair and ignores pairs that do not exist', async () => {
    const [first, second] = [await add(), await add()];
    const value = {};
    await put([
      { assetId: first, key: 'a', value },
      { assetId: first, key: 'b', value },
      { assetId: second, key: 'a', value },
    ]);
    const reply = await remove([
      { assetId: first, key: 'a' },
      { assetId: second, key: 'x' },
    ]);
    expect(reply).toMatchObject({ status: 204, body: undefined });
    expect(await listKeys(first)).toEqual(['b']);
    expect(await listKeys(second)).toEqual(['a']);
  });

  test('accepts an empty list', async () => {
    expect(await put([])).toMatchObject({ status: 200, body: [] });
    expect((await remove([])).status).toBe(204);
  });

  test('accepts 10,000 values', async () => {
    const id = await add();
    const items = Array.from({ length: 10_000 }, (_, n) => ({
      assetId: id,
      key: `key ${n}`,
      value: { n },
    }));
    expect((await put(items)).body).toHaveLength(10_000);
    expect((await remove(items)).status).toBe(204);
    expect(await listKeys(id)).toEqual([]);
  });
});

describe('a refused request neither stores nor deletes a value', () => {
  const cases: [string, () => string, () => Caller, number][] = [
    ['that does not exist', () => crypto.randomUUID(), () => ({ as: house.owner }), 400],
    ['of a partner', () => house.ids.ofPartner, () => ({ as: house.owner }), 400],
    ['that is locked', () => house.ids.locked, () => ({ as: house.owner }), 400],
    ['sent by another user', () => house.ids.plain, () => ({ as: house.stranger }), 400],
    ['sent by a member of the album', () => house.ids.plain, () => ({ as: house.member }), 400],
    [
      'sent by a guest',
      () => house.ids.plain,
      () => ({ headers: { 'x-immich-share-slug': 'assets' } }),
      403,
    ],
  ];
  for (const [name, id, caller, status] of cases) {
    test(`an asset ${name} in the request → ${status}`, async () => {
      const owner = { as: house.owner };
      const { favorite } = house.ids;
      await put([{ assetId: favorite, key: 'kept', value: {} }], owner);
      const items = [favorite, id()].map((assetId) => ({ assetId, key: 'new', value: {} }));
      expect((await put(items, caller())).status).toBe(status);
      const pairs = [favorite, id()].map((assetId) => ({ assetId, key: 'kept' }));
      expect((await remove(pairs, caller())).status).toBe(status);
      expect(await listKeys(favorite, owner)).toEqual(['kept']);
    });
  }

  const wrong: [string, object][] = [
    ['no key', { value: {} }],
    ['an empty key', { key: '', value: {} }],
    ['a key with NUL', { key: 'a\u0000', value: {} }],
    ['no value', { key: 'a' }],
    ['null as value', { key: 'a', value: null }],
    ['NUL in a value', { key: 'a', value: { b: ['\u0000'] } }],
    ['NUL in the name of a member', { key: 'a', value: { 'b\u0000': 1 } }],
  ];
  for (const [name, item] of wrong) {
    test(`${name} → 400`, async () => {
      const id = await add();
      expect((await put([{ assetId: id, ...item } as Item])).status).toBe(400);
      const one = await call(app, `PUT /assets/${id}/metadata`, {
        as: me,
        body: { items: [item] },
      });
      expect(one.status).toBe(400);
      expect(await listKeys(id)).toEqual([]);
    });
  }

  test('accepts text that contains an escaped NUL sequence', async () => {
    const id = await add();
    const value = { path: 'C:\\u0000' };
    expect((await put([{ assetId: id, key: 'a', value }])).body[0].value).toEqual(value);
  });
});
