import { expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { call, seed, send } from '../../../test/support/harness.ts';

const { database, app } = await useApp();

test('a page is the same whether its bodies are read, are known, or were changed since', async () => {
  const me = await seed(database).user();
  for (let day = 1; day <= 7; day++) {
    const takenAt = new Date(Date.UTC(2026, 0, day));
    await seed(database).asset({
      ownerId: me.id,
      takenAt,
      exif: { city: 'Porto', rating: day % 5 },
    });
  }
  const requests = [
    { size: 3 },
    { size: 3, page: 2 },
    { size: 3, withExif: true },
    { size: 3, withExif: true, orderBy: { direction: 'asc', field: 'rating' } },
    { size: 3, withPeople: true, withStacked: true },
  ];
  const read = async (body: object) => {
    const reply = await send(app, 'POST /search/metadata', { as: me, body });
    expect([body, reply.status]).toEqual([body, 200]);
    return reply.text();
  };
  for (const body of requests) {
    const first = await read(body);
    expect(JSON.parse(first).assets.items).toHaveLength(3);
    expect(await read(body)).toBe(first);
    await database.sql`update asset set is_favorite = not is_favorite where owner_id = ${me.id}`;
    const changed = await read(body);
    expect(changed).not.toBe(first);
    expect(await read(body)).toBe(changed);
  }
  const other = await seed(database).user();
  const { body } = await call(app, 'POST /search/metadata', { as: other, body: requests[0]! });
  expect(body.assets.items).toEqual([]);
});
