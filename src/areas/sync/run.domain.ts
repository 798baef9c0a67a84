import type { SyncOwner } from './scope.ts';
import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { type Ack, parseAck, type LogPosition } from './acks.ts';
import * as checkpoints from './checkpoints.store.ts';
import { requireSessionId } from './domain.ts';
import { type Feed, type EntityChanges, listEntityTypes, type Removal } from './feed.ts';
import * as log from './log.store.ts';
import type { Late, LogScope, Source } from './page.store.ts';
import { findMin, getOldestPending } from './pending.ts';
import { type Entities, getEntities } from './entities.store.ts';
import type { EntityType } from './types.ts';

/** State of the copy of a session, from its acks. */
export type CopyState = {
  readonly rows: readonly checkpoints.Checkpoint[];
  readonly acks: ReadonlyMap<EntityType, Ack>;
};

/** State of one stream, read at its start. */
export type Run = {
  readonly ctx: Ctx;
  readonly owner: Omit<SyncOwner, 'now' | 'watermark'>;
  /** Changes of this and later transactions are left to the next stream. */
  readonly watermark: bigint;
  readonly acks: ReadonlyMap<EntityType, Ack>;
  readonly locked: ReadonlyMap<EntityType, 'none' | 'some' | 'all'>;
  /** Relations that a backfill may have to send. */
  readonly partners: readonly log.Relation[];
  readonly albums: readonly log.Relation[];
  /** Scopes with changes since the oldest ack. */
  readonly activity: readonly log.Activity[];
};

export async function readCopyState(ctx: Ctx): Promise<CopyState> {
  const rows = await checkpoints.listCheckpoints(ctx.db, requireSessionId(ctx));
  const acks = new Map<EntityType, Ack>();
  for (const { type, ack } of rows) {
    const parsed = ack === null ? undefined : parseAck(ack);
    if (parsed && !('unknownType' in parsed)) acks.set(type, parsed);
  }
  return { rows, acks };
}

export async function createRun(
  ctx: Ctx,
  feeds: readonly Feed[],
  { rows, acks }: CopyState,
  watermark: bigint,
): Promise<Run> {
  const { userId, unlocked } = requireUser(ctx.session);
  const owner = { userId, unlocked, sessionId: requireSessionId(ctx) };
  const span = { from: getOldestPending(acks, feeds) ?? watermark, before: watermark };
  const from = findMin(
    feeds.flatMap(listEntityTypes).flatMap((type) => acks.get(type)?.position?.xid ?? []),
  );
  const [partners, albums, activity] = await Promise.all([
    log.listPartners(ctx.db, userId, span),
    log.listAlbums(ctx.db, userId, span),
    from === undefined ? [] : log.listActivity(ctx.db, userId, { from, before: watermark }),
  ]);
  const lockable = feeds.flatMap((feed) => (feed.lockedScan ? feed.upserts[0].type : []));
  // Before the first line: if this stream breaks off, the next one knows what to remove, or to send again.
  const locked = new Map(rows.map((row) => [row.type, row.locked]));
  const marked = unlocked ? lockable : lockable.filter((type) => locked.get(type) === 'all');
  if (marked.length > 0) {
    const before = unlocked ? 'none' : 'all';
    await checkpoints.markHoldsSomeLocked(ctx.db, owner.sessionId, marked, before);
  }
  return { ctx, owner, watermark, acks, locked, partners, albums, activity };
}

/** Returns the owner as of now: an elevation may end while the stream runs. */
export const getOwnerNow = ({ ctx, owner, watermark }: Run): SyncOwner => ({
  ...owner,
  watermark,
  now: ctx.now(),
});

export const getEntity = (run: Run, name: keyof Entities, source?: Source) =>
  getEntities(getOwnerNow(run), source)[name];

export const getLateChanges = ({ watermark }: Run, { lateKinds: late }: Feed): Late | undefined =>
  late && { kinds: late, since: watermark };

/** Returns the scopes with changes of these kinds since `after`: usually none. */
export function listActiveScopes(
  run: Run,
  { scopes, kinds, ownKinds = [] }: EntityChanges & Pick<Removal, 'ownKinds'>,
  after: LogPosition,
): LogScope[] {
  const isRead = (of: log.Activity['of']) =>
    of === scopes || (scopes === 'home' && (of === 'own' || of === 'albums'));
  return run.activity
    .map(({ of, scope, newest }) => ({
      id: scope,
      newest,
      kinds: isRead(of) ? kinds : of === 'own' ? ownKinds : [],
    }))
    .filter((scope) => scope.kinds.some((kind) => (scope.newest.get(kind) ?? -1n) >= after.xid));
}
