import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { conflict, invalidField, notFound, tooManyRequests } from '../../../core/errors.ts';
import type { Settings } from '../../../core/settings.ts';
import type { StudioStreamRow, StudioRenderRow } from '../../../db/tables/studio.ts';
import { NODE_ID } from '../../../jobs/node-id.ts';
import { requireNoOtherHolder } from '../../../nodes/servers.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { createCandidateFilter } from '../../../webrtc/candidate-networks.ts';
import { requireCompleteAnswer, withCandidates, writeBitrateBound } from '../../../webrtc/sdp.ts';
import { requireAvailable, revisionSuperseded } from '../previews/domain.ts';
import { listAssetIds } from '../projects/document.ts';
import { requireProject } from '../projects/domain.ts';
import { getMostWatched, getTranscodes } from './budget.ts';
import { findCloseReason } from './inspection.ts';
import type { StreamAnswer, StreamOpen, StreamPosition, StudioStream } from './schemas.ts';
import * as store from './store.ts';
import {
  closeStream,
  endChild,
  isRunning,
  moveRunning,
  sendToStream,
  startStream,
  waitForOffer,
} from './supervisor.ts';
import { toStream } from './view.ts';
import { type Size, toEven } from '../../../media/sizes.ts';
import { fitFrame } from '../render/frame.ts';

/** A request waits so long for the offer; then the client asks again. */
const OFFER_MS = 8000;
const FROM_START = { numerator: 0, denominator: 1 };

/**
 * Opens a stream of the current revision; one of the account that shows the same project is closed. Throws 404
 * for a project that the caller may not see, 409 for another revision or items that the caller may not see,
 * and 429 when the account or the server has its most streams, or no port is left for another.
 */
export async function openStream(ctx: Ctx, request: StreamOpen): Promise<StudioStream> {
  const { userId, sessionId = null, apiKeyId = null } = requireUser(ctx.session);
  const { projectId, revision, viewport, quality = 'standard', time = FROM_START } = request;
  const { document, headRevision } = await requireProject(ctx, projectId);
  if (headRevision !== revision) throw revisionSuperseded(headRevision);
  const sources = await requireAvailable(ctx, listAssetIds(document));
  const { size, maxBitrateKbps } = fitStream(document, viewport, quality);
  const { stream, superseded } = await inTransaction(ctx, async (ctx) => {
    const now = ctx.now();
    const superseded = await makeRoom(ctx, userId, projectId);
    await store.closeStreams(ctx.db, 'superseded', now, superseded);
    const stream = await store.insertStream(ctx.db, {
      id: Bun.randomUUIDv7(),
      projectId,
      revision,
      accountId: userId,
      sessionId,
      apiKeyId,
      nodeId: NODE_ID,
      maxBitrateKbps,
      createdAt: now,
      polledAt: now,
    });
    return { stream, superseded };
  });
  for (const id of superseded) endChild(ctx, id);
  try {
    await startStream(ctx, stream, { document, sources, size, time });
  } catch (error) {
    await closeStream(ctx, stream.id, 'error');
    throw error;
  }
  await waitForOffer(ctx, stream.id, OFFER_MS);
  return toStream(await requireStream(ctx, stream.id));
}

/** Returns the streams that the new one supersedes. Throws 429 if there are too many others. */
async function makeRoom(ctx: Ctx, userId: string, projectId: string): Promise<string[]> {
  await store.lockOpening(ctx.db);
  const own = await store.listOpen(ctx.db, userId);
  const superseded = own.filter((stream) => stream.projectId === projectId).map(({ id }) => id);
  const most = ctx.settings.studioStreams;
  if (own.length - superseded.length >= most)
    throw sessionLimit(`An account may have ${most} preview streams open`);
  const open = (await store.countOpen(ctx.db)) - superseded.length;
  const isFull = open + getTranscodes(ctx.sql).size >= getMostWatched();
  if (isFull || open >= countPorts(ctx.settings))
    throw sessionLimit('The server sends as many preview streams as it can');
  return superseded;
}

/** Each stream has a port of its own. */
const countPorts = ({ studioPorts }: Pick<Settings, 'studioPorts'>): number =>
  studioPorts ? studioPorts.max - studioPorts.min + 1 : Infinity;

const RETRY_SECONDS = 5;

const sessionLimit = (message: string) =>
  tooManyRequests(message, RETRY_SECONDS, { code: 'session_limit' });

/** Extends the lease of the caller, unless the stream may not go on: then it is closed. */
export const getStream = async (ctx: Ctx, id: string): Promise<StudioStream> =>
  toStream(await pollStream(ctx, id));

/**
 * Hands the answer of the browser at `address` to the stream that waits for it, with the bound of its bitrate. Throws 409
 * for any other state, and 400 for an answer that is not complete or sends something.
 */
export async function answerStream(
  ctx: Ctx,
  id: string,
  { sdp, negotiation }: StreamAnswer,
  address?: string,
): Promise<StudioStream> {
  const row = await pollStream(ctx, id);
  const { offer, maxBitrateKbps } = row;
  if (offer === null || (negotiation ?? row.negotiation) !== row.negotiation)
    throw conflict('The stream does not wait for this answer');
  try {
    requireCompleteAnswer(sdp, offer);
  } catch (error) {
    throw invalidField('sdp', (error as Error).message);
  }
  const from = { states: ['waiting'], negotiation: row.negotiation } as const;
  const answered = await store.changeStream(ctx.db, id, from, { state: 'answered', offer: null });
  if (!answered) throw conflict('The stream does not wait for this answer');
  const reachable = withCandidates(sdp, createCandidateFilter(address));
  sendToStream(ctx, id, { type: 'answer', sdp: writeBitrateBound(reachable, maxBitrateKbps) });
  return toStream(answered);
}

/**
 * Makes another offer, for a browser that has lost the connection. A stream that may not go on is closed, and
 * returned. Throws 409 while the offer before is not answered.
 */
export async function reconnectStream(ctx: Ctx, id: string): Promise<StudioStream> {
  const row = await pollStream(ctx, id);
  if (row.state === 'closed') return toStream(row);
  const negotiation = row.negotiation + 1;
  const from = {
    states: ['answered', 'connected', 'interrupted'],
    negotiation: row.negotiation,
  } as const;
  const changed = await store.changeStream(ctx.db, id, from, { state: 'starting', negotiation });
  if (changed) {
    sendToStream(ctx, id, { type: 'reconnect', negotiation });
    await waitForOffer(ctx, id, OFFER_MS);
  }
  const after = await requireStream(ctx, id);
  if (!changed && after.state !== 'closed')
    throw conflict('The stream has an offer that is not answered');
  return toStream(after);
}

/**
 * Shows another moment of the film, and goes on from there or stands still. Resolves when its picture is sent. A
 * stream that may not go on is closed, and returned.
 */
export async function moveStream(
  ctx: Ctx,
  id: string,
  position: StreamPosition,
): Promise<StudioStream> {
  const row = await pollStream(ctx, id);
  if (row.state === 'closed') return toStream(row);
  await moveRunning(ctx, id, position, OFFER_MS);
  return getStream(ctx, id);
}

export async function deleteStream(ctx: Ctx, id: string): Promise<StudioStream> {
  await requireStream(ctx, id);
  await closeStream(ctx, id, 'deleted');
  return toStream(await requireStream(ctx, id));
}

/** Throws HeldElsewhere for an open stream that another server sends. */
async function requireStream(ctx: Ctx, id: string): Promise<StudioStreamRow> {
  const { userId } = requireUser(ctx.session);
  const row = await store.findStream(ctx.db, id);
  if (row?.accountId !== userId) throw notFound('Studio preview stream');
  const { state, nodeId } = row;
  if (state === 'closed' || nodeId === null || nodeId === NODE_ID) return row;
  await requireNoOtherHolder(ctx, ({ id }) => id === nodeId);
  return row;
}

async function pollStream(ctx: Ctx, id: string): Promise<StudioStreamRow> {
  const row = await requireStream(ctx, id);
  if (row.state === 'closed') return row;
  const reason =
    (await findCloseReason(ctx, row)) ?? (isRunning(ctx, id) ? undefined : 'worker-lost');
  if (reason) await closeStream(ctx, id, reason);
  else await store.touchStream(ctx.db, id, ctx.now());
  return requireStream(ctx, id);
}

const MOST: Readonly<Record<StudioRenderRow['quality'], Size>> = {
  draft: { width: 640, height: 640 },
  standard: { width: 960, height: 960 },
  full: { width: 1280, height: 1280 },
};

/** The encoder drops frames where it has fewer bits: the bound follows the size. */
const BOUNDS: readonly { readonly pixels: number; readonly kbps: number }[] = [
  { pixels: 640 * 360, kbps: 1200 },
  { pixels: 960 * 540, kbps: 2500 },
];
const MAX_KBPS = 4000;

/** Returns the size of a stream, even as I420 needs it, and its bound. */
function fitStream(
  canvas: Size,
  viewport: Size,
  quality: StudioRenderRow['quality'],
): { readonly size: Size; readonly maxBitrateKbps: number } {
  const most = MOST[quality];
  const fitted = fitFrame(
    canvas,
    { width: Math.min(viewport.width, most.width), height: Math.min(viewport.height, most.height) },
    quality,
  );
  const size = { width: toEven(fitted.width), height: toEven(fitted.height) };
  const bound = BOUNDS.find(({ pixels }) => size.width * size.height <= pixels);
  return { size, maxBitrateKbps: bound?.kbps ?? MAX_KBPS };
}
