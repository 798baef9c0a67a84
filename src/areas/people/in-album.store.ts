import { sql } from 'drizzle-orm';
import { albumMembers } from '../../access/scope.ts';
import { queryRows } from '../../db/query.ts';
import { PERSON_COLUMNS, PERSON_VIEW, type PersonView } from '../assets/index.ts';
import { hasEnoughFaces, type Reader, selectVisiblePeople } from './store.ts';

/** Lists people of the account on what an album shows, those on most items first. Does not check access to the album. */
export const listInAlbum = (
  { db, session }: Reader,
  albumId: string,
  limit: number,
): Promise<PersonView[]> =>
  queryRows(
    db,
    PERSON_VIEW,
    sql`
    select ${PERSON_COLUMNS} from (
      select face.person_id, count(distinct face.asset_id) as items
      from ${albumMembers(db, session)} join face on face.asset_id = asset.id
      where asset.album_id = ${albumId}::uuid and face.person_id is not null and not face.is_hidden
      group by face.person_id
    ) found join ${selectVisiblePeople({ db, session })} person on person.id = found.person_id
    where not person.is_hidden and ${hasEnoughFaces(session.userId)}
    order by person.name = '', found.items desc, fold_text(person.name), person.name, person.id limit ${limit}`,
  );
