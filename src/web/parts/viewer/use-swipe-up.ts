import { useEffect } from 'react';
import { useLatest } from '../../ui/use-latest.ts';

/** In px of the window; less is a tap. */
const LEAST = 60;

/** Runs something when one finger goes up on the stage, which a zoomed photo does not hear: there it moves the photo. */
export function useSwipeUp(stage: HTMLElement | null, run: () => void): void {
  const latest = useLatest(run);
  useEffect(() => {
    if (!stage) return;
    let start: Touch | undefined;
    const onStart = ({ touches }: TouchEvent) => {
      start = touches.length === 1 && !isZoomed(stage) ? touches[0] : undefined;
    };
    const onEnd = ({ changedTouches: [end] }: TouchEvent) => {
      if (!start || !end) return;
      const up = start.clientY - end.clientY;
      if (up > LEAST && up > 2 * Math.abs(end.clientX - start.clientX)) latest.current?.();
      start = undefined;
    };
    stage.addEventListener('touchstart', onStart, { passive: true });
    stage.addEventListener('touchend', onEnd, { passive: true });
    return () => {
      stage.removeEventListener('touchstart', onStart);
      stage.removeEventListener('touchend', onEnd);
    };
  }, [stage, latest]);
}

function isZoomed(stage: HTMLElement): boolean {
  const photo = stage.querySelector('.yarl__slide_current .yarl__slide_wrapper');
  return photo !== null && new DOMMatrix(getComputedStyle(photo).transform).a > 1;
}
