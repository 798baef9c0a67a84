import { beforeEach, describe, expect, test } from 'bun:test';
import { call, seed, type TestUser } from '../../../../test/support/harness.ts';
import { addLink } from '../../../../test/support/household.ts';
import { type Seen, useSeenLibrary } from '../../../../test/support/seen-library.ts';

const library = await useSeenLibrary();
const { database, app } = library;
let me: TestUser;
beforeEach(async () => {
  me = await seed(database).user();
});

const add = (seen: Seen, values?: object) => library.add(me, seen, values);
const say = async (id: string, label: string, isRight: boolean | null, language?: string) => {
  const body = { label, isRight, ...(language && { language }) };
  const { status } = await call(app, `PUT /assets/${id}/labels`, { as: me, body });
  await library.finish();
  return status;
};
const search = (query: string, as = me) => library.search(as, query);
const list = async (id: string, language = 'en') => {
  const { body } = await call(app, `GET /assets/${id}/labels?language=${language}`, { as: me });
  return body.flatMap(({ name, isRight }: { name: string; isRight: boolean | null }) =>
    isRight === false ? [] : [name],
  ) as string[];
};

describe('a label that is removed', () => {
  test('takes its kinds with it, and brings them back', async () => {
    const id = await add({ tags: { kelpie: 0.6, schipperke: 0.3 }, objects: { dog: 0.9 } });
    const other = await add({ tags: { kelpie: 0.5 }, objects: { dog: 0.8 } });
    await library.finish();
    for (const back of [true, null]) {
      expect(await search('kelpie')).toEqual([id, other]);
      expect(await say(id, 'dog', false)).toBe(204);
      for (const query of ['dog', 'Hund', 'kelpie', 'schipperke', 'animal'])
        expect([query, (await search(query)).includes(id)]).toEqual([query, false]);
      expect(await search('dog')).toEqual([other]);
      expect(await list(id)).toEqual([]);
      for (const route of ['facets', 'histogram', 'statistics']) {
        const body = { query: 'dogs' };
        const { total } = (await call(app, `POST /search/${route}`, { as: me, body })).body;
        expect([route, total]).toEqual([route, 1]);
      }
      // A later analysis is no reason to say it again.
      await library.see(me, id, {
        tags: { kelpie: 0.6, schipperke: 0.3 },
        objects: { dog: 0.9 },
      });
      await library.finish();
      expect(await search('dog')).toEqual([other]);
      expect(await say(id, 'dog', back)).toBe(204);
      expect((await search('dog')).toSorted()).toEqual([id, other].toSorted());
      expect(await list(id)).toEqual(['dog', 'kelpie', 'schipperke']);
    }
  });

  test('takes a kind with it that was confirmed, until a kind is confirmed anew', async () => {
    const id = await add({ tags: { kelpie: 0.6 }, objects: { dog: 0.9, cat: 0.4 } });
    await say(id, 'kelpie', true);
    await say(id, 'dog', false);
    expect([await search('kelpie'), await search('dog'), await list(id)]).toEqual([
      [],
      [],
      ['cat'],
    ]);
    await say(id, 'dog', null);
    expect(await list(id)).toEqual(['kelpie', 'dog', 'cat']);
    await say(id, 'dog', false);
    await say(id, 'kelpie', true);
    expect([await search('kelpie'), await search('dog')]).toEqual([[id], [id]]);
    expect(await search('cat')).toEqual([id]);
  });

  test('leaves what only belongs to it, and what is broader', async () => {
    const id = await add({ tags: { kelpie: 0.6, seashore: 0.9 }, objects: { dog: 0.9 } });
    await library.finish();
    await say(id, 'kelpie', false);
    expect(await search('dog')).toEqual([id]);
    await say(id, 'beach', false);
    expect([await search('beach'), await search('seashore')]).toEqual([[], [id]]);
    expect(await list(id)).toContain('seashore');
  });
});

describe('a label that no model has', () => {
  test('is found in the language it was typed in, and in others', async () => {
    const id = await add({ objects: { person: 0.9 } });
    const both = await add({ layout: [] });
    await say(both, 'Ziege', true, 'de');
    expect(await say(id, 'Ziege', true, 'de')).toBe(204);
    for (const query of ['Ziege', 'Ziegen', 'goat', 'goats', 'chèvre', 'ziege'])
      expect([query, (await search(query)).toSorted()]).toEqual([query, [id, both].toSorted()]);
    expect(await search('person with a goat')).toEqual([id]);
    expect(await search('person without goats')).toEqual([]);
    expect(await list(id)).toEqual(['Ziege', 'person']);
    expect(await say(id, 'Ziege', null)).toBe(204);
    expect(await search('goat')).toEqual([both]);
    expect(await list(id)).toEqual(['person']);
    // A model may know it by another name.
    await say(id, 'Katze', true, 'de');
    expect([await search('cat'), await list(id)]).toEqual([[id], ['cat', 'person']]);
    await say(id, 'Opel  Kadett', true);
    for (const query of ['opel kadett', 'Kadett', 'OPEL'])
      expect([query, await search(query)]).toEqual([query, [id]]);
  });

  test('is found among what the searcher may see only', async () => {
    const id = await add({});
    const hidden = [
      await add({}, { lockedAt: new Date() }),
      await add({}, { trashedAt: new Date() }),
      await add({}, { visibility: 'archive' }),
      await add({}, { visibility: 'hidden' }),
    ];
    for (const one of [id, ...hidden])
      await database.sql`insert into asset_label_decision (asset_id, label, is_right)
        values (${one}, 'goat', true)`;
    await library.finish();
    expect(await search('goat')).toEqual([id]);
    expect(await search('goat', await seed(database).user())).toEqual([]);
  });

  test('is given by the owner, with the permission, in letters and up to a number', async () => {
    const id = await add({});
    const body = { label: 'goat', isRight: true };
    const stranger = await seed(database).user();
    const path = `PUT /assets/${id}/labels` as const;
    expect((await call(app, path, { as: stranger, body })).status).toBe(400);
    const weak = await seed(database).user(['asset.read']);
    expect((await call(app, path, { as: weak, body })).status).toBe(403);
    expect((await call(app, path, { body })).status).toBe(401);
    await addLink(database, { ownerId: me.id, slug: 'goats' }, [id]);
    for (const method of ['GET', 'PUT'] as const) {
      const route = `${method} /assets/${id}/labels?slug=goats` as const;
      const { status } = await call(app, route as 'GET /x', method === 'PUT' ? { body } : {});
      expect([method, status]).toEqual([method, 403]);
    }
    for (const label of [
      '',
      ' ',
      '\u0000',
      'a\nb',
      '<b>',
      'x'.repeat(61),
      '!!!',
      '\u202egoat',
      "'",
    ])
      expect([label, await say(id, label, true)]).toEqual([label, 400]);
    expect(await list(id)).toEqual([]);
    for (let n = 1; n <= 100; n++)
      await call(app, path, { as: me, body: { label: `own ${n}`, isRight: true } });
    expect(await say(id, 'own 101', true)).toBe(400);
    expect(await say(id, 'own 7', null)).toBe(204);
    expect(await say(id, 'own 101', true)).toBe(204);
    expect(await say(id, 'zebra', true)).toBe(204);
    expect(await list(id)).toHaveLength(101);
  });
});
