import { sql } from 'drizzle-orm';
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

/**
 * Returns those that match among `sample` items of runs of checksums behind random points: checksums are random, and an
 * index has those of one owner. `points`: in hexadecimal. At most `limit`, and fewer than are in the sample near the
 * largest checksum.
 */
export async function findRandomRuns(
  reader: Reader,
  matching: Matching,
  listing: Listing & { readonly points: readonly string[]; readonly sample: number },
): Promise<string[]> {
  const { points, sample } = listing;
  const end = sql.raw(`limit ${Math.ceil(sample / points.length)}`);
  const whole = { ...matching, filter: {} };
  const stretches = points.map((point) => {
    // Copies have an index of their own.
    const pages = [sql`not asset.is_copy`, sql`asset.is_copy`].map((isOfIndex) => {
      const only = sql`${isOfIndex} and asset.sha1 >= decode(${point}, 'hex')`;
      return unionPerOwner(
        whole,
        (
          owner,
        ) => sql`(select asset.id, asset.sha1 ${selectMatching(reader, whole, owner, { only })}
          order by asset.sha1, asset.id ${end})`,
      );
    });
    return sql`(select id from (${sql.join(pages, sql` union all `)}) stretch
      order by sha1, id ${end})`;
  });
  return selectShuffled(reader, matching, listing, sql.join(stretches, sql` union `));
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
