import { seed } from '../support/harness.ts';
import { deleteForGood } from '../support/deletion.ts';
import { CAST_OPERATIONS } from './people-operations.ts';
import { MEMORY_OPERATIONS } from './memory-operations.ts';
import { pick, type Place } from './pick.ts';

const onAsset =
  (change: string) =>
  async (place: Place, a: number): Promise<void> => {
    const asset = await pick(place, 'asset', a);
    if (asset)
      await place.database.sql.unsafe(`update asset set ${change} where id = $1`, [asset['id']]);
  };

/** Operations of users in SQL, one transaction each. */
export const OPERATIONS = {
  ...CAST_OPERATIONS,
  ...MEMORY_OPERATIONS,
  async upload({ database, people }: Place, a: number, b: number) {
    const at = Date.UTC(2020, b % 12, 1 + (a % 28));
    const zone = a % 12;
    await seed(database).asset({
      ownerId: people[a % people.length]!.id,
      visibility: (['timeline', 'timeline', 'archive', 'hidden'] as const)[b % 4]!,
      takenAt: new Date(at),
      localTakenAt: new Date(at + zone * 3_600_000).toISOString().slice(0, -1),
      exif: {
        timeZone: `UTC+${zone}`,
        description: `d${a}`,
        rating: 3,
        city: `c${a}`,
        latitude: a % 90,
        longitude: b % 180,
      },
    });
  },
  rename: onAsset(`file_name = file_name || '+'`),
  favorite: onAsset('is_favorite = not is_favorite'),
  date: onAsset(
    `taken_at = taken_at + interval '40 days', local_taken_at = local_taken_at + interval '40 days'`,
  ),
  trash: onAsset('trashed_at = case when trashed_at is null then now() end'),
  lock: onAsset('locked_at = case when locked_at is null then now() end'),
  /** Goes to Locked and comes back, with less about it. */
  async thinOutInLocked(place: Place, a: number, b: number) {
    const tables = [
      'asset_metadata',
      'asset_edit',
      'asset_adjustment',
      'face',
      'document',
    ] as const;
    const detail = await pick(place, tables[b % tables.length]!, a, 'asset_id');
    if (!detail) return;
    const { sql } = place.database;
    const id: string = detail['asset_id'];
    await sql`update asset set locked_at = now() where id = ${id}`;
    for (const table of tables) await sql`delete from ${sql(table)} where asset_id = ${id}`;
    await sql`update asset set locked_at = null where id = ${id}`;
  },
  archive: onAsset(
    `visibility = case visibility when 'timeline' then 'archive' else 'timeline' end`,
  ),
  /** Archives an item of an album, or puts it back. */
  async archiveMember(place: Place, a: number) {
    const link = await pick(place, 'album_asset', a, 'asset_id');
    if (!link) return;
    await place.database.sql`update asset
      set visibility = case visibility when 'timeline' then 'archive' else 'timeline' end
      where id = ${link['asset_id']}`;
  },
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
    if (asset) await deleteForGood(place.database, [asset['id']]);
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
    const by = place.people[(a + b) % place.people.length]!;
    await place.database.sql`insert into album_asset (album_id, asset_id, added_by)
      values (${album['id']}, ${asset['id']}, ${by.id}) on conflict do nothing`;
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
  /** A shared link to an album or to an item: no phone is told of it. */
  async link(place: Place, a: number, b: number) {
    const { sql } = place.database;
    const key = crypto.getRandomValues(Buffer.alloc(16));
    const album = b % 2 ? await pick(place, 'album', a) : undefined;
    if (album) {
      await sql`insert into shared_link (owner_id, type, album_id, key)
        values (${album['owner_id']}, 'ALBUM', ${album['id']}, ${key})`;
      return;
    }
    const asset = await pick(place, 'asset', a);
    if (!asset) return;
    await sql`
      with added as (
        insert into shared_link (owner_id, type, key)
        values (${asset['owner_id']}, 'INDIVIDUAL', ${key}) returning id)
      insert into shared_link_asset (link_id, asset_id) select id, ${asset['id']} from added`;
  },
  async unlink(place: Place, a: number) {
    const link = await pick(place, 'shared_link', a);
    if (link) await place.database.sql`delete from shared_link where id = ${link['id']}`;
  },
  async partner({ database: { sql }, people }: Place, a: number, b: number) {
    const [sharer, viewer] = [people[a % people.length]!, people[b % people.length]!];
    if (sharer === viewer) return;
    await sql`insert into partner (sharer_id, viewer_id) values (${sharer.id}, ${viewer.id})
      on conflict (sharer_id, viewer_id) do update set in_timeline = not partner.in_timeline`;
  },
  async hidePlaces(place: Place, a: number) {
    const row = await pick(place, 'partner', a, 'sharer_id');
    if (!row) return;
    await place.database.sql`update partner set hides_places = not hides_places
      where sharer_id = ${row['sharer_id']} and viewer_id = ${row['viewer_id']}`;
  },
  /** Shares what was taken since the day of an item, or everything. */
  async sharePartially(place: Place, a: number, b: number) {
    const row = await pick(place, 'partner', a, 'sharer_id');
    if (!row) return;
    const asset = b % 3 === 0 ? undefined : await pick(place, 'asset', b);
    await place.database.sql`update partner set shared_from = ${asset?.['local_day'] ?? null}
      where sharer_id = ${row['sharer_id']} and viewer_id = ${row['viewer_id']}`;
  },
  async unpartner(place: Place, a: number) {
    const row = await pick(place, 'partner', a, 'sharer_id');
    if (!row) return;
    await place.database.sql`delete from partner
      where sharer_id = ${row['sharer_id']} and viewer_id = ${row['viewer_id']}`;
  },
  async stack({ database: { sql }, people }: Place, a: number, b: number) {
    const owner = people[a % people.length]!.id;
    const free = await sql`select id from asset
      where owner_id = ${owner} and stack_id is null and trashed_at is null
      order by id limit ${2 + (b % 2)}`;
    if (free.length < 2) return;
    await sql.begin(async (tx) => {
      const [stack] = await tx`
        insert into stack (owner_id, primary_id) values (${owner}, ${free[0]!['id']}) returning id`;
      await tx`update asset set stack_id = ${stack!['id']} where id in ${tx(free.map((row) => row['id']))}`;
    });
  },
  async chooseTop(place: Place, a: number, b: number) {
    const stack = await pick(place, 'stack', a);
    if (!stack) return;
    const { sql } = place.database;
    const members = await sql`select id from asset where stack_id = ${stack['id']} order by id`;
    const { id } = members[b % members.length]!;
    await sql`update stack set primary_id = ${id}, updated_at = now() where id = ${stack['id']}`;
  },
  async leaveStack({ database: { sql } }: Place, a: number) {
    const members = await sql`select id from asset where stack_id is not null order by id`;
    if (members.length === 0) return;
    await sql`update asset set stack_id = null where id = ${members[a % members.length]!['id']}`;
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
  async adjust(place: Place, a: number, b: number) {
    const asset = await pick(place, 'asset', a);
    if (!asset) return;
    await place.database.sql`insert into asset_adjustment
      (asset_id, straighten, exposure, contrast, highlights, shadows, warmth, tint, saturation)
      values (${asset['id']}, 0, ${(b % 100) + 1}, 0, 0, 0, 0, 0, 0)
      on conflict (asset_id) do update set exposure = excluded.exposure`;
  },
  async unadjust(place: Place, a: number) {
    const adjusted = await pick(place, 'asset_adjustment', a, 'asset_id');
    if (!adjusted) return;
    await place.database.sql`delete from asset_adjustment where asset_id = ${adjusted['asset_id']}`;
  },
  async renameUser({ database: { sql }, people }: Place, a: number, b: number) {
    await sql`update app_user set name = ${`u${b}`} where id = ${people[a % people.length]!.id}`;
  },
  /** Removes the account of the last of the people, who has no phone of their own: they go, or come back. */
  async removeAccount({ database: { sql }, people }: Place) {
    await sql`update app_user
      set deleted_at = case when deleted_at is null then now() end where id = ${people.at(-1)!.id}`;
  },
};
