import { type SQL, sql } from 'drizzle-orm';
import { column } from '../../../db/columns.ts';
import { queryPrepared, queryRows } from '../../../db/query.ts';
import { bodyName, toViewOptions } from '../../assets/index.ts';
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

/** A stored example of a city; the item may have been deleted or moved since. */
export type Example = City & { readonly ownerId: string; readonly assetId: string };

const PICTURE_COLUMNS = {
  name: column.text,
  city: column.text,
  state: column.text.orNull,
  country: column.text.orNull,
};

/** A picture of a city, by the name of its body with EXIF (`bodyName`). */
export type CityPicture = City & { readonly name: string };

const selectPicture = ({ session }: Reader) => sql`
  ${bodyName(toViewOptions(session, true))} as name, exif.city, exif.state, exif.country`;

/** Returns the examples that still match and are still in their city. */
export async function filterStillValid(
  reader: Reader,
  matching: Matching,
  examples: readonly Example[],
): Promise<CityPicture[]> {
  const given = JSON.stringify(
    examples.map(({ assetId, ...city }) => ({ id: assetId, ...city, ownerId: undefined })),
  );
  return queryPrepared(
    reader.db,
    PICTURE_COLUMNS,
    sql`select item.* from jsonb_to_recordset(${given}::jsonb)
        example (id uuid, city text, state text, country text)
      cross join lateral (
        ${eachOwner(matching, (owner) => {
          const only = sql`asset.id = example.id and ${isInCity}`;
          return sql`select ${selectPicture(reader)} ${selectMatching(reader, matching, owner, { joinsExif: true, only })}`;
        })}
      ) item`,
  );
}

const isInCity = sql`exif.city = example.city and exif.state is not distinct from example.state
  and exif.country is not distinct from example.country`;

const eachOwner = (matching: Matching, toPart: (owner: string | undefined) => SQL) =>
  unionPerOwner(
    { owners: matching.owners?.filter((owner) => !matching.placeless.includes(owner)) },
    toPart,
  );

/** Returns one item of each of the cities that have any. */
export async function listOnePerCity(
  reader: Reader,
  matching: Matching,
  cities: readonly City[],
): Promise<CityPicture[]> {
  if (cities.length === 0) return [];
  return queryRows(
    reader.db,
    PICTURE_COLUMNS,
    sql`select item.* from jsonb_to_recordset(${JSON.stringify(cities)}::jsonb)
        example (city text, state text, country text)
      cross join lateral (
        select * from (${eachOwner(
          matching,
          (owner) => sql`select ${selectPicture(reader)}
            ${selectMatching(reader, matching, owner, { joinsExif: true, only: isInCity })} limit 1`,
        )}) one limit 1
      ) item`,
  );
}

/** Counts the matching items, for filters that the precomputed counts do not distinguish. */
export async function countCities(
  reader: Reader,
  matching: Matching,
): Promise<(City & { readonly count: number })[]> {
  const items = unionPerOwner(matching, (owner) => {
    const only = sql`exif.city is not null`;
    return sql`select ${placeColumns(matching, owner)}
      ${selectMatching(reader, matching, owner, { joinsExif: true, only })}`;
  });
  const rows = await queryRows(
    reader.db,
    {
      city: column.text,
      state: column.text.orNull,
      country: column.text.orNull,
      count: column.bigint,
    },
    sql`select city, state, country, count(*) as count from (${items}) item
      where city is not null group by 1, 2, 3`,
  );
  return rows.map((row) => ({ ...row, count: Number(row.count) }));
}
