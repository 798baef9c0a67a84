import { type Ack, type Place, placeText } from './acks.ts';
import type { Feed } from './feed.ts';
import type { Relation } from './log.store.ts';
import { type Page, paging, shownPage } from './page.store.ts';
import type { Pending } from './relation-sources.store.ts';
import { entityOf, lateOf, type Run } from './run.domain.ts';

/**
 * What partners and albums have that came since: one after the other, in the order in which they began,
 * so that one ack says which are done. A page goes over as many of them as it has room for.
 */
export async function* backfillLines(run: Run, feed: Feed, base: Place): AsyncGenerator<string> {
  const { backfill } = feed;
  if (!backfill) return;
  const ackPrefix = `${backfill.type}|${placeText(base)}|`;
  for (let rest = pendingOf(run, feed); rest.length > 0;) {
    const relations = rest.slice(0, paging.rows);
    const { since, id, cursor = '' } = rest[0]!;
    const page: Page = await shownPage(run.ctx.sql, {
      type: backfill.type,
      source: backfill.source(relations),
      entity: entityOf(run, backfill.entity),
      late: lateOf(run, feed),
      ackPrefix,
      ackBefore: `${ackPrefix}${since}.${id}.${cursor}`,
    });
    yield page.lines;
    rest = page.taken < paging.rows ? rest.slice(relations.length) : after(rest, page.last!);
  }
}

/** The ack of a backfill, which no stream has to go on from when all is wanted again. */
export function backfillAck({ acks }: Run, { backfill, readings }: Feed): Ack | undefined {
  const ack = backfill && acks.get(backfill.type);
  // Who deletes the ack of a type wants all of it again, which is what a backfill brings.
  const isWhole = ack?.extra === undefined;
  return isWhole && readings.some(({ type }) => !acks.has(type)) ? undefined : ack;
}

/** Those that the copy does not have, or not all of. */
function pendingOf(run: Run, feed: Feed): Pending[] {
  const relations = run[feed.backfill!.of];
  const ack = backfillAck(run, feed);
  if (!ack) return [...relations];
  // Without a relation of its own an ack is that of a whole stream, and covers all that were there.
  return ack.extra !== undefined && reachedBy(ack.extra)
    ? after(relations, ack.extra)
    : relations.filter(({ since }) => since >= ack.place!.xid);
}

/** How far pages have come: `<since>.<id>.<cursor>` is the end of the ack of a row. */
function reachedBy(text: string): Pending | undefined {
  const [since = '', id = '', cursor = ''] = text.split('.');
  return /^\d{1,18}$/.test(since) ? { since: BigInt(since), id, cursor } : undefined;
}

/** The rest; the first of it may be sent in part. */
function after(relations: readonly Relation[], text: string): Pending[] {
  const reached = reachedBy(text)!;
  return relations.flatMap((relation) => {
    const order = compare(relation, reached);
    return order < 0 ? [] : order === 0 ? { ...relation, cursor: reached.cursor } : relation;
  });
}

function compare(a: Relation, b: Relation): number {
  if (a.since !== b.since) return a.since < b.since ? -1 : 1;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
