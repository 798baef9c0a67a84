import { expect, test } from 'bun:test';
import { deleteForGood } from '../../../../test/support/deletion.ts';
import fc from 'fast-check';
import { effort } from '../../../../test/support/effort.ts';
import { useApp } from '../../../../test/support/database.ts';
import { call, seed, type TestUser } from '../../../../test/support/harness.ts';
import { listFacts } from '../../assets/index.ts';

const { database, app } = await useApp();

type StoredFact = { kind: string; parts: (string | null)[]; count: number };

const listStored = async (ownerId: string): Promise<StoredFact[]> =>
  (await listFacts(database.deps, [ownerId])).map(({ kind, parts, count }) => ({
    kind,
    parts: [...parts],
    count,
  }));

/** Counted anew from the rows themselves. */
async function recount(ownerId: string): Promise<StoredFact[]> {
  const rows = await database.sql`
    select exif.*, exists (select from tag_asset where tag_asset.asset_id = asset.id) as tagged,
      array(select distinct person_id from face where face.asset_id = asset.id
        and person_id is not null and not is_hidden) as people
    from asset join asset_exif exif on exif.asset_id = asset.id
    where owner_id = ${ownerId} and visibility = 'timeline' and locked_at is null
      and trashed_at is null`;
  const counts = new Map<string, StoredFact>();
  for (const row of rows) {
    const facts: [string, (string | null)[]][] = [
      ['place', [row['country'], row['state'], row['city']]],
      ['camera', [row['make'], row['model'], row['lens_model']]],
      ['rating', [row['rating'] ? String(row['rating']) : null, null, null]],
      ['tagged', [row['tagged'] ? 'yes' : null, null, null]],
      ['recognised', [row['people'].length > 0 ? 'yes' : null, null, null]],
      ...row['people'].map((id: string) => ['person', [id, null, null]]),
    ];
    for (const [kind, parts] of facts) {
      if (parts.every((part) => part === null)) continue;
      const key = JSON.stringify([kind, parts]);
      const before = counts.get(key)?.count ?? 0;
      counts.set(key, { kind, parts, count: before + 1 });
    }
  }
  return [...counts.values()];
}

const ASSETS = 5;
const some = fc.array(fc.nat({ max: ASSETS - 1 }), { minLength: 1, maxLength: ASSETS });
const orNothing = <T>(value: T) => fc.option(fc.constant(value), { nil: null });
const exif = fc.record({
  country: orNothing('Portugal'),
  city: fc.constantFrom('Lisbon', 'Porto', null),
  make: orNothing('Canon'),
  model: fc.constantFrom('R6', 'R5', null),
  rating: fc.constantFrom(null, 0, 5, -1),
});
const STATES = {
  lock: 'locked_at = case when locked_at is null then now() end',
  trash: 'trashed_at = case when trashed_at is null then now() end',
  archive: `visibility = case visibility when 'timeline' then 'archive' else 'timeline' end`,
  hide: `visibility = case visibility when 'timeline' then 'hidden' else 'timeline' end`,
  favorite: 'is_favorite = not is_favorite',
  date: `local_taken_at = local_taken_at + interval '40 days'`,
} as const;
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('read' as const), some, exif }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('state' as const),
      some,
      change: fc.constantFrom(...(Object.keys(STATES) as (keyof typeof STATES)[])),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('tag' as const), some, tag: fc.nat({ max: 1 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('untag' as const), some, tag: fc.nat({ max: 1 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), some }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('deleteTag' as const), tag: fc.nat({ max: 1 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('show' as const), some, person: fc.nat({ max: 1 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('face' as const),
      some,
      change: fc.constantFrom('person_id = null', 'is_hidden = not is_hidden', 'person_id = $2'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('unshow' as const), some }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'hidePerson' as const }) },
  { weight: 3, arbitrary: fc.constant({ kind: 'list' as const }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

type Library = { me: TestUser; ids: string[]; tags: string[]; people: string[] };

async function apply({ me, ids, tags, people }: Library, item: Step) {
  const { sql } = database;
  const chosen = 'some' in item ? [...new Set(item.some.map((n) => ids[n]!))] : [];
  if (item.kind === 'read') {
    await sql`update asset_exif set ${sql(item.exif)} where asset_id = any(${chosen}::uuid[])`;
  } else if (item.kind === 'state') {
    await sql.unsafe(`update asset set ${STATES[item.change]} where id = any($1::uuid[])`, [
      chosen,
    ]);
  } else if (item.kind === 'tag') {
    await sql`insert into tag_asset (tag_id, asset_id)
      select tag.id, asset.id from tag, asset
      where tag.id = ${tags[item.tag]!} and asset.id = any(${chosen}::uuid[])
      on conflict do nothing`;
  } else if (item.kind === 'untag') {
    await sql`delete from tag_asset
      where tag_id = ${tags[item.tag]!} and asset_id = any(${chosen}::uuid[])`;
  } else if (item.kind === 'delete') {
    await deleteForGood(database, chosen);
  } else if (item.kind === 'show') {
    // Two faces of one person, as in a mirror.
    await sql`insert into face (owner_id, asset_id, person_id, x1, y1, x2, y2, image_width,
        image_height, source, source_revision)
      select ${me.id}, id, ${people[item.person]!}, 0.1, 0.1, 0.2, 0.2, 100, 100, 'manual', 'r'
      from asset cross join generate_series(1, 2) where id = any(${chosen}::uuid[])`;
  } else if (item.kind === 'face') {
    const first = `id in (select distinct on (asset_id) id from face
      where asset_id = any($1::uuid[]) order by asset_id, id)`;
    const values = item.change.includes('$2') ? [chosen, people[1]!] : [chosen];
    await sql.unsafe(`update face set ${item.change} where ${first}`, values);
  } else if (item.kind === 'unshow') {
    await sql`delete from face where asset_id = any(${chosen}::uuid[])`;
  } else if (item.kind === 'hidePerson') {
    await sql`update person set is_hidden = not is_hidden where id = ${people[0]!}`;
  } else if (item.kind === 'deleteTag') {
    await sql`delete from tag where id = ${tags[item.tag]!}`;
  } else {
    // Remembers what is there now: what is left unstamped afterwards is told as it was.
    await listFacts(database.deps, [me.id]);
  }
}

/** The same question, once so that kept counts answer it and once so that they cannot. */
const COUNTED = { filter: { or: [{}] } };

test('precomputed counts, facets, histograms and statistics equal a recount', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const me = await seed(database).user();
      const ids: string[] = [];
      for (let n = 0; n < ASSETS; n++) {
        const [city, country] = n % 2 === 0 ? ['Lisbon', 'Portugal'] : [null, null];
        ids.push(await seed(database).asset({ ownerId: me.id, exif: { city, country } }));
      }
      const tags = [crypto.randomUUID(), crypto.randomUUID()];
      await database.sql`insert into tag (id, owner_id, value)
        values (${tags[0]!}, ${me.id}, 'a'), (${tags[1]!}, ${me.id}, 'b')`;
      const people = [crypto.randomUUID(), crypto.randomUUID()];
      await database.sql`insert into person (id, owner_id, name)
        values (${people[0]!}, ${me.id}, 'A'), (${people[1]!}, ${me.id}, '')`;
      for (const item of steps) await apply({ me, ids, tags, people }, item);

      const byText = (list: StoredFact[]) => list.map((kept) => JSON.stringify(kept)).sort();
      expect(byText(await listStored(me.id))).toEqual(byText(await recount(me.id)));
      for (const route of ['facets', 'histogram', 'statistics'] as const) {
        for (const granularity of ['day', 'month', 'year']) {
          const ask = async (body: object) =>
            (await call(app, `POST /search/${route}`, { as: me, body: { ...body, granularity } }))
              .body;
          expect(await ask({})).toEqual(await ask(COUNTED));
          expect(await ask({ visibility: 'archive' })).toEqual(
            await ask({ ...COUNTED, visibility: 'archive' }),
          );
        }
      }
    }),
    { numRuns: effort({ quick: 5, full: 60 }) },
  );
}, 300_000);

test('concurrent changes of place and visibility count each item once', async () => {
  const me = await seed(database).user();
  const exif = { city: 'Lisbon' };
  for (let round = 0; round < 15; round++) {
    const id = await seed(database).asset({ ownerId: me.id, exif });
    await Promise.all([
      database.sql`update asset_exif set city = 'Porto' where asset_id = ${id}`,
      database.sql`update asset set visibility = 'archive' where id = ${id}`,
    ]);
    await Promise.all([
      database.sql`update asset set visibility = 'timeline' where id = ${id}`,
      database.sql`update asset_exif set city = 'Faro' where asset_id = ${id}`,
    ]);
  }
  expect(await listStored(me.id)).toEqual(await recount(me.id));
});
