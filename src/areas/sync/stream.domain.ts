import type { Ctx } from '../../core/context.ts';
import { badRequest, unauthorized } from '../../core/errors.ts';
import { readPreferences } from '../users/index.ts';
import { formatCompleteAck } from './acks.ts';
import * as checkpoints from './checkpoints.store.ts';
import { requireSessionId } from './domain.ts';
import { type Feed, listEntityTypes } from './feed.ts';
import { streamFeed } from './feed.domain.ts';
import { FEEDS } from './feeds.store.ts';
import * as log from './log.store.ts';
import { type CopyState, readCopyState, type Run, createRun } from './run.domain.ts';
import type { SyncStream } from './schemas.ts';
import { REFUSED_TYPES, REQUEST_TYPES, type EntityType, type RequestType } from './types.ts';

const DAY_MS = 24 * 60 * 60_000;
const MAX_AGE_MS = 30 * DAY_MS;

/**
 * Returns the JSON lines that bring the session's copy up to date, in chunks. Throws 400 for a type that is
 * no longer served and 403 for API keys. Items that match content rules (preferences group lockedContent)
 * are included: clients know no rules and would upload missing items again.
 */
export async function openStream(ctx: Ctx, input: SyncStream): Promise<AsyncGenerator<string>> {
  const sessionId = requireSessionId(ctx);
  const refused = input.types.find((type) => REFUSED_TYPES.some((known) => known === type));
  if (refused) throw badRequest(`${refused} is no longer served, ask for the next version of it`);
  const types = REQUEST_TYPES.filter((type) => input.types.includes(type));
  if (input.reset) await checkpoints.deleteAcks(ctx.db, sessionId);
  const state = await log.readLogState(ctx.db, sessionId);
  const copy = await readCopyState(ctx);
  const feeds = FEEDS.filter((feed) => types.includes(feed.request));
  if (state.isPendingReset || isTooOld(ctx, copy, feeds, state)) return streamReset();
  return streamLines(await createRun(ctx, feeds, copy, state.watermark), types, feeds);
}

/** Returns true when removals that the copy has not received are no longer in the log. */
function isTooOld(
  ctx: Ctx,
  { rows, acks }: CopyState,
  feeds: readonly Feed[],
  state: log.LogState,
): boolean {
  const complete = rows.find(({ type, ack }) => type === 'SyncCompleteV1' && ack !== null);
  if (complete && ctx.now().getTime() - complete.updatedAt.getTime() > MAX_AGE_MS) return true;
  return feeds
    .flatMap(listEntityTypes)
    .some((type) => (acks.get(type)?.position?.xid ?? state.watermark) < state.droppedBefore);
}

async function* streamReset(): AsyncGenerator<string> {
  yield '{"type":"SyncResetV1","ack":"SyncResetV1|reset","data":{}}\n';
}

async function* streamLines(
  run: Run,
  types: readonly RequestType[],
  feeds: readonly Feed[],
): AsyncGenerator<string> {
  const { ctx, owner } = run;
  for (const type of types) {
    if (type === 'AuthUsersV1') yield* streamAuthUser(run);
    else if (type === 'UserMetadataV1') yield* streamUserMetadata(run);
    const feed = feeds.find(({ request }) => request === type);
    if (!feed) continue;
    for await (const chunk of streamFeed(run, feed)) {
      // The response has begun: the error can only cut the connection.
      if (!(await log.isSessionAlive(ctx.db, owner.sessionId, ctx.now()))) throw unauthorized();
      if (chunk !== '') yield chunk;
    }
  }
  const ack = formatCompleteAck(run.watermark, { types, locked: await getSentLocked(run) });
  yield `{"type":"SyncCompleteV1","ack":"${ack}","data":{}}\n`;
}

async function getSentLocked({
  ctx,
  owner,
  locked,
  watermark,
}: Run): Promise<'all' | 'none' | 'unsure'> {
  if (!owner.unlocked) {
    const mayHold = [...locked.values()].some((state) => state !== 'none');
    // An asset deleted in Locked at or after the watermark is in no table, and its removal is in the next stream.
    return mayHold && (await log.hasLockedChanges(ctx.db, owner.userId, watermark))
      ? 'unsure'
      : 'none';
  }
  // Each page checked the elevation, and it lasted to the end.
  return (await log.isElevated(ctx.db, owner.sessionId, ctx.now())) ? 'all' : 'unsure';
}

/** Yields all lines unless their digest equals the acknowledged one: for few, small rows. */
function* streamIfChanged(run: Run, type: EntityType, data: readonly string[]): Generator<string> {
  const digest = Bun.hash(data.join('\n')).toString(36);
  if (run.acks.get(type)?.extra === digest) return;
  for (const line of data) yield `{"type":"${type}","ack":"${type}|${digest}","data":${line}}\n`;
}

async function* streamAuthUser(run: Run): AsyncGenerator<string> {
  const line = await log.readAuthUser(run.ctx.db, run.owner.userId);
  if (line) yield* streamIfChanged(run, 'AuthUserV1', [line]);
}

async function* streamUserMetadata(run: Run): AsyncGenerator<string> {
  const { ctx, owner } = run;
  // Content rules are never stored on a device.
  const { lockedContent: _, ...preferences } = await readPreferences(ctx, owner.userId);
  const isOnboarded = await log.isOnboarded(ctx.db, owner.userId);
  const values = { preferences, onboarding: { isOnboarded } };
  const data = Object.entries(values).map(([key, value]) =>
    JSON.stringify({ userId: owner.userId, key, value }),
  );
  yield* streamIfChanged(run, 'UserMetadataV1', data);
}
