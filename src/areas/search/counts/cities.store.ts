import { type SQL, sql } from 'drizzle-orm';
import { queryPrepared, queryRows } from '../../../db/query.ts';
import { ASSET_COLUMNS, type AssetView, EXIF_COLUMNS } from '../../assets/index.ts';
import {
  type Matching,
  selectMatching,
  unionPerOwner,
  placeColumns,
  type Reader,
} from '../match/matching.store.ts';

export type City = {
  readonly city: string;
  readonly state: string | null;
  readonly country: string | null;
};

/** One of the items of a city, if it is still there. */
export type Example = City & { readonly ownerId: string; readonly assetId: string };

const COLUMNS = sql`${ASSET_COLUMNS}, ${EXIF_COLUMNS}`;

/** Those of the examples that are what they were. */
export async function stillThere(
  reader: Reader,
  matching: Matching,
  examples: readonly Example[],
): Promise<AssetView[]> {
  const given = JSON.stringify(
    examples.map(({ assetId, ...city }) => ({ id: assetId, ...city, ownerId: undefined })),
  );
  return queryPrepared<AssetView>(
    reader.db,
    sql`select item.* from jsonb_to_recordset(${given}::jsonb)
        example (id uuid, city text, state text, country text)
      cross join lateral (
        ${eachOwner(matching, (owner) => {
          const only = sql`asset.id = example.id and ${isThere}`;
          return sql`select ${COLUMNS} ${selectMatching(reader, matching, owner, { joinsExif: true, only })}`;
        })}
      ) item`,
  );
}

const isThere = sql`exif.city = example.city and exif.state is not distinct from example.state
  and exif.country is not distinct from example.country`;

const eachOwner = (matching: Matching, partOf: (owner: string | undefined) => SQL) =>
  unionPerOwner(
    { owners: matching.owners?.filter((owner) => !matching.placeless.includes(owner)) },
    partOf,
  );

/** Any item of each of these cities that has one. */
export async function oneOfEach(
  reader: Reader,
  matching: Matching,
  cities: readonly City[],
): Promise<AssetView[]> {
  if (cities.length === 0) return [];
  return queryRows<AssetView>(
    reader.db,
    sql`select item.* from jsonb_to_recordset(${JSON.stringify(cities)}::jsonb)
        example (city text, state text, country text)
      cross join lateral (
        select * from (${eachOwner(
          matching,
          (owner) => sql`select ${COLUMNS}
            ${selectMatching(reader, matching, owner, { joinsExif: true, only: isThere })} limit 1`,
        )}) one limit 1
      ) item`,
  );
}

/** Where nothing is kept, because the caller leaves some of it out. */
export async function countCities(
  reader: Reader,
  matching: Matching,
): Promise<(City & { readonly count: number })[]> {
  const items = unionPerOwner(matching, (owner) => {
    const only = sql`exif.city is not null`;
    return sql`select ${placeColumns(matching, owner)}
      ${selectMatching(reader, matching, owner, { joinsExif: true, only })}`;
  });
  const rows = await queryRows<City & { count: string }>(
    reader.db,
    sql`select city, state, country, count(*) as count from (${items}) item
      where city is not null group by 1, 2, 3`,
  );
  return rows.map((row) => ({ ...row, count: Number(row.count) }));
}
