import { type Place, placeText, startOf } from './acks.ts';
import type { Cursor } from './cursors.ts';
import type { Feed, Reading, Removal, Scan } from './feed.ts';
import { gonePage, logPage, type Page, paging, shownPage, type Source } from './page.store.ts';
import { backfillAck, parsePending, pendingOf, restAfter } from './pending.ts';
import { activeScopes, entityOf, lateOf, ownerNow, type Run } from './run.domain.ts';
import type { EntityType } from './types.ts';

/** One type of a stream: what went, what was never sent, what changed. */
export async function* feedLines(run: Run, feed: Feed): AsyncGenerator<string> {
  const place = startsOf(run, feed);
  yield* removalLines(run, feed, place);
  yield* lockedLines(run, feed);
  yield* scanLines(run, feed, place);
  yield* backfillLines(run, feed, place.base);
  for (const reading of feed.readings) {
    yield* readingLines(run, feed, reading, place.of(reading.type));
  }
}

type Starts = {
  /** The copy never got anything of this: then it is read from the tables as of now. */
  readonly isNew: boolean;
  /** Where a copy stands that says nothing else. */
  readonly base: Place;
  /** Where the log is to be read from, for a type. */
  readonly of: (type: EntityType) => Place;
};

function startsOf(run: Run, feed: Feed): Starts {
  const { acks, watermark } = run;
  const { backfill, readings } = feed;
  const first = readings[0]!.type;
  const known = acks.get(first)?.place ?? (backfill && backfillAck(acks, feed)?.place);
  const base = known ?? startOf(watermark);
  return { isNew: known === undefined, base, of: (type) => acks.get(type)?.place ?? base };
}

async function* removalLines(run: Run, feed: Feed, starts: Starts): AsyncGenerator<string> {
  const { removal } = feed;
  if (!removal) return;
  const place = starts.of(removal.type);
  const hadLocked = mayHoldLocked(run, feed);
  if (removal.takeBack && hadLocked && !run.owner.unlocked) {
    yield* takeBackLocked(run, removal, removal.takeBack, place);
  }
  // All is sent again without the copy having been emptied: what it heard of must still be taken back.
  if (starts.isNew && !run.acks.has(removal.type)) return;
  const seen = removal.seen === 'open' && hadLocked ? undefined : removal.seen;
  yield* logLines(run, { ...removal, seen }, place, (source, ack) =>
    gonePage(run.ctx.db, {
      type: removal.type,
      source,
      entity: entityOf(run, removal.entity),
      gone: removal.data,
      ...ack,
    }),
  );
}

const mayHoldLocked = (run: Run, feed: Feed): boolean =>
  (run.locked.get(feed.readings[0]!.type) ?? 'none') !== 'none';

/** The PIN was entered when the copy got it, and is not now. */
async function* takeBackLocked(
  run: Run,
  removal: Removal,
  takeBack: Scan,
  place: Place,
): AsyncGenerator<string> {
  yield* pagesOf(
    (cursor) => takeBack(ownerNow(run), cursor),
    (source) =>
      gonePage(run.ctx.db, {
        type: removal.type,
        source,
        entity: entityOf(run, removal.entity),
        gone: removal.data,
        ...fixed(removal.type, place),
      }),
  );
}

/** Lines beside the order of the log leave the copy where it stands. */
const fixed = (type: EntityType, place: Place) => ({
  ackPrefix: `${type}|${placeText(place)}`,
  ackBefore: `${type}|${placeText(place)}`,
  hasOwnAck: false,
});

async function* scanLines(run: Run, feed: Feed, starts: Starts): AsyncGenerator<string> {
  const { scan, readings } = feed;
  const { type, entity } = readings[0]!;
  const cursor = run.acks.get(type)?.extra;
  if (!scan || (!starts.isNew && cursor === undefined)) return;
  const prefix = `${type}|${placeText(starts.base)}`;
  yield* pagesOf(
    (at) => scan(ownerNow(run), at),
    (source, at) =>
      shownPage(run.ctx.db, {
        type,
        source,
        entity: entityOf(run, entity),
        late: lateOf(run, feed),
        ackPrefix: `${prefix}|`,
        ackBefore: at ? `${prefix}|${at}` : `${prefix}|${START}`,
      }),
    cursor === START ? undefined : cursor,
  );
}

/** The cursor of a scan that has sent nothing whole. */
const START = 'start';

/**
 * What partners and albums have that came since: one after the other, in the order in which they began,
 * so that one ack says which are done. A page goes over as many of them as it has room for.
 */
async function* backfillLines(run: Run, feed: Feed, base: Place): AsyncGenerator<string> {
  const { backfill } = feed;
  if (!backfill) return;
  const ackPrefix = `${backfill.type}|${placeText(base)}|`;
  for (let rest = pendingOf(run.acks, feed, run[backfill.of]); rest.length > 0;) {
    const relations = rest.slice(0, paging.rows);
    const { since, id, cursor = '' } = rest[0]!;
    const page: Page = await shownPage(run.ctx.db, {
      type: backfill.type,
      source: backfill.source(relations),
      entity: entityOf(run, backfill.entity),
      late: lateOf(run, feed),
      ackPrefix,
      ackBefore: `${ackPrefix}${since}.${id}.${cursor}`,
    });
    yield page.lines;
    rest =
      page.taken < paging.rows
        ? rest.slice(relations.length)
        : restAfter(rest, parsePending(page.last!)!);
  }
}

/** The PIN is entered, and the copy may lack some of what it opens. */
async function* lockedLines(run: Run, feed: Feed): AsyncGenerator<string> {
  const { type, entity } = feed.readings[0]!;
  const ack = run.acks.get(type);
  if (!feed.locked || !run.owner.unlocked || !ack || run.locked.get(type) === 'all') return;
  yield* pagesOf(
    (cursor) => feed.locked!(ownerNow(run), cursor),
    (source) =>
      shownPage(run.ctx.db, {
        type,
        source,
        entity: entityOf(run, entity),
        late: lateOf(run, feed),
        ackPrefix: ack.text,
        ackBefore: ack.text,
        hasOwnAck: false,
      }),
  );
}

async function* readingLines(
  run: Run,
  feed: Feed,
  reading: Reading,
  from: Place,
): AsyncGenerator<string> {
  yield* logLines(run, reading, from, (source, ack) =>
    shownPage(run.ctx.db, {
      type: reading.type,
      source,
      entity: entityOf(run, reading.entity),
      late: lateOf(run, feed),
      ...ack,
    }),
  );
}

type LogRead = Reading & { readonly seen?: 'open' | 'shared' | undefined };
type AckParts = { readonly ackPrefix: string; readonly ackBefore: string };

async function* logLines(
  run: Run,
  reading: LogRead,
  from: Place,
  read: (source: Source, ack: AckParts) => Promise<Page>,
): AsyncGenerator<string> {
  const scopes = activeScopes(run, reading, from);
  if (scopes.length === 0) return;
  const { kinds, seen, type } = reading;
  for (let after: Place | undefined = from; after;) {
    const source = logPage({ scopes, kinds, after, before: run.watermark, seen });
    const ack = { ackPrefix: `${type}|`, ackBefore: `${type}|${placeText(after)}` };
    const page: Page = await read(source, ack);
    yield page.lines;
    after = page.taken === paging.rows ? placeOf(page.last!) : undefined;
  }
}

function placeOf(text: string): Place {
  const [xid, id] = text.split('-') as [string, string];
  return { xid: BigInt(xid), id: BigInt(id) };
}

async function* pagesOf(
  source: (cursor: Cursor) => Source,
  read: (source: Source, cursor: Cursor) => Promise<Page>,
  start?: Cursor,
): AsyncGenerator<string> {
  for (let cursor = start; ;) {
    const page: Page = await read(source(cursor), cursor);
    yield page.lines;
    if (page.taken < paging.rows) return;
    cursor = page.last!;
  }
}
