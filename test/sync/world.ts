import { expect } from 'bun:test';
import { seed, type TestDatabase, type TestUser } from '../harness.ts';
import type { Copy } from './client.ts';

type Row = Record<string, any>;

const iso = (value: string | Date | null) => value && new Date(value).toISOString();
const base64 = (bytes: Uint8Array | null) => bytes && Buffer.from(bytes).toString('base64');

/** What an account may see, read from the tables row by row: nothing of the server's own queries. */
export async function expectedOf({ sql }: TestDatabase, me: string, isElevated: boolean) {
  const rows = async (name: string): Promise<Row[]> => [...(await sql`select * from ${sql(name)}`)];
  const [users, partners, assets, exifs, stacks, albums, members, links, infos, edits] =
    (await Promise.all(
      [
        'app_user',
        'partner',
        'asset',
        'asset_exif',
        'stack',
        'album',
        'album_user',
        'album_asset',
        'asset_metadata',
        'asset_edit',
      ].map(rows),
    )) as Row[][] as [Row[], Row[], Row[], Row[], Row[], Row[], Row[], Row[], Row[], Row[]];
  const byId = new Map(assets.map((asset) => [asset['id'], asset]));
  const sharers = new Set(
    partners.filter((row) => row['viewer_id'] === me).map((row) => row['sharer_id']),
  );
  const shelfOf = (asset: Row) =>
    asset['locked_at'] ? 'locked' : asset['trashed_at'] ? 'trash' : asset['visibility'];
  const isOwn = (asset: Row) =>
    asset['owner_id'] === me && (isElevated || asset['locked_at'] === null);
  const isPartners = (asset: Row) =>
    sharers.has(asset['owner_id']) && shelfOf(asset) === 'timeline';
  const reachable = albums.filter(
    (album) =>
      album['owner_id'] === me ||
      members.some((row) => row['album_id'] === album['id'] && row['user_id'] === me),
  );
  const isReachable = (id: string) => reachable.some((album) => album['id'] === id);
  const pairs = links.filter(
    (link) =>
      isReachable(link['album_id']) &&
      ['timeline', 'archive'].includes(shelfOf(byId.get(link['asset_id'])!)),
  );
  const shown = assets.filter(
    (asset) =>
      isOwn(asset) || isPartners(asset) || pairs.some((pair) => pair['asset_id'] === asset['id']),
  );
  const isShown = (id: string) => shown.some((asset) => asset['id'] === id);
  const mine = new Set(assets.filter(isOwn).map((asset) => asset['id']));
  const coverOf = (album: Row) => {
    const inside = pairs
      .filter((pair) => pair['album_id'] === album['id'])
      .map((pair) => byId.get(pair['asset_id'])!);
    const chosen = inside.find((asset) => asset['id'] === album['cover_id']);
    const key = (asset: Row) => `${String(asset['local_taken_at'])} ${asset['id']}`;
    const newest = inside.toSorted((a, b) => (key(a) < key(b) ? 1 : -1))[0];
    return (chosen ?? newest)?.['id'] ?? null;
  };
  const keyed = <T>(list: T[], key: (item: T) => string) =>
    Object.fromEntries(list.map((item) => [key(item), item]));

  return {
    users: users.map((user) => `${user['id']} ${user['name']}`).sort(),
    partners: partners
      .filter((row) => [row['sharer_id'], row['viewer_id']].includes(me))
      .map((row) => `${row['sharer_id']} ${row['viewer_id']} ${row['in_timeline']}`)
      .sort(),
    assets: keyed(
      shown.map((asset) => ({
        id: asset['id'],
        ownerId: asset['owner_id'],
        originalFileName: asset['file_name'],
        checksum: base64(asset['sha1']),
        fileCreatedAt: iso(asset['taken_at']),
        deletedAt: iso(asset['trashed_at']),
        isFavorite: asset['owner_id'] === me && asset['is_favorite'],
        visibility: asset['locked_at'] ? 'locked' : asset['visibility'],
        stackId:
          asset['owner_id'] === me || sharers.has(asset['owner_id']) ? asset['stack_id'] : null,
        isEdited: edits.some((edit) => edit['asset_id'] === asset['id']),
      })),
      ({ id }) => id,
    ),
    exifs: exifs
      .filter((exif) => isShown(exif['asset_id']))
      .map((exif) => `${exif['asset_id']} ${exif['description']} ${exif['rating']}`)
      .sort(),
    stacks: stacks
      .filter((stack) => {
        const primary = byId.get(stack['primary_id'])!;
        return isOwn(primary) || isPartners(primary);
      })
      .map((stack) => `${stack['id']} ${stack['primary_id']}`)
      .sort(),
    albums: reachable.map((album) => `${album['id']} ${album['name']} ${coverOf(album)}`).sort(),
    albumUsers: [
      ...members.map((row) => [row['album_id'], row['user_id'], row['role']]),
      ...albums.map((album) => [album['id'], album['owner_id'], 'owner']),
    ]
      .filter(([albumId]) => isReachable(albumId))
      .map((parts) => parts.join(' '))
      .sort(),
    albumAssets: pairs.map((pair) => `${pair['album_id']} ${pair['asset_id']}`).sort(),
    metadata: infos
      .filter((info) => mine.has(info['asset_id']))
      .map((info) => `${info['asset_id']} ${info['key']} ${JSON.stringify(info['value'])}`)
      .sort(),
    edits: edits
      .filter((edit) => mine.has(edit['asset_id']))
      .map((edit) => `${edit['asset_id']} ${edit['position']} ${edit['action']}`)
      .sort(),
  };
}

/** The same of a copy, as the app shows it: it keeps rows of others that no view of it finds. */
export function shownBy(copy: Copy, me: string): Awaited<ReturnType<typeof expectedOf>> {
  const list = (table: Map<string, Row>) => [...table.values()];
  const sharers = new Set(
    list(copy.partners)
      .filter((row) => row['sharedWithId'] === me)
      .map((row) => row['sharedById']),
  );
  const inAlbums = new Set(list(copy.albumAssets).map((row) => row['assetId']));
  const shown = list(copy.assets).filter(
    ({ id, ownerId, visibility }) =>
      ownerId === me || (sharers.has(ownerId) && visibility === 'timeline') || inAlbums.has(id),
  );
  const ids = new Set(shown.map((asset) => asset['id']));
  const texts = (table: Map<string, Row>, text: (row: Row) => string) =>
    list(table).map(text).sort();
  return {
    users: texts(copy.users, (user) => `${user['id']} ${user['name']}`),
    partners: texts(
      copy.partners,
      (row) => `${row['sharedById']} ${row['sharedWithId']} ${row['inTimeline']}`,
    ),
    assets: Object.fromEntries(
      shown.map((asset) => [
        asset['id'],
        {
          id: asset['id'],
          ownerId: asset['ownerId'],
          originalFileName: asset['originalFileName'],
          checksum: asset['checksum'],
          fileCreatedAt: asset['fileCreatedAt'],
          deletedAt: asset['deletedAt'],
          isFavorite: asset['isFavorite'],
          visibility: asset['visibility'],
          stackId: asset['stackId'],
          isEdited: asset['isEdited'],
        },
      ]),
    ),
    exifs: list(copy.exifs)
      .filter((exif) => ids.has(exif['assetId']))
      .map((exif) => `${exif['assetId']} ${exif['description']} ${exif['rating']}`)
      .sort(),
    stacks: list(copy.stacks)
      .filter((stack) => stack['ownerId'] === me || sharers.has(stack['ownerId']))
      .map((stack) => `${stack['id']} ${stack['primaryAssetId']}`)
      .sort(),
    albums: texts(
      copy.albums,
      (album) => `${album['id']} ${album['name']} ${album['thumbnailAssetId']}`,
    ),
    albumUsers: texts(
      copy.albumUsers,
      (row) => `${row['albumId']} ${row['userId']} ${row['role']}`,
    ),
    albumAssets: texts(copy.albumAssets, (row) => `${row['albumId']} ${row['assetId']}`),
    metadata: texts(
      copy.metadata,
      (row) => `${row['assetId']} ${row['key']} ${JSON.stringify(row['value'])}`,
    ),
    edits: texts(copy.edits, (row) => `${row['assetId']} ${row['sequence']} ${row['action']}`),
  };
}

export async function expectCopy(
  database: TestDatabase,
  copy: Copy,
  { id, isElevated = false }: { id: string; isElevated?: boolean },
): Promise<void> {
  expect(shownBy(copy, id)).toEqual(await expectedOf(database, id, isElevated));
}

export type Step = {
  readonly kind: keyof typeof OPERATIONS;
  readonly a: number;
  readonly b: number;
};

type Place = { readonly database: TestDatabase; readonly people: readonly TestUser[] };

const pick = async ({ database: { sql } }: Place, table: string, n: number, field = 'id') => {
  const rows = await sql`select * from ${sql(table)} order by ${sql(field)}`;
  return rows.length > 0 ? rows[n % rows.length] : undefined;
};
const onAsset =
  (change: string) =>
  async (place: Place, a: number): Promise<void> => {
    const asset = await pick(place, 'asset', a);
    if (asset)
      await place.database.sql.unsafe(`update asset set ${change} where id = $1`, [asset['id']]);
  };

/** What people do, by SQL alone; each is one transaction. */
export const OPERATIONS = {
  async upload({ database, people }: Place, a: number, b: number) {
    await seed(database).asset({
      ownerId: people[a % people.length]!.id,
      visibility: (['timeline', 'timeline', 'archive', 'hidden'] as const)[b % 4]!,
      takenAt: new Date(Date.UTC(2020, b % 12, 1 + (a % 28))),
      exif: { description: `d${a}`, rating: 3 },
    });
  },
  rename: onAsset(`file_name = file_name || '+'`),
  favorite: onAsset('is_favorite = not is_favorite'),
  date: onAsset(
    `taken_at = taken_at + interval '40 days', local_taken_at = local_taken_at + interval '40 days'`,
  ),
  trash: onAsset('trashed_at = case when trashed_at is null then now() end'),
  lock: onAsset('locked_at = case when locked_at is null then now() end'),
  archive: onAsset(
    `visibility = case visibility when 'timeline' then 'archive' else 'timeline' end`,
  ),
  touch: onAsset('updated_at = now()'),
  async describe(place: Place, a: number, b: number) {
    const asset = await pick(place, 'asset', a);
    if (!asset) return;
    await place.database.sql`
      update asset_exif set description = ${`e${b}`}, rating = ${1 + (b % 5)}
      where asset_id = ${asset['id']}`;
  },
  async remove(place: Place, a: number) {
    const asset = await pick(place, 'asset', a);
    if (asset) await place.database.sql`delete from asset where id = ${asset['id']}`;
  },
  async trashMany({ database: { sql } }: Place, a: number) {
    await sql`update asset set trashed_at = now()
      where trashed_at is null and id in (select id from asset order by id limit ${1 + (a % 4)})`;
  },
  async album({ database: { sql }, people }: Place, a: number, b: number) {
    await sql`insert into album (owner_id, name) values (${people[a % people.length]!.id}, ${`n${b}`})`;
  },
  async renameAlbum(place: Place, a: number, b: number) {
    const album = await pick(place, 'album', a);
    if (album)
      await place.database.sql`update album set name = ${`m${b}`} where id = ${album['id']}`;
  },
  async dropAlbum(place: Place, a: number) {
    const album = await pick(place, 'album', a);
    if (album) await place.database.sql`delete from album where id = ${album['id']}`;
  },
  async addToAlbum(place: Place, a: number, b: number) {
    const [album, asset] = [await pick(place, 'album', a), await pick(place, 'asset', b)];
    if (!album || !asset) return;
    await place.database.sql`insert into album_asset (album_id, asset_id)
      values (${album['id']}, ${asset['id']}) on conflict do nothing`;
  },
  async takeFromAlbum(place: Place, a: number) {
    const link = await pick(place, 'album_asset', a, 'asset_id');
    if (!link) return;
    await place.database.sql`delete from album_asset
      where album_id = ${link['album_id']} and asset_id = ${link['asset_id']}`;
  },
  async share(place: Place, a: number, b: number) {
    const album = await pick(place, 'album', a);
    const user = place.people[b % place.people.length]!;
    if (!album || album['owner_id'] === user.id) return;
    await place.database.sql`insert into album_user (album_id, user_id, role)
      values (${album['id']}, ${user.id}, ${b % 2 ? 'editor' : 'viewer'})
      on conflict (album_id, user_id) do update set role = excluded.role`;
  },
  async unshare(place: Place, a: number) {
    const member = await pick(place, 'album_user', a, 'album_id');
    if (!member) return;
    await place.database.sql`delete from album_user
      where album_id = ${member['album_id']} and user_id = ${member['user_id']}`;
  },
  async partner({ database: { sql }, people }: Place, a: number, b: number) {
    const [sharer, viewer] = [people[a % people.length]!, people[b % people.length]!];
    if (sharer === viewer) return;
    await sql`insert into partner (sharer_id, viewer_id) values (${sharer.id}, ${viewer.id})
      on conflict (sharer_id, viewer_id) do update set in_timeline = not partner.in_timeline`;
  },
  async unpartner(place: Place, a: number) {
    const row = await pick(place, 'partner', a, 'sharer_id');
    if (!row) return;
    await place.database.sql`delete from partner
      where sharer_id = ${row['sharer_id']} and viewer_id = ${row['viewer_id']}`;
  },
  async stack({ database: { sql }, people }: Place, a: number) {
    const owner = people[a % people.length]!.id;
    const free = await sql`select id from asset
      where owner_id = ${owner} and stack_id is null and trashed_at is null order by id limit 2`;
    if (free.length < 2) return;
    await sql.begin(async (tx) => {
      const [stack] = await tx`
        insert into stack (owner_id, primary_id) values (${owner}, ${free[0]!['id']}) returning id`;
      await tx`update asset set stack_id = ${stack!['id']} where id in ${tx(free.map((row) => row['id']))}`;
    });
  },
  async unstack(place: Place, a: number) {
    const stack = await pick(place, 'stack', a);
    if (stack) await place.database.sql`delete from stack where id = ${stack['id']}`;
  },
  async note(place: Place, a: number, b: number) {
    const asset = await pick(place, 'asset', a);
    if (!asset) return;
    await place.database.sql`insert into asset_metadata (asset_id, key, value)
      values (${asset['id']}, ${`k${b % 2}`}, ${JSON.stringify({ n: b })}::jsonb)
      on conflict (asset_id, key) do update set value = excluded.value`;
  },
  async unnote(place: Place, a: number) {
    const info = await pick(place, 'asset_metadata', a, 'asset_id');
    if (!info) return;
    await place.database.sql`delete from asset_metadata
      where asset_id = ${info['asset_id']} and key = ${info['key']}`;
  },
  async edit(place: Place, a: number, b: number) {
    const asset = await pick(place, 'asset', a);
    if (!asset) return;
    await place.database.sql`insert into asset_edit (asset_id, position, action, parameters)
      values (${asset['id']}, ${b % 2}, 'rotate', '{"angle": 90}') on conflict do nothing`;
  },
  async unedit(place: Place, a: number) {
    const edit = await pick(place, 'asset_edit', a, 'asset_id');
    if (edit) await place.database.sql`delete from asset_edit where asset_id = ${edit['asset_id']}`;
  },
  async renameUser({ database: { sql }, people }: Place, a: number, b: number) {
    await sql`update app_user set name = ${`u${b}`} where id = ${people[a % people.length]!.id}`;
  },
};
