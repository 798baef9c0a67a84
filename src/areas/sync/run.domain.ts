import type { SyncOwner } from './scope.ts';
import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { type Ack, parseAck, type Place } from './acks.ts';
import * as checkpoints from './checkpoints.store.ts';
import { sessionIdOf } from './domain.ts';
import { type Feed, type Reading, typesOf } from './feed.ts';
import * as log from './log.store.ts';
import type { Late } from './page.store.ts';
import { least, oldestPending } from './pending.ts';
import { type Entities, entitiesOf } from './rows.store.ts';
import type { EntityType } from './types.ts';

/** How far the copy of a session is, as its acks say. */
export type CopyState = {
  readonly rows: readonly checkpoints.Checkpoint[];
  readonly acks: ReadonlyMap<EntityType, Ack>;
};

/** What one stream knows from its start. */
export type Run = {
  readonly ctx: Ctx;
  readonly owner: Omit<SyncOwner, 'now'>;
  /** Changes of this transaction and of later ones are for the next stream. */
  readonly watermark: bigint;
  readonly acks: ReadonlyMap<EntityType, Ack>;
  readonly locked: ReadonlyMap<EntityType, 'none' | 'some' | 'all'>;
  /** Those that some backfill may have to bring yet. */
  readonly partners: readonly log.Relation[];
  readonly albums: readonly log.Relation[];
  /** What the log has for those types that have an ack. */
  readonly activity: readonly log.Activity[];
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
  const { userId, unlocked } = requireUser(ctx.session);
  const owner = { userId, unlocked, sessionId: sessionIdOf(ctx) };
  const span = { from: oldestPending(acks, feeds) ?? watermark, before: watermark };
  const from = least(feeds.flatMap(typesOf).flatMap((type) => acks.get(type)?.place?.xid ?? []));
  const [partners, albums, activity] = await Promise.all([
    log.listPartners(ctx.db, userId, span),
    log.listAlbums(ctx.db, userId, span),
    from === undefined ? [] : log.findActivity(ctx.db, userId, { from, before: watermark }),
  ]);
  const lockable = feeds.flatMap((feed) => (feed.locked ? feed.readings[0]!.type : []));
  // Before the first line: whatever becomes of this stream, the next one knows what to take back.
  if (unlocked && lockable.length > 0) {
    await checkpoints.noteLocked(ctx.db, owner.sessionId, lockable);
  }
  const locked = new Map(rows.map((row) => [row.type, row.locked]));
  return { ctx, owner, watermark, acks, locked, partners, albums, activity };
}

/** An elevation may end while the stream runs. */
export const ownerNow = ({ ctx, owner }: Run): SyncOwner => ({ ...owner, now: ctx.now() });

export const entityOf = (run: Run, name: keyof Entities) => entitiesOf(ownerNow(run))[name];

export const lateOf = ({ watermark }: Run, { late }: Feed): Late | undefined =>
  late && { kinds: late, since: watermark };

/** Those in which something of this kind happened since: most of the time none. */
export const activeScopes = (run: Run, { scopes, kinds }: Reading, after: Place): string[] =>
  run.activity
    .filter(({ of }) => of === scopes || (scopes === 'home' && (of === 'own' || of === 'albums')))
    .filter(({ newest }) => kinds.some((kind) => (newest.get(kind) ?? -1n) >= after.xid))
    .map(({ scope }) => scope);
