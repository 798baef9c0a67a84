// Makes a library of any size by SQL alone: what reading it costs does not depend on how it came.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Sql } from 'postgres';
import { newSecret, sha256 } from '../../src/core/hash.ts';
import { dataPaths } from '../../src/core/paths.ts';
import { openDatabase } from '../../src/db/client.ts';
import { migrate } from '../../src/db/migrate.ts';
import { toDatabaseUrl } from '../support/harness.ts';

export type Library = {
  readonly name: string;
  readonly url: string;
  readonly userId: string;
  readonly key: string;
};

const MONTHS = 96;
const FILES = 64;
const THUMBNAIL_BYTES = 12_000;
const PREVIEW_BYTES = 220_000;
/** Assets that are inserted at once when triggers count them. */
const BATCH = 20_000;

export type SeedOptions = {
  /** Creates the schema of an empty database; our own migrations unless another version does it. */
  readonly createSchema?: (databaseUrl: string) => Promise<void>;
  /**
   * Keeper of the counts beside the rows. `triggers`: those of the schema, whichever it is, as in a running
   * server. `sums`: they are counted once at the end, which is quicker and needs the present schema.
   */
  readonly counting?: 'sums' | 'triggers';
  /** Other accounts, which own a fifth of the assets together. */
  readonly others?: number;
};

/**
 * A database `name` with `count` assets over eight years, of one owner unless there are others: every tenth
 * archived, every tenth trashed, summers fuller than winters (at a million, 10,500 Timeline items in the
 * fullest month). Replaces one of that name. The same assets each time, and
 * the same ids of accounts, on whose order plans depend.
 */
export async function seedLibrary(
  name: string,
  count: number,
  { createSchema, counting = 'sums', others = 0 }: SeedOptions = {},
): Promise<Library> {
  await createDatabase(name);
  const url = toDatabaseUrl(name);
  await createSchema?.(url);
  const database = openDatabase(url, { max: 1 });
  const { sql } = database;
  if (!createSchema) await migrate(sql);
  const key = newSecret();
  const [user] = await sql<{ id: string }[]>`
    insert into app_user (id, email, name)
    values ('00000000-0000-4000-8000-000000000005', 'bench@example.com', 'Bench') returning id`;
  const userId = user!.id;
  await sql`insert into api_key (user_id, name, key_hash, permissions)
    values (${userId}, 'bench', ${sha256(key)}, '{all}')`;
  const more = await sql<{ id: string }[]>`
    insert into app_user (id, email, name)
    select ('00000000-0000-4000-8000-' || lpad((n * 2)::text, 12, '0'))::uuid, 'owner' || n || '@example.com', 'Owner ' || n
    from generate_series(1, ${others}::int) n returning id`;
  await insertAssets(sql, { userId, otherIds: more.map(({ id }) => id), count, counting });
  await database.close();
  return { name, url, userId, key };
}

/** Creates an empty database, instead of one of that name. */
export async function createDatabase(name: string): Promise<void> {
  await dropLibrary(name);
  const admin = openDatabase(toDatabaseUrl('postgres'), { max: 1 });
  await admin.sql`create database ${admin.sql(name)}`;
  await admin.close();
}

export async function dropLibrary(name: string): Promise<void> {
  const admin = openDatabase(toDatabaseUrl('postgres'), { max: 1 });
  await admin.sql`drop database if exists ${admin.sql(name)} with (force)`;
  await admin.close();
}

/** The few files that all seeded assets share, where their rows say they are. */
export function writeDerivedFiles(dataDir: string): void {
  const folder = join(dataPaths(dataDir).derived, 'bench');
  mkdirSync(folder, { recursive: true });
  for (let n = 0; n < FILES; n++) {
    writeFileSync(join(folder, `thumbnail-${n}.webp`), randomBytes(THUMBNAIL_BYTES));
    writeFileSync(join(folder, `preview-${n}.jpg`), randomBytes(PREVIEW_BYTES));
  }
}

function randomBytes(size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size; at += 65_536)
    crypto.getRandomValues(bytes.subarray(at, Math.min(size, at + 65_536)));
  return bytes;
}

type Owners = { readonly userId: string; readonly otherIds: readonly string[] };

type Assets = Owners & {
  readonly count: number;
  readonly counting: 'sums' | 'triggers';
};

async function insertAssets(sql: Sql, { count, counting, ...owners }: Assets): Promise<void> {
  await sql.unsafe(`set synchronous_commit = off; set maintenance_work_mem = '512MB'`);
  await drawAssets(sql, count);
  await sql.unsafe(
    `insert into original (sha256, size) select digest, 4000000 from one order by digest`,
  );
  if (counting === 'sums') await insertCounted(sql, owners);
  else {
    for (let from = 0; from < count + MONTHS; from += BATCH) {
      await insertRows(sql, owners, { condition: `n > ${from} and n <= ${from + BATCH}` });
    }
  }
  await sql.unsafe('drop table one');
  await sql.unsafe(counting === 'sums' ? 'vacuum analyze' : 'analyze asset');
}

const TABLES = ['asset', 'asset_exif', 'asset_file', 'asset_count'];

async function insertCounted(sql: Sql, owners: Owners): Promise<void> {
  await insertUnindexed(sql, TABLES, () =>
    insertRows(sql, owners, { condition: 'true', withPlace: true }),
  );
  await sql.unsafe('set session_replication_role = replica');
  await countAssets(sql);
  await countCells(sql);
  await sql.unsafe('set session_replication_role = origin');
}

/**
 * Has rows of these tables inserted without triggers and foreign keys, and builds their indexes afterwards: several times
 * faster than growing them row by row.
 */
export async function insertUnindexed(
  sql: Sql,
  tables: readonly string[],
  insert: () => Promise<unknown>,
): Promise<void> {
  await sql.unsafe(`set session_replication_role = replica; set allow_system_table_mods = on;
    update pg_index set indisready = false, indisvalid = false
    where indrelid in ('${tables.join(`'::regclass, '`)}'::regclass)`);
  await insert();
  for (const table of tables) await sql.unsafe(`reindex table ${table}`);
  await sql.unsafe('set session_replication_role = origin; set allow_system_table_mods = off');
}

/** Creates the table `one`: identifier, time, digest and chance of every asset to come. */
const drawAssets = (sql: Sql, count: number): Promise<unknown> =>
  sql.unsafe(`
    select setseed(0.5);
    create temp table one as
    select overlay(overlay(md5(month::text || '/' || i) placing '4' from 13) placing '8' from 17)::uuid
        as id, month, row_number() over () as n,
      month + random() * (month + interval '1 month' - month) as local_taken_at,
      sha256(convert_to(month::text || '/' || i, 'UTF8')) as digest, random() as luck
    from generate_series(0, ${MONTHS - 1}) m
    cross join lateral (
      select timestamp '2018-01-01' + m * interval '1 month' as month) at_month
    cross join lateral generate_series(
      1, round(${count} / ${MONTHS}.0 * (1 + 0.26 * sin(2 * pi() * (m - 3) / 12)))::int) i`);

const TAKEN_AT = `(local_taken_at - interval '2 hours') at time zone 'utc'`;

/** `withPlace`: triggers do not fill what asset_exif has of the asset. */
const insertRows = (
  sql: Sql,
  { userId, otherIds }: Owners,
  { condition, withPlace = false }: { readonly condition: string; readonly withPlace?: boolean },
): Promise<unknown> =>
  sql.unsafe(`
    insert into asset (id, owner_id, type, sha256, sha1, file_name, file_size, visibility, trashed_at,
      is_favorite, taken_at, local_taken_at, file_modified_at, width, height, duration_ms, thumbhash,
      metadata_read_at)
    select id, ${toOwner(userId, otherIds)}, case when n % 20 = 0 then 'VIDEO' else 'IMAGE' end, digest,
      substring(digest for 20), case when n % 20 = 0 then 'VID_' || n || '.mp4' else 'IMG_' || n || '.JPG' end,
      3000000 + (luck * 2000000)::int, case when luck < 0.1 then 'archive' else 'timeline' end,
      case when luck > 0.9 then now() - luck * interval '20 days' end, n % 31 = 0,
      ${TAKEN_AT}, local_taken_at, local_taken_at at time zone 'utc',
      case when n % 3 = 0 then 3024 else 4032 end, case when n % 3 = 0 then 4032 else 3024 end,
      case when n % 20 = 0 then 10000 end, substring(digest for 25), now()
    from one where ${condition};
    insert into asset_exif (asset_id, make, model, lens_model, f_number, focal_length, iso,
      exposure_time, exif_width, exif_height, orientation, date_time_original, time_zone, latitude,
      longitude, city, state, country, description, date_source${withPlace ? ', asset_owner_id, asset_taken_at' : ''})
    select id, (array['Canon', 'Apple', 'Google', 'Sony'])[1 + n % 4],
      (array['EOS R6', 'iPhone 15', 'Pixel 8', 'ILCE-7M4'])[1 + n % 4], 'Lens ' || n % 12,
      1.8, 26, 50 * (1 + n % 8), '1/250', 4032, 3024, '1',
      ${TAKEN_AT}, 'Europe/Berlin',
      -60 + luck * 120, -170 + luck * 340,
      case when n % 4 > 0 then 'City ' || n % 400 end, 'State ' || n % 50, 'Country ' || n % 20,
      case when n % 50 = 0 then 'A day at the lake' else '' end, 'DateTimeOriginal'
      ${withPlace ? `, ${toOwner(userId, otherIds)}, ${TAKEN_AT}` : ''}
    from one where ${condition};
    insert into asset_file (asset_id, kind, name, mime_type, size, tag)
    select id, 'thumbnail', 'bench/thumbnail-' || n % ${FILES} || '.webp', 'image/webp',
      ${THUMBNAIL_BYTES}, 't' || n from one where ${condition}
    union all
    select id, 'preview', 'bench/preview-' || n % ${FILES} || '.jpg', 'image/jpeg',
      ${PREVIEW_BYTES}, 'p' || n from one where ${condition}`);

const toOwner = (userId: string, otherIds: readonly string[]): string =>
  otherIds.length === 0
    ? `'${userId}'::uuid`
    : `case when n % 5 = 3 then ('{${otherIds.join()}}'::uuid[])[1 + n / 5 % ${otherIds.length}]
        else '${userId}' end`;

export const countAssets = (sql: Sql): Promise<unknown> =>
  sql.unsafe(`
    insert into asset_count
    select owner_id, local_month, type, visibility, false, trashed_at is not null, is_favorite,
      is_stack_child, count(*), sum(file_size), (random() * 9e18)::bigint,
      bit_xor(hash_bits(sha256))
    from asset group by 1, 2, 3, 4, 5, 6, 7, 8`);

const countCells = (sql: Sql): Promise<unknown> =>
  sql.unsafe(`
    insert into asset_cell_count
      (owner_id, level, x, y, timeline, archived, example, is_folded)
    select asset.owner_id, level, map_x(exif.longitude, level), map_y(exif.latitude, level),
      count(*) filter (where visibility = 'timeline'),
      count(*) filter (where visibility = 'archive'), (array_agg(asset.id))[1], true
    from asset join asset_exif exif on exif.asset_id = asset.id
    cross join unnest(map_levels()) level
    where is_listed(asset.visibility, asset.locked_at, asset.trashed_at)
      and exif.latitude is not null
    group by 1, 2, 3, 4`);

if (import.meta.main) {
  const [name, count] = process.argv.slice(2);
  if (!name || !count) throw new Error('usage: bun test/bench/seed.ts <database> <assets>');
  const started = performance.now();
  console.log(JSON.stringify(await seedLibrary(name, Number(count))));
  console.error(`${((performance.now() - started) / 1000).toFixed(1)} s`);
}
