import { expect } from 'bun:test';
import type { Row } from 'postgres';
import type { TestDatabase } from '../support/harness.ts';
import { expectedCast, shownCast } from './people.ts';
import type { Copy } from './client.ts';

const iso = (value: string | Date | null) => value && new Date(value).toISOString();
const base64 = (bytes: Uint8Array | null) => bytes && Buffer.from(bytes).toString('base64');

/** Returns what an account may see, read row by row without the server's queries. */
async function readExpectedCopy(database: TestDatabase, me: string, isElevated: boolean) {
  const { sql } = database;
  const rows = async (name: string): Promise<Row[]> => [...(await sql`select * from ${sql(name)}`)];
  const [users, partners, assets, exifs, stacks, albums, members, links, infos, edits, adjusted] =
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
        'asset_adjustment',
      ].map(rows),
    )) as Row[][] as [Row[], Row[], Row[], Row[], Row[], Row[], Row[], Row[], Row[], Row[], Row[]];
  const byId = new Map(assets.map((asset) => [asset['id'], asset]));
  const removed = new Set(users.flatMap((user) => (user['deleted_at'] ? [user['id']] : [])));
  const isActive = (id: string) => !removed.has(id);
  const holding = partners.filter(
    (row) => isActive(row['sharer_id']) && isActive(row['viewer_id']),
  );
  const sharers = new Set(
    holding.filter((row) => row['viewer_id'] === me).map((row) => row['sharer_id']),
  );
  const findPartner = (sharer: string, viewer: string) =>
    partners.find((row) => row['sharer_id'] === sharer && row['viewer_id'] === viewer);
  const hidesFrom = (sharer: string, viewer: string) =>
    findPartner(sharer, viewer)?.['hides_places'] === true;
  /** An album tells it that is not of, and was not filled by, somebody who may not know it. */
  const tellsPlace = (link: Row, ownerId: string) =>
    !hidesFrom(ownerId, link['added_by']) &&
    !hidesFrom(ownerId, albums.find((album) => album['id'] === link['album_id'])!['owner_id']);
  const seesPlace = (asset: Row): boolean => {
    const ownerId: string = asset['owner_id'];
    if (ownerId === me) return true;
    const partner = findPartner(ownerId, me);
    if (partner) return !partner['hides_places'];
    const stills = assets.filter((still) => still['live_video_id'] === asset['id']);
    const ids = [asset, ...stills].map(({ id }) => id);
    return links.some(
      (link) =>
        ids.includes(link['asset_id']) &&
        isReachable(link['album_id']) &&
        tellsPlace(link, ownerId),
    );
  };
  const formatPlace = (exif: Row) =>
    seesPlace(byId.get(exif['asset_id'])!)
      ? `${exif['city']} ${exif['latitude']} ${exif['longitude']} ${exif['time_zone']}`
      : 'null null null null';
  const toClock = (asset: Row) => iso(`${asset['local_taken_at'].replace(' ', 'T')}Z`);
  const getScope = (asset: Row) =>
    asset['locked_at'] ? 'locked' : asset['trashed_at'] ? 'trash' : asset['visibility'];
  const isOwn = (asset: Row) =>
    asset['owner_id'] === me && (isElevated || asset['locked_at'] === null);
  const isPartners = (asset: Row) =>
    sharers.has(asset['owner_id']) &&
    getScope(asset) === 'timeline' &&
    asset['local_taken_at'] >= (findPartner(asset['owner_id'], me)?.['shared_from'] ?? '');
  const reachable = albums.filter(
    (album) =>
      album['owner_id'] === me ||
      (isActive(album['owner_id']) &&
        members.some((row) => row['album_id'] === album['id'] && row['user_id'] === me)),
  );
  const isReachable = (id: string) => reachable.some((album) => album['id'] === id);
  const pairs = links.filter(
    (link) =>
      isReachable(link['album_id']) &&
      ['timeline', 'archive'].includes(getScope(byId.get(link['asset_id'])!)),
  );
  const shown = assets.filter(
    (asset) =>
      isOwn(asset) || isPartners(asset) || pairs.some((pair) => pair['asset_id'] === asset['id']),
  );
  const isShown = (id: string) => shown.some((asset) => asset['id'] === id);
  const mine = new Set(assets.filter(isOwn).map((asset) => asset['id']));
  const getCoverId = (album: Row) => {
    const inside = pairs
      .filter((pair) => pair['album_id'] === album['id'])
      .map((pair) => byId.get(pair['asset_id'])!);
    const chosen = inside.find((asset) => asset['id'] === album['cover_id']);
    const key = (asset: Row) => `${String(asset['local_taken_at'])} ${asset['id']}`;
    const newest = inside.toSorted((a, b) => (key(a) < key(b) ? 1 : -1))[0];
    return (chosen ?? newest)?.['id'] ?? null;
  };
  /** Returns the primary of a stack: the top member with the most visible state. */
  const findPrimary = (stack: Row): Row | undefined => {
    const key = (asset: Row) =>
      [
        asset['locked_at'] !== null,
        asset['trashed_at'] !== null,
        asset['visibility'] !== 'timeline',
        asset['id'] !== stack['primary_id'],
      ]
        .map(Number)
        .join('') + asset['id'];
    return assets
      .filter((asset) => asset['stack_id'] === stack['id'] && !asset['is_stack_child'])
      .toSorted((a, b) => (key(a) < key(b) ? -1 : 1))[0];
  };
  const keyed = <T>(list: T[], key: (item: T) => string) =>
    Object.fromEntries(list.map((item) => [key(item), item]));

  return {
    users: users.map((user) => `${user['id']} ${user['name']}`).sort(),
    partners: holding
      .filter((row) => [row['sharer_id'], row['viewer_id']].includes(me))
      .map((row) => `${row['sharer_id']} ${row['viewer_id']} ${row['in_timeline']}`)
      .sort(),
    assets: keyed(
      shown.map((asset) => ({
        id: asset['id'],
        ownerId: asset['owner_id'],
        originalFileName: asset['file_name'],
        checksum: base64(asset['sha1']),
        fileCreatedAt: seesPlace(asset) ? iso(asset['taken_at']) : toClock(asset),
        deletedAt: iso(asset['trashed_at']),
        isFavorite: asset['owner_id'] === me && asset['is_favorite'],
        visibility: asset['locked_at'] ? 'locked' : asset['visibility'],
        stackId:
          asset['owner_id'] === me || sharers.has(asset['owner_id']) ? asset['stack_id'] : null,
        isEdited: [...edits, ...adjusted].some((edit) => edit['asset_id'] === asset['id']),
      })),
      ({ id }) => id,
    ),
    exifs: exifs
      .filter((exif) => isShown(exif['asset_id']))
      .map(
        (exif) =>
          `${exif['asset_id']} ${exif['description']} ${exif['rating']} ${formatPlace(exif)}`,
      )
      .sort(),
    stacks: stacks
      .flatMap((stack) => {
        const top = findPrimary(stack);
        return top && (isOwn(top) || isPartners(top)) ? [`${stack['id']} ${top['id']}`] : [];
      })
      .sort(),
    albums: reachable.map((album) => `${album['id']} ${album['name']} ${getCoverId(album)}`).sort(),
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
    ...(await readExpectedMemories(database, me)),
    ...(await expectedCast(database, me, mine)),
  };
}

/** Returns the memories of days with the members outside Locked; those without one are left out. */
async function readExpectedMemories({ sql }: TestDatabase, me: string) {
  const memories = await sql`
    select * from memory where owner_id = ${me} and type = 'on_this_day' and deleted_at is null
      and not is_hidden`;
  const members = await sql`
    select member.* from memory_asset member join asset on asset.id = member.asset_id
    where asset.locked_at is null and asset.owner_id = ${me}`;
  const unwanted = await sql`select month_day from memory_rule where owner_id = ${me}`;
  const shown = memories.filter(
    ({ id, memory_at }) =>
      members.some((member) => member['memory_id'] === id) &&
      !unwanted.some((rule) => iso(memory_at)!.slice(5, 10) === rule['month_day']),
  );
  const ids = new Set(shown.map(({ id }) => id));
  return {
    memories: shown.map((row) => `${row['id']} ${row['is_saved']} ${row['data'].year}`).sort(),
    memoryAssets: members
      .filter((member) => ids.has(member['memory_id']))
      .map((member) => `${member['memory_id']} ${member['asset_id']}`)
      .sort(),
  };
}

/** The same of a copy: everything that it holds, also what no view of the app would find. */
export function heldBy(copy: Copy): Awaited<ReturnType<typeof readExpectedCopy>> {
  const list = (table: Map<string, Row>) => [...table.values()];
  const texts = (table: Map<string, Row>, text: (row: Row) => string) =>
    list(table).map(text).sort();
  return {
    users: texts(copy.users, (user) => `${user['id']} ${user['name']}`),
    partners: texts(
      copy.partners,
      (row) => `${row['sharedById']} ${row['sharedWithId']} ${row['inTimeline']}`,
    ),
    assets: Object.fromEntries(
      list(copy.assets).map((asset) => [
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
      .map((exif) => {
        const place = `${exif['city']} ${exif['latitude']} ${exif['longitude']} ${exif['timeZone']}`;
        return `${exif['assetId']} ${exif['description']} ${exif['rating']} ${place}`;
      })
      .sort(),
    stacks: list(copy.stacks)
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
    memories: texts(copy.memories, (row) => `${row['id']} ${row['isSaved']} ${row['data'].year}`),
    memoryAssets: texts(copy.memoryAssets, (row) => `${row['memoryId']} ${row['assetId']}`),
    ...shownCast(copy),
  };
}

export async function expectCopy(
  database: TestDatabase,
  copy: Copy,
  { id, isElevated = false }: { id: string; isElevated?: boolean },
): Promise<void> {
  expect(heldBy(copy)).toEqual(await readExpectedCopy(database, id, isElevated));
}
