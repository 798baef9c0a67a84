export type PlayerState = {
  readonly item: number;
  /** Grows whenever an item begins, also the same one again. */
  readonly turn: number;
  readonly isPaused: boolean;
  /** A finger or the mouse button is down. */
  readonly isHeld: boolean;
  /** The last item has been shown. */
  readonly isEnded: boolean;
};

export type PlayerEvent = 'next' | 'previous' | 'toggle' | 'pause' | 'hold' | 'release';

export const START: PlayerState = {
  item: 0,
  turn: 0,
  isPaused: false,
  isHeld: false,
  isEnded: false,
};

/** Returns the state after an event; `count` is the number of items. */
export function reducePlayer(state: PlayerState, event: PlayerEvent, count: number): PlayerState {
  const begin = (item: number): PlayerState => ({
    ...state,
    item,
    turn: state.turn + 1,
    isEnded: false,
  });
  // Items may have been removed.
  const item = Math.min(state.item, count - 1);
  switch (event) {
    case 'next':
      return item + 1 < count ? begin(item + 1) : { ...state, isEnded: true };
    case 'previous':
      return begin(Math.max(0, item - 1));
    case 'toggle':
      if (state.isEnded) return { ...begin(0), isPaused: false };
      return { ...state, isPaused: !state.isPaused };
    case 'pause':
      return { ...state, isPaused: true };
    case 'hold':
      return { ...state, isHeld: true };
    case 'release':
      return { ...state, isHeld: false };
  }
}

export const isPlaying = ({ isPaused, isHeld, isEnded }: PlayerState): boolean =>
  !isPaused && !isHeld && !isEnded;

export type Gesture = {
  /** From where the finger came down, in px. */
  readonly dx: number;
  readonly dy: number;
  readonly isLong: boolean;
  /** Where it came down, from 0 at the left to 1. */
  readonly at: number;
};

const SWIPE_PX = 48;
const TAP_PX = 12;
/** A tap in this part of the width, at the left, goes back. */
const BACK_PART = 1 / 3;

/** Returns what a finger that has left the screen wanted; undefined: nothing. */
export function readGesture({
  dx,
  dy,
  isLong,
  at,
}: Gesture): 'next' | 'previous' | 'close' | undefined {
  if (Math.abs(dx) >= SWIPE_PX && Math.abs(dx) > Math.abs(dy)) return dx < 0 ? 'next' : 'previous';
  if (dy >= 2 * SWIPE_PX) return 'close';
  if (isLong || Math.hypot(dx, dy) > TAP_PX) return undefined;
  return at < BACK_PART ? 'previous' : 'next';
}

/** Years of the calendar between a picture's local time and today. */
export const countYears = (localDateTime: string, now: Date): number =>
  now.getFullYear() - new Date(localDateTime).getUTCFullYear();
