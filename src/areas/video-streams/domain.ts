import type { Ctx, Deps } from '../../core/context.ts';
import { AppError, badRequest, notFound } from '../../core/errors.ts';
import { SOFTWARE, selectEncoders } from '../../media/encoders.ts';
import { isPermanent, MediaError } from '../../media/errors.ts';
import { DEFAULT_VIDEO_SETTINGS } from '../../media/video-settings.ts';
import { getStreamedFile, readVideoSettings } from '../assets/index.ts';
import { readRecentConfig } from '../system-config/index.ts';
import { formatMainPlaylist, formatMediaPlaylist } from './playlists.ts';
import { findSegment } from './segments.ts';
import {
  endSession,
  readInit,
  readSegment,
  type Rendition,
  startEarly,
  type Watcher,
} from './sessions.ts';
import { listVariants } from './variants.ts';
import { loadVideo } from './video.ts';
import { randomUUID } from 'node:crypto';
import { NODE_ID } from '../../jobs/node-id.ts';
import { findKnownServer, HeldElsewhere } from '../../nodes/servers.ts';

// The identifier of a session tells which server began it, by its last group. When that is gone, the session goes on with
// any other.

const getLastGroup = (uuid: string): string => uuid.slice(-12).toLowerCase();

const createSessionId = (): string => `${randomUUID().slice(0, -12)}${getLastGroup(NODE_ID)}`;

/** Throws HeldElsewhere for a session that another server began, which encodes for it. */
function requireHere(deps: Pick<Deps, 'sql'>, { sessionId }: { readonly sessionId: string }): void {
  const group = getLastGroup(sessionId);
  if (group === getLastGroup(NODE_ID)) return;
  const server = findKnownServer(deps, ({ id }) => getLastGroup(id) === group);
  if (server) throw new HeldElsewhere(server);
}

/** Where a guest of a link is, which the addresses in a playlist repeat. */
export type LinkQuery = { readonly key?: string | undefined; readonly slug?: string | undefined };

export type StreamParams = {
  readonly id: string;
  readonly sessionId: string;
  readonly variantIndex: number;
};

/** Returns the playlist of all qualities of a video, for a session of its own. Throws 404 for what is no video. */
export async function getMainPlaylist(ctx: Ctx, id: string, link: LinkQuery): Promise<string> {
  const { source, variants } = await openVideo(ctx, id);
  const { video, audio } = source.probe;
  return formatMainPlaylist({
    sessionId: createSessionId(),
    variants,
    fps: video?.fps,
    hasSound: audio !== undefined,
    query: toQuery(link),
  });
}

/** Returns the playlist of one quality. Encoding begins at `position`, in seconds, where the player tells it. */
export async function getMediaPlaylist(
  ctx: Ctx,
  params: StreamParams,
  { position, ...link }: LinkQuery & { readonly position: number | undefined },
): Promise<string> {
  requireHere(ctx, params);
  const rendition = await openRendition(ctx, params.id, params.variantIndex);
  const { segments } = rendition.source;
  if (position !== undefined)
    startEarly(ctx, toWatcher(ctx, params), rendition, findSegment(segments, position));
  return formatMediaPlaylist(segments, toQuery(link));
}

/**
 * Returns a segment, or the initialisation: `target` is the segment that its player asks for next. `signal` is aborted
 * when the player waits no more. Throws 404 for others.
 */
export async function getSegment(
  ctx: Ctx,
  params: StreamParams & { readonly filename: string },
  { target, signal }: { readonly target: number | undefined; readonly signal: AbortSignal },
): Promise<Buffer<ArrayBuffer>> {
  requireHere(ctx, params);
  const rendition = await openRendition(ctx, params.id, params.variantIndex);
  const watcher = toWatcher(ctx, params);
  const { segments } = rendition.source;
  const last = segments.length - 1;
  const [, digits] = /^seg_(\d{1,9})\.m4s$/.exec(params.filename) ?? [];
  const number = digits === undefined ? undefined : Number(digits);
  const isInit = params.filename === 'init.mp4';
  if (!isInit && (number === undefined || number > last)) throw notFound('Segment');
  try {
    return number === undefined
      ? await readInit(ctx, watcher, rendition, { number: Math.min(last, target ?? 0), signal })
      : await readSegment(ctx, watcher, rendition, { number, signal });
  } catch (error) {
    throw toStreamError(error);
  }
}

/** Ends what is encoded for a session alone. A session that does not exist has ended. */
export async function endStream(ctx: Ctx, params: Omit<StreamParams, 'variantIndex'>) {
  requireHere(ctx, params);
  await getStreamedFile(ctx, params.id);
  endSession(ctx, toWatcher(ctx, params));
}

const toWatcher = (ctx: Ctx, { id, sessionId }: Omit<StreamParams, 'variantIndex'>): Watcher => ({
  account: ctx.session.kind === 'user' ? ctx.session.userId : ctx.session.linkId,
  id: `${id} ${sessionId}`.toLowerCase(),
  isAllowed: () => isStillAllowed(ctx, id),
});

/** Returns whether the request would be answered now. */
async function isStillAllowed(ctx: Ctx, id: string): Promise<boolean> {
  try {
    const session = (await ctx.renewSession?.()) ?? ctx.session;
    await getStreamedFile({ ...ctx, session }, id);
    return true;
  } catch (error) {
    // A server that cannot tell has not refused.
    if (error instanceof AppError && error.status < 500) return false;
    throw error;
  }
}

const toQuery = ({ key, slug }: LinkQuery): string => {
  const query = new URLSearchParams({ ...(key && { key }), ...(slug && { slug }) });
  return query.size > 0 ? `?${query}` : '';
};

async function openVideo(ctx: Ctx, id: string) {
  const file = await getStreamedFile(ctx, id);
  const { realtime } = (await readRecentConfig(ctx.db)).ffmpeg;
  if (!realtime.enabled) throw badRequest('Real-time transcoding is not enabled');
  if (!file) throw new AppError('notFound', NOT_READY);
  try {
    const source = await loadVideo(ctx, file);
    return { file, source, variants: listVariants(source, realtime.resolutions) };
  } catch (error) {
    throw toStreamError(error);
  }
}

const NOT_READY = 'Asset is not yet ready for streaming';

async function openRendition(ctx: Ctx, id: string, variantIndex: number): Promise<Rendition> {
  const { file, source, variants } = await openVideo(ctx, id);
  const variant = variants[variantIndex];
  if (!variant) throw notFound('Variant');
  if (variant.kind === 'original') {
    const { segments } = source.cut ?? source;
    const key = `${file.sha256}/original`;
    // Nothing is encoded with it but sound.
    const [settings, encoders] = [DEFAULT_VIDEO_SETTINGS, [SOFTWARE]];
    return { key, source: { ...source, segments }, variant, settings, encoders };
  }
  const settings = await readVideoSettings(ctx.db);
  const encoders = await selectEncoders({ ...settings, codec: 'h264', isTwoPass: false });
  const choice = Bun.hash(JSON.stringify([settings, variant])).toString(36);
  return { key: `${file.sha256}/${choice}`, source, variant, settings, encoders };
}

/** A file that cannot be decoded is not there; faults of the machine remain what they are. */
const toStreamError = (error: unknown): unknown =>
  error instanceof MediaError && isPermanent(error)
    ? new AppError('notFound', NOT_READY, { cause: error })
    : error;
