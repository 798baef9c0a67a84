import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { effort } from '../../../test/support/effort.ts';
import { useApp } from '../../../test/support/database.ts';
import { call, seed, type TestUser } from '../../../test/support/harness.ts';
import { saveRecognizedText } from '../../../test/support/recognized-text.ts';
import { countsByMonth } from './store.ts';

const { database, app } = await useApp();

const TEXT = ['Stadtwerke Köln', 'Ihre neue Abrechnung', 'Bitte aufbewahren'];
/** Near an end of the month, where the month of a clock is another. */
const DAYS = ['2024-01-31T23:30:00Z', '2024-02-01T00:00:00Z', '2024-02-29T12:00:00Z'];

async function photo(ownerId: string, takenAt: Date): Promise<string> {
  const assetId = await seed(database).asset({ ownerId, takenAt });
  await saveRecognizedText(database, { assetId, ownerId }, TEXT);
  return assetId;
}

const recounted = async (ownerId: string) => [
  ...(await database.sql`
    select to_char(taken_at at time zone 'utc', 'YYYY-MM-01') as month, count(*)::int as documents
    from document where owner_id = ${ownerId} and is_listed and fills_picture group by 1 order by 1 desc`),
];
const CHANGES = {
  trash: 'trashed_at = case when trashed_at is null then now() end',
  lock: 'locked_at = case when locked_at is null then now() end',
  hide: `visibility = case visibility when 'timeline' then 'hidden' else 'timeline' end`,
  archive: `visibility = case visibility when 'timeline' then 'archive' else 'timeline' end`,
  later: `taken_at = taken_at + interval '1 hour'`,
  redated: `local_taken_at = local_taken_at + interval '1 month'`,
} as const;
const step = fc.oneof(
  fc.record({ kind: fc.constant('insert' as const), which: fc.nat({ max: DAYS.length - 1 }) }),
  fc.record({
    kind: fc.constantFrom(...(Object.keys(CHANGES) as (keyof typeof CHANGES)[])),
    which: fc.nat(),
  }),
  fc.record({ kind: fc.constantFrom('delete', 'forget', 'empty', 'all'), which: fc.nat() }),
);

test('monthly counts equal a recount after any sequence of changes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const { id: ownerId } = await seed(database).user();
      const ids: string[] = [];
      for (const { kind, which } of steps) {
        const id = ids[which % Math.max(1, ids.length)];
        if (kind === 'insert') ids.push(await photo(ownerId, new Date(DAYS[which]!)));
        else if (kind === 'all') {
          await database.sql`
            update asset set visibility = case visibility when 'timeline' then 'archive' else 'hidden' end
            where owner_id = ${ownerId}`;
        } else if (!id) continue;
        else if (kind === 'delete') {
          await database.sql`delete from asset where id = ${id}`;
          ids.splice(ids.indexOf(id), 1);
        } else if (kind === 'empty') {
          await database.sql`update document set folded = '' where asset_id = ${id}`;
        } else if (kind === 'forget') {
          await database.sql`delete from document where asset_id = ${id}`;
        } else {
          await database.sql.unsafe(
            `update asset set ${CHANGES[kind as keyof typeof CHANGES]} where id = $1`,
            [id],
          );
        }
        expect(await countsByMonth(database.deps, ownerId)).toEqual(
          (await recounted(ownerId)) as never,
        );
      }
    }),
    { numRuns: effort({ quick: 3, full: 10 }) },
  );
}, 300_000);

test('pages are the same wherever in a month they begin', async () => {
  const me = await seed(database).user();
  const other = await seed(database).user();
  const theirs = await photo(other.id, new Date(DAYS[1]!));
  const ids: string[] = [];
  for (const day of DAYS) {
    for (let n = 0; n < 3; n++) ids.unshift(await photo(me.id, new Date(Date.parse(day) + n)));
  }
  const list = async (as: TestUser, query: string) =>
    (await call(app, `GET /documents?${query}`, { as })).body;
  for (const size of [1, 2, 4, 5, 9, 10]) {
    const found: string[] = [];
    for (let page = 1; page <= Math.ceil(9 / size); page++) {
      const { items, total, hasNextPage } = await list(me, `size=${size}&page=${page}`);
      expect(total).toBe(9);
      expect(hasNextPage).toBe(page * size < 9);
      found.push(...items.map(({ id }: { id: string }) => id));
    }
    expect(found).toEqual(ids);
    expect(found).not.toContain(theirs);
  }
  expect(await list(me, 'size=9&page=2')).toMatchObject({ items: [], total: 9 });
});
