import { sql, type SQLWrapper } from 'drizzle-orm';
import { uuids } from '../../../db/arrays.ts';
import type { Db } from '../../../db/client.ts';
import { column } from '../../../db/columns.ts';
import { queryRows } from '../../../db/query.ts';
import type { SidecarValues } from '../../../media/xmp.ts';

/** The path of `tag` with '|' between its levels: from below, that behind the path of each tag above becomes one. */
const TAG_PATH = sql`(
  with recursive up (parent_id, path) as (
    select tag.parent_id, tag.value
    union all
    select above.parent_id, above.value || '|' || substring(up.path from length(above.value) + 2)
    from up join tag above on above.id = up.parent_id
  )
  select path from up where parent_id is null)`;

/** Returns what is known of those of `ids` that are in `scope`, by id: date, place, tags and the rest. */
export async function findSidecarValues(
  db: Db,
  scope: SQLWrapper,
  ids: readonly string[],
): Promise<ReadonlyMap<string, SidecarValues>> {
  const rows = await queryRows(
    db,
    {
      id: column.uuid,
      localTakenAt: column.text,
      offsetMinutes: column.integer.orNull,
      latitude: column.float.orNull,
      longitude: column.float.orNull,
      city: column.text.orNull,
      state: column.text.orNull,
      country: column.text.orNull,
      rating: column.integer.orNull,
      description: column.text,
      tags: column.textArray,
      people: column.textArray,
    },
    sql`
    select asset.id, to_char(asset.local_taken_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS') as "localTakenAt",
      case when exif.time_zone is not null then round(extract(epoch from (
        asset.local_taken_at - asset.taken_at at time zone 'UTC')) / 60)::int end as "offsetMinutes",
      exif.latitude, exif.longitude, exif.city, exif.state, exif.country, exif.rating,
      coalesce(exif.description, '') as description,
      array(select way.path from tag_asset link join tag on tag.id = link.tag_id
        cross join lateral ${TAG_PATH} way
        where link.asset_id = asset.id order by tag.value) as tags,
      array(select distinct person.name from face join person on person.id = face.person_id
        where face.asset_id = asset.id and not face.is_hidden and not person.is_hidden
          and person.name <> '' order by person.name) as people
    from ${scope} left join asset_exif exif on exif.asset_id = asset.id
    where asset.id = any(${uuids(ids)})`,
  );
  return new Map(rows.map(({ id, ...values }) => [id, values]));
}
