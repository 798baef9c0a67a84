import { type SQL, sql } from 'drizzle-orm';
import { column } from '../../../db/columns.ts';
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

/** A stored example of a city; the item may have been deleted or moved since. */
export type Example = City & { readonly ownerId: string; readonly assetId: string };

const COLUMNS = sql`${ASSET_COLUMNS}, ${EXIF_COLUMNS}`;

const ASSET_VIEW_COLUMNS = {
  id: column.uuid,
  ownerId: column.uuid,
  type: column.text.as<'IMAGE' | 'VIDEO' | 'AUDIO' | 'OTHER'>(),
  fileName: column.text,
  fileSize: column.bigint,
  checksum: column.text,
  visibility: column.text.as<'timeline' | 'archive' | 'hidden'>(),
  lockedAt: column.timestamptz.orNull,
  trashedAt: column.timestamptz.orNull,
  isFavorite: column.boolean,
  liveVideoId: column.uuid.orNull,
  takenAt: column.timestamptz,
  localTakenAt: column.timestamp,
  fileModifiedAt: column.timestamptz,
  createdAt: column.timestamptz,
  updatedAt: column.timestamptz,
  width: column.integer.orNull,
  height: column.integer.orNull,
  durationMs: column.integer.orNull,
  thumbhash: column.text.orNull,
  isEdited: column.boolean,
  libraryId: column.uuid.orNull,
  folder: column.text.orNull,
  isOffline: column.boolean,
  showsPlace: column.boolean,
  make: column.text.orNull,
  model: column.text.orNull,
  lensModel: column.text.orNull,
  fNumber: column.float.orNull,
  focalLength: column.float.orNull,
  iso: column.integer.orNull,
  exposureTime: column.text.orNull,
  exifWidth: column.integer.orNull,
  exifHeight: column.integer.orNull,
  orientation: column.text.orNull,
  dateTimeOriginal: column.timestamptz.orNull,
  modifyDate: column.timestamptz.orNull,
  timeZone: column.text.orNull,
  latitude: column.float.orNull,
  longitude: column.float.orNull,
  city: column.text.orNull,
  state: column.text.orNull,
  country: column.text.orNull,
  description: column.text.orNull,
  projectionType: column.text.orNull,
  rating: column.integer.orNull,
};

/** Returns the examples that still match and are still in their city. */
export async function filterStillValid(
  reader: Reader,
  matching: Matching,
  examples: readonly Example[],
): Promise<AssetView[]> {
  const given = JSON.stringify(
    examples.map(({ assetId, ...city }) => ({ id: assetId, ...city, ownerId: undefined })),
  );
  return queryPrepared(
    reader.db,
    ASSET_VIEW_COLUMNS,
    sql`select item.* from jsonb_to_recordset(${given}::jsonb)
        example (id uuid, city text, state text, country text)
      cross join lateral (
        ${eachOwner(matching, (owner) => {
          const only = sql`asset.id = example.id and ${isInCity}`;
          return sql`select ${COLUMNS} ${selectMatching(reader, matching, owner, { joinsExif: true, only })}`;
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
): Promise<AssetView[]> {
  if (cities.length === 0) return [];
  return queryRows(
    reader.db,
    ASSET_VIEW_COLUMNS,
    sql`select item.* from jsonb_to_recordset(${JSON.stringify(cities)}::jsonb)
        example (city text, state text, country text)
      cross join lateral (
        select * from (${eachOwner(
          matching,
          (owner) => sql`select ${COLUMNS}
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
