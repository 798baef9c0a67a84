import { createHash } from 'node:crypto';
import { sql } from 'drizzle-orm';
import type { Db } from '../db/client.ts';
import { ownAssets } from './scope.ts';
import type { UserSession } from './session.ts';
import { STACK_TOP } from './stacks.ts';
import { isSuppressed } from './suppression.ts';

/** A picture of the caller, as the sets see it: a stack is one. */
export type Member = {
  readonly assetId: string;
  /** Of the asset that stands for its stack; of itself where there is none. */
  readonly itemId: string;
  /** Hex. */
  readonly sha256: string;
  readonly takenMs: number;
  readonly bytes: number;
};
export type Pair = { readonly first: Member; readonly second: Member };

export type DuplicateSet = {
  /** Follows from the contents: the same set has it again after everything was measured anew. */
  readonly id: string;
  /** Sorted. */
  readonly itemIds: readonly string[];
  /** When the latest of them was taken. */
  readonly newestMs: number;
  /** What would be free without all but the largest. */
  readonly spareBytes: number;
};

type Reader = { readonly db: Db; readonly session: UserSession };

/** All sets of the caller, in no order. */
export const findSets = async (reader: Reader): Promise<DuplicateSet[]> =>
  setsOf(await findPairs(reader));

/** Those sets that one of these assets is in, without looking at any other. */
export const findSetsAround = async (
  reader: Reader,
  assetIds: readonly string[],
): Promise<DuplicateSet[]> => setsOf(await findPairs(reader, assetIds));

/** The set that an asset is in, itself or as what its stack shows. */
export async function duplicateIdOf(reader: Reader, assetId: string): Promise<string | null> {
  const pairs = await findPairs(reader, [assetId]);
  const member = pairs
    .flatMap(({ first, second }) => [first, second])
    .find((one) => one.assetId === assetId);
  if (!member) return null;
  return setsOf(pairs).find(({ itemIds }) => itemIds.includes(member.itemId))?.id ?? null;
}

type MemberRow = Omit<Member, 'bytes'> & { readonly bytes: string };
type PairRow = { readonly firstId: string; readonly secondId: string };

/** Of the caller's Timeline and archive; not what the owner has decided to keep side by side. */
async function findPairs({ db, session }: Reader, around?: readonly string[]): Promise<Pair[]> {
  const { userId } = session;
  const isNear = around
    ? sql`and first_id in (select id from near) and second_id in (select id from near)`
    : sql``;
  const shown = sql`with recursive ${around ? sql`${nearTo(around, userId)},` : sql``}
    pair as materialized (
      select first_id, second_id from duplicate_pair where owner_id = ${userId} ${isNear}
    ), shown as materialized (
      select asset.id, asset.sha256, asset.taken_at, asset.file_size,
        case when asset.stack_id is null then asset.id else coalesce(${STACK_TOP}, asset.id) end
          as item_id
      from ${ownAssets(db, session, 'library')}
      where asset.id in (select first_id from pair union select second_id from pair)
        and not (${isSuppressed(session)})
    )`;
  // Each picture once, beside the pairs: a picture may be in a hundred of them.
  const [row] = await db.execute<{ members: MemberRow[]; pairs: PairRow[] }>(sql`${shown}
    select
      (select coalesce(json_agg(json_build_object('assetId', id, 'itemId', item_id,
          'sha256', encode(sha256, 'hex'), 'takenMs', date_part('epoch', taken_at) * 1000,
          'bytes', file_size::text)), '[]') from shown) as members,
      (select coalesce(json_agg(json_build_object('firstId', one.id, 'secondId', two.id)), '[]')
        from pair join shown one on one.id = pair.first_id
        join shown two on two.id = pair.second_id
        where one.item_id <> two.item_id and not exists (
          select from duplicate_decision a join duplicate_decision b using (owner_id, fingerprint)
          where owner_id = ${userId} and a.sha256 = one.sha256 and b.sha256 = two.sha256)) as pairs`);
  const members = new Map(
    row!.members.map((member) => [member.assetId, { ...member, bytes: Number(member.bytes) }]),
  );
  return row!.pairs.map(({ firstId, secondId }) => ({
    first: members.get(firstId)!,
    second: members.get(secondId)!,
  }));
}

/** What can be reached from these, from copy to copy and through stacks: their sets, and maybe more. */
const nearTo = (ids: readonly string[], userId: string) => sql`near as (
    select asset.id from asset
    where asset.id = any(${`{${ids.join(',')}}`}::uuid[]) and asset.owner_id = ${userId}
    union
    select next.id from near cross join lateral (
      select second_id as id from duplicate_pair where first_id = near.id and owner_id = ${userId}
      union all
      select first_id from duplicate_pair where second_id = near.id and owner_id = ${userId}
      union all
      select member.id from asset join asset member on member.stack_id = asset.stack_id
      where asset.id = near.id
    ) next
  )`;

/** What is alike, directly or through others. */
export function setsOf(pairs: readonly Pair[]): DuplicateSet[] {
  const parents = new Map<string, string>();
  const membersOf = new Map<string, Set<Member>>();
  const rootOf = (id: string): string => {
    const parent = parents.get(id) ?? id;
    if (parent === id) return id;
    const root = rootOf(parent);
    parents.set(id, root);
    return root;
  };
  for (const { first, second } of pairs) {
    for (const member of [first, second]) {
      membersOf.set(member.itemId, (membersOf.get(member.itemId) ?? new Set()).add(member));
    }
    const [a, b] = [rootOf(first.itemId), rootOf(second.itemId)];
    if (a !== b) parents.set(a > b ? a : b, a > b ? b : a);
  }
  const sets = Map.groupBy(membersOf.keys(), rootOf);
  return [...sets.values()]
    .filter((items) => items.length > 1)
    .map((items) => toSet(items, (item) => [...membersOf.get(item)!]));
}

function toSet(
  items: readonly string[],
  membersOf: (item: string) => readonly Member[],
): DuplicateSet {
  const members = items.flatMap(membersOf);
  // Of a stack, the one that is shown, where it is one of those that look the same.
  const sizes = items.map((item) => {
    const own = membersOf(item);
    return (own.find(({ assetId }) => assetId === item) ?? own[0]!).bytes;
  });
  return {
    id: fingerprintOf(members.map(({ sha256 }) => sha256)),
    itemIds: items.toSorted(),
    newestMs: Math.max(...members.map(({ takenMs }) => takenMs)),
    spareBytes: sizes.reduce((sum, bytes) => sum + bytes, 0) - Math.max(...sizes),
  };
}

/** As an id of version 4, which clients expect. */
export function fingerprintOf(sha256: readonly string[]): string {
  const hash = createHash('sha256')
    .update([...new Set(sha256)].sort().join('\n'))
    .digest();
  hash[6] = (hash[6]! & 0x0f) | 0x40;
  hash[8] = (hash[8]! & 0x3f) | 0x80;
  const hex = hash.toString('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20, 32),
  ].join('-');
}
