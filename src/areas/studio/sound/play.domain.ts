import { requireUser } from '../../../access/scope.ts';
import type { Ctx, Deps } from '../../../core/context.ts';
import { notFound, tooManyRequests } from '../../../core/errors.ts';
import { toRational, toSeconds, type WireRational } from '../../../core/rational.ts';
import { requireAvailable, revisionSuperseded } from '../previews/domain.ts';
import { listAssetIds } from '../projects/document.ts';
import { requireProject } from '../projects/domain.ts';
import { getDuration } from '../render/layers.ts';
import { watchWhile } from '../render/watch.ts';
import { findLossReason, type Watched } from '../streams/inspection.ts';
import { encodeMix, type SoundFormat } from './encoder.ts';
import { openMix } from './parts.ts';
import { closePlayer, openPlayer, type Player } from './players.ts';

// The sound of a stream, which has pictures only: a film sounds as its export does, since both have the same mix.

export type SoundRequest = {
  readonly projectId: string;
  readonly revision: number;
  /** The time in the film from which it plays. */
  readonly time: WireRational;
  readonly format: SoundFormat;
  /** Aborted when the client goes. */
  readonly signal: AbortSignal;
};

const INSPECTION_MS = 1000;
const RETRY_SECONDS = 5;
const START_MS = 10 * 60_000;
const NICE = 5;

/**
 * Returns the encoded sound of the current revision of a project from a time to the end of the film; undefined if
 * there is none. A sound of the same project that the account plays elsewhere ends. It ends too when the caller may
 * no longer hear it, or another revision is stored. Throws 404 for a project that the caller may not see and for a
 * revision that there is not, 409 for an earlier one, items that the caller may not see, and when it is played elsewhere
 * before it has begun, and 429 when the account plays its most sounds.
 */
export async function playSound(
  ctx: Ctx,
  request: SoundRequest,
): Promise<ReadableStream<Uint8Array> | undefined> {
  const { userId, sessionId = null, apiKeyId = null } = requireUser(ctx.session);
  const { projectId, revision } = request;
  const { document, headRevision } = await requireProject(ctx, projectId);
  if (revision > headRevision) throw notFound('Studio revision');
  if (revision < headRevision) throw revisionSuperseded(headRevision);
  const sources = await requireAvailable(ctx, listAssetIds(document));
  const watched = { accountId: userId, sessionId, apiKeyId, projectId, revision };
  const player = requirePlayer(ctx, watched);
  const signal = AbortSignal.any([player.closing.signal, request.signal]);
  try {
    const mix = await openMix(
      {
        film: { document, sources, studio: ctx.paths.studio },
        signal,
        nice: NICE,
        timeoutMs: START_MS + 2000 * toSeconds(getDuration(document)),
        onDamaged: (assetId, reason) =>
          ctx.log.warn('a film is played without the sound of a video', { assetId, reason }),
      },
      toRational(request.time),
    );
    if (mix) {
      const { windows, samples } = mix;
      const bytes = encodeMix(windows, { format: request.format, samples, signal });
      return toStream(watch(ctx, watched, player, bytes), player);
    }
    closePlayer(ctx, player);
    return undefined;
  } catch (error) {
    closePlayer(ctx, player);
    throw error;
  }
}

function requirePlayer(ctx: Ctx, { accountId, projectId }: Watched): Player {
  const most = ctx.settings.studioStreams;
  const player = openPlayer(ctx, { accountId, projectId, most });
  if (player) return player;
  const message = `An account may play the sounds of ${most} projects`;
  throw tooManyRequests(message, RETRY_SECONDS, { code: 'session_limit' });
}

/** Ends what is played when it may not go on. */
async function* watch(
  deps: Deps,
  watched: Watched,
  player: Player,
  bytes: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const mayBeHeard = async () => {
    try {
      return (await findLossReason(deps, watched)) === undefined;
    } catch (error) {
      deps.log.warn('a sound could not be inspected', { ...watched, error });
      return true;
    }
  };
  const wanted = watchWhile(mayBeHeard, INSPECTION_MS);
  wanted.signal.addEventListener('abort', () => player.closing.abort(), { once: true });
  try {
    yield* bytes;
  } finally {
    wanted.stop();
    closePlayer(deps, player);
  }
}

const toStream = (
  bytes: AsyncGenerator<Uint8Array>,
  { closing }: Player,
): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      const { signal } = closing;
      // Also while nobody reads.
      const end = () => {
        controller.error(signal.reason);
        void bytes.return(undefined).catch(() => {});
      };
      signal.addEventListener('abort', end, { once: true });
    },
    async pull(controller) {
      const { value, done } = await bytes.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      closing.abort();
      await bytes.return(undefined).catch(() => {});
    },
  });
