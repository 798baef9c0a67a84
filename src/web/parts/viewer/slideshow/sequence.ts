import type { Timeline } from '../../../data/timeline/timeline-data.ts';
import {
  countPhotos,
  getPhotoAt,
  getWindowAround,
  type PhotoItem,
} from '../../../data/viewer/photo-window.ts';

export const ORDERS = ['forward', 'backward', 'random'] as const;
export type Order = (typeof ORDERS)[number];

/** The photos of a slideshow, one after another. */
export type Sequence = {
  /** Returns the photo after (1) or before (-1) the current one; undefined when there is none. */
  peek(by: 1 | -1): Promise<PhotoItem | undefined>;
  /** Makes that photo the current one and returns it. */
  move(by: 1 | -1): Promise<PhotoItem | undefined>;
};

type Options = {
  timeline: Timeline;
  /** The current photo at first. */
  id: string;
  order: Order;
  /** Whether the first photo follows the last one. */
  repeats: boolean;
};

/** The files that are heard and not seen are left out; so many in a row end the show. */
const MOST_SKIPPED = 50;

export function createSequence(options: Options): Sequence {
  const walk = options.order === 'random' ? createShuffledWalk(options) : createWalk(options);
  const find = async (by: 1 | -1) => {
    for (let step = by as number; Math.abs(step) <= MOST_SKIPPED; step += by) {
      const item = await walk.find(step);
      if (!item?.isAudio) return item && { item, step };
    }
    return undefined;
  };
  return {
    peek: async (by) => (await find(by))?.item,
    move: async (by) => {
      const found = await find(by);
      if (found) walk.go(found.step, found.item);
      return found?.item;
    },
  };
}

type Walk = {
  /** Returns the photo so many steps away, back for a negative number. */
  find(step: number): Promise<PhotoItem | undefined>;
  go(step: number, item: PhotoItem): void;
};

/** As the timeline has them: forward from the newest to the oldest. */
function createWalk({ timeline, id, order, repeats }: Options): Walk {
  const direction = order === 'backward' ? -1 : 1;
  let current = id;
  return {
    async find(step) {
      const { items, isStart, isEnd } = await getWindowAround(timeline, current);
      const at = items.findIndex((item) => item.id === current) + step * direction;
      const item = items[at];
      if (item || !repeats) return item;
      const total = countPhotos(timeline);
      if (at < 0 && isStart) return getPhotoAt(timeline, total + at);
      if (at >= items.length && isEnd) return getPhotoAt(timeline, at - items.length);
      return undefined;
    },
    go: (_step, item) => {
      current = item.id;
    },
  };
}

/** Each photo once, in an order that is drawn anew for each round. */
function createShuffledWalk({ timeline, id, repeats }: Options): Walk {
  let deck = shuffle(countPhotos(timeline));
  let at = -1;
  return {
    async find(step) {
      const to = at + step;
      if (to === -1)
        return (await getWindowAround(timeline, id)).items.find((one) => one.id === id);
      if (to < deck.length) return getPhotoAt(timeline, deck[to] ?? -1);
      if (!repeats) return undefined;
      deck = shuffle(countPhotos(timeline));
      at = -1 - step + 1;
      return getPhotoAt(timeline, deck[at + step] ?? -1);
    },
    go: (step) => {
      at += step;
    },
  };
}

/** Returns the numbers below `count` in a random order (Fisher and Yates). */
function shuffle(count: number): Uint32Array {
  const deck = Uint32Array.from({ length: count }, (_, at) => at);
  for (let last = count - 1; last > 0; last--) {
    const other = Math.floor(Math.random() * (last + 1));
    const card = deck[last] ?? 0;
    deck[last] = deck[other] ?? 0;
    deck[other] = card;
  }
  return deck;
}
