import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { effort } from '../../../../test/support/effort.ts';
import { useApp } from '../../../../test/support/database.ts';
import { call, type Caller, NOW, seed, type TestUser } from '../../../../test/support/harness.ts';
import { indexTexts } from '../../../../test/support/text-index.ts';
import { partners } from '../../../db/tables/identity.ts';

const { database, app } = await useApp();

const ask = async (route: string, body: object, caller: Caller) =>
  (await call(app, `POST /search/${route}`, { ...caller, body })).body;
test('EP-006: the buckets of a histogram add up to the total of the statistics', async () => {
  const me = await seed(database).user();
  const partner = await seed(database).user();
  await database.db
    .insert(partners)
    .values({ sharerId: partner.id, viewerId: me.id, inTimeline: true });
  await seedMixed(me);
  await seedMixed(partner);
  await indexTexts(database);
  const option = <T>(...values: T[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
  const body = fc.record({
    type: option('IMAGE', 'VIDEO', 'AUDIO'),
    city: option('Lisbon', 'Oslo', null),
    make: option('Canon', null),
    rating: option(5, null),
    isFavorite: option(true, false),
    visibility: option('timeline', 'archive', 'hidden'),
    takenAfter: option('2021-01-01T00:00:00Z', '2021-07-01T00:00:00+02:00'),
    takenBefore: option('2022-12-31T23:59:59Z'),
    trashedAfter: option('2000-01-01T00:00:00Z'),
    tagIds: option(null),
    withDeleted: option(true),
    query: option('lake', 'boats on the lake', 'laek', 'lisbon', 'nowhere', ' '),
    filter: option({ or: [{}] }, { isFavorite: { eq: true } }, { type: { notIn: ['VIDEO'] } }),
  });
  await fc.assert(
    fc.asyncProperty(body, fc.constantFrom('day', 'month', 'year'), async (body, granularity) => {
      const histogram = await ask('histogram', { ...body, granularity }, { as: me });
      const { total } = await ask('statistics', body, { as: me });
      const counts = histogram.buckets.map((bucket: { count: number }) => bucket.count);
      expect(counts.reduce((sum: number, count: number) => sum + count, 0)).toBe(total);
      expect(histogram.total).toBe(total);
      const dates: string[] = histogram.buckets.map((bucket: { date: string }) => bucket.date);
      expect(dates).toEqual([...new Set<string>(dates)].sort());
      if (body.query?.trim()) {
        const { assets } = await ask(
          'smart',
          { withArchived: false, ...body, size: 1000 },
          { as: me },
        );
        expect([body, assets.count]).toEqual([body, total]);
      }
      const { total: ofFacets, facets } = await ask('facets', body, { as: me });
      expect(ofFacets).toBe(total);
      for (const { field, values } of facets) {
        if (field === 'tags') continue;
        const sum = values.reduce((all: number, { count }: { count: number }) => all + count, 0);
        expect([field, sum]).toEqual([field, total]);
      }
    }),
    { numRuns: effort({ quick: 5, full: 120 }) },
  );
}, 300_000);

async function seedMixed(owner: TestUser): Promise<void> {
  for (let n = 0; n < 40; n++) {
    const takenAt = new Date(Date.UTC(2020 + (n % 4), n % 12, 1 + n, 23, 30));
    const local = new Date(takenAt.getTime() + (n % 3) * 3_600_000);
    await seed(database).asset({
      ownerId: owner.id,
      type: n % 5 === 0 ? 'VIDEO' : 'IMAGE',
      takenAt,
      localTakenAt: local.toISOString().slice(0, -1),
      isFavorite: n % 3 === 0,
      visibility: (['timeline', 'timeline', 'archive', 'hidden'] as const)[n % 4]!,
      lockedAt: n % 11 === 0 ? NOW : null,
      trashedAt: n % 13 === 0 ? NOW : null,
      exif: {
        city: ['Lisbon', 'Oslo', null][n % 3]!,
        make: n % 2 === 0 ? 'Canon' : null,
        rating: [5, 0, null][n % 3]!,
        description: ['boats on the lake', 'the lake', ''][n % 3]!,
      },
    });
  }
}

test('counts for an interpreted question equal its results', async () => {
  const me = await seed(database).user();
  await seedMixed(me);
  await indexTexts(database);
  for (const [query, expected] of [
    ['boats in Lisbon in 2020', 3],
    ['lake in Oslo', 6],
    ['videos in Oslo', 1],
    ['zeppelins in Lisbon', 0],
  ] as const) {
    const { interpretation, assets } = await ask('ask', { query, size: 1000 }, { as: me });
    const { text, filter } = interpretation;
    const body = { ...filter, ...(text !== null && { query: text }) };
    const totals = await Promise.all(
      ['statistics', 'facets', 'histogram'].map((route) => ask(route, body, { as: me })),
    );
    expect([query, assets.count, ...totals.map(({ total }) => total)]).toEqual([
      query,
      expected,
      expected,
      expected,
      expected,
    ]);
  }
});
