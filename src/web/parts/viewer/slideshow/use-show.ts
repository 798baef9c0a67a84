import { useCallback, useEffect, useEffectEvent, useRef, useState } from 'react';
import { getPictureUrl } from '../../../base/pictures.ts';
import type { Timeline } from '../../../data/timeline/timeline-data.ts';
import { getWindowAround, type PhotoItem } from '../../../data/viewer/photo-window.ts';
import { createSequence, type Sequence } from './sequence.ts';
import type { SlideshowSettings } from './settings.ts';

/** A photo on the screen; the same photo may come again. */
export type Shown = { key: number; item: PhotoItem };

/** Above this, in device pixels, the preview is seen to be small. */
const LARGE_SCREEN = 2200;

export const getSlideUrl = ({ id, hash }: PhotoItem): string => {
  const side = Math.max(window.innerWidth, window.innerHeight) * devicePixelRatio;
  return getPictureUrl(id, side > LARGE_SCREEN ? 'fullsize' : 'preview', hash);
};

/** Resolves when the picture can be drawn at once, or cannot be loaded. */
async function preload(item: PhotoItem): Promise<void> {
  if (!item.hash) return;
  const image = new Image();
  image.src = getSlideUrl(item);
  await image.decode().catch(() => undefined);
}

async function preloadNext(sequence: Sequence | undefined, by: 1 | -1): Promise<void> {
  const next = await sequence?.peek(by).catch(() => undefined);
  if (next) await preload(next);
}

type Show = {
  /** The photo that goes, if any, and the current one. */
  shown: readonly Shown[];
  isPaused: boolean;
  setPaused: (isPaused: boolean) => void;
  /** Shows the photo after (1) or before (-1) the current one. */
  move: (by: 1 | -1) => Promise<void>;
};

/** Plays a slideshow that begins with the photo of this id. */
export function useShow(timeline: Timeline, startId: string, settings: SlideshowSettings): Show {
  const { seconds, order, repeats } = settings;
  const [shown, setShown] = useState<readonly Shown[]>([]);
  const [isPaused, setPaused] = useState(false);
  const currentId = useRef(startId);
  const isMoving = useRef(false);
  const sequence = useRef<Sequence>(undefined);
  useEffect(() => {
    sequence.current = createSequence({ timeline, id: currentId.current, order, repeats });
  }, [timeline, order, repeats]);
  const show = useCallback((item: PhotoItem) => {
    currentId.current = item.id;
    setShown((old) => [...old.slice(-1), { key: (old.at(-1)?.key ?? 0) + 1, item }]);
  }, []);
  const move = useCallback(
    async (by: 1 | -1) => {
      if (isMoving.current) return;
      isMoving.current = true;
      try {
        const item = await sequence.current?.move(by);
        // The end, or the server is away: a press goes on.
        if (!item) return setPaused(true);
        await preload(item);
        show(item);
        void preloadNext(sequence.current, by);
      } catch {
        setPaused(true);
      } finally {
        isMoving.current = false;
      }
    },
    [show],
  );

  useEffect(() => {
    let isGone = false;
    const begin = ({ items }: { items: readonly PhotoItem[] }) => {
      const first = items.find((item) => item.id === startId);
      if (!isGone && first) show(first);
    };
    getWindowAround(timeline, startId).then(begin, () => setPaused(true));
    return () => {
      isGone = true;
    };
  }, [timeline, startId, show]);

  const advance = useEffectEvent(() => void move(1));
  const current = shown.at(-1);
  // A video says by itself when it has ended.
  const isTimed = current !== undefined && current.item.isImage && !isPaused;
  useEffect(() => {
    if (!isTimed) return;
    const timer = setTimeout(advance, seconds * 1000);
    return () => clearTimeout(timer);
  }, [isTimed, current?.key, seconds]);

  return { shown, isPaused, setPaused, move };
}
