import { sql } from 'drizzle-orm';
import { uuids } from '../../db/arrays.ts';
import type { Db } from '../../db/client.ts';
import { ownAssets } from '../../access/scope.ts';
import type { UserSession } from '../../access/session.ts';
import { keepLimit } from '../../db/limits/keep-limit.ts';
import { column, type InferRow } from '../../db/columns.ts';
import { queryRows } from '../../db/query.ts';

type Reader = { readonly db: Db; readonly session: UserSession };

/**
 * Records that the owner keeps all of these: found together again, they are no duplicates. Stored
 * under the id of their set, by which the decision can be withdrawn.
 */
export async function saveKeepDecision(
  reader: Reader,
  setId: string,
  itemIds: readonly string[],
): Promise<void> {
  const contents = await withStacks(reader, itemIds);
  const scope = { ownerId: reader.session.userId, rows: contents.length };
  await keepLimit(reader, 'duplicateDecision', scope, (reader) =>
    saveDecision(
      reader,
      setId,
      contents.map(({ sha256 }) => sha256),
    ),
  );
}

const CONTENT_COLUMNS = {
  id: column.uuid,
  /** Hex. */
  sha256: column.text,
};

type Content = InferRow<typeof CONTENT_COLUMNS>;

/** Returns these assets and the listed members of the stacks they represent. */
async function withStacks({ db, session }: Reader, itemIds: readonly string[]): Promise<Content[]> {
  return queryRows(
    db,
    CONTENT_COLUMNS,
    sql`
    select asset.id, encode(asset.sha256, 'hex') as sha256
    from ${ownAssets(db, session, 'library')}
    where asset.id = any(${uuids(itemIds)}) or asset.stack_id in (
      select item.stack_id from (
        select asset.id, asset.stack_id from ${ownAssets(db, session, 'library')}) item
      where item.id = any(${uuids(itemIds)}))
    order by asset.id`,
  );
}

/** Records that these are no duplicates of each other. */
async function saveDecision(
  { db, session }: Reader,
  fingerprint: string,
  sha256: readonly string[],
): Promise<void> {
  await queryRows(
    db,
    sql`
    insert into duplicate_decision (owner_id, fingerprint, sha256)
    select ${session.userId}, ${fingerprint}, decode(hash, 'hex')
    from unnest(${`{${sha256.join(',')}}`}::text[]) hash order by 3
    on conflict do nothing`,
  );
}
