import { sql } from 'drizzle-orm';
import { texts, uuids } from '../../../db/arrays.ts';
import { column } from '../../../db/columns.ts';
import { queryRows } from '../../../db/query.ts';
import {
  ASSET_COLUMNS,
  ASSET_VIEW_WITH_EXIF,
  type AssetView,
  bodyName,
  EXIF_COLUMNS,
  toViewOptions,
} from '../../assets/index.ts';
import {
  type Matching,
  selectMatching,
  unionPerOwner,
  type Reader,
} from '../match/matching.store.ts';

const NAMED_COLUMNS = { name: column.text };
type Listing = { readonly limit: number; readonly withExif: boolean };
const selectName = ({ session }: Reader, { withExif }: Listing) =>
  sql`${bodyName(toViewOptions(session, withExif))} as name`;

// Listings return the names of bodies: see `bodyName`.

/** Returns the largest files first, ties by id. `least`: bytes. */
export async function findLargest(
  reader: Reader,
  matching: Matching,
  listing: Listing & { readonly least: number },
): Promise<string[]> {
  const { withExif, least } = listing;
  const end = sql.raw(`limit ${listing.limit}`);
  const only = least > 0 ? sql`asset.file_size >= ${least}` : undefined;
  const pages = unionPerOwner(
    matching,
    (owner) => sql`select asset.id, asset.file_size, ${selectName(reader, listing)}
      ${selectMatching(reader, matching, owner, { joinsExif: withExif, only })}
      order by asset.file_size desc, asset.id desc ${end}`,
  );
  const rows = await queryRows(
    reader.db,
    NAMED_COLUMNS,
    sql`select name from (${pages}) item order by file_size desc, id desc ${end}`,
  );
  return rows.map(({ name }) => name);
}

const NEWEST_COLUMNS = { ...ASSET_VIEW_WITH_EXIF, came_at: column.timestamptz };

/** Returns the most recently uploaded pictures, newest first. */
export async function findNewest(
  reader: Reader,
  matching: Matching,
  limit: number,
): Promise<AssetView[]> {
  const end = sql.raw(`limit ${limit}`);
  const only = sql`asset.type = 'IMAGE'`;
  const pages = unionPerOwner(
    matching,
    (owner) => sql`select ${ASSET_COLUMNS}, ${EXIF_COLUMNS}, asset.created_at as came_at
      ${selectMatching(reader, matching, owner, { joinsExif: true, only })}
      order by asset.created_at desc, asset.id desc ${end}`,
  );
  return queryRows(
    reader.db,
    NEWEST_COLUMNS,
    sql`select * from (${pages}) item order by came_at desc, id desc ${end}`,
  );
}

/** Returns up to `limit` items in random order. */
export async function findRandom(
  reader: Reader,
  matching: Matching,
  listing: Listing,
): Promise<string[]> {
  const end = sql.raw(`limit ${listing.limit}`);
  const ids = unionPerOwner(
    matching,
    (owner) => sql`select asset.id ${selectMatching(reader, matching, owner)}`,
  );
  return selectShuffled(
    reader,
    matching,
    listing,
    sql`select id from (${ids}) item order by random() ${end}`,
  );
}

/** A range of checksums in hexadecimal; the last is its end, too. */
export type Stretch = { readonly first: string; readonly last: string };

/**
 * Samples the items in stretches of checksums: they are random, and an index has those of one owner. Fewer than the limit
 * where few items of the stretches match.
 */
export async function findRandomRuns(
  reader: Reader,
  matching: Matching,
  listing: Listing & { readonly stretches: readonly Stretch[] },
): Promise<string[]> {
  const { stretches, limit, withExif } = listing;
  const end = sql.raw(`limit ${Math.ceil(limit / stretches.length)}`);
  const order = sql`asset.sha1`;
  // Copies have an index of their own.
  const pages = [sql`not asset.is_copy`, sql`asset.is_copy`].map((isOfIndex) => {
    const only = sql`${isOfIndex} and asset.sha1 between run.first and run.last`;
    return unionPerOwner(
      matching,
      (owner) => sql`(select asset.sha1, ${selectName(reader, listing)}
        ${selectMatching(reader, matching, owner, { joinsExif: withExif, only })}
        order by ${order} ${end})`,
    );
  });
  // A subquery for each stretch would be planned for each of them.
  const runs = sql`(select decode(first, 'hex') as first, decode(last, 'hex') as last
    from unnest(${texts(stretches.map(({ first }) => first))},
      ${texts(stretches.map(({ last }) => last))}) hex (first, last)) run`;
  const rows = await queryRows(
    reader.db,
    NAMED_COLUMNS,
    sql`select name from (
        select distinct found.name from ${runs} cross join lateral (
          select name from (${sql.join(pages, sql` union all `)}) page order by sha1 ${end}) found
      ) item order by random() ${sql.raw(`limit ${limit}`)}`,
  );
  return rows.map(({ name }) => name);
}

/** Returns how many assets the accounts have, whatever their state. */
export async function countOwned({ db }: Reader, owners: readonly string[]): Promise<number> {
  const [row] = await queryRows(
    db,
    { count: column.bigint },
    sql`select coalesce(sum(assets), 0)::bigint as count from asset_count
      where owner_id = any(${uuids(owners)})`,
  );
  return Number(row?.count ?? 0);
}

async function selectShuffled(
  reader: Reader,
  matching: Matching,
  listing: Listing,
  ids: ReturnType<typeof sql>,
): Promise<string[]> {
  const { withExif } = listing;
  const items = unionPerOwner(matching, (owner) => {
    const only = sql`asset.id in (select id from chosen)`;
    return sql`select ${selectName(reader, listing)}
      ${selectMatching(reader, matching, owner, { joinsExif: withExif, only })}`;
  });
  const rows = await queryRows(
    reader.db,
    NAMED_COLUMNS,
    sql`with chosen as materialized (${ids})
      select name from (${items}) item order by random() ${sql.raw(`limit ${listing.limit}`)}`,
  );
  return rows.map(({ name }) => name);
}
