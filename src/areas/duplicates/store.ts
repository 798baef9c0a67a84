import { sql } from 'drizzle-orm';
import { ownAssets } from '../../access/scope.ts';
import type { UserSession } from '../../access/session.ts';
import { STACK_TOP } from '../../access/stacks.ts';
import { type ContentRule, isSuppressed } from '../../access/suppression.ts';
import type { Db } from '../../db/client.ts';
import type { Pair } from './sets.ts';

export type Reader = {
  readonly db: Db;
  readonly session: UserSession;
  /** What the caller does not want to come across. */
  readonly rules: readonly ContentRule[];
};

const uuids = (ids: readonly string[]) => sql`${`{${ids.join(',')}}`}::uuid[]`;

type PairRow = {
  readonly firstId: string;
  readonly firstItem: string;
  readonly firstHash: string;
  readonly secondId: string;
  readonly secondItem: string;
  readonly secondHash: string;
};

/** Of the caller's Timeline and archive; not what the owner has decided to keep side by side. */
export async function findPairs({ db, session, rules }: Reader): Promise<Pair[]> {
  const { userId } = session;
  const rows = await db.execute<PairRow>(sql`
    with pair as materialized (
      select first_id, second_id from duplicate_pair where owner_id = ${userId}
    ), shown as materialized (
      select asset.id, asset.sha256,
        case when asset.stack_id is null then asset.id else coalesce(${STACK_TOP}, asset.id) end
          as item_id
      from ${ownAssets(db, session, 'library')}
      where asset.id in (select first_id from pair union select second_id from pair)
        ${rules.length > 0 ? sql`and not ${isSuppressed(rules, userId)}` : sql``}
    )
    select one.id as "firstId", one.item_id as "firstItem", encode(one.sha256, 'hex') as "firstHash",
      two.id as "secondId", two.item_id as "secondItem", encode(two.sha256, 'hex') as "secondHash"
    from pair join shown one on one.id = pair.first_id join shown two on two.id = pair.second_id
    where one.item_id <> two.item_id and not exists (
      select from duplicate_decision a join duplicate_decision b using (owner_id, fingerprint)
      where owner_id = ${userId} and a.sha256 = one.sha256 and b.sha256 = two.sha256)`);
  return rows.map((row) => ({
    first: { assetId: row.firstId, itemId: row.firstItem, sha256: row.firstHash },
    second: { assetId: row.secondId, itemId: row.secondItem, sha256: row.secondHash },
  }));
}

/** Best first: the largest file, then the one that says most about itself. */
export async function orderByWorth({ db, session }: Reader, ids: readonly string[]) {
  const rows = await db.execute<{ id: string }>(sql`
    select asset.id from ${ownAssets(db, session, 'library')}
    left join asset_exif exif on exif.asset_id = asset.id
    where asset.id = any(${uuids(ids)})
    order by asset.file_size desc,
      num_nonnulls(exif.make, exif.model, exif.lens_model, exif.f_number, exif.focal_length, exif.iso,
        exif.exposure_time, exif.date_time_original, exif.latitude, exif.city, exif.rating,
        nullif(exif.description, '')) desc, asset.id`);
  return rows.map(({ id }) => id);
}

export type Content = { readonly id: string; /** Hex. */ readonly sha256: string };

/** These and, of those that stand for a stack, all that are listed with them. */
export async function withStacks(
  { db, session }: Reader,
  itemIds: readonly string[],
): Promise<Content[]> {
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
export async function saveDecision(
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
