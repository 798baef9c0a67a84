import { requireValue } from '../../core/required.ts';
import { type LogPosition, formatPosition, toTransactionStart } from './acks.ts';
import type { Cursor } from './cursors.ts';
import type { Feed, EntityChanges, Removal, Scan } from './feed.ts';
import {
  readRemovedPage,
  selectLogPage,
  type Page,
  paging,
  readShownPage,
  type Source,
} from './page.store.ts';
import { findBackfillAck, parsePending, listPending, remainingAfter } from './pending.ts';
import {
  listActiveScopes,
  getEntity,
  getLateChanges,
  getOwnerNow,
  type Run,
} from './run.domain.ts';
import type { EntityType } from './types.ts';

/** Yields the lines of one request type: removals, initial content, changes. */
export async function* streamFeed(run: Run, feed: Feed): AsyncGenerator<string> {
  const place = getStartPositions(run, feed);
  yield* streamRemovals(run, feed, place);
  yield* streamLocked(run, feed);
  yield* streamScan(run, feed, place);
  yield* streamBackfill(run, feed, place.base);
  for (const reading of feed.upserts) {
    yield* streamUpserts(run, feed, reading, place.get(reading.type));
  }
}

type StartPositions = {
  /** The copy has nothing of this type yet: read the tables as of now. */
  readonly isNew: boolean;
  /** Position of types without an ack. */
  readonly base: LogPosition;
  /** Returns the position from which to read the log for a type. */
  readonly get: (type: EntityType) => LogPosition;
};

function getStartPositions(run: Run, feed: Feed): StartPositions {
  const { acks, watermark } = run;
  const { backfill, upserts: readings } = feed;
  const known =
    acks.get(readings[0].type)?.position ?? (backfill && findBackfillAck(acks, feed)?.position);
  const base = known ?? toTransactionStart(watermark);
  return { isNew: known === undefined, base, get: (type) => acks.get(type)?.position ?? base };
}

async function* streamRemovals(
  run: Run,
  feed: Feed,
  starts: StartPositions,
): AsyncGenerator<string> {
  const { removal } = feed;
  if (!removal) return;
  const place = getRemovalPosition(run, removal, starts);
  const hasHadLocked = mayHoldLocked(run, feed);
  if (removal.retractLocked && hasHadLocked && !run.owner.unlocked) {
    yield* streamLockedRemovals(run, removal, removal.retractLocked, place ?? starts.base);
  }
  // A full resend without emptying the copy: removals must still be sent to acknowledged copies.
  if (!place) return;
  const audience = removal.audience === 'open' && hasHadLocked ? undefined : removal.audience;
  yield* streamLog(run, { ...removal, audience }, place, (source, ack) =>
    readRemovedPage(run.ctx.db, {
      type: removal.type,
      source,
      entity: getEntity(run, removal.entity),
      gone: removal.data,
      ...ack,
    }),
  );
}

/** Returns the position from which to read removals, undefined if the copy has nothing to remove. */
function getRemovalPosition(
  { acks }: Run,
  { type, alsoSentAs = [] }: Removal,
  { isNew, base }: StartPositions,
): LogPosition | undefined {
  const known = acks.get(type)?.position;
  if (known) return known;
  const held = alsoSentAs.flatMap((other) => acks.get(other)?.position ?? []);
  return [...(isNew ? [] : [base]), ...held].toSorted((a, b) =>
    Number(a.xid - b.xid || a.id - b.id),
  )[0];
}

const mayHoldLocked = (run: Run, feed: Feed): boolean =>
  (run.locked.get(feed.upserts[0].type) ?? 'none') !== 'none';

/** Yields removals of Locked content that the copy got while the PIN was entered. */
async function* streamLockedRemovals(
  run: Run,
  removal: Removal,
  takeBack: Scan,
  place: LogPosition,
): AsyncGenerator<string> {
  yield* streamPages(
    (cursor) => takeBack(getOwnerNow(run), cursor),
    (source) =>
      readRemovedPage(run.ctx.db, {
        type: removal.type,
        source,
        entity: getEntity(run, removal.entity),
        gone: removal.data,
        ...keepPosition(removal.type, place),
      }),
  );
}

/** Acks for lines outside the order of the log: they keep the position of the copy. */
const keepPosition = (type: EntityType, place: LogPosition) => ({
  ackPrefix: `${type}|${formatPosition(place)}`,
  ackBefore: `${type}|${formatPosition(place)}`,
  hasOwnAck: false,
});

async function* streamScan(run: Run, feed: Feed, starts: StartPositions): AsyncGenerator<string> {
  const { scan, upserts: readings } = feed;
  const [{ type, entity }] = readings;
  const cursor = run.acks.get(type)?.extra;
  if (!scan || (!starts.isNew && cursor === undefined)) return;
  const prefix = `${type}|${formatPosition(starts.base)}`;
  yield* streamPages(
    (at) => scan(getOwnerNow(run), at),
    (source, at) =>
      readShownPage(run.ctx.db, {
        type,
        source,
        entity: getEntity(run, entity, source),
        late: getLateChanges(run, feed),
        ackPrefix: `${prefix}|`,
        ackBefore: at ? `${prefix}|${at}` : `${prefix}|${START}`,
      }),
    cursor === START ? undefined : cursor,
  );
}

/** Cursor of a scan before its first row. */
const START = 'start';

/**
 * Yields the content of partners and albums that are new to the copy, in the order in which they began,
 * so that one ack tells which are done. A page spans as many of them as fit.
 */
async function* streamBackfill(run: Run, feed: Feed, base: LogPosition): AsyncGenerator<string> {
  const { backfill } = feed;
  if (!backfill) return;
  const ackPrefix = `${backfill.type}|${formatPosition(base)}|`;
  let remaining = listPending(run.acks, feed, run[backfill.of]);
  for (let [first] = remaining; first; [first] = remaining) {
    const relations = remaining.slice(0, paging.rows);
    const { since, id, cursor = '' } = first;
    const page: Page = await readShownPage(run.ctx.db, {
      type: backfill.type,
      source: backfill.source(relations),
      entity: getEntity(run, backfill.entity),
      late: getLateChanges(run, feed),
      ackPrefix,
      ackBefore: `${ackPrefix}${since}.${id}.${cursor}`,
    });
    yield page.lines;
    remaining =
      page.next === null
        ? remaining.slice(relations.length)
        : remainingAfter(remaining, requireValue(parsePending(page.next), 'relation of an ack'));
  }
}

/** Yields Locked content that the copy may lack, while the PIN is entered. */
async function* streamLocked(run: Run, feed: Feed): AsyncGenerator<string> {
  const { lockedScan, upserts } = feed;
  const [{ type, entity }] = upserts;
  const ack = run.acks.get(type);
  if (!lockedScan || !run.owner.unlocked || !ack || run.locked.get(type) === 'all') return;
  yield* streamPages(
    (cursor) => lockedScan(getOwnerNow(run), cursor),
    (source) =>
      readShownPage(run.ctx.db, {
        type,
        source,
        entity: getEntity(run, entity),
        late: getLateChanges(run, feed),
        ackPrefix: ack.text,
        ackBefore: ack.text,
        hasOwnAck: false,
      }),
  );
}

async function* streamUpserts(
  run: Run,
  feed: Feed,
  reading: EntityChanges,
  from: LogPosition,
): AsyncGenerator<string> {
  yield* streamLog(run, reading, from, (source, ack) =>
    readShownPage(run.ctx.db, {
      type: reading.type,
      source,
      entity: getEntity(run, reading.entity),
      late: getLateChanges(run, feed),
      ...ack,
    }),
  );
}

type LogQuery = EntityChanges &
  Pick<Removal, 'ownKinds' | 'parent'> & { readonly audience?: Removal['audience'] | undefined };
type AckParts = { readonly ackPrefix: string; readonly ackBefore: string };

async function* streamLog(
  run: Run,
  reading: LogQuery,
  from: LogPosition,
  read: (source: Source, ack: AckParts) => Promise<Page>,
): AsyncGenerator<string> {
  const scopes = listActiveScopes(run, reading, from);
  if (scopes.length === 0) return;
  const { audience, type } = reading;
  const parent = reading.parent && getEntity(run, reading.parent);
  for (let after: LogPosition | undefined = from; after;) {
    const source = selectLogPage({ scopes, after, before: run.watermark, audience, parent });
    const ack = { ackPrefix: `${type}|`, ackBefore: `${type}|${formatPosition(after)}` };
    const page: Page = await read(source, ack);
    yield page.lines;
    after = page.next === null ? undefined : parsePosition(page.next);
  }
}

function parsePosition(text: string): LogPosition {
  const [xid, id] = text.split('-') as [string, string];
  return { xid: BigInt(xid), id: BigInt(id) };
}

async function* streamPages(
  source: (cursor: Cursor) => Source,
  read: (source: Source, cursor: Cursor) => Promise<Page>,
  start?: Cursor,
): AsyncGenerator<string> {
  for (let cursor = start; ;) {
    const page: Page = await read(source(cursor), cursor);
    yield page.lines;
    if (page.next === null) return;
    cursor = page.next;
  }
}
