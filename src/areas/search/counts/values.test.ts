import { expect, test } from 'bun:test';
import { useApp } from '../../../../test/support/database.ts';
import { call, NOW, seed } from '../../../../test/support/harness.ts';
import { addManyAssets } from '../../../../test/support/many-assets.ts';

const { database, app } = await useApp();
const { sql } = database;
const FIELDS = ['country', 'city', 'make', 'model', 'lens_model'] as const;
const NAMES: Readonly<Record<string, string>> = { lens_model: 'lensModel' };

test('facets of a camera or place equal a recount, whoever else has them', async () => {
  const [me, partner, stranger] = [
    await seed(database).user(),
    await seed(database).user(),
    await seed(database).user(),
  ];
  await sql`insert into partner (sharer_id, viewer_id, in_timeline) values (${partner.id}, ${me.id}, true)`;
  for (const { id } of [me, partner, stranger]) {
    await addManyAssets(database, id, 400);
    await addManyAssets(database, id, 50, { trashedAt: NOW });
    for (const visibility of ['archive', 'hidden'])
      await addManyAssets(database, id, 50, { visibility });
  }
  await sql`update asset set locked_at = now() where get_byte(sha1, 1) < 30`;
  await sql`
    insert into asset_exif (asset_id, make, model, lens_model, city, country)
    select id, 'Make ' || get_byte(sha1, 2) % 3, 'Model ' || get_byte(sha1, 3) % 4,
      case when get_byte(sha1, 4) % 2 = 0 then 'Lens' end, 'City ' || get_byte(sha1, 5) % 5,
      'Country ' || get_byte(sha1, 6) % 2
    from asset where get_byte(sha1, 7) % 5 > 0`;
  await sql`analyze`;
  for (const body of [
    { make: 'Make 1' },
    { make: 'Make 1', model: 'Model 2' },
    { city: 'City 3' },
    { lensModel: 'Lens', isFavorite: false },
    { make: 'Nobody' },
  ]) {
    const { facets, total } = (await call(app, 'POST /search/facets', { as: me, body })).body;
    const { isFavorite: _, ...values } = body as Record<string, unknown>;
    const rows = (
      await sql<Record<string, string | null>[]>`
        select ${sql(FIELDS)} from asset join asset_exif on asset_id = id
        where owner_id = any(${[me.id, partner.id]}::uuid[]) and visibility = 'timeline'
          and trashed_at is null and locked_at is null`
    ).filter((row) =>
      Object.entries(values).every(
        ([name, value]) => row[name === 'lensModel' ? 'lens_model' : name] === value,
      ),
    );
    expect([body, total]).toEqual([body, rows.length]);
    for (const field of FIELDS) {
      const counted = Object.groupBy(rows, (row) => String(row[field]));
      const { values: shown } = facets.find(
        (facet: { field: string }) => facet.field === (NAMES[field] ?? field),
      );
      expect(
        Object.fromEntries(
          shown.map(({ value, count }: { value: string | null; count: number }) => [value, count]),
        ),
      ).toEqual(
        Object.fromEntries(Object.entries(counted).map(([value, items]) => [value, items!.length])),
      );
    }
  }
});
