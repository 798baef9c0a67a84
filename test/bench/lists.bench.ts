// bun test/bench/lists.bench.ts [assets]: every listing of a large library on its first and on its
// 1,000th page, over HTTP against the real server process and a database of the server in
// TEST_POSTGRES. SAFELIGHT_TEST_LIBRARY names a file: the library in it is used again, or one is made
// and kept there. SAFELIGHT_TEST_ONLY: parts of names. Prints a line of JSON for each, and a table.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../src/db/client.ts';
import { type Furnished, furnish } from './furnish.ts';
import { quantile, round, serveLibrary } from './measure.ts';
import { dropLibrary, seedLibrary } from './seed.ts';

const [assets = 1_000_000] = process.argv.slice(2).map(Number);
const CALLS = 60;
/** Slower calls are repeated fewer times. */
const SLOW_MS = 200;
const SLOW_CALLS = 8;
const VERY_SLOW_MS = 4000;
const PAGE = 1000;
const LIMIT_MS = 60_000;

const kept = process.env['SAFELIGHT_TEST_LIBRARY'];
const only = process.env['SAFELIGHT_TEST_ONLY']?.split(',') ?? [];
const library = await openLibrary();
const database = openDatabase(library.url, { max: 2 });
const { sql } = database;
const data = mkdtempSync(join(tmpdir(), 'lists-bench-'));
const server = await serveLibrary(library, data);

async function openLibrary(): Promise<Furnished> {
  if (kept && existsSync(kept)) return JSON.parse(readFileSync(kept, 'utf8')) as Furnished;
  const seeded = await seedLibrary('bench_lists', assets);
  const opened = openDatabase(seeded.url, { max: 1 });
  const furnished = await furnish(opened.sql, seeded);
  await opened.close();
  if (kept) writeFileSync(kept, JSON.stringify(furnished));
  return furnished;
}

type Call = {
  readonly name: string;
  readonly path: string;
  readonly body?: object;
  /** Anything but true stays within its bound: the contract has no pages here. */
  readonly whole?: boolean;
  readonly guest?: boolean;
};

const headers = (call: Call) => ({
  ...(call.guest ? {} : { authorization: `Bearer ${library.token}` }),
  'accept-encoding': 'identity',
  'content-type': 'application/json',
});

/** Milliseconds to the last byte, and how many bytes there were. */
async function ask(call: Call): Promise<{ ms: number; bytes: number }> {
  const from = performance.now();
  const reply = await fetch(`${server.url}${call.path}`, {
    headers: headers(call),
    signal: AbortSignal.timeout(LIMIT_MS),
    ...(call.body && { method: 'POST', body: JSON.stringify(call.body) }),
  });
  let bytes = 0;
  for await (const chunk of reply.body!) bytes += chunk.length;
  if (!reply.ok) throw new Error(`${call.name}: ${reply.status}`);
  return { ms: performance.now() - from, bytes };
}

async function measure(call: Call) {
  const times: number[] = [];
  let bytes = 0;
  let calls = CALLS;
  while (times.length < calls) {
    const asked = await ask(call).catch((error: Error) => error);
    if (asked instanceof Error) return { list: call.name, failed: asked.message };
    times.push(asked.ms);
    bytes = asked.bytes;
    if (times.length === 1 && asked.ms > SLOW_MS) calls = asked.ms > VERY_SLOW_MS ? 1 : SLOW_CALLS;
  }
  return {
    list: call.name,
    firstMs: round(times[0]!),
    minMs: quantile(times, 0),
    p50Ms: quantile(times, 0.5),
    p95Ms: quantile(times, 0.95),
    kB: Math.ceil(bytes / 1000),
    ...(call.whole && { whole: true }),
  };
}

/** Both ends of a listing that has pages. `total` items are 1,000 pages of the size that this makes. */
function paged(
  name: string,
  total: number,
  toPath: (page: number, size: number) => string,
): Call[] {
  const size = Math.max(1, Math.floor(total / (PAGE + 1)));
  return [1, PAGE].map((page) => ({
    name: `${name}, page ${page} of ${size}`,
    path: toPath(page, size),
  }));
}

async function calls(): Promise<Call[]> {
  const { albumId, deviceId } = library;
  const [found] = await sql<
    Record<'trash' | 'tag' | 'person' | 'month' | 'linked' | 'key', string>[]
  >`
    select (select sum(assets) from asset_count where is_trashed) as trash,
      (select tag_id from tag_count order by total desc limit 1) as tag,
      (select person_id from person_count order by faces desc limit 1) as person,
      (select local_month::text from asset_count group by local_month
        order by sum(assets) desc limit 1) as month,
      (select id from shared_link where type = 'INDIVIDUAL' limit 1) as linked,
      (select translate(encode(key, 'base64'), '+/=', '-_') from shared_link
        where album_id = ${albumId}) as key`;
  const { trash, tag, person, month, linked, key } = found!;
  const stacked = (await sql<{ id: string }[]>`select primary_id as id from stack limit 1`)[0]!.id;
  const known = await sql<{ id: string; checksum: string }[]>`
    select id, encode(sha1, 'hex') as checksum from asset tablesample system (1) limit 500`;
  const commented = (await sql<{ id: string }[]>`select asset_id as id from activity limit 1`)[0]!
    .id;
  const bucket = (filter: string) => `/timeline/bucket?timeBucket=${month}&${filter}`;
  const buckets = (filter: string) => `/timeline/buckets?${filter}`;
  const one = (name: string, path: string, more: Partial<Call> = {}): Call => ({
    name,
    path,
    ...more,
  });
  const search = (page: number, more: object = {}): object => ({ page, size: 250, ...more });
  return [
    one('albums', '/albums', { whole: true }),
    one('albums, shared', '/albums?isShared=true', { whole: true }),
    one('albums with an asset', `/albums?assetId=${commented}`),
    one('album of 100,000', `/albums/${albumId}`),
    one('album, as a guest', `/albums/${albumId}?key=${key}`, { guest: true }),
    one('album statistics', '/albums/statistics'),
    one('album, months', buckets(`albumId=${albumId}`)),
    one('album, months, as a guest', buckets(`albumId=${albumId}&key=${key}`), { guest: true }),
    one('album, a month', bucket(`albumId=${albumId}`)),
    one('album, map', `/albums/${albumId}/map-markers`, { whole: true }),
    one('tags', '/tags', { whole: true }),
    one('tag statistics', '/tags/statistics'),
    one('tag, months', buckets(`tagId=${tag}`)),
    one('tag, a month', bucket(`tagId=${tag}`)),
    one('stacks', '/stacks', { whole: true }),
    one('stack of an asset', `/stacks?primaryAssetId=${stacked}`),
    one('shared links', '/shared-links', { whole: true }),
    one('shared links of an album', `/shared-links?albumId=${albumId}`),
    one('shared link', `/shared-links/${linked}`),
    one('shared link, as a guest', `/shared-links/me?key=${key}`, { guest: true }),
    one('partners', '/partners?direction=shared-with'),
    one('activities of an album', `/activities?albumId=${albumId}`, { whole: true }),
    one('activities of an asset', `/activities?albumId=${albumId}&assetId=${commented}`),
    one('activity statistics', `/activities/statistics?albumId=${albumId}`),
    one('sessions', '/sessions'),
    one('API keys', '/api-keys'),
    one('users', '/users'),
    one('pins', '/users/me/pins'),
    one('preference history', '/users/me/preferences/history'),
    ...paged(
      'backup devices',
      5000,
      (page, size) => `/users/me/backup-devices?limit=${size}&offset=${(page - 1) * size}`,
    ),
    ...paged(
      'reconciliations',
      5000,
      (page, size) =>
        `/users/me/backup-devices/${deviceId}/reconciliations?limit=${size}&offset=${(page - 1) * size}`,
    ),
    one('calendar heatmap', '/users/me/calendar-heatmap'),
    one(
      'calendar heatmap, taken',
      '/users/me/calendar-heatmap?type=Taken&from=2020-01-01&to=2020-12-31',
    ),
    one('asset statistics', '/assets/statistics'),
    one('timeline, months', buckets('visibility=timeline')),
    one('timeline, a month', bucket('visibility=timeline')),
    one('archive, months', buckets('visibility=archive')),
    one('archive, a month', bucket('visibility=archive')),
    one('favorites, months', buckets('isFavorite=true')),
    one('favorites, a month', bucket('isFavorite=true')),
    one('locked, months', buckets('visibility=locked')),
    one('trash, months', buckets('isTrashed=true')),
    one('trash, a month', bucket('isTrashed=true')),
    one('trash summary', '/trash/summary'),
    one('trash activity', '/trash/activity?tool=screenshots'),
    ...['trashed-newest', 'taken-oldest', 'largest', 'name'].flatMap((sort) =>
      paged(
        `trash, ${sort}`,
        Number(trash),
        (page, size) => `/trash/items?sort=${sort}&page=${page}&size=${size}`,
      ),
    ),
    one('trash, words', '/trash/items?query=img%2055&size=100'),
    one('archive operations', '/archive-operations'),
    one('download of 100,000', '/download/info', { body: { albumId }, whole: true }),
    one('map, favorites', '/map/markers?isFavorite=true', { whole: true }),
    one('map', '/map/markers', { whole: true }),
    ...paged('people', 5000, (page, size) => `/people?page=${page}&size=${size}`),
    one('person, months', buckets(`personId=${person}`)),
    one('person, a month', bucket(`personId=${person}`)),
    ...paged('documents', 90_000, (page, size) => `/documents?page=${page}&size=${size}`),
    one('search, page 1', '/search/metadata', { body: search(1) }),
    one('search, page 1000', '/search/metadata', { body: search(PAGE) }),
    one('search in an album, page 1', '/search/metadata', {
      body: search(1, { albumIds: [albumId] }),
    }),
    one('upload check of 500, all there', '/assets/bulk-upload-check', { body: { assets: known } }),
    one('upload check of 500, all new', '/assets/bulk-upload-check', {
      body: { assets: known.map(({ id }, n) => ({ id, checksum: computeSha1(n) })) },
    }),
    ...['AlbumsV1', 'AlbumUsersV1', 'StacksV1', 'PartnersV1', 'UsersV1'].map((type) =>
      one(`sync of ${type}`, '/sync/stream', { body: { types: [type] }, whole: true }),
    ),
  ];
}

const computeSha1 = (n: number) => new Bun.CryptoHasher('sha1').update(String(n)).digest('hex');

try {
  // The first runs of the schedule.
  await Bun.sleep(3000);
  const rows: Awaited<ReturnType<typeof measure>>[] = [];
  for (const call of await calls()) {
    if (only.length > 0 && !only.some((part) => call.name.includes(part))) continue;
    rows.push(await measure(call));
    console.log(JSON.stringify(rows.at(-1)));
  }
  console.table(rows);
} finally {
  await server.stop();
  await database.close();
  if (!kept) await dropLibrary(library.name);
  rmSync(data, { recursive: true, force: true });
}
