import type { Ctx } from '../../core/context.ts';
import { badRequest, unauthorized } from '../../core/errors.ts';
import { readPreferences } from '../users/index.ts';
import { completeAck } from './acks.ts';
import * as checkpoints from './checkpoints.store.ts';
import { sessionIdOf } from './domain.ts';
import { type Feed, typesOf } from './feed.ts';
import { feedLines } from './feed.domain.ts';
import { FEEDS } from './feeds.store.ts';
import * as log from './log.store.ts';
import { type CopyState, readCopyState, type Run, startRun } from './run.domain.ts';
import type { SyncStream } from './schemas.ts';
import { REFUSED_TYPES, REQUEST_TYPES, type EntityType, type RequestType } from './types.ts';

const DAY_MS = 24 * 60 * 60_000;
const MAX_AGE_MS = 30 * DAY_MS;

/**
 * The lines that bring the session's copy up to date, in chunks of text. What rules of the preferences
 * group lockedContent match is sent like everything else: clients know no rules, they would take items
 * that are missing for not uploaded and send them again, and each change of a rule would be a new copy.
 * `filterEnabled` says so where rules are set. What nobody may see on a phone belongs into Locked.
 */
export async function openStream(ctx: Ctx, input: SyncStream): Promise<AsyncGenerator<string>> {
  const sessionId = sessionIdOf(ctx);
  const refused = input.types.find((type) => REFUSED_TYPES.some((known) => known === type));
  if (refused) throw badRequest(`${refused} is no longer served, ask for the next version of it`);
  const types = REQUEST_TYPES.filter((type) => input.types.includes(type));
  if (input.reset) await checkpoints.forgetAcks(ctx.db, sessionId);
  const state = await log.readLogState(ctx.db, sessionId);
  const copy = await readCopyState(ctx);
  const feeds = FEEDS.filter((feed) => types.includes(feed.request));
  if (state.isPendingReset || isTooOld(ctx, copy, feeds, state)) return resetLines();
  return lines(await startRun(ctx, feeds, copy, state.watermark), types, feeds);
}

/** Deletions that the copy has not heard of are forgotten. */
function isTooOld(
  ctx: Ctx,
  { rows, acks }: CopyState,
  feeds: readonly Feed[],
  state: log.LogState,
): boolean {
  const complete = rows.find(({ type, ack }) => type === 'SyncCompleteV1' && ack !== null);
  if (complete && ctx.now().getTime() - complete.updatedAt.getTime() > MAX_AGE_MS) return true;
  return feeds
    .flatMap(typesOf)
    .some((type) => (acks.get(type)?.place?.xid ?? state.watermark) < state.droppedBefore);
}

async function* resetLines(): AsyncGenerator<string> {
  yield '{"type":"SyncResetV1","ack":"SyncResetV1|reset","data":{}}\n';
}

async function* lines(
  run: Run,
  types: readonly RequestType[],
  feeds: readonly Feed[],
): AsyncGenerator<string> {
  const { ctx, owner } = run;
  for (const type of types) {
    if (type === 'AuthUsersV1') yield* authUserLines(run);
    else if (type === 'UserMetadataV1') yield* userMetadataLines(run);
    const feed = feeds.find(({ request }) => request === type);
    if (!feed) continue;
    for await (const chunk of feedLines(run, feed)) {
      // The answer has begun: all that can still be done is to end it, and the connection with it.
      if (!(await log.isSessionAlive(ctx.db, owner.sessionId, ctx.now()))) throw unauthorized();
      if (chunk !== '') yield chunk;
    }
  }
  const ack = completeAck(run.watermark, { types, locked: await lockedSent(run) });
  yield `{"type":"SyncCompleteV1","ack":"${ack}","data":{}}\n`;
}

async function lockedSent({ ctx, owner }: Run): Promise<'all' | 'none' | 'unsure'> {
  if (!owner.unlocked) return 'none';
  // The elevation that each page asked for held to the end.
  return (await log.isElevated(ctx.db, owner.sessionId, ctx.now())) ? 'all' : 'unsure';
}

/** Few and small: compared as a whole with what the client has acknowledged. */
function* wholeLines(run: Run, type: EntityType, data: readonly string[]): Generator<string> {
  const digest = Bun.hash(data.join('\n')).toString(36);
  if (run.acks.get(type)?.extra === digest) return;
  for (const line of data) yield `{"type":"${type}","ack":"${type}|${digest}","data":${line}}\n`;
}

async function* authUserLines(run: Run): AsyncGenerator<string> {
  const line = await log.readAuthUser(run.ctx.db, run.owner.userId);
  if (line) yield* wholeLines(run, 'AuthUserV1', [line]);
}

async function* userMetadataLines(run: Run): AsyncGenerator<string> {
  const { ctx, owner } = run;
  // What the account hides is asked for where it is needed, and never kept on a device.
  const { lockedContent: _, ...preferences } = await readPreferences(ctx, owner.userId);
  const isOnboarded = await log.isOnboarded(ctx.db, owner.userId);
  const values = { preferences, onboarding: { isOnboarded } };
  const data = Object.entries(values).map(([key, value]) =>
    JSON.stringify({ userId: owner.userId, key, value }),
  );
  yield* wholeLines(run, 'UserMetadataV1', data);
}
