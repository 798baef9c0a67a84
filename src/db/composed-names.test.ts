import { afterAll, expect, test } from 'bun:test';
import { migrations } from '../../migrations/index.ts';
import { dropDatabase, toDatabaseUrl } from '../../test/support/harness.ts';
import { addManyAssets } from '../../test/support/many-assets.ts';
import { openDatabase } from './client.ts';
import { withAdmin } from './databases.ts';
import { migrate } from './migrate.ts';

// Names that a version before has stored as they came: 0044_search_pages composes them.

const name = `composed_${crypto.randomUUID().slice(0, 8)}`;
const url = toDatabaseUrl(name);
await withAdmin(url, (admin) => admin`create database ${admin(name)}`);
const database = openDatabase(url, { max: 1 });
afterAll(async () => {
  await database.close();
  await dropDatabase(name);
});
const { sql } = database;
const decompose = (text: string): string => text.normalize('NFD');

type TagWithCounts = {
  readonly id: string;
  readonly value: string;
  readonly parent: string | null;
  readonly assets: readonly string[];
  readonly count: number;
  readonly total: number;
};

test('tags that look the same become one with all photos of both, and counts stay right', async () => {
  const before = migrations.findIndex((migration) => migration.name === '0044_search_pages');
  await migrate(sql, migrations.slice(0, before));
  const [user] = await sql`
    insert into app_user (email, name) values ('ada@example.org', 'Ada') returning id`;
  const ownerId: string = user!['id'];
  const [one, two, three] = (await addManyAssets(database, ownerId, 3)) as [string, string, string];
  const addTag = async (value: string, parentId: string | null, assetIds: readonly string[]) => {
    const [tag] = await sql`insert into tag (owner_id, parent_id, value)
      values (${ownerId}, ${parentId}, ${value}) returning id`;
    for (const assetId of assetIds)
      await sql`insert into tag_asset (tag_id, asset_id) values (${tag!['id']}, ${assetId})`;
    return tag!['id'] as string;
  };
  const kept = await addTag('Café', null, [one]);
  const twin = await addTag(decompose('Café'), null, [one, two]);
  await addTag(`${decompose('Café')}/Été`, twin, [three]);
  const alone = await addTag(decompose('Müsli'), null, [three]);
  await sql`insert into person (owner_id, name) values (${ownerId}, ${decompose('Zoë')})`;
  await sql`insert into album (owner_id, name) values (${ownerId}, ${decompose('Été')})`;
  await migrate(sql);
  const tags = await sql<TagWithCounts[]>`
    select tag.id, tag.value, parent.value as parent,
      array(select asset_id from tag_asset where tag_id = tag.id) as assets,
      (select coalesce(sum(assets), 0)::int from tag_count where tag_id = tag.id) as count,
      (select coalesce(sum(total), 0)::int from tag_count where tag_id = tag.id) as total
    from tag left join tag parent on parent.id = tag.parent_id order by tag.value`;
  const sorted = tags.map((tag) => ({ ...tag, assets: tag.assets.toSorted() }));
  expect(sorted).toEqual([
    { id: kept, value: 'Café', parent: null, assets: [one, two].toSorted(), count: 2, total: 3 },
    {
      id: expect.any(String),
      value: 'Café/Été',
      parent: 'Café',
      assets: [three],
      count: 1,
      total: 1,
    },
    { id: alone, value: 'Müsli', parent: null, assets: [three], count: 1, total: 1 },
  ]);
  const [names] = await sql`
    select person.name as person, album.name as album from person, album`;
  expect(names).toEqual({ person: 'Zoë', album: 'Été' });
});
