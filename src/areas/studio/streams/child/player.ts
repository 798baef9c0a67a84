import { toRational, toSeconds } from '../../../../core/rational.ts';
import { getPlayingRate } from '../../render/segments.ts';
import type { Film } from '../messages.ts';
import { readFrames } from './frames.ts';

/** The last frame is sent again after so long: a browser that comes later needs one. */
const REPEAT_MS = 200;
/** Frames that are later than this are not made up for. */
const MAX_LATE_MS = 200;

/** Plays a film in real time while somebody watches, until its process is ended. */
export class Player {
  readonly #film: Film;
  readonly #show: (frame: Uint8Array) => void;
  #last: Uint8Array | undefined;
  #lastShown = 0;
  #isWatched = false;
  #wake: (() => void) | undefined;

  constructor(film: Film, show: (frame: Uint8Array) => void) {
    this.#film = film;
    this.#show = show;
    setInterval(() => this.#repeat(), REPEAT_MS);
  }

  /** Resolves at the end of the film. Throws MediaError. */
  async play(): Promise<void> {
    const { document, time } = this.#film;
    const frameMs = 1000 / toSeconds(getPlayingRate(document));
    let due = performance.now();
    for await (const frame of readFrames(this.#film, toRational(time))) {
      if (this.#last) await this.#until(due);
      this.#present(frame);
      due = Math.max(due + frameMs, performance.now() - MAX_LATE_MS);
    }
  }

  /** The film stands still while nobody watches. */
  setWatched(isWatched: boolean): void {
    this.#isWatched = isWatched;
    if (isWatched) this.#wake?.();
  }

  async #until(due: number): Promise<void> {
    while (!this.#isWatched)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    const left = due - performance.now();
    if (left > 0) await Bun.sleep(left);
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
