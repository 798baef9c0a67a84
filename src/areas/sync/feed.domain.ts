import { type Ack, type Place, placeText, startOf } from './acks.ts';
import type { Feed, Reading, Removal, Scan, ScopeName } from './feed.ts';
import type { Relation } from './log.store.ts';
import { gonePage, logPage, type Page, paging, shownPage, type Source } from './page.store.ts';
import { entitiesOf, type Entities } from './rows.store.ts';
import type { Run } from './stream.domain.ts';
import { EVERYBODY, type EntityType } from './types.ts';

/** One type of a stream: what went, what was never sent, what changed. */
export async function* feedLines(run: Run, feed: Feed): AsyncGenerator<string> {
  const place = startsOf(run, feed);
  yield* removalLines(run, feed, place);
  yield* lockedLines(run, feed);
  yield* scanLines(run, feed, place);
  yield* backfillLines(run, feed, place);
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
  const known = acks.get(first)?.place ?? (backfill && backfillAck(run, feed)?.place);
  const base = known ?? startOf(watermark);
  return { isNew: known === undefined, base, of: (type) => acks.get(type)?.place ?? base };
}

/** Who deletes the ack of a type wants all of it again, which is what a backfill brings. */
function backfillAck({ acks }: Run, { backfill, readings }: Feed): Ack | undefined {
  const ack = backfill && acks.get(backfill.type);
  const isWhole = ack?.extra === undefined;
  return isWhole && readings.some(({ type }) => !acks.has(type)) ? undefined : ack;
}

/** An elevation may end while the stream runs. */
const ownerNow = ({ ctx, owner }: Run) => ({ ...owner, now: ctx.now() });
const entityOf = (run: Run, name: keyof Entities) => entitiesOf(ownerNow(run))[name];

function scopesOf(run: Run, name: ScopeName): string[] {
  const ids = (relations: readonly Relation[]) => relations.map(({ id }) => id);
  if (name === 'own') return [run.owner.userId];
  if (name === 'everybody') return [EVERYBODY];
  if (name === 'partners') return ids(run.partners);
  return name === 'albums' ? ids(run.albums) : [run.owner.userId, ...ids(run.albums)];
}

/** Those in which something of this kind happened since: most of the time none. */
function activeScopes(run: Run, { scopes, kinds }: Reading, after: Place): string[] {
  return scopesOf(run, scopes).filter((scope) => {
    const found = run.activity.get(scope);
    return kinds.some((kind) => (found?.get(kind) ?? -1n) >= after.xid);
  });
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
    gonePage(run.ctx.sql, {
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
      gonePage(run.ctx.sql, {
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
      shownPage(run.ctx.sql, {
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

const lateOf = (run: Run, { late }: Feed) =>
  late && { scopes: scopesOf(run, late.scopes), kinds: late.kinds, since: run.watermark };

/** One relation after the other, in the order in which they began: an ack says which are done. */
async function* backfillLines(run: Run, feed: Feed, starts: Starts): AsyncGenerator<string> {
  const { backfill } = feed;
  if (!backfill) return;
  const ack = backfillAck(run, feed);
  const done = doneOf(ack?.extra);
  for (const relation of run[backfill.of]) {
    const isCurrent = done?.id === relation.id && done.since === relation.since;
    if (ack && !isCurrent && isDone(relation, done, ack.place!)) continue;
    const prefix = `${backfill.type}|${placeText(starts.base)}|${relation.since}.${relation.id}.`;
    yield* pagesOf(
      (at) => backfill.source(relation.id, at),
      (source, at) =>
        shownPage(run.ctx.sql, {
          type: backfill.type,
          source,
          entity: entityOf(run, backfill.entity),
          late: lateOf(run, feed),
          ackPrefix: prefix,
          ackBefore: prefix + (at ?? ''),
        }),
      isCurrent ? done.cursor : undefined,
    );
  }
}

type Done = Relation & { readonly cursor: string };

function doneOf(extra: string | undefined): Done | undefined {
  const [since = '', id = '', cursor = ''] = extra?.split('.') ?? [];
  return /^\d{1,18}$/.test(since) ? { since: BigInt(since), id, cursor } : undefined;
}

/** Without a relation of its own an ack is that of a whole stream, and covers all that were there. */
const isDone = ({ since, id }: Relation, done: Done | undefined, place: Place): boolean =>
  done ? since < done.since || (since === done.since && id < done.id) : since < place.xid;

/** The PIN is entered, and the copy may lack some of what it opens. */
async function* lockedLines(run: Run, feed: Feed): AsyncGenerator<string> {
  const { type, entity } = feed.readings[0]!;
  const ack = run.acks.get(type);
  if (!feed.locked || !run.owner.unlocked || !ack || run.locked.get(type) === 'all') return;
  yield* pagesOf(
    (cursor) => feed.locked!(ownerNow(run), cursor),
    (source) =>
      shownPage(run.ctx.sql, {
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
    shownPage(run.ctx.sql, {
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
  source: (cursor: string | undefined) => Source,
  read: (source: Source, cursor: string | undefined) => Promise<Page>,
  start?: string,
): AsyncGenerator<string> {
  for (let cursor: string | undefined = start || undefined; ;) {
    const page: Page = await read(source(cursor), cursor);
    yield page.lines;
    if (page.taken < paging.rows) return;
    cursor = page.last!;
  }
}
