import { sql } from 'drizzle-orm';
import { filterOpenAlbums } from '../../access/albums.ts';
import type { UserSession } from '../../access/session.ts';
import { uuids } from '../../db/arrays.ts';
import type { Db } from '../../db/client.ts';
import type { LockedContentRule } from './preferences.schemas.ts';
import { column } from '../../db/columns.ts';
import { queryRows } from '../../db/query.ts';

type Kind = LockedContentRule['kind'];

/** Tables whose rows belong to one account. */
const OWNED = { person: sql.raw('person'), pet: sql.raw('pet'), tag: sql.raw('tag') } as const;

/** Returns the subset of `ids` that a rule may name: own ones, and albums that the account may open. */
export async function findRuleTargets(
  db: Db,
  session: UserSession,
  kind: Exclude<Kind, 'date'>,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (kind === 'album') return filterOpenAlbums(db, session, ids);
  const rows = await queryRows(
    db,
    { id: column.uuid },
    sql`
    select id from ${OWNED[kind]} where owner_id = ${session.userId} and id = any(${uuids(ids)})`,
  );
  return new Set(rows.map(({ id }) => id));
}
