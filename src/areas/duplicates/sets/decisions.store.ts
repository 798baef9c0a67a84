import { sql } from 'drizzle-orm';
import { uuids } from '../../../db/arrays.ts';
import type { Db } from '../../../db/client.ts';
import { ownAssets } from '../../../access/scope.ts';
import type { UserSession } from '../../../access/session.ts';

type Reader = { readonly db: Db; readonly session: UserSession };

/**
 * The owner keeps all of these: found again together, they are no duplicates. Under the id of their
 * set, by which the decision can be taken back.
 */
export async function saveKeepDecision(
  reader: Reader,
  setId: string,
  itemIds: readonly string[],
): Promise<void> {
  const contents = await withStacks(reader, itemIds);
  await saveDecision(
    reader,
    setId,
    contents.map(({ sha256 }) => sha256),
  );
}

type Content = { readonly id: string; /** Hex. */ readonly sha256: string };

/** These and, of those that stand for a stack, all that are listed with them. */
async function withStacks({ db, session }: Reader, itemIds: readonly string[]): Promise<Content[]> {
  const rows = await db.execute<Content>(sql`
    select asset.id, encode(asset.sha256, 'hex') as sha256
    from ${ownAssets(db, session, 'library')}
    where asset.id = any(${uuids(itemIds)}) or asset.stack_id in (
      select item.stack_id from (
        select asset.id, asset.stack_id from ${ownAssets(db, session, 'library')}) item
      where item.id = any(${uuids(itemIds)}))
    order by asset.id`);
  return [...rows];
}

/** Found again together, these are no duplicates any more. */
async function saveDecision(
  { db, session }: Reader,
  fingerprint: string,
  sha256: readonly string[],
): Promise<void> {
  await db.execute(sql`
    insert into duplicate_decision (owner_id, fingerprint, sha256)
    select ${session.userId}, ${fingerprint}, decode(hash, 'hex')
    from unnest(${`{${sha256.join(',')}}`}::text[]) hash order by 3
    on conflict do nothing`);
}
