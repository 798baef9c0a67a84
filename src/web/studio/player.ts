import { ApiError, get, getMessage, post, put, remove } from '../api.ts';
import { createStore, type ReadableStore } from '../store.ts';
import type { StudioStream, StudioStreamOpen } from '../types.ts';
import { describeEnd } from './words.ts';

export type PlayerState =
  | { readonly status: 'stopped'; readonly error?: string }
  | { readonly status: 'starting' }
  | { readonly status: 'playing'; readonly media: MediaStream };

export type Player = {
  readonly state: ReadableStore<PlayerState>;
  /** Plays a film as the server renders it; what played before ends. */
  readonly play: (film: StudioStreamOpen) => void;
  readonly stop: () => void;
};

const STOPPED: PlayerState = { status: 'stopped' };
/** While the server prepares the first picture. */
const OFFER_POLL_MS = 500;
/** A browser that has found no more addresses for so long has found all that matter. */
const GATHERING_MS = 2000;

export function createPlayer(): Player {
  const state = createStore<PlayerState>(STOPPED);
  let current: AbortController | undefined;
  const stop = () => {
    current?.abort();
    current = undefined;
    state.set(STOPPED);
  };
  return {
    state,
    stop,
    play(film) {
      stop();
      const playing = new AbortController();
      current = playing;
      state.set({ status: 'starting' });
      const onMedia = (media: MediaStream) => {
        if (current === playing) state.set({ status: 'playing', media });
      };
      runStream(film, onMedia, playing.signal).catch((error: unknown) => {
        if (current !== playing) return;
        stop();
        state.set({ status: 'stopped', error: getMessage(error) });
      });
    },
  };
}

/** Opens a stream and keeps it until `signal` aborts. Rejects when the server closes it. */
async function runStream(
  film: StudioStreamOpen,
  onMedia: (media: MediaStream) => void,
  signal: AbortSignal,
): Promise<void> {
  let stream = await post<StudioStream>('/studio/preview-streams', film);
  const path = `/studio/preview-streams/${stream.id}`;
  const peer = new RTCPeerConnection();
  peer.ontrack = ({ track }) => onMedia(new MediaStream([track]));
  try {
    while (!signal.aborted) {
      if (stream.state === 'closed') throw new ApiError(409, describeEnd(stream.closeReason));
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
  return peer.localDescription!.sdp;
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
