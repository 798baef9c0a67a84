import { ownerAssets } from '../../access/unscoped.ts';
import { createHash } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { getFirst, requireValue } from '../../core/required.ts';
import type { Db } from '../../db/client.ts';
import {
  getLesser,
  groupLinks,
  isEachLikeEach,
  isEachLikeOne,
  type Likeness,
  type Link,
} from './grouping.ts';
import { COMPARED_CHARS, getLikeness } from './likeness.ts';
import { listNamedSets, type NamedSet } from './named-sets.store.ts';
import { ownAssets } from '../../access/scope.ts';
import type { UserSession } from '../../access/session.ts';
import { STACK_TOP } from '../stack-members/index.ts';
import { isSuppressed } from '../../access/suppression.ts';
import { uuids } from '../../db/arrays.ts';
import { column } from '../../db/columns.ts';
import { getRow, queryRows } from '../../db/query.ts';

/** A picture of the caller; a stack counts as one. */
export type Member = {
  readonly assetId: string;
  /** The asset that represents its stack; the asset itself without one. */
  readonly itemId: string;
  /** Hex. */
  readonly sha256: string;
  readonly takenMs: number;
  /** Capture time by a known camera; null when unknown. */
  readonly shotMs: number | null;
  /** Model; null when unknown. */
  readonly camera: string | null;
  /** Recognised, in lower case; null when there is none. */
  readonly text: string | null;
  /** Pixels of the whole picture; null when unknown. */
  readonly pixels: number | null;
  readonly bytes: number;
};
export type Pair = {
  readonly first: Member;
  readonly second: Member;
  /** Cosine similarity of the vectors. */
  readonly score: number;
  /** Overlap of the edge maps, 0 to 1; null when unknown. */
  readonly sameness: number | null;
  /** The same bytes or pixels. */
  readonly isIdentical: boolean;
  /** Share of what both pictures have that is the same; null where neither is part of the other. */
  readonly commonPart: number | null;
  /** The owner has decided to keep both. */
  readonly isDecided: boolean;
};

export type DuplicateSet = {
  /** Derived from the contents: the same set gets the same id again. Or as a client has named it. */
  readonly id: string;
  /** Sorted. */
  readonly itemIds: readonly string[];
  /** Capture time of the latest item. */
  readonly newestMs: number;
  /** Bytes that deleting all but the largest would free. */
  readonly spareBytes: number;
  readonly likeness: Likeness;
  /** A client has made it. */
  readonly isNamed?: boolean;
};

type Reader = { readonly db: Db; readonly session: UserSession };

export const isOfDuplicates = ({ likeness }: DuplicateSet): boolean => likeness !== 'burst';

/** Returns all sets of the caller, in no order. */
export const listSets = async (reader: Reader): Promise<DuplicateSet[]> =>
  mergeSets(await listPairs(reader), await listNamedSets(reader));

/** Returns the sets that contain one of these assets, without computing the others. */
export async function listSetsAround(
  reader: Reader,
  assetIds: readonly string[],
): Promise<DuplicateSet[]> {
  const pairs = await listPairs(reader, assetIds);
  return mergeSets(pairs, await listNamedAround(reader, assetIds, pairs));
}

/** Returns the set of an asset, or of the stack it represents. */
export async function findSetId(reader: Reader, assetId: string): Promise<string | null> {
  const pairs = await listPairs(reader, [assetId]);
  const named = await listNamedAround(reader, [assetId], pairs);
  const own = named.find(({ itemIds, assetIds }) => [...itemIds, ...assetIds].includes(assetId));
  if (own) return own.id;
  const member = pairs
    .flatMap(({ first, second }) => [first, second])
    .find((one) => one.assetId === assetId);
  if (!member) return null;
  const sets = mergeSets(pairs, named).filter(isOfDuplicates);
  return sets.find(({ itemIds }) => itemIds.includes(member.itemId))?.id ?? null;
}

/** Also the sets of whatever is similar to these assets: what is in them is in no other set. */
const listNamedAround = (reader: Reader, assetIds: readonly string[], pairs: readonly Pair[]) =>
  listNamedSets(reader, [
    ...new Set([
      ...assetIds,
      ...pairs.flatMap(({ first, second }) => [first.assetId, second.assetId]),
    ]),
  ]);

function mergeSets(pairs: readonly Pair[], named: readonly NamedSet[]): DuplicateSet[] {
  const taken = new Set(named.flatMap(({ itemIds }) => itemIds));
  const free = pairs.filter(
    ({ first, second }) => !taken.has(first.itemId) && !taken.has(second.itemId),
  );
  return [...named.map((set) => ({ ...set, isNamed: true })), ...toSets(free)];
}

type MemberRow = Omit<Member, 'bytes'> & { readonly bytes: string };
type PairRow = Omit<Pair, 'first' | 'second'> & {
  readonly firstId: string;
  readonly secondId: string;
};

/** Returns similar pairs in the caller's Timeline and archive, also decided ones. */
async function listPairs({ db, session }: Reader, around?: readonly string[]): Promise<Pair[]> {
  const { userId } = session;
  const isNear = around
    ? sql`and first_id in (select id from near) and second_id in (select id from near)`
    : sql``;
  const shown = sql`with recursive ${around ? sql`${nearTo(around, userId)},` : sql``}
    pair as materialized (
      select first_id, second_id, score, sameness, is_identical, common_part from duplicate_pair
      where owner_id = ${userId} ${isNear}
    ), shown as materialized (
      select asset.id, asset.sha256, asset.taken_at, asset.file_size,
        case when asset.stack_id is null then asset.id else coalesce(${STACK_TOP}, asset.id) end
          as item_id,
        case when exif.model is not null then date_part('epoch', exif.date_time_original) * 1000 end
          as shot_ms,
        exif.model as camera, left(nullif(document.folded, ''), ${COMPARED_CHARS}) as text,
        asset.width::bigint * asset.height as pixels
      from ${ownAssets(db, session, 'library')}
      left join asset_exif exif on exif.asset_id = asset.id
      left join document on document.asset_id = asset.id
      where asset.id in (select first_id from pair union select second_id from pair)
        and not (${isSuppressed(session)})
    )`;
  // Pictures are listed once, apart from the pairs: one may be in a hundred of them.
  const row = getRow(
    await queryRows(
      db,
      { members: column.json<MemberRow[]>(), pairs: column.json<PairRow[]>() },
      sql`${shown}
    select
      (select coalesce(json_agg(json_build_object('assetId', id, 'itemId', item_id,
          'sha256', encode(sha256, 'hex'), 'takenMs', date_part('epoch', taken_at) * 1000,
          'shotMs', shot_ms, 'camera', camera, 'text', text, 'pixels', pixels,
          'bytes', file_size::text)), '[]') from shown) as members,
      (select coalesce(json_agg(json_build_object('firstId', one.id, 'secondId', two.id,
          'score', pair.score, 'sameness', pair.sameness,
          'isIdentical', pair.is_identical, 'commonPart', pair.common_part, 'isDecided', exists (
            select from duplicate_decision a join duplicate_decision b using (owner_id, fingerprint)
            where owner_id = ${userId} and a.sha256 = one.sha256 and b.sha256 = two.sha256))), '[]')
        from pair join shown one on one.id = pair.first_id
        join shown two on two.id = pair.second_id
        where one.item_id <> two.item_id) as pairs`,
    ),
  );
  const members = new Map(
    row.members.map((member) => [member.assetId, { ...member, bytes: Number(member.bytes) }]),
  );
  return row.pairs.map(({ firstId, secondId, ...pair }) => ({
    ...pair,
    first: requireValue(members.get(firstId), 'first of a pair'),
    second: requireValue(members.get(secondId), 'second of a pair'),
  }));
}

/**
 * Returns the pairs reachable from these assets through copies and stacks: a superset of their
 * sets.
 */
const nearTo = (ids: readonly string[], userId: string) => sql`near as (
    select asset.id from ${ownerAssets}
    where asset.id = any(${uuids(ids)}) and asset.owner_id = ${userId}
    union
    select next.id from near cross join lateral (
      select second_id as id from duplicate_pair where first_id = near.id and owner_id = ${userId}
      union all
      select first_id from duplicate_pair where second_id = near.id and owner_id = ${userId}
      union all
      select member.id from ${ownerAssets} join ${ownerAssets} member on member.stack_id = asset.stack_id
      where asset.id = near.id
    ) next
  )`;

/** Groups pairs into sets in which all items are similar to each other; bursts and crops apart from duplicates. */
export function toSets(pairs: readonly Pair[]): DuplicateSet[] {
  const known = pairs.flatMap((pair) => {
    const likeness = getLikeness(pair);
    return likeness ? [{ pair, likeness }] : [];
  });
  const kinds = Map.groupBy(known, ({ likeness }) => (isApart(likeness) ? likeness : 'duplicates'));
  return KINDS.flatMap((kind) =>
    // Two crops of one picture may have nothing in common.
    toSetsOfKind(kinds.get(kind) ?? [], kind === 'crop' ? isEachLikeOne : isEachLikeEach),
  );
}

/** A crop of one of two identical files makes them no less identical. */
const KINDS = ['duplicates', 'crop', 'burst'] as const;
const isApart = (likeness: Likeness): likeness is 'crop' | 'burst' =>
  likeness === 'crop' || likeness === 'burst';

type KnownPair = { readonly pair: Pair; readonly likeness: Likeness };

function toSetsOfKind(known: readonly KnownPair[], isSet = isEachLikeEach): DuplicateSet[] {
  const links = new Map<string, Link>();
  const pairsByItem = new Map<string, Pair[]>();
  for (const { pair, likeness } of known) {
    const link = toLink(pair, likeness);
    const key = `${link.one} ${link.other}`;
    const other = links.get(key);
    links.set(key, other ? mergeLinks(other, link) : link);
    for (const item of [link.one, link.other]) {
      const own = pairsByItem.get(item);
      if (own) own.push(pair);
      else pairsByItem.set(item, [pair]);
    }
  }
  return groupLinks([...links.values()], isSet).map(({ items, likeness }) => {
    const inside = new Set(items);
    /** Members of a stack that are similar to another item of the set. */
    const getMembers = (item: string) => {
      const found = (pairsByItem.get(item) ?? [])
        .filter(({ first, second }) => inside.has(first.itemId) && inside.has(second.itemId))
        .map(({ first, second }) => (first.itemId === item ? first : second));
      return [...new Set(found)];
    };
    return toSet(items, getMembers, likeness);
  });
}

function toLink({ first, second, score, isDecided }: Pair, likeness: Likeness): Link {
  const [one, other] = first.itemId < second.itemId ? [first, second] : [second, first];
  return { one: one.itemId, other: other.itemId, score, isDecided, likeness };
}

/** Returns the link between two stacks, which may be similar by several of their members. */
const mergeLinks = (a: Link, b: Link): Link => ({
  ...a,
  score: Math.max(a.score, b.score),
  likeness: getLesser(a.likeness, b.likeness),
  isDecided: a.isDecided && b.isDecided,
});

function toSet(
  items: readonly string[],
  getMembers: (item: string) => readonly Member[],
  likeness: Likeness,
): DuplicateSet {
  const members = items.flatMap(getMembers);
  // The shown member of a stack, if it is one of the similar ones.
  const sizes = items.map((item) => {
    const own = getMembers(item);
    return (own.find(({ assetId }) => assetId === item) ?? getFirst(own)).bytes;
  });
  return {
    id: computeFingerprint(members.map(({ sha256 }) => sha256)),
    itemIds: items.toSorted(),
    newestMs: Math.max(...members.map(({ takenMs }) => takenMs)),
    spareBytes: sizes.reduce((sum, bytes) => sum + bytes, 0) - Math.max(...sizes),
    likeness,
  };
}

/** Formatted as a version 4 UUID, which clients expect. */
export function computeFingerprint(sha256: readonly string[]): string {
  const hash = createHash('sha256')
    .update([...new Set(sha256)].sort().join('\n'))
    .digest();
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x40, 6);
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = hash.toString('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20, 32),
  ].join('-');
}
