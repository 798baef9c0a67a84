import { expect, test } from 'bun:test';
import { createArchiveExportTests } from '../../../../test/support/exported-archives.ts';
import { call, seed } from '../../../../test/support/harness.ts';

const library = createArchiveExportTests();
const { create, get } = library;

test('a film has a shape and music, landscape and none unless they are chosen', async () => {
  const plain = await create({});
  expect(plain).toMatchObject({
    status: 201,
    body: { kind: 'highlight-video', format: 'landscape', music: null },
  });
  const chosen = await create({ format: 'portrait', music: 'calm' });
  expect(chosen.body).toMatchObject({ format: 'portrait', music: 'calm' });
  expect(await get(chosen.body.id)).toEqual(chosen.body);
});

test('the same film is not made twice, another is', async () => {
  const ids: string[] = [];
  for (const body of [{}, { format: 'landscape', music: null }, { music: 'gentle' }])
    ids.push((await create(body)).body.id);
  expect(ids[1]).toBe(ids[0]!);
  expect(ids[2]).not.toBe(ids[0]!);
});

test('a run of an earlier release is a landscape without music', async () => {
  const { id } = (await create({ format: 'square', music: 'bright' })).body;
  await library.database.sql`
    update operation set payload = payload - 'format' - 'music' where id = ${id}`;
  expect(await get(id)).toMatchObject({ format: 'landscape', music: null });
  expect((await create({})).body.id).toBe(id);
});

test.each([
  [{ format: 'round' }, 'format'],
  [{ music: 'loud' }, 'music'],
  [{ kind: 'archive', format: 'square' }, 'format'],
  [{ kind: 'archive', music: 'calm' }, 'music'],
])('%j is refused with its field', async (body, field) => {
  const reply = await create(body);
  expect(reply.status).toBe(400);
  expect(reply.body.errors[0].path).toEqual([field]);
});

test('nobody else makes a film of a memory', async () => {
  const stranger = await seed(library.database).user();
  const body = { format: 'square', music: 'calm' };
  expect((await create(body, { as: stranger })).status).toBe(400);
  const weak = await seed(library.database).user(['memory.read']);
  expect((await create(body, { as: { ...library.me, key: weak.key } })).status).toBe(403);
  const open = `POST /memories/${library.memory}/studio` as const;
  expect((await call(library.app, open, { as: stranger, body })).status).toBe(400);
  expect((await call(library.app, open, { as: library.me, body: { music: 'x' } })).status).toBe(
    400,
  );
});
