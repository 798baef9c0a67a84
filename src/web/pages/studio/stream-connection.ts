import type { WireRational } from '../../../core/rational.ts';
import { requireValue } from '../../../core/required.ts';
import { ApiError, get, post, put, remove } from '../../base/api.ts';
import type { StudioStream, StudioStreamOpen } from '../../data/types.ts';
import { describeEnd } from './words.ts';

/** While the server prepares the first picture. */
const OFFER_POLL_MS = 500;
/** A browser that has found no more addresses for so long has found all that matter. */
const GATHERING_MS = 2000;

export type StreamConnection = {
  /** Settles once the server has opened it or has not. */
  readonly opened: Promise<unknown>;
  /** Resolves when the picture at that time is sent. Moves are made in their order. */
  readonly move: (time: WireRational, isPlaying: boolean) => Promise<void>;
  readonly close: () => void;
};

type Events = {
  readonly onMedia: (media: MediaStream) => void;
  /** The stream could not be opened, or the server has closed it. */
  readonly onFailed: (error: unknown) => void;
};

/** Opens a stream and keeps it until it is closed. */
export function connectStream(
  film: StudioStreamOpen,
  { onMedia, onFailed }: Events,
): StreamConnection {
  const closing = new AbortController();
  const opened = post<StudioStream>('/studio/preview-streams', film);
  keep(opened, onMedia, closing.signal).catch((error: unknown) => {
    if (!closing.signal.aborted) onFailed(error);
  });
  let last: Promise<unknown> = opened;
  return {
    opened,
    close: () => closing.abort(),
    async move(time, isPlaying) {
      const { id } = await opened;
      const moved = last
        .catch(() => undefined)
        .then(() =>
          put<StudioStream>(`/studio/preview-streams/${id}/position`, { time, isPlaying }),
        );
      last = moved;
      requireOpen(await moved);
    },
  };
}

async function keep(
  opened: Promise<StudioStream>,
  onMedia: Events['onMedia'],
  signal: AbortSignal,
): Promise<void> {
  let stream = await opened;
  const path = `/studio/preview-streams/${stream.id}`;
  const peer = new RTCPeerConnection();
  peer.ontrack = ({ track }) => onMedia(new MediaStream([track]));
  try {
    while (!signal.aborted) {
      requireOpen(stream);
      if (stream.offer) {
        const sdp = await answer(peer, stream.offer);
        stream = await put<StudioStream>(`${path}/answer`, { type: 'answer', sdp });
      }
      const isOpening = stream.state === 'starting' || stream.state === 'waiting';
      await wait(isOpening ? OFFER_POLL_MS : (stream.keepAliveSeconds * 1000) / 3, signal);
      if (!signal.aborted) stream = await get<StudioStream>(path);
    }
  } finally {
    peer.close();
    void remove(path).catch(() => undefined);
  }
}

function requireOpen({ state, closeReason }: StudioStream): void {
  if (state === 'closed')
    throw new ApiError(409, describeEnd(closeReason), {}, closeReason ?? undefined);
}

/** Whether another stream of the same film took its place. */
export const isSuperseded = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'superseded';

/** Returns the answer with all addresses of this browser. */
async function answer(peer: RTCPeerConnection, offer: RTCSessionDescriptionInit): Promise<string> {
  await peer.setRemoteDescription(offer);
  await peer.setLocalDescription(await peer.createAnswer());
  const { promise: gathered, resolve } = Promise.withResolvers<void>();
  peer.onicegatheringstatechange = () => {
    if (peer.iceGatheringState === 'complete') resolve();
  };
  if (peer.iceGatheringState !== 'complete')
    await Promise.race([gathered, new Promise((done) => setTimeout(done, GATHERING_MS))]);
  return requireValue(peer.localDescription, 'local description').sdp;
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const end = () => {
    clearTimeout(timer);
    resolve();
  };
  signal.addEventListener('abort', end, { once: true });
  return promise.finally(() => signal.removeEventListener('abort', end));
}
