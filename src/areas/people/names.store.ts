import { sql } from 'drizzle-orm';
import { ownAssets } from '../../access/scope.ts';
import { uuids } from '../../db/arrays.ts';
import { column } from '../../db/columns.ts';
import { queryRows } from '../../db/query.ts';
import { isNotSuppressed, type Reader } from './store.ts';

const NAMED = { assetId: column.uuid, names: column.textArray };

/** Lists those of these assets of the account that show people whom it has named, with the names from left to right. */
export const listNames = ({ db, session }: Reader, assetIds: readonly string[]) =>
  queryRows(
    db,
    NAMED,
    sql`
    select shown.asset_id as "assetId", array_agg(person.name order by shown.place, person.id) as names
    from (
      select face.asset_id, face.person_id, min(face.x1) as place
      from ${ownAssets(db, session, 'any', { suppressed: 'out' })} join face on face.asset_id = asset.id
      where asset.id = any(${uuids(assetIds)}) and not face.is_hidden and face.person_id is not null
      group by face.asset_id, face.person_id
    ) shown join person on person.id = shown.person_id
    where person.owner_id = ${session.userId} and person.merged_into is null and person.name <> ''
      and not person.is_hidden and ${isNotSuppressed(session)}
    group by shown.asset_id`,
  );
