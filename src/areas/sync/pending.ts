import { requireValue } from '../../core/required.ts';
import type { Ack } from './acks.ts';
import type { Feed } from './feed.ts';
import type { Relation } from './log.store.ts';
import type { EntityType } from './types.ts';

// Partners and albums whose content a copy lacks, according to the acks of its session.

/** A partner or an album. The copy may have the first of a list up to the cursor. */
export type PendingRelation = Relation & { readonly cursor?: string | undefined };

type Acks = ReadonlyMap<EntityType, Ack>;

/** Returns the ack of the backfill, undefined when the client has requested everything again. */
export function findBackfillAck(
  acks: Acks,
  { backfill, upserts: readings }: Feed,
): Ack | undefined {
  const ack = backfill && acks.get(backfill.type);
  // A client that deletes the ack of a type requests all of it again, which the backfill brings.
  const isWhole = ack?.extra === undefined;
  return isWhole && readings.some(({ type }) => !acks.has(type)) ? undefined : ack;
}

/** Returns the transaction before which partners and albums are complete in the copy for all feeds. */
export const getOldestPending = (acks: Acks, feeds: readonly Feed[]): bigint | undefined =>
  findMin(
    feeds
      .filter(({ backfill }) => backfill)
      .map((feed) => getPendingSince(findBackfillAck(acks, feed))),
  );

/** An ack without a relation is that of a complete stream and covers all earlier relations. */
const getPendingSince = (ack: Ack | undefined): bigint =>
  ack ? (getProgress(ack)?.since ?? requireValue(ack.position, 'position of an ack').xid) : 0n;

export const findMin = (numbers: readonly bigint[]): bigint | undefined =>
  numbers.reduce<bigint | undefined>((a, b) => (a === undefined || b < a ? b : a), undefined);

/** Returns the relations that the copy lacks in whole or in part. */
export function listPending(
  acks: Acks,
  feed: Feed,
  relations: readonly Relation[],
): PendingRelation[] {
  const ack = findBackfillAck(acks, feed);
  const reached = ack && getProgress(ack);
  const remaining = relations.filter(({ since }) => since >= getPendingSince(ack));
  return reached ? remainingAfter(remaining, reached) : remaining;
}

/** Returns the relation and cursor that a backfill has reached, if the ack has any. */
const getProgress = ({ extra }: Ack): PendingRelation | undefined =>
  extra === undefined ? undefined : parsePending(extra);

/** `<since>.<id>.<cursor>`. */
export function parsePending(text: string): PendingRelation | undefined {
  const [since = '', id = '', cursor = ''] = text.split('.');
  return /^\d{1,18}$/.test(since) ? { since: BigInt(since), id, cursor } : undefined;
}

/** Returns the relations from `reached` on; the first may have been sent in part. */
export const remainingAfter = (
  relations: readonly Relation[],
  reached: PendingRelation,
): PendingRelation[] =>
  relations.flatMap((relation) => {
    const order = compare(relation, reached);
    return order < 0 ? [] : order === 0 ? { ...relation, cursor: reached.cursor } : relation;
  });

function compare(a: Relation, b: Relation): number {
  if (a.since !== b.since) return a.since < b.since ? -1 : 1;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
