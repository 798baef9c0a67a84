// Fills a seeded library with all that is listed beside the Timeline: see lists.bench.ts.
import { archiveKind } from '../../src/areas/archive-operations/kind.ts';
import type { Sql } from 'postgres';
import { newSecret, sha256 } from '../../src/core/hash.ts';
import { countAssets, type Library } from './seed.ts';

/** Numbers of rows of what is listed beside the Timeline. */
export type Amounts = {
  /** Numbers of albums by number of members. */
  readonly albums: readonly (readonly [albums: number, members: number])[];
  /** Tags of the first level, below each of them, and below each of those. */
  readonly tags: readonly [tops: number, branches: number, leaves: number];
  readonly stacks: number;
  readonly people: number;
  readonly documents: number;
  readonly links: number;
  readonly comments: number;
  readonly operations: number;
  /** The runs of utilities and of backup devices. */
  readonly runs: number;
  /** Other accounts, which are all partners. */
  readonly accounts: number;
};

/** The amounts of a library of a million assets whose lists are as long as they may become. */
const LONG_LISTS: Amounts = {
  albums: [
    [5, 100_000],
    [20, 10_000],
    [175, 1_000],
    [1_800, 50],
  ],
  tags: [20, 16, 15],
  stacks: 20_000,
  people: 5_000,
  documents: 100_000,
  links: 500,
  comments: 2_000,
  operations: 300,
  runs: 5_000,
  accounts: 30,
};
const STACK_SIZE = 3;
/** Tables of which nothing happens row by row while they are filled. */
const QUIET = [
  'asset',
  'album',
  'album_user',
  'album_asset',
  'tag',
  'tag_asset',
  'stack',
  'face',
  'document',
] as const;

export type Furnished = Library & {
  /** The token of a session of the owner, elevated for as long as a measurement takes. */
  readonly token: string;
  readonly otherId: string;
  /** The largest album, which another account sees too, and where people talk. */
  readonly albumId: string;
  readonly deviceId: string;
};

/** Runs an insertion of the rows that `what` names. */
export type Attempt = (what: string, insert: () => Promise<void>) => Promise<void>;

type FurnishOptions = {
  readonly amounts?: Amounts;
  readonly counting?: 'sums' | 'triggers';
  /** Runs what another schema may refuse; without it, that fails. */
  readonly attempt?: Attempt;
};

/**
 * Adds albums, tags, stacks, links, comments, partners, sessions, people, documents and operations. The
 * sums that triggers keep are counted at the end, once, unless they are to be counted by triggers.
 */
export async function furnish(
  sql: Sql,
  library: Library,
  {
    amounts = LONG_LISTS,
    counting = 'sums',
    attempt = (_, insert) => insert(),
  }: FurnishOptions = {},
): Promise<Furnished> {
  const { userId } = library;
  await sql.unsafe(`set synchronous_commit = off; select setseed(0.5)`);
  const quiet = counting === 'sums' ? QUIET : [];
  for (const table of quiet) await sql.unsafe(`alter table ${table} disable trigger user`);
  const [other] = await sql<{ id: string }[]>`
    insert into app_user (email, name) select 'other' || n || '@example.com', 'Other ' || n
    from generate_series(1, ${amounts.accounts}::int) n returning id`;
  const otherId = other!.id;
  await sql.unsafe(`
    create temp table place as
    select id, local_month, (row_number() over (order by local_taken_at))::int as n,
      count(*) over ()::int as total
    from asset where owner_id = '${userId}';
    create unique index on place (n); analyze place`);
  await insertAlbums(sql, { userId, otherId }, amounts);
  await insertTags(sql, userId, amounts);
  await insertStacks(sql, userId, amounts);
  const albumId = await insertShared(sql, { userId, otherId }, amounts);
  await insertPeople(sql, userId, amounts);
  await attempt('documents', () => insertDocuments(sql, amounts));
  const { token, deviceId } = await insertOwn(sql, userId, amounts);
  await sql.unsafe('drop table place');
  for (const table of quiet) await sql.unsafe(`alter table ${table} enable trigger user`);
  if (counting === 'sums') {
    await sumUp(sql);
    await sql.unsafe('vacuum analyze');
  }
  return { ...library, token, otherId, albumId, deviceId };
}

type Accounts = { readonly userId: string; readonly otherId: string };

/** Every so many items from somewhere on, so that a large album is spread over years. */
async function insertAlbums(
  sql: Sql,
  { userId, otherId }: Accounts,
  amounts: Amounts,
): Promise<void> {
  let first = 0;
  for (const [albums, members] of amounts.albums) {
    await sql`
      with made as (
        insert into album (owner_id, name, created_at)
        select case when n % 40 = 39 then ${otherId}::uuid else ${userId}::uuid end,
          'Album ' || n + ${first}, now() - (n + ${first}) * interval '1 hour'
        from generate_series(1, ${albums}::int) n returning id
      ), numbered as (select id, row_number() over ()::int as k from made)
      insert into album_asset (album_id, asset_id, local_month)
      select numbered.id, place.id, place.local_month
      from (select max(total) as assets from place) size cross join numbered
      cross join lateral generate_series(0, least(${members}, assets / 10) - 1) i
      join place on place.n = 1
        + (k * 7919 + i * ${members > 1000 ? sql`greatest(1, assets / ${members})` : sql`1`}) % assets
      on conflict do nothing`;
    first += albums;
  }
  await sql`insert into album_user (album_id, user_id, role)
    select id, case when owner_id = ${userId} then ${otherId}::uuid else ${userId}::uuid end, 'editor'
    from (select *, row_number() over (order by created_at desc) as n from album) album
    where n % 10 = 1 or owner_id <> ${userId}`;
}

async function insertTags(sql: Sql, userId: string, { tags }: Amounts): Promise<void> {
  const [tops, branches, leaves] = tags;
  await sql`
    with top as (
      insert into tag (owner_id, value) select ${userId}, 'Top ' || a
      from generate_series(1, ${tops}::int) a returning id, value
    ), branch as (
      insert into tag (owner_id, parent_id, value) select ${userId}, id, value || '/Branch ' || b
      from top cross join generate_series(1, ${branches}::int) b returning id, value
    )
    insert into tag (owner_id, parent_id, value) select ${userId}, id, value || '/Leaf ' || c
    from branch cross join generate_series(1, ${leaves}::int) c`;
  await sql`
    with tags as materialized (select array_agg(id order by id) as ids from tag)
    insert into tag_asset (tag_id, asset_id, local_month)
    select ids[1 + (place.n * 31 + k * 977) % cardinality(ids)], place.id, place.local_month
    from place cross join tags cross join generate_series(1, 2) k where place.n % 3 = 0
    on conflict do nothing`;
}

/** Inserts stacks of neighbours that are on the Timeline. */
async function insertStacks(sql: Sql, userId: string, { stacks }: Amounts): Promise<void> {
  await sql`
    with shown as (
      select asset.id, (row_number() over (order by place.n) - 1) / ${STACK_SIZE}::int as k
      from place join asset using (id)
      where visibility = 'timeline' and locked_at is null and trashed_at is null
      order by place.n limit ${stacks * STACK_SIZE}
    ), chosen as materialized (
      select id, k, first_value(id) over (partition by k order by id) as first_id,
        count(*) over (partition by k) as size from shown
    ), made as (
      insert into stack (owner_id, primary_id, created_at)
      select ${userId}, id, now() - k * interval '1 minute' from chosen
      where id = first_id and size = ${STACK_SIZE} returning id, primary_id
    )
    update asset set stack_id = made.id, is_stack_child = asset.id <> made.primary_id
    from made join chosen on chosen.first_id = made.primary_id where asset.id = chosen.id`;
}

/** Adds links, comments and partners. Returns the largest album. */
async function insertShared(
  sql: Sql,
  { userId, otherId }: Accounts,
  { links, comments }: Amounts,
): Promise<string> {
  await sql`
    insert into shared_link (owner_id, type, album_id, key, description)
    select ${userId}, 'ALBUM', id, sha256(id::text::bytea), 'Link' from album
    where owner_id = ${userId} order by created_at desc limit ${links / 2}`;
  await sql`
    with made as (
      insert into shared_link (owner_id, type, key)
      select ${userId}, 'INDIVIDUAL', sha256(n::text::bytea)
      from generate_series(1, ${links / 2}::int) n returning id
    )
    insert into shared_link_asset (link_id, asset_id)
    select made.id, place.id from (select id, row_number() over () as k from made) made
    join place on place.n between k * 20 and k * 20 + 19`;
  await sql`insert into partner (sharer_id, viewer_id)
    select id, ${userId}::uuid from app_user where id <> ${userId}
    union all select ${userId}, ${otherId}`;
  const [album] = await sql<{ id: string }[]>`
    select id from album where owner_id = ${userId} order by created_at desc limit 1`;
  await sql`
    insert into activity (album_id, user_id, asset_id, kind, comment, created_at)
    select ${album!.id}, ${userId}, asset_id, 'comment', 'Well done ' || n, now() - n * interval '1 s'
    from (select asset_id, row_number() over () as n from album_asset
      where album_id = ${album!.id} limit ${comments}) member`;
  return album!.id;
}

async function insertPeople(sql: Sql, userId: string, { people }: Amounts): Promise<void> {
  await sql`
    insert into person (owner_id, name)
    select ${userId}, case when n % 3 = 0 then 'Person ' || n else '' end
    from generate_series(1, ${people}::int) n`;
  await sql`
    with who as materialized (select array_agg(id order by id) as ids from person)
    insert into face (owner_id, asset_id, person_id, x1, y1, x2, y2, image_width, image_height,
      source, model_id, score, clustered_at, source_revision, local_month)
    select ${userId}, place.id, who.ids[1 + floor(power(random(), 4) * ${people})::int],
      0.1, 0.1, 0.3, 0.4, 4000, 3000, 'machine-learning', 'bench', 0.9, now(), 'x',
      place.local_month
    from place cross join who where place.n % 5 = 0`;
}

async function insertDocuments(sql: Sql, { documents }: Amounts): Promise<void> {
  await sql`
    insert into document (asset_id, model_id, folded, owner_id, taken_at, local_month, is_listed,
      fills_picture)
    select asset.id, 'bench', 'receipt number ' || place.n || ' of the shop', asset.owner_id,
      asset.taken_at, asset.local_month, is_listed(asset.visibility, asset.locked_at, asset.trashed_at), true
    from place join asset using (id)
    where asset.type = 'IMAGE' and place.n % greatest(1, place.total / ${documents}) = 0`;
  await sql`
    insert into document_line (asset_id, line, position, text, score, box_score, quad)
    select asset_id, 1, 1, folded, 0.9, 0.9, '{0.1,0.1,0.9,0.1,0.9,0.2,0.1,0.2}' from document`;
}

async function insertOwn(sql: Sql, userId: string, { operations, runs }: Amounts) {
  const token = newSecret();
  await sql`insert into session (user_id, token_hash, elevated_until)
    values (${userId}, ${sha256(token)}, now() + interval '1 day')`;
  await sql`insert into session (user_id, token_hash)
    select ${userId}, sha256(n::text::bytea) from generate_series(1, 50) n`;
  await sql`insert into api_key (user_id, name, key_hash, permissions)
    select ${userId}, 'Key ' || n, sha256(('key' || n)::bytea), '{asset.read}'
    from generate_series(1, 50) n`;
  await sql`
    insert into operation (kind, account_id, state, payload, progress, total, created_at)
    select 'archive', ${userId}, 'completed', '{"source": "selection"}',
      ${JSON.stringify({ ...archiveKind.start, archived: 10 })}::text::jsonb, 10, now() - n * interval '1 hour'
    from generate_series(1, ${operations}::int) n`;
  await sql`
    insert into utility_activity (user_id, tool, action, asset_count, bytes, created_at)
    select ${userId}, 'screenshots', 'trashed', 3, 1000000, now() - n * interval '1 minute'
    from generate_series(1, ${runs}::int) n`;
  const [device] = await sql<{ id: string }[]>`
    insert into backup_device (user_id, device_key, name)
    select ${userId}, 'device-' || n, 'Phone ' || n from generate_series(1, ${runs}::int) n
    returning id`;
  await sql`
    insert into reconciliation (id, device_id, user_id, status, fingerprint, device_count,
      differing_buckets, matched_count, checked_at, started_at, completed_at)
    select gen_random_uuid(), ${device!.id}, ${userId}, 'completed', 'x', 10, 0, 10, now(),
      now() - n * interval '1 minute', now() from generate_series(1, ${runs}::int) n`;
  return { token, deviceId: device!.id };
}

async function sumUp(sql: Sql): Promise<void> {
  // The sums of the Timeline tell those behind a stack apart.
  await sql`delete from asset_count`;
  await countAssets(sql);
  await sql.unsafe(`
    insert into album_count
    select shown.* from album cross join lateral read_album(album.id) shown;
    insert into tag_count (owner_id, tag_id, assets, total)
    with recursive above as (
      select id as tag_id, id as ancestor_id from tag
      union all
      select above.tag_id, tag.parent_id from above join tag on tag.id = above.ancestor_id
      where tag.parent_id is not null
    )
    select tag.owner_id, tag.id, count(*) filter (where above.tag_id = tag.id),
      count(distinct asset.id)
    from above join tag on tag.id = above.ancestor_id
    join tag_asset on tag_asset.tag_id = above.tag_id
    join asset on asset.id = tag_asset.asset_id
    where is_on_timeline(visibility, locked_at, trashed_at) group by tag.id;
    insert into person_count (owner_id, person_id, faces)
    select face.owner_id, face.person_id, count(*) from face join asset on asset.id = face.asset_id
    where face.person_id is not null and not face.is_hidden
      and is_listed(visibility, locked_at, trashed_at) group by 1, 2`);
}
