import type { CopyOwner } from '../../access/copies.ts';
import { asUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { type Ack, isBefore, parseAck, type Place } from './acks.ts';
import * as checkpoints from './checkpoints.store.ts';
import { sessionIdOf } from './domain.ts';
import { type Feed, type Reading, type ScopeName, typesOf } from './feed.ts';
import * as log from './log.store.ts';
import { findActivity, type Late } from './page.store.ts';
import { type Entities, entitiesOf } from './rows.store.ts';
import { EVERYBODY, type EntityType } from './types.ts';

/** How far the copy of a session is, as its acks say. */
export type CopyState = {
  readonly rows: readonly checkpoints.Checkpoint[];
  readonly acks: ReadonlyMap<EntityType, Ack>;
};

/** What one stream knows from its start. */
export type Run = {
  readonly ctx: Ctx;
  readonly owner: Omit<CopyOwner, 'now'>;
  /** Changes of this transaction and of later ones are for the next stream. */
  readonly watermark: bigint;
  readonly acks: ReadonlyMap<EntityType, Ack>;
  readonly locked: ReadonlyMap<EntityType, 'none' | 'some' | 'all'>;
  readonly partners: readonly log.Relation[];
  readonly albums: readonly log.Relation[];
  readonly activity: ReadonlyMap<string, ReadonlyMap<string, bigint>>;
};

export async function readCopyState(ctx: Ctx): Promise<CopyState> {
  const rows = await checkpoints.listCheckpoints(ctx.db, sessionIdOf(ctx));
  const acks = new Map<EntityType, Ack>();
  for (const { type, ack } of rows) {
    const parsed = ack === null ? undefined : parseAck(ack);
    if (parsed && !('unknownType' in parsed)) acks.set(type, parsed);
  }
  return { rows, acks };
}

export async function startRun(
  ctx: Ctx,
  feeds: readonly Feed[],
  { rows, acks }: CopyState,
  watermark: bigint,
): Promise<Run> {
  const { userId, unlocked } = asUser(ctx.session);
  const owner = { userId, unlocked, sessionId: sessionIdOf(ctx) };
  const [partners, albums] = await Promise.all([
    log.listPartners(ctx.db, userId, watermark),
    log.listAlbums(ctx.db, userId, watermark),
  ]);
  const places = feeds.flatMap(typesOf).flatMap((type) => acks.get(type)?.place ?? []);
  const scopes = [userId, EVERYBODY, ...[...partners, ...albums].map(({ id }) => id)];
  const activity =
    places.length === 0
      ? new Map<string, Map<string, bigint>>()
      : await findActivity(ctx.sql, { scopes, after: earliest(places), before: watermark });
  const lockable = feeds.flatMap((feed) => (feed.locked ? feed.readings[0]!.type : []));
  // Before the first line: whatever becomes of this stream, the next one knows what to take back.
  if (unlocked && lockable.length > 0) {
    await checkpoints.noteLocked(ctx.db, owner.sessionId, lockable);
  }
  const locked = new Map(rows.map((row) => [row.type, row.locked]));
  return { ctx, owner, watermark, acks, locked, partners, albums, activity };
}

const earliest = (places: readonly Place[]): Place =>
  places.reduce((least, place) => (isBefore(place, least) ? place : least));

/** An elevation may end while the stream runs. */
export const ownerNow = ({ ctx, owner }: Run): CopyOwner => ({ ...owner, now: ctx.now() });

export const entityOf = (run: Run, name: keyof Entities) => entitiesOf(ownerNow(run))[name];

export const lateOf = ({ watermark }: Run, { late }: Feed): Late | undefined =>
  late && { kinds: late, since: watermark };

/** Those in which something of this kind happened since: most of the time none. */
export function activeScopes(run: Run, { scopes, kinds }: Reading, after: Place): string[] {
  return scopesOf(run, scopes).filter((scope) => {
    const found = run.activity.get(scope);
    return kinds.some((kind) => (found?.get(kind) ?? -1n) >= after.xid);
  });
}

function scopesOf(run: Run, name: ScopeName): string[] {
  const ids = (relations: readonly log.Relation[]) => relations.map(({ id }) => id);
  if (name === 'own') return [run.owner.userId];
  if (name === 'everybody') return [EVERYBODY];
  if (name === 'partners') return ids(run.partners);
  return name === 'albums' ? ids(run.albums) : [run.owner.userId, ...ids(run.albums)];
}
