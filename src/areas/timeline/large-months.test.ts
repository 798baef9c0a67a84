import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { effort } from '../../../test/support/effort.ts';
import { useApp } from '../../../test/support/database.ts';
import { listShownChanges } from '../../../test/support/fresh.ts';
import { call, seed, type TestUser } from '../../../test/support/harness.ts';
import { addManyAssets } from '../../../test/support/many-assets.ts';

const { database, app } = await useApp();

const MONTHS = ['2025-12-01', '2026-01-01'];
const bucket = (month: string, query = 'visibility=timeline') =>
  `GET /timeline/bucket?timeBucket=${month}&${query}` as const;

type Home = { readonly me: TestUser; readonly ids: readonly string[] };

/** Thousands of items in each of two months, on a few days. */
async function open(): Promise<Home> {
  const me = await seed(database).user();
  const ids = await addManyAssets(database, me.id, 5000);
  await database.sql`update asset set local_taken_at = local_taken_at + interval '1 day',
    taken_at = taken_at + interval '1 day'
    where owner_id = ${me.id} and local_month = '2025-12-01' and local_taken_at >= '2025-12-31 12:00'`;
  return { me, ids };
}

/** Changes of the picked items. */
const listChanges = ({
  me,
  ids,
}: Home): Record<string, (picked: readonly string[]) => Promise<unknown>> => {
  const put = (picked: readonly string[], body: object) =>
    call(app, 'PUT /assets', { as: me, body: { ids: picked, ...body } });
  return {
    favorite: (picked) => put(picked, { isFavorite: true }),
    ordinary: (picked) => put(picked, { isFavorite: false }),
    archive: (picked) => put(picked, { visibility: 'archive' }),
    unarchive: (picked) => put(picked, { visibility: 'timeline' }),
    trash: (picked) => call(app, 'DELETE /assets', { as: me, body: { ids: picked } }),
    delete: ([id]) => call(app, 'DELETE /assets', { as: me, body: { ids: [id], force: true } }),
    restore: (picked) => call(app, 'POST /trash/restore/assets', { as: me, body: { ids: picked } }),
    lock: (picked) => put(picked, { visibility: 'locked' }),
    unlock: (picked) => set(picked, 'locked_at = null'),
    hide: (picked) => set(picked, `visibility = 'hidden'`),
    show: (picked) => set(picked, `visibility = 'timeline'`),
    stack: (picked) => call(app, 'POST /stacks', { as: me, body: { assetIds: picked } }),
    unstack: ([id]) =>
      database.sql`delete from stack where id = (select stack_id from asset where id = ${id!})`,
    'another top item': ([, id]) => database.sql`
    update stack set primary_id = ${id!} where id = (select stack_id from asset where id = ${id!})`,
    'another month': ([id]) => put([id!], { dateTimeOriginal: '2026-01-02T01:00:00.000Z' }),
    'another day': (picked) => put(picked, { dateTimeOriginal: '2025-12-29T11:12:13.456Z' }),
    'an hour': (picked) => put(picked, { dateTimeOriginal: '2026-01-02T09:00:00.000Z' }),
    'the end of a month': (picked) => put(picked, { dateTimeOriginal: '2026-01-31T23:59:59.999Z' }),
    'a later hour': (picked) => put(picked, { dateTimeRelative: 90 }),
    'a place': (picked) => put(picked, { latitude: 48.1, longitude: 11.6 }),
    city: (picked) => database.sql`
    insert into asset_exif (asset_id, city)
    select id, ${'Zürich, "Ž"'} from asset where id = any(${picked as string[]}::uuid[])
    on conflict (asset_id) do update set city = excluded.city`,
    picture: (picked) => set(picked, `width = 300, height = 200, thumbhash = '\\x0102'`),
    video: ([id, video]) =>
      set([id!], `live_video_id = (select id from asset where id = '${video!}')`),
    upload: () =>
      seed(database).asset({ ownerId: me.id, takenAt: new Date('2025-12-30T10:00:00Z') }),
    'many at once': () => set(ids.slice(100, 1500), 'is_favorite = not is_favorite'),
    'a shorter log': () => database.sql`
    update change_log set dropped_before = pg_current_xact_id()`,
  };
};
const set = (picked: readonly string[], values: string) =>
  database.sql.unsafe(`update asset set ${values} where id = any($1::uuid[])`, [[...picked]]);

/** In an order in which the bucket shows each of them. */
const SHOWN = [
  'favorite',
  'ordinary',
  'archive',
  'unarchive',
  'lock',
  'unlock',
  'hide',
  'show',
  'stack',
  'another top item',
  'trash',
  'restore',
  'unstack',
  'a later hour',
  'a place',
  'city',
  'picture',
  'video',
  'many at once',
  'an hour',
  'the end of a month',
  'another day',
  'another month',
  'delete',
];

/** Items far from each other, and neighbours. */
const places = [0, 1, 2, 1700, 1701, 2500, 2501, 3000, 4999];
const step = fc.record({
  change: fc.constantFrom(...SHOWN, 'upload', 'a shorter log'),
  picked: fc.uniqueArray(fc.constantFrom(...places), { minLength: 2, maxLength: 4 }),
  month: fc.constantFrom(...MONTHS),
  query: fc.constantFrom(
    'visibility=timeline',
    'visibility=timeline&withStacked=true',
    'visibility=timeline&withStacked=true&withPartners=true',
    'visibility=timeline&withCoordinates=true',
    'visibility=timeline&isFavorite=true',
    'visibility=timeline&order=asc',
  ),
});

describe('a month with thousands of items', () => {
  test('shows each change', async () => {
    const home = await open();
    const all = listChanges(home);
    const picked = [10, 11, 1700].map((place) => home.ids[place]!);
    const changes = Object.fromEntries(
      SHOWN.map((name) => [name, () => all[name]!(picked)] as const),
    );
    const route = bucket(MONTHS[1]!, 'visibility=timeline&withStacked=true&withCoordinates=true');
    expect(await listShownChanges(database, app, { route, as: home.me, changes })).toEqual([
      ...SHOWN,
    ]);
  });

  test('is after any changes what a process shows that remembers nothing', async () => {
    const home = await open();
    const all = listChanges(home);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 10 }), async (steps) => {
        for (const { change, picked, month, query } of steps) {
          const changes = { [change]: () => all[change]!(picked.map((place) => home.ids[place]!)) };
          const route = bucket(month, query);
          await listShownChanges(database, app, { route, as: home.me, changes });
        }
      }),
      { numRuns: effort({ quick: 2, full: 12 }) },
    );
  }, 300_000);
});
