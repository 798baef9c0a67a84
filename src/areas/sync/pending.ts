import type { Ack } from './acks.ts';
import type { Feed } from './feed.ts';
import type { Relation } from './log.store.ts';
import type { EntityType } from './types.ts';

// Which partners and albums a copy has yet to be brought, as the acks of its session say.

/** A partner or an album: of the first of a list the copy may have everything up to a cursor. */
export type Pending = Relation & { readonly cursor?: string | undefined };

type Acks = ReadonlyMap<EntityType, Ack>;

/** The ack of a backfill, which no stream has to go on from when all is wanted again. */
export function backfillAck(acks: Acks, { backfill, readings }: Feed): Ack | undefined {
  const ack = backfill && acks.get(backfill.type);
  // Who deletes the ack of a type wants all of it again, which is what a backfill brings.
  const isWhole = ack?.extra === undefined;
  return isWhole && readings.some(({ type }) => !acks.has(type)) ? undefined : ack;
}

/** Partners and albums that are older are in the copy for all of these feeds. */
export const oldestPending = (acks: Acks, feeds: readonly Feed[]): bigint | undefined =>
  least(
    feeds.filter(({ backfill }) => backfill).map((feed) => pendingSince(backfillAck(acks, feed))),
  );

/** Without a relation of its own an ack is that of a whole stream, and covers all that were there. */
const pendingSince = (ack: Ack | undefined): bigint =>
  ack ? (reachedBy(ack)?.since ?? ack.place!.xid) : 0n;

export const least = (numbers: readonly bigint[]): bigint | undefined =>
  numbers.reduce<bigint | undefined>((a, b) => (a === undefined || b < a ? b : a), undefined);

/** Those of the relations that the copy does not have, or not all of. */
export function pendingOf(acks: Acks, feed: Feed, relations: readonly Relation[]): Pending[] {
  const ack = backfillAck(acks, feed);
  const reached = ack && reachedBy(ack);
  const rest = relations.filter(({ since }) => since >= pendingSince(ack));
  return reached ? restAfter(rest, reached) : rest;
}

/** How far the rows of a backfill have come: where there are any, an ack ends in it. */
const reachedBy = ({ extra }: Ack): Pending | undefined =>
  extra === undefined ? undefined : parsePending(extra);

/** `<since>.<id>.<cursor>`. */
export function parsePending(text: string): Pending | undefined {
  const [since = '', id = '', cursor = ''] = text.split('.');
  return /^\d{1,18}$/.test(since) ? { since: BigInt(since), id, cursor } : undefined;
}

/** The rest; the first of it may be sent in part. */
export const restAfter = (relations: readonly Relation[], reached: Pending): Pending[] =>
  relations.flatMap((relation) => {
    const order = compare(relation, reached);
    return order < 0 ? [] : order === 0 ? { ...relation, cursor: reached.cursor } : relation;
  });

function compare(a: Relation, b: Relation): number {
  if (a.since !== b.since) return a.since < b.since ? -1 : 1;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
