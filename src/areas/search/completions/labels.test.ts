import { beforeEach, expect, test } from 'bun:test';
import { call, seed, type TestUser } from '../../../../test/support/harness.ts';
import { addLink } from '../../../../test/support/household.ts';
import { type Seen, useSeenLibrary } from '../../../../test/support/seen-library.ts';
import { partners } from '../../../db/tables/identity.ts';

const library = await useSeenLibrary();
let me: TestUser;
beforeEach(async () => {
  me = await seed(library.database).user();
});

const add = (seen: Seen, values?: object) => library.add(me, seen, values);
const complete = async (query: string, language = 'en', as = me) => {
  const path = `GET /search/completions?query=${encodeURIComponent(query)}&language=${language}`;
  const { status, body } = await call(library.app, path as 'GET /search/completions', { as });
  expect(status).toBe(200);
  return body.map(({ kind, text }: { kind: string; text: string }) => `${kind} ${text}`);
};

test('what pictures show is offered in the language of the request, and finds it', async () => {
  const zebra = await add({ objects: { zebra: 0.9 }, tags: { zebra: 0.8 } });
  await add({ tags: { ski: 0.7, kelpie: 0.6 }, objects: { dog: 0.9 }, colours: { red: 0.9 } });
  await library.finish();
  expect(await complete('zeb')).toEqual(['label zebra']);
  expect(await complete('two ze')).toEqual(['label two zebra']);
  expect(await complete('on sk')).toEqual(['label on ski']);
  expect(await complete('do')).toEqual(['label dog']);
  expect(await complete('Hun', 'de-AT')).toEqual(['label hund']);
  expect(await complete('zèb', 'fr')).toEqual(['label zebre']);
  expect(await complete('犬', 'ja')).toEqual([]);
  expect(await complete('しま', 'ja')).toEqual(['label しまうま']);
  // A letter is the beginning of too many; nobody has seen a giraffe; colours are no things.
  for (const query of ['z', 'gir', 're', 'zebra', '', '%', 'xx'])
    expect([query, await complete(query)]).toEqual([query, []]);
  expect(await library.search(me, 'zebra')).toEqual([zebra]);
});

test('what the caller may not see is not offered, nor what was removed', async () => {
  const seen = { objects: { zebra: 0.9 } };
  const own = await add(seen);
  for (const state of [
    { lockedAt: new Date() },
    { trashedAt: new Date() },
    { visibility: 'archive' },
    { visibility: 'hidden' },
  ])
    await add({ objects: { giraffe: 0.9 } }, state);
  const [stranger, partner] = [
    await seed(library.database).user(),
    await seed(library.database).user(),
  ];
  await add({ objects: { giraffe: 0.9 } }, { ownerId: stranger.id });
  await add({ objects: { bear: 0.9 } }, { ownerId: partner.id });
  await library.finish();
  expect([await complete('ze'), await complete('gi'), await complete('bea')]).toEqual([
    ['label zebra'],
    [],
    [],
  ]);
  expect(await complete('gi', 'en', stranger)).toEqual(['label giraffe']);
  expect(await complete('ze', 'en', stranger)).toEqual([]);
  // The search finds what a partner shows on the Timeline.
  const sharing = { sharerId: partner.id, viewerId: me.id };
  await library.database.db.insert(partners).values({ ...sharing, inTimeline: true });
  expect(await complete('bea')).toEqual(['label bear']);
  await library.database.db.update(partners).set({ inTimeline: false });
  expect(await complete('bea')).toEqual([]);

  const body = { label: 'zebra', isRight: false };
  await call(library.app, `PUT /assets/${own}/labels`, { as: me, body });
  await library.finish();
  expect(await complete('ze')).toEqual([]);
  const weak = await seed(library.database).user(['album.read']);
  const path = 'GET /search/completions?query=ze' as const;
  expect((await call(library.app, path, { as: weak })).status).toBe(403);
  await addLink(library.database, { ownerId: me.id, slug: 'zoo' }, [own]);
  expect((await call(library.app, `${path}&slug=zoo`)).status).toBe(403);
});
