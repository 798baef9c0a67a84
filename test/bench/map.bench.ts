// bun test/bench/map.bench.ts [assets]: what a map of a large library costs at every zoom, and what
// keeping its counts costs. On a database of the server in TEST_POSTGRES; prints JSON.
import { foldCells } from '../../src/areas/map/fold.store.ts';
import { latency, openLibrary, timed } from './measure.ts';
import { dropLibrary, seedLibrary } from './seed.ts';

const [assets = 1_000_000] = process.argv.slice(2).map(Number);
const MOVED = 5000;

const library = await seedLibrary('bench_map', assets);
const { db, sql, request, close } = openLibrary(library);

type Cluster = { cell: string; count: number };

const WORLD = 'bbox=-180,-90,180,90';
const largest = (clusters: readonly Cluster[]) =>
  clusters.toSorted((a, b) => b.count - a.count)[0]!;

const results: Record<string, unknown> = { assets };
try {
  // The width in degrees of a window of 1280 by 800 pixels at the zoom.
  for (const zoom of [0, 2, 4, 6, 8, 10, 12, 14, 16]) {
    const half = Math.min(180, (360 / 2 ** (zoom + 1)) * 2.5);
    const box = `bbox=${-half},${-half / 2.5},${half},${half / 2.5}`;
    const route = `GET /map/clusters?${zoom < 3 ? WORLD : box}&zoom=${zoom}`;
    const { clusters } = await request(route);
    results[`zoom${zoom}`] = {
      clusters: clusters.length,
      ...(await latency(() => request(route))),
    };
  }
  const narrow = {
    month: 'fileCreatedAfter=2024-05-01T00:00:00Z&fileCreatedBefore=2024-06-01T00:00:00Z',
    year: 'fileCreatedAfter=2024-01-01T00:00:00Z&fileCreatedBefore=2025-01-01T00:00:00Z',
    favorites: 'isFavorite=true',
    archived: 'isArchived=true',
  };
  for (const [name, query] of Object.entries(narrow)) {
    results[name] = await latency(() => request(`GET /map/clusters?${WORLD}&zoom=2&${query}`), 15);
  }
  for (const zoom of [1, 8, 12]) {
    const { clusters } = await request(
      `GET /map/clusters?${zoom < 3 ? WORLD : 'bbox=-3,-2,3,2'}&zoom=${zoom}`,
    );
    const { cell, count } = largest(clusters);
    results[`pageOf${count}`] = await latency(() => request(`GET /map/assets?cell=${cell}`));
  }

  const ids = sql`select id from asset where visibility = 'timeline' and trashed_at is null
    order by id limit ${MOVED}`;
  results['trash5000Ms'] = await timed(
    () => sql`
    update asset set trashed_at = now() where id in (${ids})`,
  );
  const rows = async () =>
    Number((await sql`select count(*) as n from asset_cell_count where not is_folded`)[0]!['n']);
  results['deltaRows'] = await rows();
  results['zoom2WithDeltas'] = await latency(() => request(`GET /map/clusters?${WORLD}&zoom=2`));
  results['foldMs'] = await timed(() => db.transaction((tx) => foldCells(tx, [library.userId])));
  const [size] = await sql`
    select pg_total_relation_size('asset_cell_count') as counts,
      pg_relation_size('asset_exif_position') as positions`;
  results['megabytes'] = {
    counts: Math.round(Number(size!['counts']) / 1e6),
    positions: Math.round(Number(size!['positions']) / 1e6),
  };
  console.log(JSON.stringify(results, undefined, 2));
} finally {
  await close();
  await dropLibrary(library.name);
}
