import { expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import fc from 'fast-check';
import { effort } from '../../../test/support/effort.ts';
import { useApp } from '../../../test/support/database.ts';
import { call, seed, type TestUser } from '../../../test/support/harness.ts';
import { unlock } from '../../../test/support/household.ts';
import { assets } from '../../db/tables/assets.ts';

const { database, app } = await useApp();

const type = fc.constantFrom('IMAGE', 'VIDEO', 'AUDIO');
const month = fc.integer({ min: 1, max: 3 });
const state = fc.record({
  visibility: fc.constantFrom('timeline', 'archive', 'hidden'),
  lockedAt: fc.option(fc.constant(new Date()), { freq: 3 }),
  trashedAt: fc.option(fc.constant(new Date()), { freq: 3 }),
  isFavorite: fc.boolean(),
});
type State = {
  visibility: 'timeline' | 'archive' | 'hidden';
  lockedAt: Date | null;
  trashedAt: Date | null;
  isFavorite: boolean;
};
const takenIn = (month: number) => {
  const takenAt = new Date(Date.UTC(2024, month, 15));
  return { takenAt, localTakenAt: takenAt.toISOString().slice(0, -1) };
};

const QUERIES = [
  '',
  'visibility=timeline',
  'visibility=archive',
  'visibility=hidden',
  'visibility=locked',
  'isTrashed=true',
  'isTrashed=true&visibility=archive',
  'isFavorite=true',
  'isFavorite=false&visibility=timeline',
];

/** Written anew here, from the words of the rule: it shares nothing with the code under test. */
function matches(query: string, unlocked: boolean, item: State): boolean {
  const asked = new URLSearchParams(query);
  const visibility = asked.get('visibility');
  if (asked.has('isFavorite') && String(item.isFavorite) !== asked.get('isFavorite')) return false;
  if ((item.trashedAt !== null) !== (asked.get('isTrashed') === 'true')) return false;
  if (visibility === 'locked') return item.lockedAt !== null && item.visibility !== 'hidden';
  if (item.lockedAt !== null && !(unlocked && item.trashedAt)) return false;
  return visibility === null ? item.visibility !== 'hidden' : item.visibility === visibility;
}

test('counts, listings and statistics equal a recount after any sequence of changes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ type, month, state }), { maxLength: 12 }),
      fc.array(fc.record({ at: fc.nat(), state, month, isGone: fc.boolean() }), { maxLength: 12 }),
      fc.boolean(),
      async (made, changes, unlocked) => {
        const me = await seed(database).user();
        if (unlocked) await unlock(database, me);
        const items = new Map<string, State & { month: number; type: string }>();
        for (const item of made) {
          const values = { ownerId: me.id, type: item.type, ...item.state, ...takenIn(item.month) };
          const id = await seed(database).asset(values);
          items.set(id, { ...item.state, month: item.month, type: item.type });
        }
        for (const { at, state, month, isGone } of changes) {
          const [id, item] = [...items][at % Math.max(1, items.size)] ?? [];
          if (!id || !item) continue;
          if (isGone) {
            await database.db.delete(assets).where(eq(assets.id, id));
            items.delete(id);
          } else {
            const change = { ...state, ...takenIn(month) };
            await database.db.update(assets).set(change).where(eq(assets.id, id));
            items.set(id, { ...item, ...state, month });
          }
        }
        for (const query of QUERIES) {
          if (query === 'visibility=locked' && !unlocked) continue;
          const expected = [...items.values()].filter((item) => matches(query, unlocked, item));
          await compare(me, query, expected);
        }
      },
    ),
    { numRuns: effort({ quick: 4, full: 40 }) },
  );
}, 300_000);

async function compare(
  me: TestUser,
  query: string,
  expected: readonly { month: number; type: string }[],
): Promise<void> {
  const caller = { session: me };
  const buckets = (await call(app, `GET /timeline/buckets?${query}`, caller)).body as {
    timeBucket: string;
    count: number;
  }[];
  const months = Map.groupBy(expected, (item) => `2024-0${item.month + 1}-01`);
  expect(new Map(buckets.map((bucket) => [bucket.timeBucket, bucket.count]))).toEqual(
    new Map([...months].map(([name, list]) => [name, list.length])),
  );
  for (const { timeBucket, count } of buckets) {
    const path = `GET /timeline/bucket?timeBucket=${timeBucket}&${query}` as const;
    expect((await call(app, path, caller)).body.id).toHaveLength(count);
  }
  const { body } = await call(app, `GET /assets/statistics?${query}`, caller);
  const of = (type: string) => expected.filter((item) => item.type === type).length;
  expect(body).toEqual({
    images: of('IMAGE'),
    videos: of('VIDEO'),
    // Left out while there is none, as Immich does.
    ...(of('AUDIO') > 0 && { audio: of('AUDIO') }),
    total: expected.length,
  });
}
