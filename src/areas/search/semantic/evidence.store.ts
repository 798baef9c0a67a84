import { sql } from 'drizzle-orm';
import { texts, uuids } from '../../../db/arrays.ts';
import { column } from '../../../db/columns.ts';
import { queryRows } from '../../../db/query.ts';
import type { Reader } from '../match/matching.store.ts';

const FACT_COLUMNS = {
  id: column.uuid,
  boxes: column.integer,
  colours: column.textArray,
  faces: column.json<readonly { readonly height: number; readonly age: number | null }[]>(),
};

/**
 * Returns what is known of visible assets: how many of one of the objects they show, in which colours, and faces with their height (0 to 1 of
 * the picture). `viewerId`: the account whose people have ages, in years.
 */
export const listFacts = (
  { db }: Reader,
  ids: readonly string[],
  objects: readonly string[],
  viewerId: string | null,
) =>
  queryRows(
    db,
    FACT_COLUMNS,
    sql`
    select item.id,
      greatest(
        (select max(substring(label from '^[0-9]+')::int) from asset_label label
          where label.asset_id = item.id and source = 'objects' and label ~ '^[0-9]+ '
            and ltrim(label, '0123456789 ') = any(${texts(objects)})),
        (select max(seen) from (
          select count(*)::int as seen from pet_observation pet
          where pet.asset_id = item.id and pet.pet_id is not null
            and species = any(${texts(objects)}) group by species) pet),
        0) as boxes,
      array(select split_part(label, ' ', 1) from asset_label label
        where label.asset_id = item.id and source = 'colours'
          and substr(label, position(' ' in label) + 1) = any(${texts(objects)})) as colours,
      coalesce((
        select jsonb_agg(jsonb_build_object('height', face.y2 - face.y1,
          'age', extract(year from age(face.local_month, person.birth_date))))
        from face left join person on person.id = face.person_id and not person.is_hidden
          and person.owner_id = ${viewerId}::uuid
        where face.asset_id = item.id and not face.is_hidden), '[]') as faces
    from unnest(${uuids(ids)}) item (id)`,
  );
