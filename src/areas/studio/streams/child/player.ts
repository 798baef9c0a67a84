import { type Rational, toSeconds } from '../../../../core/rational.ts';
import { getPlayingRate } from '../../render/segments.ts';
import type { Film } from '../messages.ts';
import { readFrames } from './frames.ts';

/** The last frame is sent again after so long: a browser that comes later needs one. */
const REPEAT_MS = 200;
/** Frames that are later than this are not made up for. */
const MAX_LATE_MS = 200;

type Start = {
  readonly time: Rational;
  /** Otherwise its picture stands still. */
  readonly isPlaying: boolean;
  /** Called when the first frame is shown. */
  readonly onShown?: () => void;
};

/** Plays a film in real time while somebody watches, until its process is ended. */
export class Player {
  readonly #film: Film;
  readonly #show: (frame: Uint8Array) => void;
  #last: Uint8Array | undefined;
  #lastShown = 0;
  #isWatched = false;
  #wake: (() => void) | undefined;
  #playing = new AbortController();
  /** Resolves when nothing is read any more. */
  #stopped: Promise<unknown> = Promise.resolve();

  constructor(film: Film, show: (frame: Uint8Array) => void) {
    this.#film = film;
    this.#show = show;
    setInterval(() => this.#repeat(), REPEAT_MS);
  }

  /** Ends what is played, and plays from another time. Resolves at the end of that. Throws MediaError. */
  async play(start: Start): Promise<void> {
    this.#playing.abort();
    this.#wake?.();
    this.#playing = new AbortController();
    const { signal } = this.#playing;
    const before = this.#stopped;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#stopped = promise;
    await before;
    try {
      if (!signal.aborted) await this.#play(start, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      resolve();
    }
  }

  /** The film stands still while nobody watches. */
  setWatched(isWatched: boolean): void {
    this.#isWatched = isWatched;
    if (isWatched) this.#wake?.();
  }

  async #play({ time, isPlaying, onShown }: Start, signal: AbortSignal): Promise<void> {
    const frameMs = 1000 / toSeconds(getPlayingRate(this.#film.document));
    let due: number | undefined;
    for await (const frame of readFrames(this.#film, time, signal)) {
      if (due !== undefined) await this.#until(due, signal);
      if (signal.aborted) return;
      this.#present(frame);
      if (due === undefined) onShown?.();
      if (!isPlaying) return;
      due = Math.max((due ?? performance.now()) + frameMs, performance.now() - MAX_LATE_MS);
    }
  }

  async #until(due: number, signal: AbortSignal): Promise<void> {
    while (!this.#isWatched && !signal.aborted)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    const left = due - performance.now();
    if (left > 0 && !signal.aborted) await Bun.sleep(left);
  }

  #present(frame: Uint8Array): void {
    this.#last = frame;
    this.#lastShown = performance.now();
    this.#show(frame);
  }

  #repeat(): void {
    if (this.#last && performance.now() - this.#lastShown >= REPEAT_MS) this.#present(this.#last);
  }
}
