import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';

/** So long after the last movement the bar goes, in ms. */
const IDLE_MS = 3000;
/** The bar is there when it starts and stops, as long as it does not play. */
const CHANGES = ['play', 'pause', 'ended'];

export type Idle = {
  readonly isIdle: boolean;
  readonly wake: () => void;
  readonly toggle: () => void;
};

/** Whether the bar is away: a video plays, and nobody has moved or used it for a while. */
export function useIdle(bar: RefObject<HTMLElement | null>, media: HTMLMediaElement | null): Idle {
  const [isIdle, setIdle] = useState(false);
  const timer = useRef<ReturnType<typeof setInterval>>(undefined);
  const wait = useCallback(() => {
    clearInterval(timer.current);
    timer.current = setInterval(() => {
      if (!media || media.paused || isInUse(bar.current)) return;
      clearInterval(timer.current);
      setIdle(true);
    }, IDLE_MS);
  }, [bar, media]);
  const wake = useCallback(() => {
    setIdle(false);
    wait();
  }, [wait]);
  useEffect(() => {
    wait();
    // A finger that moves goes to another photo: its tap is what counts.
    const onMove = ({ pointerType }: PointerEvent) => {
      if (pointerType !== 'touch') wake();
    };
    window.addEventListener('pointermove', onMove);
    for (const name of CHANGES) media?.addEventListener(name, wake);
    return () => {
      clearInterval(timer.current);
      window.removeEventListener('pointermove', onMove);
      for (const name of CHANGES) media?.removeEventListener(name, wake);
    };
  }, [media, wait, wake]);
  const toggle = () => {
    if (isIdle) return wake();
    clearInterval(timer.current);
    setIdle(true);
  };
  return { isIdle, wake, toggle };
}

const IN_USE = ':focus-visible, [aria-expanded=true], :active';

/** After a touch, what was touched stays hovered. */
const isInUse = (bar: HTMLElement | null): boolean =>
  bar !== null &&
  (bar.querySelector(IN_USE) !== null ||
    (matchMedia('(hover: hover)').matches && bar.matches(':hover')));
