import {
  add,
  type Rational,
  rational,
  toRational,
  toWire,
  type WireRational,
} from '../../../core/rational.ts';
import { toUrl } from '../../base/api.ts';
import { revokeLater } from '../../base/object-url.ts';
import { createStore } from '../../base/store.ts';
import { readStorage, writeStorage } from '../../base/storage.ts';

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
/** The setting for all films, remembered by the browser. */
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

/** A film whose pictures play: the time they began with, and how many seconds of them were seen. */
type Playing = { readonly film: SoundFilm; readonly time: Rational; seconds: number };

/** Fetches nothing while films are muted. */
export function createSoundPlayer(): SoundPlayer {
  let playing: Playing | undefined;
  let sound: Sound | undefined;
  const update = () => {
    sound?.close();
    sound = playing && !isFilmMuted.get() ? openSound(playing) : undefined;
  };
  let forget: (() => void) | undefined;
  return {
    load(film, time) {
      playing = { film, time: toRational(time), seconds: 0 };
      forget ??= isFilmMuted.subscribe(update);
      update();
    },
    follow(seconds) {
      if (playing) playing.seconds = seconds;
      if (sound) follow(sound.audio, seconds - sound.from);
    },
    stop() {
      playing = undefined;
      forget?.();
      forget = undefined;
      update();
    },
  };
}

type Sound = {
  readonly audio: HTMLAudioElement;
  /** Seconds of the pictures before it. */
  readonly from: number;
  readonly close: () => void;
};

/** Fetches the sound from where the pictures are. */
function openSound({ film, time, seconds }: Playing): Sound | undefined {
  const Source = getMediaSource();
  const format = FORMATS.find(([, type]) => Source?.isTypeSupported(type));
  if (!Source || !format) return undefined;
  const [name, type] = format;
  const closing = new AbortController();
  const audio = new Audio();
  const close = () => {
    closing.abort();
    audio.pause();
  };
  const ms = Math.round(seconds * 1000);
  const start = toWire(add(time, rational(BigInt(ms), 1000n)));
  const path = `/studio/projects/${film.projectId}/revisions/${film.revision}/sound`;
  const url = toUrl(path, { ...start, format: name });
  // A film is watched without its sound where that does not come.
  fill(audio, new Source(), { url, type, signal: closing.signal }).catch(() => undefined);
  return { audio, from: ms / 1000, close };
}

/** Keeps the sound together with pictures that have played for so many seconds since it began. */
function follow(audio: HTMLAudioElement, seconds: number): void {
  // It waits for what is sent.
  if (audio.seeking || audio.readyState < HTMLMediaElement.HAVE_FUTURE_DATA) return;
  if (audio.paused && !audio.ended) {
    audio.currentTime = seconds;
    audio.play().catch(() => undefined);
    return;
  }
  const drift = audio.currentTime - seconds;
  if (Math.abs(drift) > MAX_DRIFT) audio.currentTime = seconds;
  audio.playbackRate = Math.abs(drift) < SMALL_DRIFT ? 1 : 1 - Math.sign(drift) * CORRECTION;
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
    revokeLater(address);
  }
}

function once(target: EventTarget, name: string, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  signal.throwIfAborted();
  target.addEventListener(name, () => resolve(), { once: true, signal });
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  return promise;
}
