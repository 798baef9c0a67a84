import type { Sql } from 'postgres';
import type { LibraryAccounts, MeasuredLibrary } from './library.ts';

/** A request of the phone, the page or Immich's web, to be measured. */
export type Read = {
  readonly name: string;
  readonly method: 'GET' | 'POST';
  /** Taken in turn. */
  readonly requests: readonly ReadRequest[];
  readonly account: keyof LibraryAccounts;
  readonly encoding: 'identity' | 'gzip';
  /** Measured again, each time after a photo of the largest month has changed. */
  readonly isChanged: boolean;
};

export type ReadRequest = { readonly path: string; readonly body?: object };

type Options = Partial<Pick<Read, 'account' | 'encoding' | 'isChanged'>>;

const DEFAULTS = { account: 'owner', encoding: 'identity', isChanged: false } as const;
/** After a change, what is remembered of an answer is of no use. */
const CHANGED = { isChanged: true } as const;

const get = (name: string, paths: string | readonly string[], options: Options = {}): Read => ({
  ...DEFAULTS,
  name,
  method: 'GET',
  requests: [paths].flat().map((path) => ({ path })),
  ...options,
});

const post = (
  name: string,
  path: string,
  bodies: object | readonly object[],
  options: Options = {},
): Read => ({
  ...DEFAULTS,
  name,
  method: 'POST',
  requests: [bodies].flat().map((body) => ({ path, body })),
  ...options,
});

type Found = {
  readonly assetIds: readonly string[];
  readonly month: string;
  readonly tagId: string;
  readonly personId: string;
  readonly stackedId: string;
  /** Null where documents could not be seeded. */
  readonly textId: string | null;
  readonly checks: readonly { readonly id: string; readonly checksum: string }[];
};

const PER_ASSET = 500;
const CHECKS = 500;
const PAGE = 250;
const DEEP_PAGES = 40;

/** Returns the reads of a library, and the assets that change in between. */
export async function listReads({ sql, assets, albumId }: MeasuredLibrary): Promise<Read[]> {
  const found = await findSubjects(sql);
  return [
    ...listTimeline(found, albumId),
    ...listAssetReads(found),
    ...listSearches(assets),
    ...listSummaries(),
    ...listCollections(found, albumId),
    ...listServerReads(found),
  ];
}

async function findSubjects(sql: Sql): Promise<Found> {
  const rows = await sql<{ id: string }[]>`
    select id from asset where visibility = 'timeline' and trashed_at is null and type = 'IMAGE'
    order by md5(id::text) limit ${PER_ASSET}`;
  const [found] = await sql<Omit<Found, 'assetIds' | 'checks'>[]>`
    select (
        select date_trunc('month', local_taken_at)::date::text from asset
        where visibility = 'timeline' and trashed_at is null group by 1 order by count(*) desc, 1 limit 1
      ) as month, (
        select tag_id from tag_asset group by 1 order by count(*) desc, 1 limit 1) as "tagId", (
        select person_id from face group by 1 order by count(*) desc, 1 limit 1) as "personId", (
        select primary_id from stack order by id limit 1) as "stackedId", (
        select asset_id from document order by 1 limit 1) as "textId"`;
  const checks = await sql<{ id: string; checksum: string }[]>`
    select id, encode(sha1, 'hex') as checksum from asset order by md5(id::text) limit ${CHECKS}`;
  return { ...found!, assetIds: rows.map(({ id }) => id), checks };
}

/** Returns assets of the largest month, each for one change. */
export async function listChangingAssets(sql: Sql): Promise<string[]> {
  const { month } = await findSubjects(sql);
  const rows = await sql<{ id: string }[]>`
    select id from asset where visibility = 'timeline' and trashed_at is null
      and date_trunc('month', local_taken_at) = ${month}::date order by md5(id::text)`;
  return rows.map(({ id }) => id);
}

function listTimeline(found: Found, albumId: string): Read[] {
  const { month, tagId, personId } = found;
  const shown = 'visibility=timeline&withStacked=true';
  const bucket = (filter: string) => `/timeline/bucket?timeBucket=${month}&${filter}`;
  const buckets = (filter: string) => `/timeline/buckets?${filter}`;
  return [
    get('buckets', buckets(shown), CHANGED),
    get('buckets with partners', buckets(`${shown}&withPartners=true`)),
    get('largest bucket', bucket(shown), CHANGED),
    get('largest bucket, gzip', bucket(shown), { encoding: 'gzip' }),
    get('largest bucket with partners', bucket(`${shown}&withPartners=true`)),
    get('buckets of favorites', buckets('isFavorite=true')),
    get('buckets of an album', buckets(`albumId=${albumId}`)),
    get('bucket of an album', bucket(`albumId=${albumId}`)),
    get('buckets of a tag', buckets(`tagId=${tagId}`)),
    get('buckets of a person', buckets(`personId=${personId}`)),
    get('bucket of a person', bucket(`personId=${personId}`)),
  ];
}

function listAssetReads({ assetIds, textId }: Found): Read[] {
  const each = (toPath: (id: string) => string) => assetIds.map(toPath);
  return [
    get(
      'asset info',
      each((id) => `/assets/${id}`),
    ),
    get(
      'thumbnail',
      each((id) => `/assets/${id}/thumbnail?size=thumbnail`),
    ),
    get(
      'preview',
      each((id) => `/assets/${id}/thumbnail?size=preview`),
    ),
    get(
      'faces of an asset',
      each((id) => `/faces?id=${id}`),
    ),
    get(
      'albums of an asset',
      each((id) => `/albums?assetId=${id}`),
    ),
    get('text of an asset', `/assets/${textId ?? assetIds[0]}/ocr`),
  ];
}

/** Cities of the seed, so that a search is seldom the same as the one before. */
const CITIES = Array.from({ length: 40 }, (_, n) => `City ${4 * n + 1}`);

function listSearches(assets: number): Read[] {
  const pages = Math.max(2, Math.floor((assets * 0.8) / PAGE));
  const deepPages = Array.from({ length: DEEP_PAGES }, (_, n) => ({
    size: PAGE,
    page: 2 + ((n * 997) % (pages - 1)),
  }));
  const metadata = '/search/metadata';
  return [
    post('search, first page', metadata, { size: PAGE }, CHANGED),
    post('search, first page with EXIF', metadata, { size: PAGE, withExif: true }),
    post('search, deep pages', metadata, deepPages),
    post(
      'search, a city',
      metadata,
      CITIES.map((city) => ({ city })),
    ),
    post('search, a camera and a year', metadata, {
      make: 'Canon',
      takenAfter: '2020-01-01T00:00:00Z',
      takenBefore: '2020-12-31T23:59:59Z',
    }),
    post('search, text in pictures', metadata, { ocr: 'receipt' }),
    post('search, a description', metadata, { description: 'lake' }),
    post(
      'search, smart',
      '/search/smart',
      ['lake', 'a dog on the beach', 'receipt of a shop'].map((query) => ({ query, size: 100 })),
    ),
    post(
      'search, ask',
      '/search/ask',
      CITIES.map((city) => ({ query: `${city} in 2020`, size: 100 })),
    ),
    post('search, random', '/search/random', { size: PAGE }),
    post('search, large assets', '/search/large-assets', {}),
    get('search, a person by name', '/search/person?name=pers'),
    get('suggestions', ['country', 'state', 'city', 'camera-make'].map(toSuggestions)),
    get('places by name', '/search/places?name=berl'),
  ];
}

const toSuggestions = (type: string): string => `/search/suggestions?type=${type}`;

function listSummaries(): Read[] {
  return [
    get('explore', '/search/explore', CHANGED),
    get('cities', '/search/cities', CHANGED),
    get('city counts', '/search/cities/counts', CHANGED),
    post('facets', '/search/facets', {}, CHANGED),
    post('facets of a camera', '/search/facets', { make: 'Canon' }),
    post('histogram by day', '/search/histogram', { granularity: 'day' }, CHANGED),
    post('histogram of a camera', '/search/histogram', { make: 'Canon' }),
    post('search statistics', '/search/statistics', {}),
    get('statistics', '/assets/statistics', CHANGED),
    get('heatmap of uploads', '/users/me/calendar-heatmap'),
    get(
      'heatmap of a year',
      '/users/me/calendar-heatmap?type=Taken&from=2020-01-01&to=2020-12-31',
      CHANGED,
    ),
    get('map markers', '/map/markers', CHANGED),
    get('map clusters, the world', '/map/clusters?bbox=-180,-90,180,90&zoom=2', CHANGED),
    get('map clusters, a country', '/map/clusters?bbox=5,45,15,55&zoom=7'),
  ];
}

function listCollections({ personId, stackedId }: Found, albumId: string): Read[] {
  return [
    get('people', '/people', CHANGED),
    get('people, first 30', '/people?size=30'),
    get('person', `/people/${personId}`),
    get('statistics of a person', `/people/${personId}/statistics`),
    get('tags', '/tags'),
    get('tags, none', '/tags', { account: 'newcomer' }),
    get('tag statistics', '/tags/statistics', CHANGED),
    get('albums', '/albums', CHANGED),
    get('shared albums', '/albums?isShared=true'),
    get('album', `/albums/${albumId}`),
    get('album statistics', '/albums/statistics'),
    get('stacks', '/stacks', CHANGED),
    get('stack of an asset', `/stacks?primaryAssetId=${stackedId}`),
    get('memories', '/memories?withAllTypes=true'),
    get(
      'memories of a day',
      `/memories?withAllTypes=true&for=${new Date().toISOString().slice(0, 10)}`,
    ),
    get('memory statistics', '/memories/statistics?withAllTypes=true'),
    get('documents', '/documents?size=20'),
    get('shared links', '/shared-links'),
    get('partners', '/partners?direction=shared-with'),
    get('trash, first page', '/trash/items?size=100'),
    get('folders', '/view/folder/unique-paths'),
  ];
}

const SYNC_TYPES = [
  'AuthUsersV1',
  'UsersV1',
  'AssetsV2',
  'AssetExifsV1',
  'AssetOcrV1',
  'PartnersV1',
  'AlbumsV2',
  'AlbumUsersV1',
  'AlbumToAssetsV1',
  'MemoriesV1',
  'MemoryToAssetsV1',
  'StacksV1',
  'UserMetadataV1',
  'PeopleV1',
  'AssetFacesV2',
];
export const SYNC_BODY = { types: SYNC_TYPES };

function listServerReads({ checks }: Found): Read[] {
  const unknown = checks.map(({ id }) => ({
    id,
    checksum: new Bun.CryptoHasher('sha1').update(id).digest('hex'),
  }));
  return [
    get('jobs', '/jobs'),
    get('queues', '/queues'),
    get('own account', '/users/me'),
    get('preferences', '/users/me/preferences'),
    get('server features', '/server/features'),
    get('server storage', '/server/storage'),
    get('server statistics', '/server/statistics'),
    get('notifications', '/notifications'),
    post('upload check of 500, all known', '/assets/bulk-upload-check', { assets: checks }),
    post('upload check of 500, all new', '/assets/bulk-upload-check', { assets: unknown }),
    post('sync from the start', '/sync/stream', SYNC_BODY),
    post('sync, nothing new', '/sync/stream', SYNC_BODY, { account: 'synced' }),
  ];
}
