// bun test/bench/tags.bench.ts [assets] [links]: what statistics by tag cost in a large library, and
// what keeping them costs. On a database of the server in TEST_POSTGRES; prints JSON.
import { findUnfoldedTags, foldTags } from '../../src/areas/tags/counts.store.ts';
import { latency, openLibrary, quantile, timed } from './measure.ts';
import { dropLibrary, seedLibrary } from './seed.ts';

const [assets = 1_000_000, links = 200_000] = process.argv.slice(2).map(Number);
const [TOPS, BRANCHES, LEAVES] = [20, 10, 10];
const BULK = 5000;

const library = await seedLibrary('bench_tags', assets);
const { db, sql, request, close } = openLibrary(library);

const statistics = () => request('GET /tags/statistics');
const countRows = async () => Number((await sql`select count(*) as n from tag_count`)[0]!['n']);
const range = (count: number) => Array.from({ length: count }, (_, n) => n);

const results: Record<string, unknown> = { assets, links };
try {
  const paths = range(TOPS).flatMap((a) =>
    range(BRANCHES).flatMap((b) => range(LEAVES).map((c) => `Top ${a}/Branch ${b}/Leaf ${c}`)),
  );
  results['upsertTagsMs'] = await timed(() => request('PUT /tags', { tags: paths }));
  const tags: { id: string; value: string }[] = await request('GET /tags');
  results['tags'] = tags.length;

  const ids = (await sql`select id from asset order by id limit ${Math.ceil(links / 2)}`).map(
    (row) => row['id'] as string,
  );
  // Two tags on each, in many requests, so that there are many delta rows.
  const bulk: number[] = [];
  const rounds = Math.ceil(links / BULK);
  for (let n = 0; n < rounds; n++) {
    const start = (n * BULK) % ids.length;
    const tag = tags[(n * 37) % tags.length]!;
    const body = { tagIds: [tag.id], assetIds: ids.slice(start, start + BULK) };
    bulk.push(await timed(() => request('PUT /tags/assets', body)));
  }
  const [found] = await sql`select count(*)::int as links from tag_asset`;
  results['linked'] = found!['links'];
  results['bulkTag5000Ms'] = quantile(bulk, 0.5);

  // Single links, so that the delta rows are as many as a minute of work leaves.
  const single: number[] = [];
  for (let n = 0; n < 1000; n++) {
    const tag = tags[(n * 13) % tags.length]!;
    const body = { ids: [ids[(n * 97) % ids.length]!] };
    single.push(await timed(() => request(`PUT /tags/${tag.id}/assets`, body)));
  }
  results['tagOneMs'] = quantile(single, 0.5);
  await sql`analyze tag_asset`;
  await sql`analyze tag_count`;
  results['statistics'] = { deltaRows: await countRows(), ...(await latency(statistics)) };

  const before = await statistics();
  results['foldMs'] = await timed(async () => {
    const unfolded = await findUnfoldedTags(db);
    await db.transaction((tx) => foldTags(tx, unfolded));
  });
  const all = tags.map((tag) => tag.id);
  await db.transaction((tx) => foldTags(tx, all));
  results['folded'] = { deltaRows: await countRows(), ...(await latency(statistics)) };
  if (JSON.stringify(await statistics()) !== JSON.stringify(before)) throw new Error('fold lost');
  results['recountMs'] = await timed(
    () => sql`
      with recursive above as (
        select id as tag_id, id as ancestor_id from tag
        union all select above.tag_id, tag.parent_id from above
        join tag on tag.id = above.ancestor_id where tag.parent_id is not null
      ) select ancestor_id, count(distinct asset.id) from above
      join tag_asset using (tag_id) join asset on asset.id = asset_id
      where visibility = 'timeline' and locked_at is null and trashed_at is null group by 1`,
  );

  const archive = (from: number, to: number, visibility: string) =>
    timed(
      () =>
        sql`update asset set visibility = ${visibility}
          where id = any(${ids.slice(from, to)}::uuid[]) and trashed_at is null`,
    );
  results['archive10000TaggedMs'] = await archive(0, 10_000, 'archive');
  await sql`alter table asset disable trigger asset_moved_counted`;
  await sql`alter table asset disable trigger asset_stacks_settled_update`;
  results['archive10000WithoutCountsOrStackTriggerMs'] = await archive(10_000, 20_000, 'archive');
  await sql`alter table asset enable trigger asset_stacks_settled_update`;
  results['archive10000WithStackTriggerMs'] = await archive(20_000, 30_000, 'archive');
  await sql`alter table asset enable trigger asset_moved_counted`;

  const [most] = await sql`
    select tag.id, count(*)::int as links from tag_asset join tag on tag.id = tag_id
    where value like 'Top 0%' group by tag.id order by 2 desc limit 1`;
  results['deleteTag'] = {
    links: most!['links'],
    ms: await timed(() => request(`DELETE /tags/${most!['id']}`)),
  };
  console.log(JSON.stringify(results, null, 2));
} finally {
  await close();
  await dropLibrary(library.name);
}
