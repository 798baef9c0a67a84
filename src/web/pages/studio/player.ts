import type { WireRational } from '../../../core/rational.ts';
import { createStore, type ReadableStore } from '../../base/store.ts';
import type { StudioStreamOpen } from '../../data/types.ts';
import { connectStream, isSuperseded, type StreamConnection } from './stream-connection.ts';

export type PlayerState =
  | { readonly status: 'stopped'; readonly error?: unknown }
  | { readonly status: 'starting' }
  | { readonly status: 'playing'; readonly media: MediaStream }
  | { readonly status: 'paused' };

export type PlayedFilm = Omit<StudioStreamOpen, 'time'>;

export type Player = {
  readonly state: ReadableStore<PlayerState>;
  /** Plays a film as the server renders it; what played before ends. */
  readonly play: (film: PlayedFilm, time: WireRational) => void;
  /** Stands still, and is ready to go on for a while. */
  readonly pause: (time: WireRational) => void;
  readonly stop: () => void;
};

const STOPPED: PlayerState = { status: 'stopped' };
/** A film that stands still for so long is not kept open. */
const PAUSE_MS = 60_000;

/** The stream of a film, with its pictures once they come. */
type Opened = {
  readonly film: PlayedFilm;
  readonly connection: StreamConnection;
  media?: MediaStream;
};

export function createPlayer(): Player {
  const state = createStore<PlayerState>(STOPPED);
  let current: Opened | undefined;
  let forgetting: ReturnType<typeof setTimeout> | undefined;
  /** Streams that the server is still opening, closed ones too. */
  let opening = 0;
  const stop = (error?: unknown) => {
    clearTimeout(forgetting);
    current?.connection.close();
    current = undefined;
    state.set(error === undefined ? STOPPED : { status: 'stopped', error });
  };
  const open = (film: PlayedFilm, time: WireRational) => {
    stop();
    // Requests may overtake each other: the server then takes the one before for the newer one.
    const mayBeOvertaken = opening > 0;
    const connection = connectStream(
      { ...film, time },
      {
        onMedia(media) {
          if (current !== mine) return;
          mine.media = media;
          state.set({ status: 'playing', media });
        },
        onFailed(error) {
          if (current !== mine) return;
          // A stream that stands still is opened again when it is played.
          if (state.get().status === 'paused') stop();
          else if (mayBeOvertaken && isSuperseded(error)) open(film, time);
          else stop(error);
        },
      },
    );
    opening++;
    void connection.opened.catch(() => undefined).finally(() => opening--);
    const mine: Opened = { film, connection };
    current = mine;
    state.set({ status: 'starting' });
  };
  const resume = async (mine: Opened, media: MediaStream, time: WireRational) => {
    clearTimeout(forgetting);
    const starting: PlayerState = { status: 'starting' };
    state.set(starting);
    try {
      await mine.connection.move(time, true);
      if (state.get() === starting) state.set({ status: 'playing', media });
    } catch {
      if (state.get() === starting) open(mine.film, time);
    }
  };
  return {
    state,
    stop: () => stop(),
    play(film, time) {
      const isOpen = current && JSON.stringify(current.film) === JSON.stringify(film);
      if (isOpen && current?.media) void resume(current, current.media, time);
      else open(film, time);
    },
    pause(time) {
      if (!current?.media) return stop();
      state.set({ status: 'paused' });
      current.connection.move(time, false).catch(() => undefined);
      forgetting = setTimeout(() => stop(), PAUSE_MS);
    },
  };
}
