import type { WireRational } from '../../core/rational.ts';
import { toUrl } from '../api.ts';
import { createStore } from '../store.ts';
import { readStorage, writeStorage } from '../storage.ts';

// The stream of a film has pictures only. Its sound is fetched from the same time on, as one answer that the
// server sends while it is made, and played beside the pictures: they tell the time, the sound follows.

export type SoundPlayer = {
  /** Gets the sound of a film ready to be played from a time on; what played before ends. */
  readonly load: (film: SoundFilm, time: WireRational) => void;
  /** Tells for how many seconds the pictures have played since that time. */
  readonly follow: (seconds: number) => void;
  readonly stop: () => void;
};

type SoundFilm = { readonly projectId: string; readonly revision: number };

const STORAGE_KEY = 'safelight.studio-muted';
/** Of all films, remembered by the browser. */
export const isFilmMuted = createStore(readStorage(STORAGE_KEY) !== null);

export function muteFilms(isMuted: boolean): void {
  writeStorage(STORAGE_KEY, isMuted ? 'true' : undefined);
  isFilmMuted.set(isMuted);
}

/** As the server names them, by what this browser plays. */
const FORMATS = [
  ['webm', 'audio/webm; codecs="opus"'],
  ['mp4', 'audio/mp4; codecs="mp4a.40.2"'],
] as const;

/** Seconds that the sound may be before or behind the pictures until it jumps. */
const MAX_DRIFT = 0.08;
/** Until it is played a little slower or faster. */
const SMALL_DRIFT = 0.015;
const CORRECTION = 0.03;

export function createSoundPlayer(): SoundPlayer {
  let current: { audio: HTMLAudioElement; close: () => void } | undefined;
  const stop = () => {
    current?.close();
    current = undefined;
  };
  return {
    load({ projectId, revision }, { numerator, denominator }) {
      stop();
      const Source = getMediaSource();
      const format = FORMATS.find(([, type]) => Source?.isTypeSupported(type));
      if (!Source || !format) return;
      const [name, type] = format;
      const closing = new AbortController();
      const audio = new Audio();
      const mute = () => void (audio.muted = isFilmMuted.get());
      mute();
      const forget = isFilmMuted.subscribe(mute);
      const close = () => {
        forget();
        closing.abort();
        audio.pause();
      };
      current = { audio, close };
      const path = `/studio/projects/${projectId}/revisions/${revision}/sound`;
      const url = toUrl(path, { numerator, denominator, format: name });
      // A film is watched without its sound where that does not come.
      fill(audio, new Source(), { url, type, signal: closing.signal }).catch(() => undefined);
    },
    follow(seconds) {
      const audio = current?.audio;
      // It waits for what is sent.
      if (!audio || audio.seeking || audio.readyState < HTMLMediaElement.HAVE_FUTURE_DATA) return;
      if (audio.paused && !audio.ended) {
        audio.currentTime = seconds;
        audio.play().catch(() => undefined);
        return;
      }
      const drift = audio.currentTime - seconds;
      if (Math.abs(drift) > MAX_DRIFT) audio.currentTime = seconds;
      audio.playbackRate = Math.abs(drift) < SMALL_DRIFT ? 1 : 1 - Math.sign(drift) * CORRECTION;
    },
    stop,
  };
}

/** Browsers of phones have another one. */
const getMediaSource = (): typeof MediaSource | undefined =>
  (globalThis as { ManagedMediaSource?: typeof MediaSource }).ManagedMediaSource ??
  globalThis.MediaSource;

type Filling = { readonly url: string; readonly type: string; readonly signal: AbortSignal };

/** Fetches a sound and appends it while it comes. */
async function fill(
  audio: HTMLAudioElement,
  source: MediaSource,
  { url, type, signal }: Filling,
): Promise<void> {
  const response = await fetch(url, { signal });
  // 204: the film has none.
  if (response.status !== 200 || !response.body) return;
  const address = URL.createObjectURL(source);
  try {
    audio.disableRemotePlayback = true;
    audio.src = address;
    await once(source, 'sourceopen', signal);
    const buffer = source.addSourceBuffer(type);
    const reader = response.body.getReader();
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      buffer.appendBuffer(next.value);
      await once(buffer, 'updateend', signal);
    }
    source.endOfStream();
  } finally {
    URL.revokeObjectURL(address);
  }
}

function once(target: EventTarget, name: string, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  signal.throwIfAborted();
  target.addEventListener(name, () => resolve(), { once: true, signal });
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  return promise;
}
